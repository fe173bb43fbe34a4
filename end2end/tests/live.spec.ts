import { expect, test } from '../support/test';

test('what others do is seen without a reload, and nobody who types is disturbed', async ({ standing, service }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    await standing.message('ops').fill('half a thou');
    await standing.message('ops').focus();
    await service.cli('standing', 'create', 'aaa', '--harness', 'demo');
    await expect(standing.state('aaa')).toHaveText('idle');
    await expect(standing.message('ops')).toBeFocused();
    await standing.page.keyboard.type('ght');
    await expect(standing.message('ops')).toHaveValue('half a thought');

    // The session changes its place in the list under the writer's hands.
    await service.cli('standing', 'stop', 'aaa');
    await expect(standing.state('aaa')).toHaveText('stopped');
    await service.cli('standing', 'start', 'supervisor');
    await expect(standing.state('supervisor')).toHaveText('idle');
    await expect(standing.message('ops')).toBeFocused();
    await expect(standing.message('ops')).toHaveValue('half a thought');
});

test('an open menu, an open form and a receipt outlive a refresh', async ({ standing, service }) => {
    await standing.create('ops');
    await standing.say('ops', 'remember this');
    await expect(standing.receipt('ops')).toContainText('remember this');
    await standing.menu('ops');
    await service.cli('standing', 'start', 'supervisor');
    await expect(standing.state('supervisor')).toHaveText('idle');
    await expect(standing.page.locator('#menu')).toBeVisible();
    await standing.page.keyboard.press('Escape');

    await standing.page.getByRole('link', { name: 'New session' }).click();
    await standing.page.locator('#new-brief').fill('not sent yet');
    await service.cli('standing', 'stop', 'supervisor');
    await expect(standing.state('supervisor')).toHaveText('stopped');
    await expect(standing.page.locator('dialog#new:modal')).toBeVisible();
    await expect(standing.page.locator('#new-brief')).toHaveValue('not sent yet');
    await standing.page.keyboard.press('Escape');
    await expect(standing.receipt('ops')).toContainText('remember this');
});

test('an answer that comes late leaves alone what was opened since', async ({ standing }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    let answer = () => {};
    const held = new Promise<void>((go) => (answer = go));
    await standing.page.route('**/app/standing/start', async (route) => {
        await held;
        await route.continue();
    });
    await standing.act('supervisor', 'Start');
    await standing.menu('ops');
    await standing.page.locator('#menu').getByRole('link', { name: 'Delete… ops' }).click();
    const confirmation = standing.page.getByRole('heading', { name: 'Delete ops?' });
    await expect(confirmation).toBeVisible();
    answer();
    await expect(standing.told('supervisor')).toContainText('Started');
    await expect(confirmation).toBeVisible();
    await standing.page.keyboard.press('Escape');
    await expect(confirmation).toBeHidden();
    await expect(standing.told('supervisor')).toContainText('Started');
    await expect.poll(() => new URL(standing.page.url()).searchParams.has('confirm')).toBe(false);
});

test.describe('a service that ends', () => {
    // The browser itself reports every request that found nobody.
    test.use({ strict: false });

    test('is told of, the list is kept, and it is found again', async ({ standing, service }) => {
        await standing.create('ops');
        await expect(standing.state('ops')).toHaveText('idle');
        await service.end();
        await expect(standing.page.getByText('The service does not answer since')).toBeVisible();
        await expect(standing.card('ops')).toBeVisible();
        // An age that goes on would claim that the state goes on.
        await expect(standing.card('ops').locator('.state time')).toHaveText(/^\d\d:\d\d$/);
        await standing.say('ops', 'into the void');
        await expect(standing.page.locator('#announce')).toContainText('The service did not answer');
        await expect(standing.message('ops')).toHaveValue('into the void');
        await service.serve();
        await expect(standing.page.getByText('The service does not answer since')).toBeHidden();
        await expect(standing.state('ops')).toHaveText('idle');
        await expect(standing.message('ops')).toHaveValue('into the void');
    });
});
