// A running service of its own: the real binary, a throw-away home, a private tmux server. Everything it started is
// ended by its process id, and ending it looks for what was left behind.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const binary = process.env.THE_LOOP_BIN || join(import.meta.dirname, '../../target/debug/the-loop');

export const SUPERVISOR = `
    - name: supervisor
      description: Watches the items in flight
      harness: demo
      autoStart: false
`;

/** Asks again and again until the answer is truthy, and says what was waited for if it never is. */
export async function until<T>(what: string, ask: () => T | Promise<T>, seconds = 15): Promise<T> {
    const end = Date.now() + seconds * 1000;
    for (;;) {
        const answer = await ask();
        if (answer) return answer;
        if (Date.now() > end) throw new Error(`waited ${seconds} s in vain for ${what}`);
        await new Promise((wake) => setTimeout(wake, 50));
    }
}

export type AuthMode = 'same-user' | 'token';

export class Service {
    private child?: ChildProcess;
    private told = '';
    private port = 0;
    private readonly socket = 'browser-tests';

    private constructor(
        private readonly folder: string,
        private readonly auth: AuthMode,
    ) {}

    /** Starts one with these declared sessions (YAML list items). */
    static async start(sessions: string, auth: AuthMode = 'same-user'): Promise<Service> {
        const service = new Service(mkdtempSync(join(tmpdir(), 'the-loop-browser-')), auth);
        for (const path of ['home/src/loop', 'tmux', 'project/.the-loop']) {
            mkdirSync(join(service.folder, path), { recursive: true, mode: 0o700 });
        }
        service.configure(sessions);
        await service.serve();
        return service;
    }

    get project(): string {
        return join(this.folder, 'project');
    }

    /** The file of a session's record. */
    record(name: string): string {
        return join(this.project, '.the-loop/local/standing', `${name}.json`);
    }

    /** The address of a page. */
    at(path = '/'): string {
        return `http://127.0.0.1:${this.port}${path}`;
    }

    /** Writes the config, with custom harnesses and a terminal if given; the running service reads it again by itself. */
    configure(sessions: string, harnesses: object = {}, webTerminal: object = {}): void {
        const list = sessions.trim() === '' ? ' []' : `\n${sessions.replace(/^\n/, '')}`;
        this.writeConfig(`
routing:
  harnesses: ${JSON.stringify(harnesses)}
  webTerminal: ${JSON.stringify(webTerminal)}
  tmux:
    socket: ${this.socket}
    resumeProbeSeconds: 0.3
    harnessKillGraceSeconds: 3
standingSessions:
  enabled: true
  sessions:${list}
service:
  auth:
    mode: ${this.auth}
`);
    }

    /** Writes the config as it is given. */
    writeConfig(text: string): void {
        writeFileSync(join(this.project, '.the-loop/cli-config.yaml'), text);
    }

    /** Starts the service, again on the same port if it ran before. */
    async serve(): Promise<void> {
        this.told = '';
        const child = spawn(binary, ['serve', '--port', String(this.port)], { cwd: this.project, env: this.env() });
        this.child = child;
        for (const stream of [child.stdout, child.stderr]) {
            stream.on('data', (text: Buffer) => (this.told += text.toString()));
        }
        const address = await until('the address', () => {
            if (child.exitCode !== null) throw new Error(`the service ended at once:\n${this.told}`);
            return /http:\/\/127\.0\.0\.1:(\d+)\//.exec(this.told);
        });
        this.port = Number(address[1]);
    }

    /** Ends the service; its sessions go on. */
    async end(): Promise<void> {
        const child = this.child;
        if (!child || child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        child.kill('SIGTERM');
        await gone;
    }

    /** The command line, on the same config. */
    async cli(...args: string[]): Promise<string> {
        const { stdout } = await run(binary, args, { cwd: this.project, env: this.env() });
        return stdout;
    }

    /** What the pane of a session shows, asked from tmux and nobody else. */
    async pane(name: string): Promise<string> {
        const { stdout } = await this.tmux('capture-pane', '-p', '-t', `=loop-standing-${name}:`);
        return stdout;
    }

    /** The clients of the terminals. The service itself has clients in sessions of its own. */
    async clients(): Promise<string[]> {
        const { stdout } = await this.tmux('list-clients', '-F', '#{client_session} #{client_flags}');
        return stdout.split('\n').filter((line) => line.startsWith('loop-standing-'));
    }

    async tmux(...args: string[]): Promise<{ stdout: string }> {
        return run('tmux', ['-L', this.socket, ...args], { env: this.env() });
    }

    /** Number of open streams, from the service's own metrics. */
    async openConnections(path: string): Promise<number> {
        const text = await (await fetch(this.at('/metrics'))).text();
        const line = text.split('\n').find((line) => /^the_loop_streams /.test(line));
        if (!line) throw new Error(`no number of streams for ${path} in the metrics`);
        return Number(line.split(' ').pop());
    }

    /** Ends everything and removes every trace. */
    async dispose(): Promise<void> {
        await this.end();
        // No server is no fault: the test may have stopped every session.
        await this.tmux('kill-server').catch(() => undefined);
        await until(`the processes of ${this.folder} to be gone`, () => this.processes().length === 0);
        rmSync(this.folder, { recursive: true });
    }

    /** Every process that was started with our home. */
    private processes(): string[] {
        const mark = `HOME=${join(this.folder, 'home')}`;
        return readdirSync('/proc').filter((pid) => {
            if (!/^\d+$/.test(pid)) return false;
            try {
                return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark);
            } catch {
                return false; // It ended meanwhile, or is not ours to look at.
            }
        });
    }

    private env(): NodeJS.ProcessEnv {
        return {
            PATH: process.env.PATH,
            HOME: join(this.folder, 'home'),
            LANG: 'C.UTF-8',
            TERM: 'xterm-256color',
            TMUX_TMPDIR: join(this.folder, 'tmux'),
        };
    }
}
