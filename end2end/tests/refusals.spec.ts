import { expect, test } from '../support/test';

test('a name that is taken is refused in the words of the core, and what was typed stays', async ({ standing }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    await standing.create('ops', { brief: 'A long brief that nobody wants to type again.' });
    const refusal = standing.page.locator('#notice-create');
    await expect(standing.page.locator('#wrong-name')).toContainText('`ops` already exists');
    await expect(refusal).toContainText('1 field needs a change');
    await expect(standing.page.locator('#new-name')).toBeFocused();
    await expect(standing.page.locator('#new-name')).toHaveAttribute('aria-invalid', 'true');
    const form = standing.page.locator('#create-form');
    await expect(form.getByLabel('Name')).toHaveValue('ops');
    await expect(form.getByLabel('Brief')).toHaveValue('A long brief that nobody wants to type again.');

    await standing.create('ops-2');
    await expect(standing.card('ops-2')).toBeVisible();
    await expect(form).toBeHidden();
    await standing.page.getByRole('link', { name: 'New session' }).click();
    await expect(form.getByLabel('Brief')).toHaveValue('');
    await expect(standing.page.locator('#wrong-name')).toBeEmpty();
});

test('a declared name is refused as well', async ({ standing }) => {
    await standing.create('supervisor');
    await expect(standing.page.locator('#wrong-name')).toContainText('`supervisor` is already declared');
});

test('a name is checked as it is typed', async ({ standing }) => {
    await standing.page.getByRole('link', { name: 'New session' }).click();
    const name = standing.page.locator('#new-name');
    const hint = standing.page.locator('#new-name-hint');
    await name.pressSequentially('ops');
    await expect(hint).toHaveText('tmux session: loop-standing-ops');
    await name.pressSequentially('/');
    await expect(hint).toHaveText(/'\/' is not allowed here in a session name/);
    await expect(name).toHaveAttribute('aria-invalid', 'true');
});

test('a session that does not start is told of as a failure', async ({ standing, service }) => {
    service.configure(`
    - name: broken
      harness: demo
      cwd: ./nowhere
`);
    await standing.page.reload();
    await standing.live();
    await standing.act('broken', 'Start');
    await expect(standing.told('broken')).toHaveAttribute('data-notice', 'failed');
    await expect(standing.told('broken')).toContainText('nowhere');
});

test('a message that is refused stays in its box, with the reason under it', async ({ standing, service }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    await standing.message('ops').fill('do not lose this');
    await service.cli('standing', 'stop', 'ops');
    // The page may not have heard of it yet; the form is sent as it stands.
    await standing.page.locator('#say-ops').evaluate((form: HTMLFormElement) => {
        form.querySelectorAll(':disabled').forEach((field) => field.removeAttribute('disabled'));
        if (!form.querySelector('button')) form.append(Object.assign(document.createElement('button'), { type: 'submit' }));
        form.requestSubmit();
    });
    await expect(standing.receipt('ops')).toHaveAttribute('data-notice', 'failed');
    await expect(standing.receipt('ops')).toContainText('the-loop standing start ops');
    await expect(standing.message('ops')).toHaveValue('do not lose this');
});

test('a declared session has no delete, and says where it is declared', async ({ standing }) => {
    await standing.menu('supervisor');
    await expect(standing.page.locator('#menu').getByRole('link', { name: /^Delete/ })).toHaveCount(0);
    await expect(standing.page.locator('#menu')).toContainText('standingSessions.sessions');
    await standing.page.goto(new URL('/?confirm=delete&name=supervisor', standing.page.url()).href);
    await expect(standing.page.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
});

test('a config that cannot be used is quoted with its place, and stop still works', async ({ standing, service }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    service.configure(`
    - name: Not A Name
`);
    await standing.page.reload();
    await standing.live();
    const trouble = standing.page.locator('#trouble');
    await expect(trouble).toContainText('cli-config.yaml:');
    await expect(trouble).toContainText('standingSessions.sessions[0].name');
    await standing.page.getByLabel('Stop one session').fill('ops');
    await standing.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(standing.page.locator('#notice-page')).toContainText(/Stopped/);
    await expect(service.pane('ops')).rejects.toThrow();
});
