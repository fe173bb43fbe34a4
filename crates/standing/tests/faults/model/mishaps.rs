//! External faults of the model's sessions: exits, lost records, and unmanaged sessions under their names.

use std::fs;

use nix::sys::signal::Signal;
use testkit::wait_for;

use super::{NAMES, Real};
use crate::scene::{harnesses, record_file, session, signal, tmux_server};

impl Real {
    pub(super) fn server(&self) -> Option<i32> {
        (!self.home.tmux().sessions().is_empty()).then(|| tmux_server(&self.home))
    }

    pub(super) fn kill_harness(&mut self, name: &'static str) {
        for pid in harnesses(&self.home, name) {
            signal(pid, Signal::SIGKILL);
        }
        wait_for("the harness to be gone", || harnesses(&self.home, name).is_empty().then_some(()));
        self.known(name).lost = false;
    }

    pub(super) fn kill_server(&mut self) {
        let Some(server) = self.server() else { return };
        signal(server, Signal::SIGKILL);
        for name in NAMES {
            wait_for("the hang-up to be heard", || harnesses(&self.home, name).is_empty().then_some(()));
            let known = self.known(name);
            (known.foreign, known.lost) = (None, false);
        }
    }

    pub(super) fn lose_record(&mut self, name: &'static str) {
        if fs::remove_file(record_file(&self.home, name)).is_ok() {
            self.known(name).lost = !harnesses(&self.home, name).is_empty();
            self.forget(name);
        }
    }

    pub(super) fn spoil_record(&mut self, name: &'static str) {
        let file = record_file(&self.home, name);
        self.known(name).whole = fs::read(&file).ok();
        if self.known(name).whole.is_some() {
            fs::write(file, "{\"name\": ").expect("spoiled");
        }
    }

    pub(super) fn mend_record(&mut self, name: &'static str) {
        if let Some(whole) = self.known(name).whole.take() {
            fs::write(record_file(&self.home, name), whole).expect("mended");
        }
    }

    pub(super) fn make_foreign(&mut self, name: &'static str) {
        if !self.home.tmux().sessions().contains(&session(name)) {
            self.home.tmux().start_foreign(&session(name));
            self.known(name).foreign = Some(self.pane(name));
        }
    }

    /// The process of the pane of a session.
    pub(super) fn pane(&self, name: &str) -> String {
        let target = format!("={}", session(name));
        let said = self.home.tmux().run(&["list-panes", "-s", "-t", &target, "-F", "#{pane_pid}"]).stdout;
        String::from_utf8_lossy(&said).into_owned()
    }
}
