import { defineConfig } from '@playwright/test';

// A Chromium that is on the machine already; Playwright's own is never downloaded.
const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';

export default defineConfig({
    testDir: 'tests',
    fullyParallel: true,
    workers: 2,
    forbidOnly: true,
    timeout: 60_000,
    expect: { timeout: 15_000 },
    reporter: [['list']],
    use: {
        viewport: { width: 1280, height: 900 },
        trace: 'retain-on-failure',
        launchOptions: {
            executablePath,
            args: [
                '--no-sandbox',
                '--disable-gpu',
                '--disable-quic',
                '--no-first-run',
                '--disable-background-networking',
                '--disable-component-update',
                '--disable-sync',
            ],
        },
    },
});
