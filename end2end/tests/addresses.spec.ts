// Addresses with a fragment: they are those of the published program, and lead to the page of that name.
import { expect, test } from '../support/test';

test('#/events and #/standing/<name> lead to their pages, from outside and from an open page', async ({ standing, service }) => {
    const { page } = standing;
    const second = await page.context().newPage();
    await second.goto(service.at('/#/events'));
    await second.waitForURL(service.at('/events'));
    await expect(second.getByRole('heading', { name: 'Events', level: 1 })).toBeVisible();
    await second.goto(service.at('/#/standing/supervisor'));
    await second.waitForURL(service.at('/standing/supervisor'));
    await expect(second.locator('h1')).toHaveText('supervisor');
    await second.close();

    // A fragment alone loads no page.
    await page.evaluate(() => location.assign('#/standing/supervisor'));
    await page.waitForURL(service.at('/standing/supervisor'));
    await expect(page.locator('h1')).toHaveText('supervisor');
    await standing.live();
    await page.evaluate(() => location.assign('#/events'));
    await page.waitForURL(service.at('/events'));
    // The way led through no page that "back" would lead forward from.
    await page.goBack();
    await expect(page.locator('h1')).toHaveText('supervisor');
    await page.goto(service.at('/#/standing'));
    await standing.live();
    await expect(standing.card('supervisor')).toBeVisible();
});

test('a fragment that names no page leads nowhere', async ({ standing, service }) => {
    const { page } = standing;
    for (const fragment of ['#/other', '#//elsewhere.example/standing/x', '#/events/../api/v1/stream']) {
        await page.goto(service.at(`/${fragment}`));
        await page.reload();
        await standing.live();
        expect(new URL(page.url()).pathname).toBe('/');
    }
});
