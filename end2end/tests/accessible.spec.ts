import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';

for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(colorScheme, () => {
        test.use({ colorScheme });

        test('every screen is free of what axe can find', async ({ standing, service }) => {
            const check = async (what: string) => {
                const found = await new AxeBuilder({ page: standing.page }).analyze();
                const faults = found.violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes[0]?.html}`);
                expect(faults).toEqual([]);
            };
            await standing.create('ops', { description: 'Looks after things' });
            await expect(standing.state('ops')).toHaveText('idle');
            await standing.say('ops', 'hello');
            await expect(standing.receipt('ops')).toBeVisible();
            await check('the list');
            await standing.menu('ops');
            await check('a menu');
            await standing.page.locator('#menu').getByRole('link', { name: 'Delete… ops' }).click();
            await expect(standing.page.locator('dialog#confirm:modal')).toBeVisible();
            await check('the confirmation');
            await standing.page.keyboard.press('Escape');
            await standing.create('ops');
            await expect(standing.page.locator('#wrong-name')).toContainText('already exists');
            await standing.page.getByText('More:').click();
            await check('the form');
            service.writeConfig('standingSessions: [');
            await standing.page.goto(service.at('/'));
            await expect(standing.page.locator('#trouble')).toBeVisible();
            await check('a config that cannot be used');
            service.configure('');
            await service.cli('standing', 'delete', 'ops');
            await standing.page.goto(service.at('/'));
            await expect(standing.page.locator('#empty')).toBeVisible();
            await check('the empty page');
        });
    });
}

test('the reader can choose the colours, and the choice stays', async ({ standing, service }) => {
    const paper = () => standing.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await paper();
    const colours = standing.page.getByRole('button', { name: /^Colours/ });
    await colours.click();
    await expect(standing.page.locator('html')).toHaveAttribute('data-theme', 'light');
    await colours.click();
    await expect.poll(paper).not.toBe(light);
    await standing.page.goto(service.at('/'));
    await expect(standing.page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await standing.live();
    await colours.click();
    await expect.poll(paper).toBe(light);
});

test('one heading of the first rank, landmarks, and targets that can be hit', async ({ standing }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    await expect(standing.page.locator('h1')).toHaveCount(1);
    await expect(standing.page.getByRole('main')).toHaveCount(1);
    await expect(standing.page.getByRole('banner')).toHaveCount(1);
    await expect(standing.page.getByRole('navigation')).toHaveCount(1);
    const small = await standing.page.locator('button:visible, a.button:visible, summary:visible').evaluateAll((all) =>
        all.filter((one) => one.getBoundingClientRect().height < 24 || one.getBoundingClientRect().width < 24),
    );
    expect(small).toEqual([]);
});

/** Fails with every fault that axe finds. */
async function clean(page: Page, what: string): Promise<void> {
    const found = await new AxeBuilder({ page }).analyze();
    expect(found.violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
}

const asking = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=dialog=Go on with it?'];

for (const [what, colours] of [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['forced colours', { forcedColors: 'active' }],
] as const) {
    test.describe(what, () => {
        // The browser itself reports an answer that is an error, and one that never came.
        test.use({ strict: false, ...('colorScheme' in colours ? colours : { contextOptions: colours }) });

        test('every page is free of what axe can find, while the service answers and when it does not', async ({ standing, service }) => {
            test.setTimeout(120_000);
            const { page } = standing;
            service.configure('', {}, { enabled: true });
            await service.cli('standing', 'create', 'ops', ...asking);
            await service.cli('standing', 'create', 'web', '--harness', 'demo');
            for (const [address, shown] of [
                ['/', '#session-web.open'],
                ['/standing/ops', '#prompt .prompt'],
                ['/standing/web', '#pane[data-alive]'],
                ['/standing/web/terminal', '#terminal .xterm-rows'],
                ['/events', 'li.event'],
                ['/standing/nothing-like-it', 'main.missing'],
                ['/standing/nothing-like-it/terminal', 'main'],
            ] as const) {
                await page.goto(service.at(address));
                await expect(page.locator(shown).first()).toBeVisible();
                await clean(page, address);
            }
            for (const address of ['/', '/standing/ops', '/events']) {
                await page.goto(service.at(address));
                await expect(page.locator('html')).toHaveAttribute('data-mode', 'live');
                await service.end();
                await expect(page.locator('#offline')).toBeVisible();
                await clean(page, `${address} offline`);
                await service.serve();
                await expect(page.locator('#offline')).toBeHidden();
            }
        });

        test.describe('with a sign-in', () => {
            test.use({ auth: 'token' });
            test('the page that asks for it is free of what axe can find', async ({ page, service }) => {
                await page.goto(service.at('/'));
                await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
                await clean(page, 'sign-in');
            });
        });
    });
}
