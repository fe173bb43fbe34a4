// What a browser needs to install the page as an application.
import { expect, test } from '../support/test';

for (const auth of ['same-user', 'token'] as const) {
    test.describe(auth, () => {
        test.use({ auth, strict: false });

        test('the manifest is found, valid, and names icons that load', async ({ page, service }) => {
            const faults: string[] = [];
            page.on('console', (message) => message.text().includes('anifest') && faults.push(message.text()));
            if (auth === 'token') {
                await page.goto((await service.cli('open')).trim());
                await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
            }
            await page.goto(service.at('/'));
            const client = await page.context().newCDPSession(page);
            const { url, errors, data } = await client.send('Page.getAppManifest');
            expect(errors).toEqual([]);
            expect(new URL(url).pathname).toBe('/the-loop.webmanifest');
            const { icons, start_url, display } = JSON.parse(data!) as { icons: { src: string; sizes: string }[]; start_url: string; display: string };
            expect([start_url, display]).toEqual(['/', 'standalone']);
            for (const { src, sizes } of icons) {
                const size = await page.evaluate(async (src) => {
                    const icon = Object.assign(new Image(), { src });
                    await icon.decode();
                    return icon.naturalWidth;
                }, src);
                if (sizes !== 'any') expect(`${size}x${size}`).toBe(sizes);
            }
            const { installabilityErrors } = await client.send('Page.getInstallabilityErrors');
            // The contexts of these tests are private windows.
            expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
            expect(faults).toEqual([]);
        });
    });
}
