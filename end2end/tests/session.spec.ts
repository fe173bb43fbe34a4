// The page of one session: its pane, live and by forms alone.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { type Service, until } from '../support/service';

const pane = (page: Page) => page.locator('#lines');
const state = (page: Page) => page.locator('.session-head .state');

/** Creates a session of the built-in agent and opens its page. */
async function opened(page: Page, service: Service, name = 'ops', ...more: string[]): Promise<void> {
    await service.cli('standing', 'create', name, '--harness', 'demo', ...more);
    await page.goto(service.at(`/standing/${name}`));
    await expect(page.locator('h1')).toHaveText(name);
}

/** Creates a session that runs a shell script as its harness. */
async function script(page: Page, service: Service, name: string, text: string): Promise<void> {
    service.configure('', { [name]: { command: ['sh', '-c', text], newArgs: [name] } });
    await service.cli('standing', 'create', name, '--harness', name);
    await page.goto(service.at(`/standing/${name}`));
    await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
}

async function type(service: Service, name: string, ...keys: string[]): Promise<void> {
    await service.tmux('send-keys', '-t', `=loop-standing-${name}:`, ...keys);
}

const asking = ['--harness-arg=--fault', '--harness-arg=dialog=Go on with it?'];

const READER = 'while IFS= read -r line; do printf "\\033[32mgot\\033[0m %s\\n" "$line"; done';

test('a message and a stop and a start, on the page of the session', async ({ standing: { page }, service }) => {
    await opened(page, service);
    await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
    await expect(state(page)).toContainText('idle');
    await expect(page.locator('#pane-size')).toHaveText(/^\d+ × \d+$/);
    await page.getByLabel('Message to ops', { exact: true }).fill('the first word is marmalade');
    await page.getByRole('button', { name: 'Send to ops' }).click();
    await expect(page.locator('#receipt-ops [data-notice=done]')).toContainText('the first word is marmalade');
    await expect(page.getByLabel('Message to ops', { exact: true })).toHaveValue('');
    await expect(pane(page)).toContainText('marmalade');

    await page.getByRole('button', { name: 'Stop ops' }).click();
    await expect(state(page)).toContainText('stopped');
    // The last screen stays.
    await expect(pane(page)).toContainText(/marmalade|left with 0/);
    await expect(page.locator('#pane')).not.toHaveAttribute('data-alive', '');
    const start = page.getByRole('button', { name: 'Start ops' });
    // A control that took the place of another takes no press at first.
    await expect(start).not.toHaveAttribute('data-new');
    await start.click();
    await expect(state(page)).toContainText('idle');
    await expect(page.locator('#pane')).toHaveAttribute('data-alive', '');
    expect(page.url()).toContain('/standing/ops');
});

test('a prompt is answered by its digit', async ({ standing: { page }, service }) => {
    await opened(page, service, 'ops', '--harness-arg=--fault', '--harness-arg=dialog=Go on with it?');
    await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
    const prompt = page.getByRole('region', { name: 'Prompt' });
    await expect(prompt).toContainText('Go on with it?');
    await expect(page.locator('.dock')).toContainText('A prompt is open, and Enter may select an answer.');
    const yes = prompt.getByRole('button', { name: 'Yes, go on' });
    await page.locator('#screen').focus();
    await page.keyboard.press(await yes.locator('kbd').innerText());
    await expect(prompt).toHaveCount(0);
    await expect(state(page)).toContainText('idle');
});

test('an open prompt is shown once, and can be read in the pane', async ({ standing: { page }, service }) => {
    await service.cli('standing', 'create', 'ops', '--harness', 'demo', ...asking);
    // The server leaves it out, and so does the stream.
    const html = await (await page.request.get(service.at('/standing/ops'))).text();
    expect(/<pre id="lines">(.*?)<\/pre>/s.exec(html)![1]).not.toContain('Go on with it?');
    await page.goto(service.at('/standing/ops'));
    await expect(page.locator('html')).toHaveAttribute('data-mode', 'live');
    const prompt = page.getByRole('region', { name: 'Prompt' });
    await expect(prompt).toContainText('Go on with it?');
    await service.tmux('resize-window', '-t', '=loop-standing-ops:', '-x', '150', '-y', '30');
    await expect(page.locator('#pane-size')).toHaveText('150 × 30');
    await expect(pane(page)).not.toContainText('Go on with it?');
    await expect(page.locator('#follow')).toHaveAttribute('aria-pressed', 'true');

    await page.locator('#follow').click();
    await expect(pane(page)).toContainText('Go on with it?');
    await page.locator('#follow').click();
    await expect(pane(page)).not.toContainText('Go on with it?');
    // A prompt that opens while the page is open.
    const yes = prompt.getByRole('button', { name: 'Yes, go on' });
    await expect(yes).not.toHaveAttribute('data-new');
    await yes.click();
    await expect(prompt).toHaveCount(0);
    await expect(state(page)).toContainText('idle');
    await service.cli('standing', 'restart', 'ops');
    await expect(prompt).toContainText('Go on with it?');
    await expect(pane(page)).not.toContainText('Go on with it?');
    await expect(page.locator('#timeline')).toContainText('A prompt opened');
});

