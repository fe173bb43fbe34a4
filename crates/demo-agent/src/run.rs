//! Runs a conversation from the arguments to the exit code: opens it, then waits for keys, signals and the clock in one
//! place. When idle it waits without a timeout and uses no processor time.

use std::{
    borrow::Cow,
    io,
    os::fd::AsFd,
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::isatty,
};

use super::{
    agent::{Agent, Flow},
    args::{Opening, Talk},
    faults::Faults,
    input::Parser,
    say,
    screen::paint,
    signals::{self, Signals},
    sleeper::{self, LIFETIME},
    terminal::{self, Terminal},
    transcript::Transcript,
    whereabouts::Whereabouts,
};

/// Time after which a lone ESC counts as the Escape key.
const ESCAPE_WAIT: Duration = Duration::from_millis(50);
/// Maximum bytes per read; a terminal never holds more.
const READ_BYTES: usize = 4096;
/// Lines of noise per burst.
const NOISE_LINES: u64 = 64;

/// Holds the conversation; returns the exit code, or the reason why it could not begin.
pub(super) fn run(talk: Talk) -> Result<u8, String> {
    let Talk { opening, faults } = talk;
    let born = Instant::now();
    if let Some(crash) = &faults.crash {
        crash.come()?;
    }
    // Order matters: children inherit the signals blocked at their start, and must inherit only the ignored ones.
    for (ignored, signal) in [(faults.ignore_term, Signal::SIGTERM), (faults.ignore_hup, Signal::SIGHUP)] {
        if ignored {
            signals::block(signal)?;
        }
    }
    for &child in &faults.children {
        sleeper::spawn(child)?;
    }
    let signals = Signals::take()?;
    if let Some(code) = sleep_in(&faults, born, &signals) {
        return Ok(code);
    }
    let (agent, prompt) = open(opening, &faults)?;
    if !isatty(io::stdin()) || !isatty(io::stdout()) {
        return Err("this is a full-screen program: it needs a terminal on standard input and output".to_owned());
    }
    let terminal = Terminal::enter(!faults.no_bracketed_paste).map_err(|error| format!("terminal: {error}"))?;
    let (parser, show_at) = (Parser::default(), Some(born));
    let whereabouts = Whereabouts::new();
    let mut host = Host { agent, faults, born, signals, terminal, parser, whereabouts, lost: false, noise: 0, show_at };
    host.agent.begin(prompt, Instant::now());
    let code = host.live();
    let words = host.agent.part();
    host.whereabouts.leave();
    drop(host);
    // The pane should show the cause of the end; a failed write is not an error.
    let _ = say(io::stdout(), &format!("demo: left with {code}; {words}\n"));
    if code != 0 {
        terminal::linger();
    }
    Ok(code)
}

/// Opens the requested conversation.
fn open(opening: Opening, faults: &Faults) -> Result<(Agent, Option<String>), String> {
    let id = opening.id();
    let transcript = Transcript::of(id)?;
    let (earlier, prompt) = match opening {
        Opening::Fresh { .. } if transcript.exists() => return Err(format!("session id {id} is already in use")),
        Opening::Fresh { prompt, .. } => (Vec::new(), prompt),
        Opening::Resume { .. } if faults.resume_fails || !transcript.exists() => {
            return Err(format!("no conversation found with session id {id}"));
        }
        Opening::Resume { .. } => {
            (transcript.read().map_err(|error| format!("could not read conversation {id}: {error}"))?, None)
        }
    };
    Ok((Agent::new(id, transcript, earlier, faults), prompt))
}

/// Delays the start if requested; returns the exit code if it is to exit meanwhile.
fn sleep_in(faults: &Faults, born: Instant, signals: &Signals) -> Option<u8> {
    let up_at = born + faults.slow_start;
    let leave = faults.exit_after.map(|(after, code)| (born + after, code)).filter(|(at, _)| *at < up_at);
    let until = leave.map_or(up_at, |(at, _)| at);
    loop {
        while let Some(signal) = signals.next() {
            match signal {
                Signal::SIGWINCH => {}
                Signal::SIGTERM if faults.ignore_term => {}
                Signal::SIGHUP if faults.ignore_hup => {}
                _ => return Some(0),
            }
        }
        if Instant::now() >= until {
            return leave.map(|(_, code)| code);
        }
        wait(&mut [PollFd::new(signals, PollFlags::IN)], Some(until));
    }
}

