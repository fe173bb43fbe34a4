import { defineConfig } from '@playwright/test';
import base from './playwright.config';

// The figures of the page: `npx playwright test --config bench.config.ts`. THE_LOOP_BIN names the binary.
export default defineConfig({
    ...base,
    // A trace copies the page at each call, which would be most of what is measured.
    use: { ...base.use, trace: 'off' },
    testDir: 'bench',
    testMatch: '*.bench.ts',
    workers: 1,
    fullyParallel: false,
    timeout: 600_000,
});
