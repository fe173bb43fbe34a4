//! Background tasks of the service: recover from a crash, and report the state to systemd.

use std::{sync::Once, time::Duration};

use sd_notify::NotifyState;
use standing::TheLoop;
use tokio::{
    signal::unix::{SignalKind, signal},
    task, time,
};

/// Starts the tasks, once the service listens. Must be called within the runtime.
pub(crate) fn begin(the_loop: &TheLoop, address: &str) {
    notify(&[NotifyState::Ready, NotifyState::Status(&format!("at {address}"))]);
    if let Some(limit) = sd_notify::watchdog_enabled() {
        task::spawn(keep_watchdog_quiet(limit));
    }
    task::spawn(wait_for_the_end());
    let the_loop = the_loop.clone();
    task::spawn_blocking(move || reconcile(&the_loop));
}

fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "could not notify systemd");
    }
}

/// Notifies the watchdog twice within its limit. A runtime that hangs sends nothing, and systemd restarts the service.
async fn keep_watchdog_quiet(limit: Duration) {
    let mut ticks = time::interval(limit / 2);
    loop {
        ticks.tick().await;
        notify(&[NotifyState::Watchdog]);
    }
}

async fn wait_for_the_end() {
    let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {},
        _ = interrupt.recv() => {},
    }
    tell_of_the_end();
}

/// Reports once that the service is about to end. The code that ends the service calls this as well: with no answers
/// pending, the service may end before this module notices the signal.
pub(crate) fn tell_of_the_end() {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| notify(&[NotifyState::Stopping]));
}

fn reconcile(the_loop: &TheLoop) {
    let settled = match the_loop.standing().reconcile() {
        Ok(settled) => settled,
        Err(error) => return tracing::warn!(%error, "could not look for interrupted commands"),
    };
    for one in settled {
        let (session, begun) = (one.name, one.begun);
        match one.now {
            Ok(state) => tracing::info!(%session, begun, ?state, "completed an interrupted command"),
            Err(error) => tracing::warn!(%session, begun, %error, "could not complete an interrupted command"),
        }
    }
}
