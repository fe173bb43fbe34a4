// The test function of every spec: a service of its own, the screen, and no tolerance for errors on the console.
import { test as base, expect } from '@playwright/test';
import { Screen } from './screen';
import { type AuthMode, SUPERVISOR, Service } from './service';

interface Fixtures {
    /** The declared sessions of the config, as YAML list items. */
    sessions: string;
    /** Who the service lets in. */
    auth: AuthMode;
    /** Whether an error on the console, in a script or of the security policy fails the test. */
    strict: boolean;
    service: Service;
    standing: Screen;
}

export const test = base.extend<Fixtures>({
    sessions: [SUPERVISOR, { option: true }],
    auth: ['same-user', { option: true }],
    strict: [true, { option: true }],
    service: async ({ sessions, auth }, use) => {
        const service = await Service.start(sessions, auth);
        await use(service);
        await service.dispose();
    },
    standing: async ({ page, service, strict, javaScriptEnabled }, use) => {
        const faults: string[] = [];
        page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
        // A row that left the list while it was asked for.
        const gone = (url: string, said: string) => url.includes('/app/row/') && said.includes('404');
        page.on('console', (message) => {
            if (gone(message.location().url, message.text())) return;
            // The page asks for the bundle early, and without scripts nothing uses it.
            const unused = javaScriptEnabled === false && message.text().includes('preloaded using link preload');
            if (!unused && ['error', 'warning'].includes(message.type())) faults.push(message.text());
        });
        page.on('response', (response) => {
            if (gone(response.url(), String(response.status()))) return;
            if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
        });
        const standing = new Screen(page);
        await page.goto(service.at('/#/standing'));
        if (javaScriptEnabled !== false) await standing.live();
        await use(standing);
        // Nothing may still be on its way to a service that ends.
        await page.close();
        if (strict) expect(faults).toEqual([]);
    },
});

export { expect };