/// Waits for one of the descriptors or the time, whichever comes first.
fn wait(descriptors: &mut [PollFd<'_>], until: Option<Instant>) {
    let timeout = until.map(|until| {
        let left = until.saturating_duration_since(Instant::now());
        Timespec { tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: left.subsec_nanos().into() }
    });
    // An interrupted or refused wait is a short one: the caller checks everything again.
    let _ = poll(descriptors, timeout.as_ref());
}

/// Agent in its terminal.
struct Host {
    agent: Agent,
    faults: Faults,
    born: Instant,
    signals: Signals,
    terminal: Terminal,
    parser: Parser,
    whereabouts: Whereabouts,
    /// True if the terminal is gone and that is ignored.
    lost: bool,
    /// Lines of noise so far.
    noise: u64,
    /// Time when the pending change will be shown.
    show_at: Option<Instant>,
}

impl Host {
    /// Runs until the end; returns the exit code.
    fn live(&mut self) -> u8 {
        let mut stale = false;
        loop {
            let now = Instant::now();
            if let Some((_, code)) = self.end().filter(|(at, _)| *at <= now) {
                return code;
            }
            stale |= self.agent.tick(now);
            self.whereabouts.tell(self.agent.id());
            if stale {
                self.show_at.get_or_insert(now + self.faults.redraw);
            }
            if self.show_at.take_if(|at| *at <= now).is_some() && self.show().is_err() && !self.lose() {
                return 0;
            }
            if self.faults.noisy && self.make_noise().is_err() && !self.lose() {
                return 0;
            }
            match self.next() {
                Ok(changed) => stale = changed,
                Err(Flow::Leave(code)) => return code,
                Err(Flow::Stay) => stale = true,
            }
        }
    }

    /// Returns the time and the exit code of its forced end.
    fn end(&self) -> Option<(Instant, u8)> {
        let told = self.faults.exit_after.map(|(after, code)| (self.born + after, code));
        told.or_else(|| self.lost.then(|| (self.born + LIFETIME, 0)))
    }

    /// Waits for the next input and handles it. True if the screen changed.
    fn next(&mut self) -> Result<bool, Flow> {
        let escape = self.parser.undecided().then(|| Instant::now() + ESCAPE_WAIT);
        let noise = (self.faults.noisy && !self.lost).then(Instant::now);
        let end = self.end().map(|(at, _)| at);
        let until = [self.agent.due(), end, escape, noise, self.show_at].into_iter().flatten().min();
        let stdin = io::stdin();
        let mut descriptors = [PollFd::new(&self.signals, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
        let watched = if self.lost { 1 } else { 2 };
        wait(&mut descriptors[..watched], until);
        let readable = !descriptors[1].revents().is_empty();

        let mut changed = false;
        while let Some(signal) = self.signals.next() {
            changed |= self.signal(signal)?;
        }
        if readable {
            return self.read().map(|news| news || changed);
        }
        if escape.is_some_and(|at| at <= Instant::now())
            && let Some(input) = self.parser.settle()
        {
            keep_on(self.agent.take(input, Instant::now()))?;
            changed = true;
        }
        Ok(changed)
    }

    fn signal(&mut self, signal: Signal) -> Result<bool, Flow> {
        match signal {
            Signal::SIGWINCH => {}
            Signal::SIGTERM if self.faults.ignore_term => self.agent.shrug("SIGTERM"),
            Signal::SIGHUP if self.faults.ignore_hup => self.agent.shrug("SIGHUP"),
            _ => return Err(Flow::Leave(0)),
        }
        Ok(true)
    }

    fn read(&mut self) -> Result<bool, Flow> {
        let mut buffer = [0; READ_BYTES];
        let bytes = match rustix::io::read(io::stdin().as_fd(), &mut buffer) {
            Err(Errno::INTR | Errno::AGAIN) => return Ok(false),
            Ok(count @ 1..) => &buffer[..count],
            Ok(_) | Err(_) => return if self.lose() { Ok(false) } else { Err(Flow::Leave(0)) },
        };
        let inputs = self.parser.feed(bytes);
        let changed = !inputs.is_empty();
        let now = Instant::now();
        for input in inputs {
            keep_on(self.agent.take(input, now))?;
        }
        Ok(changed)
    }

    /// Handles the loss of the terminal: true if it continues without one.
    fn lose(&mut self) -> bool {
        self.lost = self.faults.ignore_hup;
        self.lost
    }

    fn show(&mut self) -> io::Result<()> {
        if self.lost {
            return Ok(());
        }
        let title = self.faults.title.as_deref().map_or_else(|| self.agent.title(), Cow::Borrowed);
        self.terminal.show(&paint(&self.agent.view(), Terminal::size()), &title)
    }

    fn make_noise(&mut self) -> io::Result<()> {
        if self.lost {
            return Ok(());
        }
        let first = self.noise + 1;
        self.noise += NOISE_LINES;
        let lines: Vec<_> = (first..=self.noise).map(|line| format!("noise {line}\r\n")).collect();
        terminal::write(&lines.concat())
    }
}

fn keep_on(flow: Flow) -> Result<(), Flow> {
    match flow {
        Flow::Stay => Ok(()),
        leave @ Flow::Leave(_) => Err(leave),
    }
}
