// A list with a session in each state, made by what leads to that state.
import { rmSync, writeFileSync } from 'node:fs';
import { type Service, until } from './service';

const fault = (...faults: string[]) => ['--harness', 'demo', ...faults.flatMap((one) => ['--harness-arg=--fault', `--harness-arg=${one}`])];

/** The declared ones. `guest` is the name of a tmux session of somebody else. */
export const DECLARED = `
    - name: supervisor
      description: Watches the items in flight, recovers what is stuck
      harness: demo
      cwd: ~/src/loop
    - name: guest
      description: Its name is taken
      harness: demo
      autoStart: false
    - name: nightly-import
      description: Imports the figures of the night
      harness: demo
      autoStart: false
`;

/** Brings sessions into all states, and waits until the service says so. */
export async function everyState(service: Service): Promise<void> {
    const create = (name: string, ...more: string[]) =>
        service.cli('standing', 'create', name, '--cwd', '~/src/loop', '--description', `Looks after ${name}`, ...more);
    await service.cli('standing', 'start', 'supervisor');
    await create('release-watch', ...fault('dialog=Push the release branch?'));
    await create('migration', ...fault('dialog=Drop the old table?'));
    await create('docs-gardener', ...fault('busy=600000'));
    await create('triage', '--harness', 'demo');
    await service.cli('standing', 'stop', 'triage');
    await create('nightly-bench', '--harness', 'demo');
    await service.tmux('send-keys', '-t', '=loop-standing-nightly-bench:', '/exit', 'Enter');
    await create('orphan', ...fault('ignore-hup'));
    await service.tmux('kill-session', '-t', '=loop-standing-orphan');
    await service.tmux('new-session', '-d', '-s', 'loop-standing-guest', 'sleep 1000');
    await create('unlisted', '--harness', 'demo');
    rmSync(service.record('unlisted'));
    await create('torn', '--harness', 'demo', '--no-start');
    writeFileSync(service.record('torn'), '{"name": 7}');
    const wanted = {
        ...{ supervisor: 'running', 'release-watch': 'running', triage: 'stopped', 'nightly-bench': 'ended' },
        ...{ orphan: 'orphaned', guest: 'foreign', unlisted: 'unrecorded', torn: 'unreadable', 'nightly-import': 'absent' },
    };
    await until('every state', async () => {
        const rows = JSON.parse(await service.cli('standing', 'list', '--format', 'json')) as { name: string; state: string }[];
        const states = Object.fromEntries(rows.map((row) => [row.name, row.state]));
        return Object.entries(wanted).every(([name, state]) => states[name] === state);
    });
}

/** Ends what would outlive the tmux server: the harness of the session without a pane. */
export async function endStates(service: Service): Promise<void> {
    await service.cli('standing', 'stop', 'orphan');
}
