import { brotliCompressSync } from 'node:zlib';
import { expect, test } from '../support/test';

test('the shipped bundle is what makes the page live, and it is small', async ({ page, service }) => {
    const loaded = new Map<string, number>();
    page.on('response', async (response) => {
        const { pathname } = new URL(response.url());
        if (/\.(js|wasm)$/.test(pathname)) loaded.set(pathname, brotliCompressSync(await response.body()).length);
    });
    await page.goto(service.at('/#/standing'));
    await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
    await expect.poll(() => loaded.size).toBe(2);
    const bytes = [...loaded.values()].reduce((sum, one) => sum + one);
    test.info().annotations.push({ type: 'bundle', description: `${bytes} bytes` });
    expect(bytes).toBeLessThan(80_000);
});

test('every island of the page is in the bundle', async ({ standing }) => {
    // A missing one is told of on the console, which fails the test; this says how many there are.
    await expect(standing.page.locator('leptos-island')).toHaveCount(1);
});

test('the policy forbids scripts that are not ours', async ({ standing, service }) => {
    const response = await standing.page.request.get(service.at('/'));
    const policy = response.headers()['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self' 'nonce-[^']+' 'wasm-unsafe-eval';/);
    expect(policy).not.toContain('unsafe-inline');
    const again = await standing.page.request.get(service.at('/'));
    expect(again.headers()['content-security-policy']).not.toBe(policy);
    const html = await response.text();
    expect(html).not.toMatch(/ on[a-z]+=| style=/);
});

test('every rule of the style sheet is in a layer, so that a stray brace is noticed', async ({ standing }) => {
    const loose = await standing.page.evaluate(() =>
        [...document.styleSheets].flatMap((sheet) =>
            [...sheet.cssRules]
                .filter((rule) => !(rule instanceof CSSLayerBlockRule || rule instanceof CSSLayerStatementRule))
                .map((rule) => rule.cssText),
        ),
    );
    expect(loose).toEqual([]);
});
