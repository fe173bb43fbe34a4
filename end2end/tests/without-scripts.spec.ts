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

const asking = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=dialog=Push the release branch?'];
const busy = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=busy=600000'];

test('a page that is loaded again on its own can be held while a message is written', async ({ standing, service }) => {
    const { page } = standing;
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    for (const address of ['/?q=ops', '/standing/ops']) {
        await page.goto(service.at(address));
        const refreshes = () => page.locator('meta[http-equiv=refresh]');
        await expect(refreshes()).toHaveCount(1);
        await page.getByRole('link', { name: 'Pause that to write a message' }).click();
        await expect(refreshes()).toHaveCount(0);
        await expect(page.locator('.refreshing')).toContainText('This page is not loaded again on its own.');
        await page.getByRole('link', { name: 'Resume that' }).click();
        await expect(refreshes()).toHaveCount(1);
        await expect(page).toHaveURL(service.at(address));
    }
});

test('a prompt is answered, and a turn is stopped', async ({ standing, service }) => {
    const { page } = standing;
    await service.cli('standing', 'create', 'ops', ...asking);
    await service.cli('standing', 'create', 'web', ...busy);
    await page.goto(service.at('/'));
    await standing.card('ops').getByRole('button', { name: /Yes, go on/ }).click();
    await expect(standing.told('ops')).toContainText('the prompt closed');
    await expect(standing.state('ops')).toHaveText(/idle|working/);
    await expect(standing.state('web')).toHaveText('working');
    await standing.act('web', 'Stop');
    await expect(standing.state('web')).toHaveText('stopped');
});

test('every verb on the page of a session, and its deletion', async ({ standing, service }) => {
    const { page } = standing;
    const state = page.locator('.session-head .state');
    await service.cli('standing', 'create', 'ops', ...asking);
    await page.goto(service.at('/'));
    await standing.card('ops').locator('.name').click();
    await expect(page).toHaveURL(service.at('/standing/ops'));
    await page.getByRole('region', { name: 'Prompt' }).getByRole('button', { name: /Yes, go on/ }).click();
    await expect(page.locator('#receipt-ops')).toContainText('the prompt closed');
    await expect(page.getByRole('region', { name: 'Prompt' })).toHaveCount(0);
    const act = async (name: string) => {
        await page.getByRole('button', { name: `${name} ops`, exact: true }).click();
        expect(new URL(page.url()).pathname).toBe('/standing/ops');
    };
    await standing.message('ops').fill('by form alone');
    await act('Send to');
    await expect(page.locator('#receipt-ops')).toContainText('by form alone');
    await act('Restart');
    await expect(page.locator('#receipt-ops')).toContainText('conversation resumed');
    await act('Stop');
    await expect(state).toContainText('stopped');
    await act('Start');
    await expect(page.locator('#receipt-ops')).toContainText('conversation resumed');
    await page.getByRole('link', { name: 'Messages' }).click();
    await expect(page.locator('#timeline')).toContainText('by form alone');

    await page.locator('.session-head summary').click();
    await page.getByRole('link', { name: 'Delete… ops' }).click();
    await expect(page.getByRole('heading', { name: 'Delete ops?' })).toBeVisible();
    await page.getByRole('button', { name: 'Delete ops' }).click();
    await expect(page.locator('#notice-page')).toContainText('`ops` was deleted');
    expect(await service.cli('standing', 'list')).not.toContain('ops');
});

test('the terminal is a command, and the events have a filter', async ({ standing, service }) => {
    const { page } = standing;
    service.configure('', {}, { enabled: true });
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await page.goto(service.at('/standing/ops'));
    await page.getByRole('link', { name: 'Open terminal' }).click();
    await expect(page.locator('noscript code')).toContainText("attach -r -t '=loop-standing-ops'");
    await page.getByRole('link', { name: 'Events' }).first().click();
    await page.getByLabel('Kind', { exact: true }).selectOption('messages');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect(page.getByText('No events match this filter.')).toBeVisible();
    await page.getByRole('link', { name: 'Clear' }).click();
    await expect(page.locator('li.event').filter({ hasText: 'Started with a new conversation' })).toHaveCount(1);
});

test.describe('with more sessions than fit unfolded', () => {
    const declared = Array.from({ length: 8 }, (_, index) => `
    - name: s${index}
      harness: demo
      autoStart: false
`);
    test.use({ sessions: declared.join('') });

    test('the stopped ones are shown, ordered, and started together', async ({ standing, service }) => {
        const { page } = standing;
        await expect(standing.card('s0')).toBeHidden();
        await page.getByRole('link', { name: 'Show stopped sessions' }).click();
        await expect(standing.card('s0')).toBeVisible();
        await page.getByText('Urgency', { exact: true }).first().click();
        await page.getByRole('link', { name: 'Name', exact: true }).click();
        await expect(page).toHaveURL(/order=name/);
        await page.getByRole('link', { name: 'Start… stopped sessions' }).click();
        await expect(page.locator('#confirm .names li')).toHaveCount(8);
        await page.getByRole('button', { name: 'Start 8' }).click();
        await expect(page.locator('#notice-page')).toContainText('8 sessions: 8 started');
        await page.goto(service.at('/'));
        await expect(standing.state('s0')).toHaveText(/idle|working/);
    });
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
