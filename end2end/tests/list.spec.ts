// The list as a person reads and works it: what needs them, the filter, the selection, the keys.
import { expect, test } from '../support/test';
import { until } from '../support/service';

const MANY = Array.from(
    { length: 30 },
    (_, index) => `
    - name: s${index + 1}
      description: Number ${index + 1} of many
      harness: demo
      autoStart: false
`,
).join('');

const asking = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=dialog=Push the release branch?'];
const busy = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=busy=600000'];

test('Enter twice after an answer leaves the session running', async ({ standing, service }) => {
    await service.cli('standing', 'create', 'ops', ...asking);
    const yes = standing.card('ops').getByRole('button', { name: /Yes, go on/ });
    await expect(yes).not.toHaveAttribute('data-new');
    await yes.focus();
    await standing.page.keyboard.press('Enter');
    await expect(standing.told('ops')).toContainText('the prompt closed');
    // The focus is at the session, and not on a button that came into the place of the answer.
    await expect(standing.card('ops').locator('.name')).toBeFocused();
    await standing.page.keyboard.press('Enter');
    await standing.page.keyboard.press('Enter');
    await expect(standing.state('ops')).toHaveText('idle');
    const listed = JSON.parse(await service.cli('standing', 'list', '--format', 'json')) as { name: string; running: boolean }[];
    expect(listed.find((row) => row.name === 'ops')?.running).toBe(true);
});

test('digits answer the prompt of the focused row, and no other', async ({ standing, service }) => {
    await service.cli('standing', 'create', 'ops', ...asking);
    await service.cli('standing', 'create', 'web', ...asking);
    await expect(standing.card('web').getByRole('button', { name: /Yes, go on/ })).not.toHaveAttribute('data-new');
    await standing.card('ops').locator('.name').focus();
    await standing.page.keyboard.press('2');
    await expect(standing.state('ops')).toHaveText('idle');
    await expect(standing.state('web')).toHaveText('waiting');
});

test('the newest line of the pane is in view', async ({ standing }) => {
    await standing.create('ops');
    await expect(standing.state('ops')).toHaveText('idle');
    await standing.say('ops', Array.from({ length: 12 }, (_, line) => `line ${line}`).join('\n'));
    await expect(standing.pane('ops')).toContainText('line 11');
    const box = (await standing.pane('ops').boundingBox())!;
    const text = (await standing.pane('ops').locator('pre').boundingBox())!;
    // The end of the text is inside the box, and the box has no hint line of the agent.
    expect(Math.abs(text.y + text.height - (box.y + box.height))).toBeLessThan(16);
    await expect(standing.pane('ops')).not.toContainText('enter sends');
});

test('a refused form shows every mistake below its field, and goes to the first', async ({ standing }) => {
    await standing.page.setViewportSize({ width: 1280, height: 560 });
    await standing.page.keyboard.press('n');
    await standing.page.getByText('More:').click();
    await standing.create('API Migration', { cwd: '/nowhere/at/all' });
    await expect(standing.page.locator('#wrong-name')).toBeInViewport();
    await expect(standing.page.locator('#new-name')).toBeFocused();
    await expect(standing.page.locator('#wrong-cwd')).toContainText('/nowhere/at/all');
    await expect(standing.page.locator('#notice-create')).toBeInViewport();
    await expect(standing.page.locator('#notice-create')).toContainText('2 fields need a change');
    await standing.page.getByRole('button', { name: 'Use api-migration' }).click();
    await expect(standing.page.locator('#new-name')).toHaveValue('api-migration');
});

test('"back" closes a dialog and stays on the page', async ({ standing }) => {
    await standing.page.getByRole('link', { name: 'New session' }).first().click();
    await expect(standing.page.locator('dialog#new:modal')).toBeVisible();
    await standing.page.goBack();
    await expect(standing.page.locator('dialog:modal')).toHaveCount(0);
    expect(new URL(standing.page.url()).pathname).toBe('/');
    await expect(standing.card('supervisor')).toBeVisible();
});

