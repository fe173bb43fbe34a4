// A page of another origin, open in the same browser as the dashboard: it gets nothing and does nothing.
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { chromium } from '@playwright/test';
import { expect, test } from '../support/test';

const SESSIONS = '/api/v1/standing-sessions';

/** What the foreign page tries, and what came back: each `true` is something that a page of ours would have got. */
function attempts({ at, sessions }: { at: string; sessions: string }): Promise<Record<string, boolean>> {
    const read = async (path: string, init?: RequestInit) => (await fetch(at + path, init)).ok;
    const tried = (attempt: Promise<boolean>) => attempt.catch(() => false);
    const json = { 'content-type': 'application/json' };
    const plain = { 'content-type': 'text/plain' };
    const body = JSON.stringify({ name: 'intruder', harness: 'demo' });
    const loads = (element: HTMLImageElement | HTMLScriptElement) =>
        new Promise<boolean>((told) => {
            element.addEventListener('load', () => told(true));
            element.addEventListener('error', () => told(false));
            document.body.append(element);
        });
    const opens = (target: EventSource | WebSocket) =>
        new Promise<boolean>((told) => {
            target.addEventListener('open', () => told(true));
            target.addEventListener('error', () => told(false));
        });
    const script = Object.assign(document.createElement('script'), { src: `${at}/signin.js` });
    const image = Object.assign(new Image(), { src: `${at}/favicon.svg` });
    const frame = Object.assign(document.createElement('iframe'), { src: `${at}/` });
    const framed = new Promise<boolean>((told) => {
        frame.addEventListener('load', () => {
            try {
                told((frame.contentDocument?.body.textContent ?? '') !== '');
            } catch {
                told(false);
            }
        });
        document.body.append(frame);
    });
    const post = (path: string, headers: HeadersInit) => tried(read(path, { method: 'POST', headers, body }));
    const blind = (path: string) =>
        fetch(at + path, { method: 'POST', mode: 'no-cors', headers: plain, body }).then(
            () => false,
            () => false,
        );
    const form = new URLSearchParams({ name: 'intruder', harness: 'demo' });
    const all: Record<string, Promise<boolean>> = {
        list: tried(read(sessions)),
        page: tried(read('/')),
        metrics: tried(read('/metrics')),
        document: tried(read('/api/openapi.json')),
        withCredentials: tried(read(sessions, { credentials: 'include' })),
        create: post(`${sessions}/create`, json),
        createPlain: post(`${sessions}/create`, plain),
        createBlind: blind(`${sessions}/create`),
        form: tried(read('/app/standing/create', { method: 'POST', body: form })),
        mcp: post('/mcp', json),
        stream: opens(new EventSource(`${at}/api/v1/stream`)),
        socket: opens(new WebSocket(`${at.replace('http', 'ws')}/api/v1/stream`)),
        script: loads(script),
        image: loads(image),
        framed: framed,
    };
    const named = Object.entries(all).map(async ([name, attempt]) => [name, await attempt] as const);
    return Promise.all(named).then((reached) => Object.fromEntries(reached));
}

async function serve(html: string): Promise<{ server: Server; port: number }> {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return { server, port: (server.address() as AddressInfo).port };
}

test('a page of another origin reads nothing and changes nothing', async ({ page, service }) => {
    const { server, port } = await serve('<!doctype html><title>elsewhere</title><body></body>');
    await page.goto(`http://127.0.0.1:${port}/`);
    const got = await page.evaluate(attempts, { at: service.at(''), sessions: SESSIONS });
    expect(Object.entries(got).filter(([, reached]) => reached)).toEqual([]);
    expect(Object.keys(got).length).toBeGreaterThan(12);

    // A form that sends the whole browser there is refused as well.
    await page.setContent(`<form method="post" action="${service.at('/app/standing/create')}">
        <input name="name" value="intruder"><input name="harness" value="demo"><button>go</button></form>`);
    const answered = page.waitForResponse((response) => response.url().includes('/app/standing/create'));
    await page.getByRole('button', { name: 'go' }).click();
    expect((await answered).status()).toBe(403);
    expect(await service.cli('standing', 'list')).not.toContain('intruder');
    server.close();
});

test('the same attempts succeed from a page of ours, so that they prove something', async ({ standing, service }) => {
    const ours = await standing.page.evaluate(async (sessions) => {
        const body = JSON.stringify({ name: 'invited', harness: 'demo' });
        const headers = { 'content-type': 'application/json' };
        const listed = await fetch(sessions);
        const created = await fetch(`${sessions}/create`, { method: 'POST', headers, body });
        return [listed.status, created.status];
    }, SESSIONS);
    expect(ours).toEqual([200, 200]);
    expect(await service.cli('standing', 'list')).toContain('invited');
});

test('a name that was turned to this machine behind the browser is not served', async ({ service }) => {
    const port = new URL(service.at()).port;
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP rebound.example 127.0.0.1'],
    });
    const page = await browser.newPage();
    for (const path of ['/', SESSIONS, '/metrics', '/pkg/the-loop.css', '/api/docs', '/nothing']) {
        const response = await page.goto(`http://rebound.example:${port}${path}`);
        expect([path, response?.status()]).toEqual([path, 403]);
        expect(await response?.text()).not.toContain('supervisor');
    }
    await browser.close();
});
