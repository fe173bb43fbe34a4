// The picture in the README: made by this, so that it shows what is.
import { join } from 'node:path';
import { onRequest } from '../support/pictures';
import { expect, test } from '../support/test';

onRequest('picture.spec.ts');

test.use({
    sessions: `
    - name: supervisor
      description: Watches the items in flight, recovers what is stuck
      harness: demo
      cwd: ~/src/loop
    - name: triage
      description: Sorts what came in overnight
      harness: demo
      cwd: ~/src/loop
      autoStart: false
`,
});

for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(colorScheme, () => {
        test.use({ colorScheme, viewport: { width: 1180, height: 840 } });
        test('picture', async ({ standing, service }) => {
            await service.cli('standing', 'start', 'supervisor');
            const asks = ['--harness-arg=--fault', '--harness-arg=dialog=Push the release branch?'];
            const release = ['--cwd', '~/src/loop', '--description', 'Follows the release branch'];
            await service.cli('standing', 'create', 'release-watch', '--harness', 'demo', ...release, ...asks);
            await expect(standing.card('release-watch').locator('.question')).toContainText('Push the release branch?');
            await expect(standing.state('supervisor')).toHaveText('idle');
            await standing.say('supervisor', 'Recover #283, then report.');
            await expect(standing.receipt('supervisor')).toContainText('Recover #283');
            await expect(standing.pane('supervisor')).toContainText('Recover #283');
            await expect(standing.state('supervisor')).toHaveText('idle');
            await standing.page.evaluate(() => {
                (document.activeElement as HTMLElement).blur();
                window.scrollTo(0, 0);
            });
            const path = join(import.meta.dirname, `../../docs/screen-${colorScheme}.png`);
            await standing.page.screenshot({ path, animations: 'disabled' });
        });
    });
}
