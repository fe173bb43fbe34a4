// Every verb by keyboard alone: these tests press keys and look, and never point at anything.
import type { Locator, Page } from '@playwright/test';
import type { Screen } from '../support/screen';
import { until } from '../support/service';
import { expect, test } from '../support/test';

const asking = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=dialog=Push the release branch?'];
const busy = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=busy=600000'];

/** Presses Tab until the control has the focus, as a person does. */
async function tabTo(page: Page, control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await until(
        `the focus on ${control}`,
        async () => {
            if (await control.evaluate((element) => element === document.activeElement)) return true;
            await page.keyboard.press(key);
            return false;
        },
        20,
    );
}

/** Goes to a control and presses it, once it takes presses. */
async function press(page: Page, control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await tabTo(page, control, key);
    await expect(control).not.toHaveAttribute('data-new');
    await page.keyboard.press('Enter');
}

/** Goes to the row of a session with the keys of the list. */
async function goTo(standing: Screen, name: string): Promise<void> {
    const row = standing.card(name).locator('.name');
    await standing.page.keyboard.press('Home');
    await until(`the focus on ${name}`, async () => {
        if (await row.evaluate((element) => element === document.activeElement)) return true;
        await standing.page.keyboard.press('j');
        return false;
    });
}

test('create, message, stop, start, restart and delete', async ({ standing, service }) => {
    const { page } = standing;
    const { keyboard } = page;
    await keyboard.press('n');
    await expect(page.locator('#new-name')).toBeFocused();
    await keyboard.type('ops');
    await keyboard.press('Enter');
    await expect(standing.state('ops')).toHaveText('idle');
    await expect(standing.card('ops').locator('.name')).toBeFocused();

    await keyboard.press('m');
    await keyboard.type('by keys alone');
    await keyboard.press('Control+Enter');
    await expect(standing.receipt('ops')).toContainText('by keys alone');
    await until('the message in the pane', async () => (await service.pane('ops')).includes('by keys alone'));
    await expect(standing.state('ops')).toHaveText('idle');
    // The arrow brings it back into the empty box.
    await expect(standing.message('ops')).toHaveValue('');
    await keyboard.press('ArrowUp');
    await expect(standing.message('ops')).toHaveValue('by keys alone');
    await keyboard.press('Control+A');
    await keyboard.press('Delete');
    await keyboard.press('Escape');
    await expect(standing.card('ops').locator('.name')).toBeFocused();

    const conversation = await standing.conversation('ops');
    await keyboard.press('s');
    await expect(standing.state('ops')).toHaveText('stopped');
    await expect(standing.card('ops').locator('.name')).toBeFocused();
    await keyboard.press('s');
    await expect(standing.state('ops')).toHaveText('idle');
    await expect(standing.told('ops')).toContainText('conversation resumed');
    await keyboard.press('r');
    await expect(standing.told('ops')).toContainText('Started, conversation resumed');
    await expect(standing.state('ops')).toHaveText('idle');
    expect(await standing.conversation('ops')).toBe(conversation);

    await keyboard.press('.');
    await expect(page.locator('#menu a').first()).toBeFocused();
    await press(page, page.locator('#delete-ops'));
    await expect(page.getByRole('heading', { name: 'Delete ops?' })).toBeVisible();
    await press(page, page.getByRole('button', { name: 'Delete ops' }));
    await expect(standing.card('ops')).toHaveCount(0);
    expect(await service.cli('standing', 'list')).not.toContain('ops');
});

test('the next that needs you is answered by its digit', async ({ standing, service }) => {
    const { keyboard } = standing.page;
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await service.cli('standing', 'create', 'release', ...asking);
    const yes = standing.card('release').getByRole('button', { name: /Yes, go on/ });
    await expect(yes).toBeVisible();
    await keyboard.press('Shift+J');
    await expect(standing.card('release').locator('.name')).toBeFocused();
    await expect(yes).not.toHaveAttribute('data-new');
    await keyboard.press((await yes.locator('kbd').textContent())!);
    await expect(standing.told('release')).toContainText('the prompt closed');
    await expect(standing.state('release')).toHaveText('idle');
    await expect(standing.card('release').locator('.name')).toBeFocused();
});

