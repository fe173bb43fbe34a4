// Figures of the page in Chromium, each beside its aim. They depend on the machine: quote them with the load beside them.
import { get } from 'node:http';
import { loadavg } from 'node:os';
import { type Page, test } from '@playwright/test';
import { Service, until } from '../support/service';

const declared = (count: number) =>
    Array.from({ length: count }, (_, index) => `
    - name: s${String(index).padStart(3, '0')}
      description: Looks after part ${index}
      harness: demo
`).join('');

/** One more session, which begins to wait once it is started. */
const ASKS = `
    - name: asks
      harness: demo
      autoStart: false
      harnessArgs: ['--fault', 'dialog=Push the release branch?']
`;

/** Returns the time at which a page shows a state of a session, in ms since 1970. */
const shows = (page: Page, name: string, state: string) =>
    page.evaluate(
        ([id, state]) =>
            new Promise<number>((done) => {
                const row = () => document.getElementById(id!)?.getAttribute('data-state');
                const check = () => row() === state && (observer.disconnect(), done(performance.timeOrigin + performance.now()));
                const observer = new MutationObserver(check);
                observer.observe(document.body, { subtree: true, childList: true, attributes: true });
                check();
            }),
        [`session-${name}`, state],
    );

const percentile = (values: number[], part: number) => {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)]!;
};

const say = (what: string, value: string, aim: string) => console.log(`  ${what.padEnd(52)} ${value.padStart(18)}   aim ${aim}`);

/** One answer: time to its first byte in ms, and its bytes on the wire. */
function load(address: string): Promise<{ first: number; bytes: number }> {
    return new Promise((done, fail) => {
        const begun = performance.now();
        get(address, { headers: { 'accept-encoding': 'gzip', accept: 'text/html' }, agent: false }, (answer) => {
            const first = performance.now() - begun;
            let bytes = 0;
            answer.on('data', (data: Buffer) => (bytes += data.length));
            answer.on('end', () => done({ first, bytes }));
        }).on('error', fail);
    });
}

for (const count of [8, 50, 500]) {
    test(`${count} sessions`, async ({ page }) => {
        const service = await Service.start(declared(count) + ASKS);
        try {
            console.log(`\n${count} running sessions, load ${loadavg()[0]!.toFixed(1)}`);
            await service.cli('standing', 'start', '--all');
            const first: number[] = [];
            let bytes = 0;
            await page.addInitScript(() => {
                (window as unknown as { shifts: number }).shifts = 0;
                new PerformanceObserver((list) => {
                    for (const entry of list.getEntries()) (window as unknown as { shifts: number }).shifts += (entry as unknown as { value: number }).value;
                }).observe({ type: 'layout-shift', buffered: true });
            });
            await page.goto(service.at('/'));
            await until('the stream', async () => (await page.locator('html').getAttribute('data-mode')) === 'live');
            for (let round = 0; round < 30; round += 1) {
                const loaded = await load(service.at('/'));
                first.push(loaded.first);
                bytes = loaded.bytes;
            }
            say('first load on the wire', `${(bytes / 1000).toFixed(1)} kB`, { 8: '8 kB', 50: '15 kB', 500: '60 kB' }[count]!);
            say('time to first byte, p50 / p95', `${percentile(first, 0.5).toFixed(1)} / ${percentile(first, 0.95).toFixed(1)} ms`, { 8: '-', 50: '5 ms', 500: '20 ms' }[count]!);
            const client = await page.context().newCDPSession(page);
            await client.send('Network.enable');
            let received = 0;
            let last = Date.now();
            client.on('Network.dataReceived', (event) => {
                received += event.encodedDataLength || event.dataLength;
                last = Date.now();
            });
            // Sessions that have just started are not at rest.
            await until('rest', () => Date.now() - last > 8_000, 120);
            received = 0;
            const seconds = 30;
            await new Promise((wake) => setTimeout(wake, seconds * 1000));
            say('bytes a minute at rest', `${((received * 60) / seconds / 1000).toFixed(2)} kB`, '2 kB');

            await page.reload();
            await until('the stream', async () => (await page.locator('html').getAttribute('data-mode')) === 'live');
            await new Promise((wake) => setTimeout(wake, 1000));
            say('layout shift of a load', String(await page.evaluate(() => (window as unknown as { shifts: number }).shifts.toFixed(3))), '0');

            await client.send('Performance.enable');
            const task = async () => {
                const { metrics } = await client.send('Performance.getMetrics');
                const parts = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];
                return metrics.filter(({ name }) => parts.includes(name)).reduce((sum, { value }) => sum + value * 1000, 0);
            };
            const late: number[] = [];
            const busy: number[] = [];
            const tries = Math.min(12, count - 1);
            for (let round = 0; round < tries; round += 1) {
                const name = `s${String(round).padStart(3, '0')}`;
                const before = await task();
                const seen = shows(page, name, 'exited');
                const { stdout } = await service.tmux('list-panes', '-t', `=loop-standing-${name}:`, '-F', '#{pane_pid}');
                const killed = performance.timeOrigin + performance.now();
                process.kill(Number(stdout.trim()), 'SIGKILL');
                late.push((await seen) - killed);
                busy.push((await task()) - before);
            }
            say('killed in tmux to page, p50 / p95', `${percentile(late, 0.5).toFixed(0)} / ${percentile(late, 0.95).toFixed(0)} ms`, { 8: '300 ms', 50: '300 ms', 500: '500 ms' }[count]!);
            say('script, style and layout a change, p50', `${percentile(busy, 0.5).toFixed(1)} ms`, '5 ms');

            const second = await page.context().newPage();
            await second.goto(service.at('/'));
            await until('the stream', async () => (await second.locator('html').getAttribute('data-mode')) === 'live');
            // Each is the time of both tabs, from the moment at which it is true in tmux.
            const both = async (what: string, name: string, state: string, happens: () => Promise<void>) => {
                const seen = Promise.all([shows(page, name, state), shows(second, name, state)]);
                await happens();
                const happened = Date.now();
                const late = (await seen).map((at) => Math.max(0, at - happened).toFixed(0));
                say(`${what}, to the page / a second tab`, `${late.join(' / ')} ms`, '1000 ms');
            };
            const victim = `s${String(count - 1).padStart(3, '0')}`;
            const { stdout } = await service.tmux('list-panes', '-t', `=loop-standing-${victim}:`, '-F', '#{pane_pid}');
            await both('killed', victim, 'exited', async () => void process.kill(Number(stdout.trim()), 'SIGKILL'));
            await both('began to wait', 'asks', 'waiting', async () => {
                const started = service.cli('standing', 'start', 'asks');
                await until('the prompt', async () => (await service.pane('asks').catch(() => '')).includes('Push the release'), 60);
                void started.catch(() => undefined);
            });
            await both('stopped from a terminal', victim, 'stopped', async () => {
                await service.cli('standing', 'start', victim);
                await service.cli('standing', 'stop', victim);
            });
        } finally {
            await page.close();
            await service.dispose();
        }
    });
}