test('the arrow keys recall earlier messages from any sender', async ({ standing: { page }, service }) => {
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    for (const text of ['the first', 'the second']) await service.cli('standing', 'say', 'ops', '--text', text);
    await page.goto(service.at('/standing/ops'));
    await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
    const box = page.getByLabel('Message to ops', { exact: true });
    await box.focus();
    for (const [key, text] of [
        ['ArrowUp', 'the second'],
        ['ArrowUp', 'the first'],
        ['ArrowUp', 'the first'],
        ['ArrowDown', 'the second'],
        ['ArrowDown', ''],
    ] as const) {
        await page.keyboard.press(key);
        await expect(box).toHaveValue(text);
    }
    // What was typed is not replaced.
    await page.keyboard.type('mine');
    await page.keyboard.press('ArrowUp');
    await expect(box).toHaveValue('mine');
});

test('what a program prints appears in its colours, and reading above does not move', async ({
    standing: { page },
    service,
}) => {
    await script(page, service, 'reader', `i=1; while [ $i -le 700 ]; do echo line-$i; i=$((i+1)); done; ${READER}`);
    await expect(pane(page)).toContainText('line-700');
    await type(service, 'reader', 'hello', 'Enter');
    await expect(pane(page).locator('.g', { hasText: 'got' })).toHaveCount(1);

    const screen = page.locator('#screen');
    await page.locator('#scrollback').click();
    await expect(pane(page)).toContainText('line-300');
    await expect(page.locator('#follow')).toHaveAttribute('aria-pressed', 'false');
    const top = () => screen.evaluate((box) => {
        const at = box.getBoundingClientRect().top;
        return [...box.querySelectorAll('#lines > [id]')].find((line) => line.getBoundingClientRect().top >= at)!.id;
    });
    const before = await top();
    await type(service, 'reader', 'one', 'Enter', 'two', 'Enter', 'three', 'Enter');
    await expect(page.locator('#new-lines')).toHaveText(/^\d+ new lines ↓$/);
    expect(await top()).toBe(before);
    await page.locator('#new-lines').click();
    await expect(page.locator('#follow')).toHaveAttribute('aria-pressed', 'true');
    const last = pane(page).locator('> [id]').filter({ hasText: 'got three' });
    await expect(last).toBeInViewport();
    await page.locator('#scrollback').click();
    await expect(pane(page)).toContainText('line-1\n');
    await expect(page.locator('#scrollback')).toBeDisabled();
});

test('the width fits, and the text is never wrapped', async ({ standing: { page }, service }) => {
    await opened(page, service);
    await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
    await service.tmux('resize-window', '-t', '=loop-standing-ops:', '-x', '180', '-y', '30');
    await expect(page.locator('#pane-size')).toHaveText('180 × 30');
    await expect(pane(page)).toHaveCSS('white-space', 'pre');
    await page.locator('#fit').click();
    await expect(pane(page)).toHaveAttribute('data-fit', /^(9|10|11)$/);
    await page.locator('#fit').click();
    await expect(pane(page)).not.toHaveAttribute('data-fit');
});

test('keys lead to the session beside it and switch following', async ({ standing: { page }, service }) => {
    await service.cli('standing', 'create', 'ops', '--harness', 'demo');
    // A session that is not running is below those that run.
    await page.goto(service.at('/standing/supervisor'));
    await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
    await expect(page.locator('.turn')).toContainText('2 of 2');
    await page.locator('#screen').focus();
    await page.keyboard.press('f');
    await expect(page.locator('#follow')).toHaveAttribute('aria-pressed', 'false');
    await page.keyboard.press('k');
    await page.waitForURL('**/standing/ops');
    await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
    await page.locator('#screen').focus();
    await page.keyboard.press('j');
    await page.waitForURL('**/standing/supervisor');
});

