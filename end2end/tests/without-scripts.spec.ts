// The whole product by forms alone.
import { expect, test } from '../support/test';
import { until } from '../support/service';

test.use({ javaScriptEnabled: false });

test('create, say, stop, start, restart and delete', async ({ standing, service }) => {
    await expect(standing.page.locator('html')).not.toHaveAttribute('data-hydrated', '');
    await standing.create('ops', { brief: 'Two lines\nof brief.' });
    await expect(standing.told('ops')).toHaveText(/Started with a new conversation/);
    const conversation = await standing.conversation('ops');

    await standing.create('ops', { brief: 'kept' });
    await expect(standing.page.locator('#wrong-name')).toContainText('`ops` already exists');
    await expect(standing.page.locator('#create-form').getByLabel('Brief')).toHaveValue('kept');
    await standing.page.getByRole('link', { name: 'Cancel' }).click();
    await expect(standing.page.locator('#create-form')).toBeHidden();

    await standing.say('ops', 'by form alone');
    await expect(standing.receipt('ops')).toContainText('by form alone');
    await until('the message in the pane', async () => (await service.pane('ops')).includes('by form alone'));
    await standing.act('ops', 'Stop');
    await expect(standing.state('ops')).toHaveText('stopped');
    await standing.act('ops', 'Start');
    await expect(standing.told('ops')).toHaveText(/conversation resumed/);
    expect(await standing.conversation('ops')).toBe(conversation);
    await standing.restart('ops');
    await expect(standing.told('ops')).toHaveText(/conversation resumed/);
    await standing.page.goto(service.at('/?confirm=delete&name=ops'));
    await standing.page.getByRole('button', { name: 'Delete ops' }).click();
    await expect(standing.page.locator('#notice-page')).toContainText('`ops` was deleted');
    await expect(standing.card('ops')).toHaveCount(0);
});

test('a deletion can be called off', async ({ standing, service }) => {
    await standing.create('ops');
    await standing.page.goto(service.at('/?confirm=delete&name=ops'));
    await expect(standing.page.getByRole('heading', { name: 'Delete ops?' })).toBeVisible();
    await standing.page.getByRole('link', { name: 'Cancel' }).click();
    await expect(standing.card('ops')).toBeVisible();
    await expect(standing.page.locator('#confirm')).toBeHidden();
});

test('the filter and the colours are forms too, and an act comes back to the same filter', async ({ standing }) => {
    await standing.create('ops');
    await standing.page.locator('#filter-text').fill('state:idle');
    await standing.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect(standing.card('ops')).toBeVisible();
    await expect(standing.card('supervisor')).toBeHidden();
    await standing.page.getByRole('button', { name: /^Colours/ }).click();
    await expect(standing.page.locator('html')).toHaveAttribute('data-theme', 'light');
    await expect(standing.page.locator('#filter-text')).toHaveValue('state:idle');
    await standing.say('ops', 'hello');
    await expect(standing.receipt('ops')).toContainText('hello');
    await expect(standing.card('supervisor')).toBeHidden();
});

test.describe('with nothing declared', () => {
    test.use({ sessions: '' });
    test('the empty page teaches', async ({ standing }) => {
        await expect(standing.page.getByText('A standing session is a named, long-lived agent')).toBeVisible();
        await expect(standing.page.getByText('the-loop standing create supervisor')).toBeVisible();
        await standing.create('first');
        await expect(standing.card('first')).toBeVisible();
    });
});
