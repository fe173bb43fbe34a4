import { expect, test } from '../support/test';

test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });

test('nothing is cut off at 360 px', async ({ standing, service }) => {
    const wide = () => standing.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await standing.create('a-name-of-more-than-forty-characters-is-refused');
    await expect(standing.page.locator('#wrong-name')).toBeVisible();
    expect(await wide()).toBeLessThanOrEqual(0);
    await standing.create('a-name-that-is-as-long-as-they-may-be-40', { description: 'w'.repeat(80) });
    const name = 'a-name-that-is-as-long-as-they-may-be-40';
    await expect(standing.state(name)).toHaveText('idle');
    await standing.say(name, 'x'.repeat(300));
    await expect(standing.receipt(name)).toBeVisible();
    expect(await wide()).toBeLessThanOrEqual(0);
    await standing.page.goto(service.at(`/?confirm=delete&name=${name}`));
    await expect(standing.page.locator('dialog#confirm:modal')).toBeVisible();
    expect(await wide()).toBeLessThanOrEqual(0);
    await standing.page.getByRole('button', { name: `Delete ${name}` }).click();
    await expect(standing.card(name)).toHaveCount(0);
    service.writeConfig('standingSessions: { enabled: true, sessions: [{ name: x, unknown: 1 }] }');
    await standing.page.goto(service.at('/'));
    await expect(standing.page.locator('#trouble')).toBeVisible();
    expect(await wide()).toBeLessThanOrEqual(0);
});

test('a phone does not zoom into any field', async ({ standing }) => {
    await standing.act('supervisor', 'Start');
    await expect(standing.state('supervisor')).toHaveText('idle');
    await standing.page.getByRole('link', { name: 'New session' }).click();
    await standing.page.locator('#new-more > summary').click();
    const small = await standing.page.evaluate(() =>
        [...document.querySelectorAll('textarea, input:not([type=hidden], [type=checkbox], [type=radio]), select')]
            .map((field) => ({ id: field.id, size: parseFloat(getComputedStyle(field).fontSize) }))
            .filter(({ size }) => size < 16),
    );
    expect(small).toEqual([]);
});