test('the facts are those of the declaration', async ({ standing: { page }, service }) => {
    await page.goto(service.at('/standing/supervisor'));
    const about = page.getByRole('region', { name: 'About' });
    await expect(about).toContainText(/cli-config\.yaml:\d+/);
    await expect(about).toContainText('demo');
    await expect(state(page)).toContainText('not started');
    await expect(page.locator('.no-pane')).toContainText('Not started yet');
});

test.describe('an unknown name', () => {
    test.use({ strict: false });
    test('is answered with similar ones', async ({ standing: { page }, service }) => {
        const answer = await page.goto(service.at('/standing/supervizor'));
        expect(answer!.status()).toBe(404);
        await page.getByRole('link', { name: 'supervisor' }).click();
        await expect(page.locator('h1')).toHaveText('supervisor');
    });
});

test.describe('with scripts off', () => {
    test.use({ javaScriptEnabled: false });
    test('everything is a form that leads back here', async ({ standing: { page }, service }) => {
        await opened(page, service);
        await expect(pane(page)).not.toBeEmpty();
        await page.getByLabel('Message to ops', { exact: true }).fill('by form alone');
        await page.getByRole('button', { name: 'Send to ops' }).click();
        await expect(page.locator('#receipt-ops')).toContainText('by form alone');
        expect(new URL(page.url()).pathname).toBe('/standing/ops');
        await until('the message in the pane', async () => (await service.pane('ops')).includes('by form alone'));
        await page.reload();
        await expect(pane(page)).toContainText('by form alone');
        await page.getByRole('button', { name: 'Stop ops' }).click();
        await expect(state(page)).toContainText('stopped');
        expect(new URL(page.url()).pathname).toBe('/standing/ops');
        await page.getByRole('button', { name: 'Start ops' }).click();
        await expect(state(page)).toContainText(/idle|working/);
    });
});

test.describe('on a tablet', () => {
    test.use({ viewport: { width: 768, height: 900 } });
    test('the facts are a drawer, opened by a key or a button', async ({ standing: { page }, service }) => {
        await opened(page, service);
        await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
        const side = page.locator('#side');
        await expect(side).toBeHidden();
        await page.locator('#screen').focus();
        await page.keyboard.press('i');
        await expect(side).toBeVisible();
        await expect(side).toBeFocused();
        await expect(page.locator('#about')).toBeInViewport();
        const found = await new AxeBuilder({ page }).analyze();
        expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
        // A change of the session leaves it open.
        await service.cli('standing', 'stop', 'ops');
        await expect(state(page)).toContainText('stopped');
        await expect(side).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(side).toBeHidden();
        const button = page.getByRole('button', { name: 'Details' });
        await expect(button).toBeFocused();
        await button.click();
        await expect(side).toBeVisible();
        await expect(button).toHaveAttribute('aria-expanded', 'true');
        await button.click();
        await expect(side).toBeHidden();
    });
});

test.describe('on a phone', () => {
    test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });
    test('the message box stays in view, and the facts are a tab', async ({ standing: { page }, service }) => {
        await opened(page, service, 'ops', '--harness-arg=--fault', '--harness-arg=dialog=Go on with it?');
        const wide = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(await wide()).toBeLessThanOrEqual(0);
        await expect(page.getByLabel('Message to ops', { exact: true })).toBeInViewport();
        await expect(page.getByRole('button', { name: 'Yes, go on' })).toBeInViewport();
        await expect(page.locator('#about')).toBeHidden();
        await page.getByRole('link', { name: 'About' }).click();
        await expect(page.locator('#about')).toBeVisible();
        await expect(page.locator('#pane')).toBeHidden();
        await expect(page.getByLabel('Message to ops', { exact: true })).toBeInViewport();
        expect(await wide()).toBeLessThanOrEqual(0);
        await page.getByRole('link', { name: 'Timeline' }).click();
        await expect(page.locator('#timeline')).toContainText('Created');
        await expect(page.locator('#about')).toBeHidden();
        await page.getByRole('link', { name: 'Pane' }).click();
        await expect(page.locator('#pane')).toBeVisible();
    });
});

for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`in ${colorScheme} colours`, () => {
        test.use({ colorScheme });
        test('axe finds nothing, at any width', async ({ standing: { page }, service }) => {
            await opened(page, service, 'ops', '--harness-arg=--fault', '--harness-arg=dialog=Go on with it?');
            await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
            await expect(page.getByRole('region', { name: 'Prompt' })).toBeVisible();
            for (const width of [1280, 768, 360]) {
                await page.setViewportSize({ width, height: 800 });
                const found = await new AxeBuilder({ page }).analyze();
                expect(found.violations.map(({ id, nodes }) => `${width}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
            }
        });
    });
}
