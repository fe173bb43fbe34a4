// Answers that never come, or come from somebody else.
import { expect, test } from '../support/test';

// The browser itself reports every request that fails.
test.use({ strict: false });

test('a message whose answer was lost is typed once, however often it is sent again', async ({ standing, service }) => {
    await standing.act('supervisor', 'Start');
    await expect(standing.state('supervisor')).toHaveText('idle');
    let lost = 0;
    await standing.page.route('**/app/standing/say', async (route) => {
        await route.fetch({ maxRedirects: 0 });
        lost += 1;
        await route.abort();
    });
    await standing.say('supervisor', 'only once');
    await expect(standing.page.locator('#announce')).toContainText('it may not have done this');
    await expect(standing.message('supervisor')).toHaveValue('only once');
    const button = standing.card('supervisor').getByRole('button', { name: 'Send to supervisor' });
    await button.click();
    await expect.poll(() => lost).toBe(2);
    await standing.page.unroute('**/app/standing/say');
    // Not even a reload in between makes a new message of it.
    await standing.page.reload();
    await standing.live();
    await expect(standing.message('supervisor')).toHaveValue('only once');
    await button.click();
    await expect(standing.receipt('supervisor')).toContainText('only once');
    await expect(standing.message('supervisor')).toHaveValue('');
    const said = () => service.cli('events', '--format', 'json').then((log) => log.split('standing.said').length - 1);
    expect(await said()).toBe(1);
    // The same words again, after an answer, are a message of their own; so are others after a lost one.
    await standing.say('supervisor', 'only once');
    await expect.poll(said).toBe(2);
});

for (const [what, answer, told, hidden] of [
    [
        'a refusal as a problem document',
        { status: 403, contentType: 'application/problem+json', body: '{"detail":"not from here","code":"forbidden"}' },
        'not from here',
        '{',
    ],
    ['a page of somebody else', { status: 403, contentType: 'text/html', body: '<h1>Blocked</h1>' }, 'HTTP status 403', '<h1>'],
    ['a login page of somebody else', { status: 200, contentType: 'text/html', body: '<h1>Log in</h1>' }, 'Unexpected answer', '<h1>'],
] as const) {
    test(`${what} is told in words, at the top and where a form was sent`, async ({ standing, service }) => {
        await standing.page.route('**/*', (route) => route.fulfill(answer));
        await service.end();
        await service.serve();
        await expect(standing.page.locator('#refused')).toContainText(told);
        await expect(standing.page.getByText('The service does not answer since')).toBeHidden();
        await standing.act('supervisor', 'Start');
        await expect(standing.page.locator('#announce')).toContainText(told);
        await expect(standing.page.locator('#announce')).not.toContainText(hidden);
        await standing.page.unroute('**/*');
        await expect(standing.page.locator('#refused')).toBeHidden();
    });
}

test('a proxy that does not reach the service is no answer of the service', async ({ standing, service }) => {
    await standing.page.route('**/*', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad</h1>' }));
    await service.end();
    await service.serve();
    await expect(standing.page.getByText('The service does not answer since')).toBeVisible();
    await standing.page.unroute('**/*');
    await expect(standing.page.getByText('The service does not answer since')).toBeHidden();
});

test('the page is kept up to date while a form waits for its answer', async ({ standing, service }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    let answer = () => {};
    const held = new Promise<void>((go) => (answer = go));
    await standing.page.route('**/app/standing/start', async (route) => {
        await held;
        await route.continue();
    });
    await standing.act('supervisor', 'Start');
    await service.cli('standing', 'stop', 'ops');
    await expect(standing.state('ops')).toHaveText('stopped');
    answer();
    await expect(standing.told('supervisor')).toContainText('Started');
});
