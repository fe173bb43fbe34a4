import { expect, test } from '../support/test';
import { until } from '../support/service';

test('a session is created, spoken to, stopped, started with the same conversation, and deleted', async ({
    standing,
    service,
}) => {
    await standing.create('ops', { description: 'Looks after things', brief: 'Be brief.' });
    await expect(standing.told('ops')).toHaveText(/Started with a new conversation/);
    await expect(standing.told('ops')).toHaveAttribute('data-notice', 'done');
    await expect(standing.card('ops')).toHaveAttribute('data-source', 'created');
    await expect(standing.card('ops')).toContainText('Looks after things');
    await expect(standing.state('ops')).toHaveText('idle');
    const conversation = await standing.conversation('ops');

    await standing.say('ops', 'the first word is marmalade');
    await expect(standing.receipt('ops')).toContainText('the first word is marmalade');
    await expect(standing.receipt('ops')).toHaveAttribute('data-notice', 'done');
    await expect(standing.message('ops')).toHaveValue('');
    await until('the message in the pane', async () => (await service.pane('ops')).includes('marmalade'));
    await expect(standing.pane('ops')).toContainText('marmalade');

    await standing.act('ops', 'Stop');
    await expect(standing.told('ops')).toHaveText(/Stopped, conversation kept/);
    await expect(standing.state('ops')).toHaveText('stopped');
    await expect(standing.message('ops')).toBeHidden();

    await standing.act('ops', 'Start');
    await expect(standing.told('ops')).toHaveText(/Started, conversation resumed/);
    await expect(standing.state('ops')).toHaveText('idle');
    expect(await standing.conversation('ops')).toBe(conversation);
    await until('the earlier words in the pane', async () => (await service.pane('ops')).includes('marmalade'));

    await standing.restart('ops');
    await expect(standing.told('ops')).toHaveText(/Started, conversation resumed/);
    expect(await standing.conversation('ops')).toBe(conversation);

    await standing.delete('ops');
    await expect(standing.card('ops')).toHaveCount(0);
    await expect(standing.page.locator('#notice-page')).toContainText('`ops` was deleted');
    await expect(standing.page.locator('dialog:modal')).toHaveCount(0);
    expect(await service.cli('standing', 'list')).not.toContain('ops');
});

test('a question is answered in place, by a button that nothing preselects', async ({ standing, service }) => {
    const fault = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=dialog=Go on with it?'];
    await service.cli('standing', 'create', 'ops', ...fault);
    const question = standing.card('ops').locator('.question');
    const answers = standing.card('ops').locator('.answers');
    await expect(question).toContainText('Go on with it?');
    await expect(answers.getByRole('button')).toHaveText([/No, exit/, /Yes, go on/]);
    await standing.press(answers.getByRole('button', { name: 'Yes, go on' }));
    await expect(standing.receipt('ops')).toHaveText(/the prompt closed/);
    await expect(question).toHaveCount(0);
    await expect(standing.state('ops')).toHaveText('idle');
});

test('a reload shows the same sessions and what came of the last act', async ({ standing }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    await standing.say('ops', 'still here?');
    await expect(standing.receipt('ops')).toContainText('still here?');
    await standing.page.reload();
    await standing.live();
    await expect(standing.state('ops')).toHaveText('idle');
    await expect(standing.receipt('ops')).toContainText('still here?');
});

test('a session that is only recorded does not run', async ({ standing, service }) => {
    await standing.page.getByRole('link', { name: 'New session' }).click();
    const form = standing.page.locator('#create-form');
    await form.getByText('More:').click();
    await form.getByLabel(/Save only/).check();
    await form.getByLabel('Custom:').check();
    await form.getByLabel('Arguments, one per line').fill('--one\n--two words');
    await standing.create('later');
    await expect(standing.state('later')).toHaveText('stopped');
    const row = JSON.parse(await service.cli('standing', 'list', '--format', 'json')).find(
        (row: { name: string }) => row.name === 'later',
    );
    expect(row).toMatchObject({ declared: false, running: false, harness: 'demo' });
});

test('buttons tell that they are working, and are not pressed twice', async ({ standing }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    let posts = 0;
    await standing.page.route('**/app/standing/stop', async (route) => {
        posts += 1;
        await new Promise((wake) => setTimeout(wake, 500));
        await route.continue();
    });
    const stop = standing.card('ops').getByRole('button', { name: 'Stop ops' });
    await expect(stop).not.toHaveAttribute('data-new');
    await stop.dblclick();
    await expect(stop).toHaveAttribute('aria-busy', 'true');
    await expect(standing.state('ops')).toHaveText('stopped');
    expect(posts).toBe(1);
});