test('a stop that interrupts a turn is undone, and then done', async ({ standing, service }) => {
    const { page } = standing;
    await service.cli('standing', 'create', 'ops', ...busy);
    await expect(standing.state('ops')).toHaveText('working');
    await goTo(standing, 'ops');
    await page.keyboard.press('s');
    await expect(page.locator('#undo-stop')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.locator('#toast')).toBeHidden();
    await expect(standing.card('ops').locator('.name')).toBeFocused();
    await expect(standing.state('ops')).toHaveText('working');
    await page.keyboard.press('s');
    await expect(standing.state('ops')).toHaveText('stopped');
});

test('several are started, told, restarted and stopped at once', async ({ standing, service }) => {
    const { page } = standing;
    const { keyboard } = page;
    await service.cli('standing', 'create', 'one', '--harness', 'demo', '--no-start');
    await service.cli('standing', 'create', 'two', '--harness', 'demo', '--no-start');
    const states = async (text: string) => {
        await expect(standing.state('one')).toHaveText(text);
        await expect(standing.state('two')).toHaveText(text);
    };
    const select = async () => {
        await goTo(standing, 'one');
        await keyboard.press('x');
        await goTo(standing, 'two');
        await keyboard.press('x');
        await expect(page.locator('#selected')).toHaveText('2 selected');
    };
    const dialog = page.locator('dialog#confirm:modal');
    const choose = async (verb: string) => {
        await press(page, page.locator('#selection').getByRole('button', { name: verb, exact: true }));
        await expect(dialog.locator('.names li')).toHaveText([/one/, /two/]);
    };
    await expect(standing.card('two')).toBeVisible();
    await select();
    await choose('Start…');
    await press(page, dialog.getByRole('button', { name: 'Start 2' }));
    await states('idle');

    await page.keyboard.press('Escape');
    await select();
    await choose('Message…');
    await tabTo(page, page.locator('#confirm-text'));
    await keyboard.type('to both of you');
    await keyboard.press('Control+Enter');
    await expect(dialog).toHaveCount(0);
    for (const name of ['one', 'two']) {
        await until('the message in the pane', async () => (await service.pane(name)).includes('to both of you'));
    }
    await states('idle');

    await choose('Restart…');
    await press(page, dialog.getByRole('button', { name: 'Restart 2' }));
    await expect(page.locator('#notice-page')).toContainText('2 sessions');
    await states('idle');
    await choose('Stop…');
    await press(page, dialog.getByRole('button', { name: 'Stop 2' }));
    await states('stopped');

    await goTo(standing, 'one');
    await keyboard.press('Escape');
    await expect(page.locator('#selection')).toBeHidden();
});

test('filter, help, and the keys that can be turned off', async ({ standing, service }) => {
    const { page } = standing;
    const { keyboard } = page;
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await expect(standing.state('ops')).toHaveText('idle');
    await keyboard.press('/');
    await keyboard.type('state:idle');
    await expect(standing.card('supervisor')).toBeHidden();
    await keyboard.press('Escape');
    await expect(standing.card('supervisor')).toBeVisible();
    await expect(standing.card('ops').locator('.name')).toBeFocused();

    const help = page.getByRole('dialog', { name: 'Keyboard' });
    await keyboard.press('?');
    await expect(help).toBeVisible();
    await tabTo(page, page.locator('#letter-keys'));
    await keyboard.press('Space');
    await keyboard.press('Escape');
    await expect(help).toBeHidden();
    await keyboard.press('n');
    await keyboard.press('?');
    await expect(page.locator('dialog:modal')).toHaveCount(0);
    await expect(help).toBeHidden();
    // Arrows and Enter stay.
    await tabTo(page, standing.card('ops').locator('.name'), 'Shift+Tab');
    await keyboard.press('ArrowDown');
    await expect(standing.card('supervisor').locator('.name')).toBeFocused();
});

