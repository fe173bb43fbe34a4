import { expect, test } from '../support/test';

test('a session lives and ends by keyboard alone', async ({ standing }) => {
    const { keyboard } = standing.page;
    await keyboard.press('n');
    await expect(standing.page.locator('#new-name')).toBeFocused();
    await keyboard.type('ops');
    await keyboard.press('Enter');
    await expect(standing.state('ops')).toHaveText('idle');
    await expect(standing.page.locator('dialog:modal')).toHaveCount(0);
    // Whoever made it goes on from it.
    await expect(standing.card('ops').locator(':focus')).toHaveCount(1);

    await keyboard.press('m');
    await expect(standing.message('ops')).toBeFocused();
    await keyboard.type('one line');
    await keyboard.press('Enter');
    await keyboard.type('and another');
    await keyboard.press('Control+Enter');
    await expect(standing.receipt('ops')).toContainText('one line and another');
    await expect(standing.message('ops')).toBeFocused();
    await expect(standing.message('ops')).toHaveValue('');

    await keyboard.press('Escape');
    await expect(standing.card('ops').locator('.name')).toBeFocused();
    await keyboard.press('.');
    await expect(standing.page.locator('#menu')).toBeVisible();
    await keyboard.press('Escape');
    await expect(standing.page.locator('#menu')).toBeHidden();
    await expect(standing.card('ops').locator('.name')).toBeFocused();

    await keyboard.press('.');
    await standing.page.locator('#menu').getByRole('link', { name: 'Delete… ops' }).focus();
    await keyboard.press('Enter');
    // A stray Enter keeps it: the way out has the focus.
    await expect(standing.page.getByRole('link', { name: 'Cancel' })).toBeFocused();
    await keyboard.press('Enter');
    await expect(standing.page.locator('dialog:modal')).toHaveCount(0);
    await expect(standing.card('ops')).toBeVisible();
});

test('the keys that the panel lists', async ({ standing }) => {
    const { keyboard } = standing.page;
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    await standing.page.locator('#main').focus();
    await keyboard.press('?');
    await expect(standing.page.getByRole('dialog', { name: 'Keyboard' })).toBeVisible();
    await keyboard.press('Escape');
    await expect(standing.page.getByRole('dialog', { name: 'Keyboard' })).toBeHidden();

    await standing.page.locator('#main').focus();
    await keyboard.press('j');
    await expect(standing.card('ops').locator('.name')).toBeFocused();
    await keyboard.press('j');
    await expect(standing.card('supervisor').locator('.name')).toBeFocused();
    await keyboard.press('k');
    await expect(standing.card('ops').locator('.name')).toBeFocused();

    await keyboard.press('/');
    await expect(standing.page.locator('#filter-text')).toBeFocused();
    await keyboard.type('not started');
    await expect(standing.card('ops')).toBeHidden();
    await expect(standing.card('supervisor')).toBeVisible();
    await keyboard.press('Escape');
    await expect(standing.card('ops')).toBeVisible();

    await keyboard.press('n');
    await expect(standing.page.locator('#new-name')).toBeFocused();
    await keyboard.press('Escape');
    await expect(standing.page.locator('dialog:modal')).toHaveCount(0);
    await expect.poll(() => new URL(standing.page.url()).searchParams.has('new')).toBe(false);
});

test('the first stop of the tab key skips to the sessions', async ({ standing }) => {
    await standing.page.keyboard.press('Tab');
    await expect(standing.page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    await standing.page.keyboard.press('Enter');
    await expect(standing.page.locator('#main')).toBeFocused();
});