test('what was typed survives a reload and the way home', async ({ standing }) => {
    await standing.act('supervisor', 'Start');
    await standing.message('supervisor').fill('half a thought');
    await standing.page.reload();
    await standing.live();
    await expect(standing.message('supervisor')).toHaveValue('half a thought');
    await standing.page.getByRole('link', { name: 'the-loop, home' }).click();
    await standing.live();
    await expect(standing.message('supervisor')).toHaveValue('half a thought');
});

test('a stop that interrupts a turn can be undone', async ({ standing, service }) => {
    await service.cli('standing', 'create', 'ops', ...busy);
    await expect(standing.state('ops')).toHaveText('working');
    await standing.act('ops', 'Stop');
    await expect(standing.page.locator('#toast')).toContainText('Stopping ops in');
    await standing.page.getByRole('button', { name: 'Undo' }).click();
    await expect(standing.page.locator('#toast')).toBeHidden();
    await expect(standing.state('ops')).toHaveText('working');
    await standing.act('ops', 'Stop');
    await expect(standing.state('ops')).toHaveText('stopped');
});

test('a screen reader hears that a session begins to wait, and the title counts it', async ({ standing, service }) => {
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await expect(standing.state('ops')).toHaveText('idle');
    await expect(standing.page).toHaveTitle('Standing · the-loop');
    await service.cli('standing', 'create', 'web', ...asking);
    await expect(standing.page.locator('#announce')).toContainText('web waits for you');
    await expect(standing.page).toHaveTitle('(1) Standing · the-loop');
    await expect(standing.page.locator('#icon')).toHaveAttribute('href', /favicon-needs/);
});

test('every state has its time, and an exit is told once', async ({ standing, service }) => {
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await service.cli('standing', 'create', 'gone', '--harness', 'demo');
    await service.tmux('send-keys', '-t', '=loop-standing-gone:', '/exit', 'Enter');
    await expect(standing.state('gone')).toHaveText('exited');
    await expect(standing.card('gone').locator('.state time')).toHaveCount(1);
    await expect(standing.card('ops').locator('.state time')).toHaveCount(1);
    const text = (await standing.card('gone').locator('.state').textContent())!;
    expect(text.match(/exited/g)).toHaveLength(1);
    await service.cli('standing', 'stop', 'ops');
    await expect(standing.card('ops').locator('.state time')).toHaveCount(1);
});

test('a silent tmux leaves the last known state, with its time', async ({ standing, service }) => {
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await expect(standing.state('ops')).toHaveText('idle');
    const { stdout } = await service.tmux('display-message', '-p', '#{pid}');
    const server = Number(stdout.trim());
    process.kill(server, 'SIGSTOP');
    try {
        await expect(standing.page.locator('#banner')).toContainText('tmux does not answer since', { timeout: 40_000 });
        await expect(standing.state('ops')).toHaveText('idle');
        await expect(standing.card('ops').locator('.state')).toContainText('since');
        await expect(standing.page.locator('#summary')).not.toContainText('none running');
        await expect(standing.page.locator('#live')).toBeHidden();
    } finally {
        process.kill(server, 'SIGCONT');
    }
    await expect(standing.page.locator('#banner')).toBeEmpty();
});

test('what changes arrives without another request', async ({ standing, service }) => {
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await expect(standing.state('ops')).toHaveText('idle');
    const asked: string[] = [];
    standing.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await service.cli('standing', 'stop', 'ops');
    await expect(standing.state('ops')).toHaveText('stopped');
    await service.cli('standing', 'start', 'ops');
    await expect(standing.state('ops')).toHaveText('idle');
    // The check that the browser is still let in, when its window gets the focus, brings no content.
    expect(asked.filter((path) => !['/app/stream', '/favicon.svg'].includes(path))).toEqual([]);
});

