import { expect, test } from '../support/test';

const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=2</script></textarea></pre>&amp;';

test.use({
    sessions: `
    - name: hostile
      harness: demo
      description: '${MARKUP}'
`,
});

test('what others wrote is text, wherever it stands', async ({ standing, service }) => {
    await expect(standing.card('hostile').locator('.desc')).toHaveText(MARKUP);
    await standing.act('hostile', 'Start');
    await expect(standing.state('hostile')).toHaveText('idle');
    await standing.say('hostile', MARKUP);
    await expect(standing.pane('hostile')).toContainText('<img src=x');
    await service.tmux('rename-window', '-t', '=loop-standing-hostile:', MARKUP);
    await standing.page.goto(service.at(`/?q=${encodeURIComponent(MARKUP)}&notice=${encodeURIComponent(MARKUP)}`));
    await standing.live();
    await expect(standing.page.locator('#filter-text')).toHaveValue(MARKUP);
    await expect(standing.page).toHaveTitle(/Standing/);
    await expect(standing.page.locator('main img, main script')).toHaveCount(0);
});

test('nothing typed into the form for a new session becomes markup', async ({ standing }) => {
    await standing.create('hostile', { brief: MARKUP, description: MARKUP });
    await expect(standing.page.locator('#wrong-name')).toContainText('already declared');
    await standing.page.reload();
    await standing.live();
    await expect(standing.page.locator('#new-brief')).toHaveValue(MARKUP);
    await expect(standing.page.locator('#new-description')).toHaveValue(MARKUP);
    await expect(standing.page.locator('main img, main script')).toHaveCount(0);
});
