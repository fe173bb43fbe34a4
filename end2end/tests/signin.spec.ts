// Signing in with a one-use code, as a person does it, and what becomes of a page whose sign-in ends.
import { expect, test } from '../support/test';
import { Screen } from '../support/screen';
import { Service } from '../support/service';
import type { Page } from '@playwright/test';

// Being signed out is an answer with status 401, which the browser itself reports.
test.use({ auth: 'token', strict: false });

/** The address that `the-loop open` prints. */
const address = async (service: Service) => (await service.cli('open')).trim();
const code = async (service: Service) => (await address(service)).split('#code=')[1]!;

async function type(page: Page, code: string): Promise<void> {
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signedIn(page: Page, service: Service): Promise<Screen> {
    await page.goto(await address(service));
    const standing = new Screen(page);
    await standing.live();
    return standing;
}

test('a browser is signed in by the address that `open` prints', async ({ page, service }) => {
    const standing = await signedIn(page, service);
    await expect(standing.card('supervisor')).toBeVisible();
    expect(page.url()).toBe(service.at('/#/standing'));
    await page.reload();
    await expect(standing.card('supervisor')).toBeVisible();
    // Opened again where one is signed in already, the address leads to the page as well, and its code is not shown.
    await page.goto('about:blank');
    await page.goto(await address(service));
    await standing.live();
    await expect(page).toHaveURL(service.at('/#/standing'));
});

test('a browser is signed in by a code that is typed, and led to the page that it asked for', async ({ page, service }) => {
    await page.goto(service.at('/?q=supervisor#/standing'));
    await type(page, 'not a code');
    await expect(page.getByRole('status')).toContainText('invalid, expired or already used');
    const once = await code(service);
    await type(page, ` ${once} `);
    await expect(new Screen(page).card('supervisor')).toBeVisible();
    expect(page.url()).toBe(service.at('/?q=supervisor#/standing'));
    await page.context().clearCookies();
    await page.goto(service.at('/'));
    await type(page, once);
    await expect(page.getByRole('status')).toContainText('already used');
});

test('the address with a code works in a tab that shows the sign-in page already', async ({ page, service }) => {
    await page.goto(service.at('/'));
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await page.goto(await address(service));
    await expect(new Screen(page).card('supervisor')).toBeVisible();
});

test.describe('without scripts', () => {
    test.use({ javaScriptEnabled: false });

    test('a browser is signed in by a code, and a message sent too late is shown again', async ({ page, service }) => {
        await page.goto(service.at('/'));
        await type(page, await code(service));
        const standing = new Screen(page);
        await standing.act('supervisor', 'Start');
        await expect(standing.state('supervisor')).toHaveText('idle');
        await page.context().clearCookies();
        await standing.say('supervisor', 'half a <b>thought</b>');
        await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
        await expect(page.locator('pre')).toHaveText('half a <b>thought</b>');
        await type(page, await code(service));
        await expect(standing.card('supervisor')).toBeVisible();
    });
});

test('two services on one host do not sign each other out', async ({ page, service }) => {
    const other = await Service.start('', 'token');
    await signedIn(page, service);
    const second = await page.context().newPage();
    await signedIn(second, other);
    await page.reload();
    await expect(new Screen(page).card('supervisor')).toBeVisible();
    await second.reload();
    await expect(second.getByRole('heading', { name: 'Sign in' })).toBeHidden();
    await second.close();
    await other.dispose();
});

test('a sign-in that ends in an open tab is told of, and what was typed is there after signing in again', async ({
    page,
    service,
}) => {
    const standing = await signedIn(page, service);
    await standing.act('supervisor', 'Start');
    await expect(standing.state('supervisor')).toHaveText('idle');
    await standing.message('supervisor').fill('half a thought');
    await page.context().clearCookies();
    // The reader comes back to the tab.
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(page.getByText('You are signed out.').first()).toBeVisible();
    await expect(page.getByText('The service does not answer since')).toBeHidden();

    await standing.press(standing.card('supervisor').getByRole('button', { name: 'Send to supervisor' }));
    await expect(page.locator('#announce')).toContainText('You are signed out, so nothing was sent.');
    await expect(page.locator('body')).not.toContainText('{"');
    await expect(standing.message('supervisor')).toHaveValue('half a thought');

    await page.getByRole('link', { name: 'Sign in' }).click();
    await type(page, await code(service));
    await standing.live();
    await expect(standing.message('supervisor')).toHaveValue('half a thought');
    await expect(page.getByText('You are signed out.').first()).toBeHidden();
    await page.reload();
    await standing.live();
    await expect(standing.message('supervisor')).toHaveValue('half a thought');
    await standing.card('supervisor').getByRole('button', { name: 'Send to supervisor' }).click();
    await expect(standing.receipt('supervisor')).toContainText('half a thought');
    await expect(standing.message('supervisor')).toHaveValue('');
    await page.reload();
    await standing.live();
    await expect(standing.message('supervisor')).toHaveValue('');
});

test('signing in anywhere brings an open tab back, with its draft', async ({ page, service }) => {
    const standing = await signedIn(page, service);
    await standing.page.getByRole('link', { name: 'New session' }).click();
    await page.locator('#new-name').fill('ops');
    await page.locator('#new-brief').fill('not sent yet');
    await page.context().clearCookies();
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(page.locator('#signed-out')).toBeVisible();
    const second = await page.context().newPage();
    await signedIn(second, service);
    await second.close();
    await expect(page.locator('#signed-out')).toBeHidden();
    await expect(page.locator('#new-brief')).toHaveValue('not sent yet');
    // The same address, in the tab that is signed out itself.
    await page.context().clearCookies();
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(page.locator('#signed-out')).toBeVisible();
    await page.goto(await address(service));
    await standing.live();
    await standing.page.getByRole('link', { name: 'New session' }).click();
    await expect(page.locator('#new-name')).toHaveValue('ops');
    await expect(page.locator('#new-brief')).toHaveValue('not sent yet');
});
