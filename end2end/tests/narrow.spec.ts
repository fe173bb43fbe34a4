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

test('the longest wait has its answers, and the others have a button that unfolds them', async ({ standing, service }) => {
    const asking = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=dialog=Push the release branch?'];
    for (const name of ['first', 'second', 'third']) await service.cli('standing', 'create', name, ...asking);
    await expect(standing.state('third')).toHaveText('waiting');
    // In a short list a row stays as it was unfolded while its session ran.
    await standing.page.goto(service.at('/'));
    await standing.live();
    const answer = (name: string) => standing.card(name).getByRole('button', { name: /Yes, go on/ });
    const later = (name: string) => standing.card(name).getByRole('link', { name: `Answer… ${name}` });
    await expect(answer('first')).toBeVisible();
    await expect(later('first')).toBeHidden();
    for (const name of ['second', 'third']) {
        await expect(answer(name)).toBeHidden();
        expect((await later(name).boundingBox())!.height).toBeGreaterThanOrEqual(44);
    }
    await later('third').tap();
    await expect(answer('third')).toBeVisible();
    await expect(answer('third')).not.toHaveAttribute('data-new');
    expect((await answer('third').boundingBox())!.height).toBeGreaterThanOrEqual(48);
    await answer('third').tap();
    await expect(standing.told('third')).toContainText('the prompt closed');
    await expect(standing.state('second')).toHaveText('waiting');
});
