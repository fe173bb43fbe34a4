// Connects the terminal of a session to its WebSocket. The messages are those of surfaces/page/terminal/attached.rs.
import { Terminal } from './xterm.js';
import { FitAddon } from './xterm-fit.js';

const element = (id) => document.getElementById(id);
const [place, state] = [element('terminal'), element('terminal-state')];
const writes = place.dataset.mode === 'write';
const { nonce } = element('terminal-script');

/** Largest piece of input, far below the limit of the service for a message. */
const PIECE = 8000;

/** Font sizes in pixels. In read mode the font shrinks until the window fits the width. */
const FONT = { largest: 14, smallest: 7 };

// The policy of the page allows no inline styles. xterm.js adds style elements, which get the nonce of the page, and
// sets style attributes, which are set through the object model instead.
const create = document.createElement.bind(document);
document.createElement = (name, options) => {
    const made = create(name, options);
    if (name === 'style') made.nonce = nonce;
    return made;
};
const setAttribute = Element.prototype.setAttribute;
HTMLElement.prototype.setAttribute = function (name, value) {
    if (name === 'style') this.style.cssText = value;
    else setAttribute.call(this, name, value);
};

const style = getComputedStyle(place);
const terminal = new Terminal({
    disableStdin: !writes,
    fontFamily: style.fontFamily,
    fontSize: FONT.largest,
    minimumContrastRatio: 4.5,
    // tmux keeps the history.
    scrollback: 0,
    theme: { background: style.backgroundColor, foreground: style.color, cursor: style.color },
});
const fit = new FitAddon();
terminal.loadAddon(fit);
terminal.open(place);
terminal.textarea.setAttribute('aria-label', place.getAttribute('aria-label'));

let socket;
let ctrl = false;
const send = (message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
};

/** In write mode the window has the size of the page; in read mode the font has the size of the window. */
const adapt = () => {
    if (writes) return fit.fit();
    const screen = place.querySelector('.xterm-screen');
    const wanted = (terminal.options.fontSize * (place.clientWidth - 16)) / screen.offsetWidth;
    terminal.options.fontSize = Math.max(FONT.smallest, Math.min(FONT.largest, Math.floor(wanted)));
};
new ResizeObserver(adapt).observe(place);

const setCtrl = (on) => {
    ctrl = on;
    document.querySelector('[data-key="ctrl"]')?.setAttribute('aria-pressed', String(on));
};

const type = (text) => {
    if (ctrl && text.length === 1) text = String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f);
    setCtrl(false);
    for (let from = 0, to; from < text.length; from = to) {
        // A character of two units stays whole.
        to = from + PIECE + (/[\uD800-\uDBFF]/.test(text[from + PIECE - 1] ?? '') ? 1 : 0);
        send({ input: text.slice(from, to) });
    }
};

if (writes) {
    terminal.onData(type);
    terminal.onResize(({ cols, rows }) => send({ resize: [cols, rows] }));
}

// Without input, every key is the browser's. F6 leaves the terminal, which takes all other keys.
terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== 'F6') return writes;
    element('main').focus();
    return false;
});
// Otherwise the wheel sends arrow keys.
terminal.attachCustomWheelEventHandler(() => terminal.modes.mouseTrackingMode !== 'none');

const arrow = (letter) => () => `\x1b${terminal.modes.applicationCursorKeysMode ? 'O' : '['}${letter}`;
const KEYS = {
    ...{ esc: () => '\x1b', tab: () => '\t', enter: () => '\r' },
    ...{ up: arrow('A'), down: arrow('B'), right: arrow('C'), left: arrow('D') },
};
element('terminal-keys')?.addEventListener('click', (event) => {
    const { key } = event.target.closest('[data-key]')?.dataset ?? {};
    if (key === 'ctrl') setCtrl(!ctrl);
    else if (key) type(KEYS[key]());
    // The keyboard of a phone stays open.
    terminal.focus();
});

/** Returns why the socket was closed. A refusal of the WebSocket has no text, so the same address is asked again. */
const reason = async (event, opened) => {
    if (event.reason) return event.reason;
    if (opened) return 'The connection to the service was lost.';
    const answer = await fetch(place.dataset.socket, { cache: 'no-store' }).catch(() => undefined);
    if (!answer) return 'The service does not answer.';
    if (answer.status === 401) return 'You are signed out. Reload the page to sign in.';
    const problem = await answer.json().catch(() => undefined);
    return problem?.detail ?? 'The WebSocket could not be opened.';
};

const connect = () => {
    const address = new URL(place.dataset.socket, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const opening = new WebSocket(address);
    let opened = false;
    socket = opening;
    opening.binaryType = 'arraybuffer';
    state.textContent = 'Connecting';
    element('terminal-closed').hidden = true;
    opening.onopen = () => {
        opened = true;
        terminal.reset();
        state.textContent = writes ? 'Keys go to the session. F6 leaves the terminal.' : 'Read-only';
        adapt();
        if (!writes) return;
        send({ resize: [terminal.cols, terminal.rows] });
        terminal.focus();
    };
    opening.onmessage = ({ data }) => {
        if (typeof data !== 'string') return terminal.write(new Uint8Array(data));
        const { size } = JSON.parse(data);
        if (writes || !size) return;
        terminal.resize(...size);
        adapt();
    };
    opening.onclose = async (event) => {
        const why = await reason(event, opened);
        if (socket !== opening) return;
        state.textContent = 'Connection closed';
        element('terminal-reason').textContent = why;
        element('terminal-closed').hidden = false;
    };
};

element('terminal-again').addEventListener('click', connect);
addEventListener('pagehide', () => socket.close());
addEventListener('pageshow', (event) => event.persisted && connect());
connect();
