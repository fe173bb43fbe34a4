// The Standing screen as a person sees it.
import { expect, type Locator, type Page } from '@playwright/test';

export class Screen {
    constructor(readonly page: Page) {}

    /** Waits until the shipped bundle listens: a click before that is a plain form post. */
    async live(): Promise<void> {
        await expect(this.page.locator('html')).toHaveAttribute('data-hydrated', '');
    }

    card(name: string): Locator {
        return this.page.locator(`#session-${name}`);
    }

    state(name: string): Locator {
        return this.card(name).locator('.state b');
    }

    /** What came of the last act or message on a session: in its row, or above the list if that is folded. */
    told(name: string): Locator {
        return this.page.locator(`#receipt-${name} [data-notice], #notice-page [data-notice]`);
    }

    receipt(name: string): Locator {
        return this.told(name);
    }

    /** The last lines of its pane. */
    pane(name: string): Locator {
        return this.page.locator(`#excerpt-${name}`);
    }

    /** Unfolds its row by a click, unless it is unfolded. */
    async unfold(name: string): Promise<void> {
        if (!(await this.card(name).evaluate((row) => row.classList.contains('open')))) {
            await this.card(name).locator('.state').click();
        }
        await expect(this.card(name)).toHaveClass(/open/);
    }

    message(name: string): Locator {
        return this.page.getByLabel(`Message to ${name}`, { exact: true });
    }

    /** The id of its conversation, whole. */
    async conversation(name: string): Promise<string> {
        const listed = await this.page.request.get(new URL('/api/v1/standing-sessions', this.page.url()).href);
        const rows = (await listed.json()) as { name: string; harnessSessionId: string }[];
        const id = rows.find((row) => row.name === name)?.harnessSessionId;
        expect(id).toMatch(/^[0-9a-f-]{36}$/);
        return id!;
    }

    /** Fills in the form for a new session, which is open or opened, and sends it. */
    async create(name: string, more: { brief?: string; cwd?: string; description?: string } = {}): Promise<void> {
        const form = this.page.locator('#create-form');
        if (!(await form.isVisible())) await this.page.getByRole('link', { name: 'New session' }).click();
        await form.getByLabel('Name').fill(name);
        if (more.cwd) await form.getByLabel('Working directory').fill(more.cwd);
        if (more.description) await form.getByLabel('Description').fill(more.description);
        if (more.brief) await form.getByLabel('Brief').fill(more.brief);
        await form.getByRole('button', { name: 'Create session' }).click();
    }

    async act(name: string, verb: 'Start' | 'Stop'): Promise<void> {
        await this.press(this.card(name).getByRole('button', { name: `${verb} ${name}`, exact: true }));
    }

    /** Presses a control once it takes presses: one that has just come into the page does not. */
    async press(control: Locator): Promise<void> {
        await expect(control).not.toHaveAttribute('data-new');
        await control.click();
    }

    async restart(name: string): Promise<void> {
        await this.press(this.card(name).getByRole('button', { name: `Restart ${name}` }));
    }

    async menu(name: string): Promise<void> {
        await this.page.getByRole('button', { name: `Actions for ${name}` }).click();
        await expect(this.page.locator('#menu')).toBeVisible();
    }

    async say(name: string, text: string): Promise<void> {
        await this.message(name).fill(text);
        await this.press(this.card(name).getByRole('button', { name: `Send to ${name}` }));
    }

    /** Both acts that a deletion needs. */
    async delete(name: string): Promise<void> {
        await this.menu(name);
        await this.page.locator('#menu').getByRole('link', { name: `Delete… ${name}` }).click();
        await this.page.getByRole('button', { name: `Delete ${name}` }).click();
    }
}
