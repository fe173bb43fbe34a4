import { AxeBuilder } from '@axe-core/playwright';
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