test.describe('a session that is deleted', () => {
    // The browser itself reports that its page is gone.
    test.use({ strict: false });

    test('the page of a session, from the list and back', async ({ standing, service }) => {
        const { page } = standing;
        const { keyboard } = page;
        await service.cli('standing', 'create', 'ops', ...asking);
        await expect(standing.card('ops').getByRole('button', { name: /Yes, go on/ })).toBeVisible();
        await goTo(standing, 'ops');
        await keyboard.press('o');
        await page.waitForURL('**/standing/ops');
        await standing.live();
        const state = page.locator('.session-head .state');
        const prompt = page.getByRole('region', { name: 'Prompt' });
        const yes = prompt.getByRole('button', { name: /Yes, go on/ });
        await expect(yes).not.toHaveAttribute('data-new');
        await keyboard.press((await yes.locator('kbd').textContent())!);
        await expect(prompt).toHaveCount(0);
        await expect(state).toContainText('idle');

        await keyboard.press('m');
        await expect(standing.message('ops')).toBeFocused();
        await keyboard.type('from its page');
        await keyboard.press('Control+Enter');
        await expect(page.locator('#receipt-ops')).toContainText('from its page');
        await expect(page.locator('#lines')).toContainText('from its page');
        await keyboard.press('Escape');
        await expect(standing.message('ops')).not.toBeFocused();

        await keyboard.press('f');
        await expect(page.locator('#follow')).toHaveAttribute('aria-pressed', 'false');
        await keyboard.press('f');
        await expect(page.locator('#follow')).toHaveAttribute('aria-pressed', 'true');
        await keyboard.press('i');
        await expect(page.locator('#side')).toBeFocused();
        await keyboard.press('Escape');

        await press(page, page.getByRole('button', { name: 'Stop ops' }), 'Shift+Tab');
        await expect(state).toContainText('stopped');
        await press(page, page.getByRole('button', { name: 'Start ops' }));
        await expect(page.locator('#receipt-ops')).toContainText('conversation resumed');
        await expect(state).toContainText(/idle|waiting/);

        await tabTo(page, page.locator('.session-head summary'));
        await keyboard.press('Enter');
        await press(page, page.locator('#delete-ops'));
        await press(page, page.getByRole('button', { name: 'Delete ops' }));
        // The page is that of no session any more.
        await page.waitForURL(/\/\?notice=/);
        await standing.live();
        await expect(page.locator('#notice-page')).toContainText('`ops` was deleted');
        await expect(standing.card('ops')).toHaveCount(0);
        expect(await service.cli('standing', 'list')).not.toContain('ops');
    });
});

test('the terminal of a session, and the events', async ({ standing, service }) => {
    const { page } = standing;
    const { keyboard } = page;
    service.configure('', {}, { enabled: true, write: true });
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await expect(standing.state('ops')).toHaveText('idle');
    await goTo(standing, 'ops');
    await keyboard.press('o');
    await page.waitForURL('**/standing/ops');
    await standing.live();
    await press(page, page.getByRole('link', { name: 'Open terminal' }));
    await expect(page.locator('#terminal-state')).toHaveText('Read-only');
    await press(page, page.getByRole('link', { name: 'Type into it' }), 'Shift+Tab');
    await expect(page.locator('#terminal-state')).toContainText('Keys go to the session');
    await keyboard.type('typed there');
    await keyboard.press('Enter');
    await until('the text in the pane', async () => (await service.pane('ops')).includes('typed there'));
    await keyboard.press('F6');
    await expect(page.locator('#main')).toBeFocused();
    await press(page, page.getByRole('link', { name: 'Back to ops' }));
    await page.waitForURL('**/standing/ops');

    await press(page, page.getByRole('link', { name: 'Events' }).first());
    await page.waitForURL('**/events');
    await tabTo(page, page.getByLabel('Session', { exact: true }));
    await keyboard.type('ops');
    await keyboard.press('Enter');
    await page.waitForURL(/session=ops/);
    await expect(page.locator('li.event').filter({ hasText: 'Started with a new conversation' })).toHaveCount(1);
});
