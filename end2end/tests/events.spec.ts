// The Events page: what happened, as text, filtered by a form that needs no scripts.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '../support/test';

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>';

/** Two sessions; one is told something hostile, and the other something long. */
async function happened(service: { cli(...args: string[]): Promise<string> }): Promise<void> {
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await service.cli('standing', 'create', 'other', '--harness', 'demo');
    await service.cli('standing', 'say', 'ops', '--text', HOSTILE, '--actor', 'night shift');
    await service.cli('standing', 'say', 'other', '--text', `A long story. ${'word '.repeat(100)}`);
}

test('events are filtered by session and kind, and the address keeps the filter', async ({ standing, service }) => {
    await happened(service);
    const page = standing.page;
    await page.goto(service.at('/events'));
    const items = page.locator('li.event');
    await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Events' }).first()).toHaveAttribute('aria-current', 'page');
    await expect(items.filter({ hasText: 'Started with a new conversation' })).toHaveCount(2);

    await page.getByLabel('Session', { exact: true }).fill('ops');
    await page.getByLabel('Kind', { exact: true }).selectOption('messages');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect(page).toHaveURL(/session=ops&kind=messages/);
    await expect(items).toHaveCount(1);
    await expect(items).toContainText('night shift via command line');
    await expect(items).toContainText('submitted, seen in the transcript');
    await expect(page.getByLabel('Kind', { exact: true })).toHaveValue('messages');
    await page.goBack();
    await expect(items.filter({ hasText: 'Started with a new conversation' })).toHaveCount(2);

    await page.goto(service.at('/events?kind=messages&session=other'));
    await expect(items.locator('.whole')).toBeHidden();
    await items.locator('summary').click();
    await expect(items.locator('.whole')).toContainText('word word');
    await page.getByRole('link', { name: 'Clear' }).click();
    await expect(page).toHaveURL(service.at('/events'));
});

test('hostile text is text', async ({ standing, service }) => {
    await happened(service);
    await standing.page.goto(service.at('/events'));
    await expect(standing.page.locator('.said', { hasText: 'onerror' })).toContainText(HOSTILE);
    await expect(standing.page.locator('main img, main script')).toHaveCount(0);
    await expect(standing.page).toHaveTitle('Events · the-loop');
});

for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(colorScheme, () => {
        test.use({ colorScheme });

        test('axe finds nothing on the page, nor on a mistake in its filter', async ({ standing, service }) => {
            await happened(service);
            for (const address of ['/events', '/events?session=No+Name&since=soon']) {
                await standing.page.goto(service.at(address));
                await expect(standing.page.locator('main.events')).toBeVisible();
                const { violations } = await new AxeBuilder({ page: standing.page }).analyze();
                expect(violations.map(({ id, nodes }) => `${address}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
            }
        });
    });
}

test.describe('without scripts', () => {
    test.use({ javaScriptEnabled: false });

    test('the filter, its mistakes and an undelivered message', async ({ standing, service }) => {
        await service.cli('standing', 'create', 'ops', '--harness', 'demo');
        await service.cli('standing', 'stop', 'ops');
        await service.cli('standing', 'say', 'ops', '--text', 'are you there').then(
            () => expect(false, 'a stopped session takes no message').toBe(true),
            () => undefined,
        );
        const page = standing.page;
        await page.goto(service.at('/events'));
        const refused = page.locator('li.event[data-verdict=refused]');
        await expect(refused).toContainText('“are you there”');
        await expect(refused.locator('.proof')).toContainText('not delivered: it was not running (stopped)');
        await expect(refused.getByRole('button', { name: 'Send again' })).toBeHidden();

        await page.getByLabel('Kind', { exact: true }).selectOption('failures');
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await expect(page.locator('li.event')).toHaveCount(1);
        await page.getByLabel('Session', { exact: true }).fill('No Name');
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await expect(page.getByText('is not allowed here in a session name')).toBeVisible();
        await expect(page.getByLabel('Session', { exact: true })).toHaveValue('No Name');
        await page.goto(service.at('/events?since=1h&surface=cli'));
        await expect(page.locator('li.event').first()).toBeVisible();
        await page.goto(service.at('/events?until=1h'));
        await expect(page.getByText('No events match this filter.')).toBeVisible();
    });
});
