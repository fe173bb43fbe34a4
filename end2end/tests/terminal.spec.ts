// The terminal of a session: a real one, in the browser.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { type Service, until } from '../support/service';

/** Reads lines and tells each, in a true colour first. */
const READER = 'printf "\\033[38;2;10;200;30mready\\033[0m\\n"; while IFS= read -r line; do printf "got <%s>\\n" "$line"; done';

const rows = (page: Page) => page.locator('#terminal .xterm-rows');

async function opened(page: Page, service: Service, mode: 'read' | 'write' = 'read'): Promise<void> {
    service.configure('', { reader: { command: ['sh', '-c', READER] } }, { enabled: true, write: true });
    await service.cli('standing', 'create', 'ops', '--harness', 'reader');
    await page.goto(service.at(`/standing/ops/terminal${mode === 'write' ? '?mode=write' : ''}`));
    await expect(rows(page)).toContainText('ready');
}

async function noClient(service: Service): Promise<void> {
    await until('no client', async () => (await service.clients()).length === 0);
}

test('the terminal of a session shows its pane, and leaving the page leaves no client', async ({ standing, service }) => {
    const page = standing.page;
    await opened(page, service);
    await page.goto(service.at('/standing/ops'));
    await noClient(service);
    await page.getByRole('link', { name: 'Open terminal' }).click();
    await expect(rows(page)).toContainText('ready');
    await expect(page.locator('#terminal-state')).toHaveText('Read-only');
    expect(await service.clients()).toHaveLength(1);
    // The colour is a style attribute, which the policy would block.
    const ready = rows(page).locator('span', { hasText: 'ready' }).last();
    expect(await ready.evaluate((span) => getComputedStyle(span).color)).toBe('rgb(10, 200, 30)');

    await service.tmux('send-keys', '-t', '=loop-standing-ops:', 'from outside', 'Enter');
    await expect(rows(page)).toContainText('got <from outside>');
    await page.locator('#terminal').click();
    await page.keyboard.type('marmalade');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Back to ops' }).click();
    await noClient(service);
    expect(await service.pane('ops')).not.toContain('marmalade');
    await expect(page.locator('#timeline')).toContainText('Terminal opened to read');
    // A terminal to read does not change the window.
    const { stdout } = await service.tmux('display-message', '-p', '-t', '=loop-standing-ops:', '#{window_width}');
    expect(stdout.trim()).toBe('200');
});

test('typing reaches the agent once it is chosen, and F6 leaves the terminal', async ({ standing, service }) => {
    const page = standing.page;
    await opened(page, service);
    await page.getByRole('link', { name: 'Type into it' }).click();
    await expect(page.locator('#terminal-state')).toContainText('Keys go to the session');
    await page.keyboard.type('marmalade ü');
    await page.keyboard.press('Enter');
    await expect(rows(page)).toContainText('got <marmalade ü>');
    expect(await service.pane('ops')).toContain('got <marmalade ü>');
    await page.keyboard.press('F6');
    await expect(page.locator('#main')).toBeFocused();
    await page.close();
    await noClient(service);
});

test('a closed terminal says why, and connects again', async ({ standing, service }) => {
    const page = standing.page;
    await opened(page, service);
    await service.cli('standing', 'stop', 'ops');
    await expect(page.getByRole('alert')).toContainText('The session ended, or the terminal was detached.');
    await service.cli('standing', 'start', 'ops');
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await expect(page.locator('#terminal-state')).toHaveText('Read-only');
    await expect(page.getByRole('alert')).toBeHidden();
    await expect(rows(page)).toContainText('ready');
});

test.describe('refused', () => {
    test.use({ strict: false });

    test('the reason of a refusal is shown', async ({ standing, service }) => {
        const page = standing.page;
        await opened(page, service);
        await service.cli('standing', 'stop', 'ops');
        await expect(page.getByRole('alert')).toBeVisible();
        await page.getByRole('button', { name: 'Reconnect' }).click();
        await expect(page.getByRole('alert')).toContainText('could not open a terminal of `ops`');
        await page.goto(service.at('/standing/ops'));
        await expect(page.getByRole('link', { name: 'Open terminal' })).toHaveCount(0);
    });
});

test.describe('on a phone', () => {
    test.use({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });

    test('keys that its keyboard does not have', async ({ standing, service }) => {
        const page = standing.page;
        await opened(page, service);
        await expect(page.locator('#terminal-keys')).toHaveCount(0);
        await page.goto(service.at('/standing/ops/terminal?mode=write'));
        await expect(page.locator('#terminal-state')).toContainText('Keys go to the session');
        for (const key of await page.locator('#terminal-keys button').all()) {
            const box = await key.boundingBox();
            expect(box!.height).toBeGreaterThanOrEqual(44);
            expect(box!.x + box!.width).toBeLessThanOrEqual(360);
        }
        await page.keyboard.type('one');
        await page.getByRole('button', { name: 'Enter', exact: true }).tap();
        await expect(rows(page)).toContainText('got <one>');
        await page.keyboard.type('two');
        const ctrl = page.getByRole('button', { name: 'Ctrl, for the next key' });
        await ctrl.tap();
        await expect(ctrl).toHaveAttribute('aria-pressed', 'true');
        // Ctrl-U clears the line.
        await page.keyboard.type('u');
        await expect(ctrl).toHaveAttribute('aria-pressed', 'false');
        await page.keyboard.type('three');
        await page.keyboard.press('Enter');
        await expect(rows(page)).toContainText('got <three>');
    });
});

for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(colorScheme, () => {
        test.use({ colorScheme });

        test('axe finds nothing on the page of a terminal', async ({ standing, service }) => {
            const page = standing.page;
            await opened(page, service);
            for (const mode of ['read', 'write']) {
                await page.goto(service.at(`/standing/ops/terminal?mode=${mode}`));
                await expect(rows(page)).toContainText('ready');
                const { violations } = await new AxeBuilder({ page }).analyze();
                expect(violations.map(({ id, nodes }) => `${mode}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
            }
        });
    });
}

test.describe('without scripts', () => {
    test.use({ javaScriptEnabled: false });

    test('the command that attaches', async ({ standing: { page }, service }) => {
        service.configure('', {}, { enabled: true });
        await service.cli('standing', 'create', 'ops', '--harness', 'demo');
        await page.goto(service.at('/standing/ops/terminal'));
        await expect(page.locator('noscript code')).toContainText("attach -r -t '=loop-standing-ops'");
    });
});
