// The recording in the README: on a phone, a session asks and is answered, another exits and is resumed.
import { join } from 'node:path';
import { onRequest } from '../support/pictures';
import { expect, test } from '../support/test';

onRequest('recording.spec.ts');

test.use({
    colorScheme: 'light',
    viewport: { width: 390, height: 720 },
    hasTouch: true,
    sessions: `
    - name: nightly
      description: Runs the nightly checks
      harness: demo
      cwd: ~/src/loop
`,
});

test('recording', async ({ standing, service }) => {
    const frames: { picture: Buffer; milliseconds: number }[] = [];
    const show = async (milliseconds: number): Promise<void> => {
        await standing.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
        frames.push({ picture: await standing.page.screenshot({ animations: 'disabled' }), milliseconds });
    };
    await service.cli('standing', 'start', 'nightly');
    await expect(standing.state('nightly')).toHaveText('idle');
    await show(1200);

    const asks = ['--harness-arg=--fault', '--harness-arg=dialog=Push the release branch?'];
    await service.cli('standing', 'create', 'release-watch', '--harness', 'demo', '--cwd', '~/src/loop', ...asks);
    const card = standing.card('release-watch');
    await expect(card.locator('.question')).toContainText('Push the release branch?');
    await show(2500);

    await standing.press(card.locator('.answers').getByRole('button', { name: 'Yes, go on' }));
    await expect(standing.receipt('release-watch')).toHaveText(/the prompt closed/);
    await expect(standing.state('release-watch')).toHaveText('idle');
    await show(2500);

    // As if it were typed in its terminal: the agent ends on its own.
    await service.tmux('send-keys', '-t', '=loop-standing-nightly:', '-l', '/exit');
    await service.tmux('send-keys', '-t', '=loop-standing-nightly:', 'Enter');
    await expect(standing.state('nightly')).toHaveText('exited');
    await show(2500);

    await standing.act('nightly', 'Start');
    await expect(standing.told('nightly')).toHaveText(/conversation resumed/);
    await expect(standing.state('nightly')).toHaveText('idle');
    await show(3500);

    const { default: sharp } = await import('sharp');
    const pictures = frames.map(({ picture }) => picture);
    const recording = sharp(pictures, { join: { animated: true } });
    const delay = frames.map(({ milliseconds }) => milliseconds);
    const path = join(import.meta.dirname, '../../docs/recording.webp');
    const { size } = await recording.webp({ delay, loop: 0, quality: 85 }).toFile(path);
    expect(size).toBeLessThan(500_000);
    expect((await sharp(path, { animated: true }).metadata()).pages).toBe(frames.length);
});
