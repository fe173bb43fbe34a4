// The pictures in docs/design.md: the components in their states, made by this, so that they show what is.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { DECLARED, endStates, everyState } from '../support/states';
import { onRequest } from '../support/pictures';
import { expect, test } from '../support/test';

const FOLDER = join(import.meta.dirname, '../../docs/design');

test('all pictures together are small', () => {
    const files = readdirSync(FOLDER);
    expect(files.length).toBeGreaterThan(10);
    expect(files.reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0)).toBeLessThan(1_000_000);
});

for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(colorScheme, () => {
        onRequest('design.spec.ts');
        // A service that ends is what one of the pictures shows.
        test.use({ colorScheme, sessions: DECLARED, strict: false, viewport: { width: 1280, height: 860 } });

        test('components and states', async ({ standing, service }) => {
            test.setTimeout(300_000);
            mkdirSync(FOLDER, { recursive: true });
            const { page } = standing;
            // Only this needs the library, which is not on every machine.
            const { default: sharp } = await import('sharp');
            const take = async (name: string, part: Page | Locator) => {
                await page.mouse.move(0, 0);
                const png = await part.screenshot({ animations: 'disabled', scale: 'css' });
                await sharp(png).webp({ lossless: true }).toFile(join(FOLDER, `${name}-${colorScheme}.webp`));
            };
            const calm = () => page.evaluate(() => (document.activeElement as HTMLElement).blur());
            await everyState(service);
            try {
                await page.goto(service.at('/?stopped'));
                await standing.live();
                await expect(page.locator('.row')).toHaveCount(11);
                await take('list', page);
                await take('chips', page.locator('#chips'));

                await standing.unfold('supervisor');
                await standing.say('supervisor', 'Recover #283, then report.');
                await expect(standing.receipt('supervisor')).toContainText('Recover #283');
                await expect(standing.pane('supervisor')).toContainText('Recover #283');
                await calm();
                await take('row-unfolded', standing.card('supervisor'));

                await page.keyboard.press('n');
                await page.locator('#new-name').fill('API Migration');
                await page.getByRole('button', { name: 'Create session' }).click();
                await expect(page.locator('#wrong-name')).not.toBeEmpty();
                await take('form-refused', page.locator('#new'));
                await page.keyboard.press('Escape');
                await standing.menu('docs-gardener');
                await take('menu', page.locator('#menu'));
                await page.locator('#menu').getByRole('link', { name: 'Delete… docs-gardener' }).click();
                await expect(page.locator('dialog#confirm:modal')).toBeVisible();
                await take('confirmation', page.locator('#confirm'));

                await page.goto(service.at('/standing/release-watch'));
                await standing.live();
                await take('session', page);
                await take('prompt', page.locator('#prompt'));
                await take('message-box', page.locator('.dock'));
                await page.goto(service.at('/standing/supervisor'));
                await standing.live();
                await take('about-and-timeline', page.locator('#side'));

                for (const [name, address] of [['phone-list', '/'], ['phone-session', '/standing/release-watch']] as const) {
                    await page.setViewportSize({ width: 360, height: 720 });
                    await page.goto(service.at(address));
                    await standing.live();
                    await take(name, page);
                }
                await page.setViewportSize({ width: 1280, height: 420 });
                await page.goto(service.at('/'));
                await expect(page.locator('html')).toHaveAttribute('data-mode', 'live');
                await service.end();
                await expect(page.locator('#offline')).toBeVisible();
                await take('service-silent', page);
                await service.serve();
            } finally {
                await endStates(service);
            }
        });
    });
}
