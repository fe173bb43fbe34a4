// What happens to one of many sessions elsewhere is seen in every open tab.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { until } from '../support/service';

const SESSIONS = Array.from({ length: 49 }, (_, index) => `
    - name: s${String(index).padStart(2, '0')}
      harness: demo
`).join('');

const ASKS = `
    - name: asks
      harness: demo
      autoStart: false
      harnessArgs: ['--fault', 'dialog=Push the release branch?']
`;

test.use({ sessions: SESSIONS + ASKS });

test('of 50 sessions one is killed, one begins to wait and one is stopped: two tabs show each', async ({ standing, service }) => {
    test.setTimeout(240_000);
    const { page } = standing;
    const second = await page.context().newPage();
    await second.goto(service.at('/'));
    await service.cli('standing', 'start', '--all');
    const tabs: Page[] = [page, second];
    const shows = async (name: string, state: string) => {
        for (const tab of tabs) await expect(tab.locator(`#session-${name} .state b`)).toHaveText(state, { timeout: 30_000 });
    };
    await shows('s48', 'idle');
    await expect(page.locator('#summary')).toContainText('50 sessions');

    const { stdout } = await service.tmux('list-panes', '-t', '=loop-standing-s07:', '-F', '#{pane_pid}');
    process.kill(Number(stdout.trim()), 'SIGKILL');
    await shows('s07', 'exited');
    await service.cli('standing', 'start', 'asks');
    await until('the prompt', async () => (await service.pane('asks')).includes('Push the release branch?'));
    await shows('asks', 'waiting');
    await service.cli('standing', 'stop', 's21');
    await shows('s21', 'stopped');
    for (const tab of tabs) {
        await expect(tab).toHaveTitle('(2) Standing · the-loop');
        await expect(tab.locator('#rows-needs .row')).toHaveCount(2);
        await expect(tab.locator('[data-chip=stopped] b')).toHaveText('1');
    }
    await second.close();
});