test('two tabs share one stream, and the other goes on when the first is closed', async ({ standing, service }) => {
    const streams = () => service.openConnections('/app/stream');
    const second = await standing.page.context().newPage();
    await second.goto(service.at('/'));
    await expect(second.locator('html')).toHaveAttribute('data-mode', 'live');
    await expect(second.locator('#session-supervisor .state b')).toHaveText('not started');
    await service.cli('standing', 'start', 'supervisor');
    await expect(second.locator('#session-supervisor .state b')).toHaveText('idle');
    await expect(standing.state('supervisor')).toHaveText('idle');
    // A reader that wants something else begins its stream again, so for a moment there is none.
    await expect.poll(streams).toBe(1);
    await standing.page.goto('about:blank');
    await service.cli('standing', 'stop', 'supervisor');
    await expect(second.locator('#session-supervisor .state b')).toHaveText('stopped');
    await expect.poll(streams).toBe(1);
    await second.close();
});

test.describe('with many sessions', () => {
    test.use({ sessions: MANY });

    test('twenty are in view, and the stopped ones are behind one line', async ({ standing }) => {
        await expect(standing.card('s1')).toBeHidden();
        await standing.page.getByRole('link', { name: /^Show/ }).click();
        await expect(standing.card('s1')).toBeVisible();
        const inView = await standing.page.locator('.row').evaluateAll((rows) => {
            const list = document.querySelector('#list')!.getBoundingClientRect();
            return rows.filter((row) => {
                const { top, bottom } = row.getBoundingClientRect();
                return top >= list.top && bottom <= list.bottom;
            }).length;
        });
        expect(inView).toBeGreaterThanOrEqual(18);
        await expect(standing.page.locator('#bar line')).toHaveCount(1);
    });

    test('the filter understands states, directories and words, and counts', async ({ standing, service }) => {
        await service.cli('standing', 'start', 's7');
        await expect(standing.state('s7')).toHaveText('idle');
        const filter = standing.page.locator('#filter-text');
        await standing.page.keyboard.press('/');
        await expect(filter).toBeFocused();
        await filter.fill('state:idle');
        await expect(standing.page.locator('#matches')).toHaveText('1 of 30');
        await expect(standing.card('s7')).toBeVisible();
        await expect(standing.card('s1')).toBeHidden();
        await filter.fill('number 12');
        await expect(standing.card('s12')).toBeVisible();
        await expect(standing.page.locator('#matches')).toHaveText('1 of 30');
        await filter.fill('zzz');
        await expect(standing.page.locator('#nothing')).toContainText('No session matches zzz.');
        await standing.page.getByRole('link', { name: 'Clear the filter' }).click();
        await expect(standing.page.locator('#nothing')).toBeHidden();
        await standing.page.locator('[data-chip="idle"]').first().click();
        await expect(filter).toHaveValue('state:idle');
        await expect(standing.page).toHaveURL(/q=state%3Aidle/);
        await standing.page.reload();
        await standing.live();
        await expect(standing.card('s7')).toBeVisible();
        await expect(standing.card('s1')).toBeHidden();
    });

    test('several are selected by keyboard and started after a confirmation that names them', async ({ standing }) => {
        await standing.page.getByRole('link', { name: /^Show/ }).click();
        await standing.card('s2').locator('.name').focus();
        await standing.page.keyboard.press('x');
        await standing.card('s3').locator('.name').focus();
        await standing.page.keyboard.press('x');
        await expect(standing.page.locator('#selected')).toHaveText('2 selected');
        await standing.page.getByRole('button', { name: 'Start…', exact: true }).click();
        const dialog = standing.page.locator('dialog#confirm:modal');
        await expect(dialog).toContainText('Start 2 sessions?');
        await expect(dialog.locator('.names li')).toHaveText([/s2/, /s3/]);
        await dialog.getByRole('button', { name: 'Start 2' }).click();
        await expect(standing.page.locator('#notice-page')).toContainText('2 sessions: 2 started');
        await expect(standing.state('s2')).toHaveText('idle');
        await expect(standing.state('s3')).toHaveText('idle');
        await expect(standing.state('s4')).toHaveText('not started');
    });

    test('the bar of marks names the session below the pointer, and leads to its row', async ({ standing, service }) => {
        const { page } = standing;
        await service.cli('standing', 'start', 's7');
        await expect(standing.state('s7')).toHaveText('idle');
        const bar = (await page.locator('#bar svg').boundingBox())!;
        const cell = bar.width / 30;
        await page.mouse.move(bar.x + cell / 2, bar.y + 9);
        await expect(page.locator('#bar-name')).toHaveText('s7 · idle');
        // A stopped session is behind one line, which unfolds.
        await page.mouse.move(bar.x + bar.width - cell / 2, bar.y + 9);
        const told = await page.locator('#bar-name').textContent();
        const last = told!.split(' · ')[0]!;
        expect(told).toMatch(/^s\d+ · not started$/);
        await expect(page.locator('#bar-name')).toBeInViewport({ ratio: 1 });
        await page.mouse.click(bar.x + bar.width - cell / 2, bar.y + 9);
        await expect(standing.card(last)).toBeInViewport();
        await expect(standing.card(last).locator('.name')).toBeFocused();
        await page.mouse.move(bar.x, bar.y + 200);
        await expect(page.locator('#bar-name')).toBeHidden();
    });

    test('one row has one stop of the tab key, and arrows move between rows', async ({ standing }) => {
        await standing.page.getByRole('link', { name: /^Show/ }).click();
        await standing.card('s1').locator('.name').focus();
        await standing.page.keyboard.press('ArrowDown');
        const second = await standing.page.evaluate(() => document.activeElement!.closest('.row')!.id);
        expect(second).not.toBe('session-s1');
        await standing.page.keyboard.press('ArrowUp');
        await expect(standing.card('s1').locator('.name')).toBeFocused();
        const stops = await standing.card('s9').evaluate(
            (row) => [...row.querySelectorAll<HTMLElement>('a, button, input:not([type=hidden]), textarea')].filter((one) => one.tabIndex >= 0).length,
        );
        // Its name, and the button that starts it.
        expect(stops).toBe(2);
    });

    test('only one row is unfolded at a time, with its message box', async ({ standing, service }) => {
        await service.cli('standing', 'start', 's1');
        await service.cli('standing', 'start', 's2');
        await expect(standing.state('s2')).toHaveText('idle');
        await standing.card('s1').locator('.name').focus();
        await standing.page.keyboard.press('Enter');
        await expect(standing.card('s1')).toHaveClass(/open/);
        await standing.page.keyboard.press('m');
        await expect(standing.message('s1')).toBeFocused();
        await standing.page.keyboard.type('hello');
        await standing.page.keyboard.press('Control+Enter');
        await expect(standing.receipt('s1')).toContainText('hello');
        await standing.page.keyboard.press('Escape');
        await expect(standing.card('s1').locator('.name')).toBeFocused();
        await standing.unfold('s2');
        await expect(standing.card('s1')).not.toHaveClass(/open/);
        await until('the message in the pane', async () => (await service.pane('s1')).includes('hello'));
    });
});

test.describe('without scripts', () => {
    test.use({ javaScriptEnabled: false });

    test('the page is fetched again on its own, but not while a form is open', async ({ standing, service }) => {
        const refreshes = async (path: string) => (await (await standing.page.request.get(service.at(path))).text()).includes('http-equiv="refresh"');
        expect(await refreshes('/')).toBe(true);
        expect(await refreshes('/?new')).toBe(false);
        expect(await refreshes('/?confirm=delete&name=supervisor')).toBe(false);
    });
});
