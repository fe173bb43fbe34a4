// The browser's notifications. Headless Chromium shows none, so a recorder takes the place of `Notification`; and it hides
// no tab, so the page is told that it is hidden.
import type { Page } from '@playwright/test';
import { until } from '../support/service';
import { expect, test } from '../support/test';

interface Recorded {
    title: string;
    tag: string;
    onclick: (() => void) | null;
}

interface Recording extends Window {
    asked: number;
    shown: Recorded[];
}

const asking = ['--harness', 'demo', '--harness-arg=--fault', '--harness-arg=dialog=Push the release branch?'];

/** Records notifications from now on, also after a reload. The browser asks, and the reader answers like this. */
async function record(page: Page, answer: NotificationPermission): Promise<void> {
    await page.addInitScript((answer) => {
        const recording = window as unknown as Recording;
        Object.assign(recording, { asked: 0, shown: [] });
        class Recorder {
            static permission: NotificationPermission = (localStorage.getItem('answered') as NotificationPermission) ?? 'default';
            static async requestPermission(): Promise<NotificationPermission> {
                recording.asked += 1;
                localStorage.setItem('answered', answer);
                Recorder.permission = answer;
                return answer;
            }
            readonly tag: string;
            onclick: (() => void) | null = null;
            constructor(readonly title: string, options: NotificationOptions = {}) {
                this.tag = options.tag ?? '';
                recording.shown.push(this);
            }
        }
        Object.assign(window, { Notification: Recorder });
    }, answer);
    await page.reload();
}

/** Hides the tab, or brings it back into view. */
async function hide(page: Page, hidden: boolean): Promise<void> {
    await page.evaluate((hidden) => {
        const state = hidden ? 'hidden' : 'visible';
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
        document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
}

const shown = (page: Page) =>
    page.evaluate(() => (window as unknown as Recording).shown.map(({ title, tag }) => ({ title, tag })));
const titles = async (page: Page) => (await shown(page)).map(({ title }) => title);

test('nothing is asked before the button, and a hidden tab tells once of each session that needs someone', async ({
    standing,
    service,
}) => {
    const { page } = standing;
    await record(page, 'granted');
    await standing.live();
    await page.getByRole('button', { name: 'Notifications' }).click();
    expect(await page.evaluate(() => (window as unknown as Recording).asked)).toBe(0);
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await expect(page.locator('#notify-state')).toHaveText('Notifications are on.');
    await page.keyboard.press('Escape');

    // In view, the page itself tells.
    await service.cli('standing', 'create', 'seen', ...asking);
    await expect(standing.state('seen')).toHaveText('waiting');
    expect(await titles(page)).toEqual([]);

    await hide(page, true);
    await service.cli('standing', 'create', 'release', ...asking);
    await expect.poll(() => titles(page)).toEqual(['release waits for you']);
    await expect(page).toHaveTitle('(2) Standing · the-loop');
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    await expect(standing.state('ops')).toHaveText('idle');
    await service.tmux('send-keys', '-t', '=loop-standing-ops:', '/exit', 'Enter');
    await expect.poll(() => titles(page)).toEqual(['release waits for you', 'ops exited']);
    // A new stream brings the same states, which are no news.
    await service.end();
    await service.serve();
    await until('the stream', async () => (await page.locator('html').getAttribute('data-stale')) === null);
    await expect(standing.state('ops')).toHaveText('exited');
    expect(await titles(page)).toHaveLength(2);
    // The next time is another episode.
    await service.cli('standing', 'start', 'ops');
    await expect(standing.state('ops')).toHaveText('idle');
    await service.tmux('send-keys', '-t', '=loop-standing-ops:', '/exit', 'Enter');
    await expect.poll(() => titles(page)).toHaveLength(3);
    const tags = (await shown(page)).map(({ tag }) => tag);
    expect(new Set(tags).size).toBe(3);

    await page.evaluate(() => (window as unknown as Recording).shown[0]!.onclick!());
    await page.waitForURL('**/standing/release');
});

test.describe('one of two tabs', () => {
    test('in view silences both, and hidden ones tell once', async ({ standing, service }) => {
        const { page } = standing;
        await record(page, 'granted');
        await standing.live();
        await page.getByRole('button', { name: 'Notifications' }).click();
        await page.getByRole('button', { name: 'Turn on notifications' }).click();
        await page.keyboard.press('Escape');
        const second = await page.context().newPage();
        await second.goto(service.at('/'));
        await record(second, 'granted');
        await expect(second.locator('html')).toHaveAttribute('data-mode', 'live');
        await hide(page, true);
        await service.cli('standing', 'create', 'seen', ...asking);
        await expect(second.locator('#session-seen .state b')).toHaveText('waiting');
        await hide(second, true);
        await service.cli('standing', 'create', 'release', ...asking);
        await expect(second.locator('#session-release .state b')).toHaveText('waiting');
        await expect(standing.state('release')).toHaveText('waiting');
        await expect.poll(async () => [...(await titles(page)), ...(await titles(second))]).toEqual(['release waits for you']);
        await second.close();
    });
});

test('a refusal by the browser is explained, and turning off is heard', async ({ standing, service }) => {
    const { page } = standing;
    await record(page, 'denied');
    await standing.live();
    await page.getByRole('button', { name: 'Notifications' }).click();
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await expect(page.locator('#notify-state')).toContainText('The browser blocks notifications');

    await record(page, 'granted');
    await page.evaluate(() => localStorage.removeItem('answered'));
    await page.reload();
    await standing.live();
    await page.getByRole('button', { name: 'Notifications' }).click();
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await expect(page.locator('#notify-state')).toHaveText('Notifications are on.');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await expect(page.locator('#notify-state')).toBeEmpty();
    await page.keyboard.press('Escape');
    await hide(page, true);
    await service.cli('standing', 'create', 'release', ...asking);
    await expect(standing.state('release')).toHaveText('waiting');
    expect(await titles(page)).toEqual([]);
});
