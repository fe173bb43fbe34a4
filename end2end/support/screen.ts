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
        return this.card(name).locator('.state');
    }

    /** What came of the buttons of a session. */
    told(name: string): Locator {
        return this.page.locator(`#acts-${name} [data-notice]`);
    }

    /** What became of the last message to it. */
    receipt(name: string): Locator {
        return this.page.locator(`#receipt-${name} [data-notice]`);
    }

    message(name: string): Locator {
        return this.page.getByLabel(`Message to ${name}`, { exact: true });
    }

    /** The id of its conversation, whole. */
    async conversation(name: string): Promise<string> {
        const id = await this.card(name).locator('.facts li', { hasText: 'conversation' }).locator('code').getAttribute('title');
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
        await this.card(name).getByRole('button', { name: `${verb} ${name}`, exact: true }).click();
    }

    async restart(name: string): Promise<void> {
        await this.menu(name);
        await this.card(name).getByRole('button', { name: `Restart ${name}` }).click();
        await expect(this.card(name).locator('.menu > summary')).not.toHaveAttribute('aria-busy');
    }

    async menu(name: string): Promise<void> {
        await this.card(name).locator('.menu > summary').click();
    }

    async say(name: string, text: string): Promise<void> {
        await this.message(name).fill(text);
        await this.card(name).getByRole('button', { name: `Send to ${name}` }).click();
    }

    /** Both acts that a deletion needs. */
    async delete(name: string): Promise<void> {
        await this.menu(name);
        await this.card(name).getByRole('link', { name: `Delete… ${name}` }).click();
        await this.page.getByRole('button', { name: `Delete ${name}` }).click();
    }
}
