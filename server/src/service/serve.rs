//! Life of the service: bind, report the address, serve, drain.

use std::{io, path::Path, time::Duration};

use engine::Engine;
use standing::{
    TheLoop,
    config::{AuthMode, ConfigProblems, Service, is_loopback},
};
use tokio::{
    net::{TcpListener, UnixListener},
    runtime::{Builder, Runtime},
    signal::unix::{SignalKind, signal},
    sync::watch,
    time,
};

use super::{
    accept::{self, Listeners},
    inherited,
};
use crate::{
    access::{Access, auth::Auth, bracketed, vouches_too_far},
    router::{CancellationToken, guarded},
    surfaces::{notify, page::terminal, slack},
};

/// Time that open requests have to finish after the first signal.
const DRAIN: Duration = Duration::from_secs(10);

/// Number of blocking threads: those of verbs and reads, and some for files, host names and Slack.
const BLOCKING_THREADS: usize = engine::THREADS + 40;

/// Command-line values that override `service.host` and `service.port`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bind {
    /// Host to listen on.
    pub host: Option<String>,
    /// Port to listen on; 0 selects a free one.
    pub port: Option<u16>,
}

/// Reason why the service did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The config is invalid.
    #[error("{0}")]
    Misconfigured(#[from] ConfigProblems),
    /// Other machines can reach the host, and the config does not permit that.
    #[error(
        "other machines can reach `{host}`, and every client of the service can run programs as you: use `--host \
         127.0.0.1`, or set `service.exposed: true` in the config to allow it"
    )]
    Exposed {
        /// Requested host.
        host: String,
    },
    /// Other machines can reach the host, and no token is required.
    #[error(
        "other machines can reach `{host}`, and their users cannot be identified: also set `service.auth.mode: \
         token` in the config"
    )]
    ExposedWithoutToken {
        /// Requested host.
        host: String,
    },
    /// The token could not be read or created.
    #[error(transparent)]
    Token(#[from] standing::Error),
    /// Another process listens there already.
    #[error(
        "port {port} on {host} is in use: if by the-loop, use the running service; otherwise choose another port \
         with `--port` or `service.port` (`ss -ltnp 'sport = :{port}'` shows the process)"
    )]
    PortTaken {
        /// Requested host.
        host: String,
        /// Requested port.
        port: u16,
    },
    /// The address could not be bound for another reason.
    #[error("could not listen on {host} port {port}: {source}")]
    Listen {
        /// Requested host.
        host: String,
        /// Requested port.
        port: u16,
        /// Cause of the failure.
        #[source]
        source: io::Error,
    },
    /// The operating system refused a resource that the service needs.
    #[error("could not run the service: {0}")]
    Run(#[from] io::Error),
}

impl ServeError {
    /// Returns the exit status of the command line: 2 for a config or an address that must not be used, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Misconfigured(_) | Self::Exposed { .. } | Self::ExposedWithoutToken { .. } => 2,
            Self::PortTaken { .. } | Self::Listen { .. } | Self::Run(_) | Self::Token(_) => 1,
        }
    }
}

/// Serves in the foreground until SIGTERM or SIGINT. Calls `ready` with the page's address once it listens.
///
/// Sessions keep running when the service ends. Verbs at work have [`DRAIN`] to finish; a second signal ends the
/// service at once.
pub fn serve(the_loop: TheLoop, bind: Bind, ready: impl FnOnce(&str)) -> Result<(), ServeError> {
    let config = the_loop.config();
    let settings = &config.standing()?.service;
    let host = bind.host.unwrap_or_else(|| settings.host.clone());
    let port = bind.port.unwrap_or(settings.port);
    if !is_loopback(&host) {
        may_be_exposed(&host, settings)?;
    }
    if settings.auth_mode == AuthMode::None {
        tracing::warn!("`service.auth.mode` is `none`: every user of this machine can run programs as you");
    }
    if let Some(why) = vouches_too_far(settings) {
        tracing::warn!("{why}: set `service.auth.mode: token`");
    }
    if let Some(why) = terminal::missing(&config.settings) {
        tracing::warn!("{why}");
    }
    let runtime = runtime()?;
    let drained = runtime.block_on(async {
        let listener = match inherited::tcp()? {
            Some(listener) => from_systemd(listener, settings)?,
            None => listen(&host, port).await?,
        };
        let port = listener.local_addr()?.port();
        let engine = Engine::new(the_loop);
        let slack = slack::host(&engine, slack::Timing::default());
        let notifications = notify::host(&engine);
        let (access, end) = (Access::new(settings, &host, port), CancellationToken::new());
        let auth = Auth::new(&config.settings)?;
        let app = guarded(engine.clone(), access, auth.clone(), end.clone());
        let listeners = Listeners { tcp: listener, unix: unix(&config.settings.state_root) };
        let signals = signals()?;
        tracing::info!(port, "listening");
        ready(&format!("http://{}:{port}/#/standing", shown(&host)));
        let drained = until_drained(listeners, (app, auth), signals, &end, &engine).await;
        slack.end().await;
        notifications.end().await;
        Ok::<_, ServeError>(drained)
    })?;
    runtime.shutdown_timeout(if drained { DRAIN } else { Duration::ZERO });
    Ok(())
}

/// Takes a socket of systemd, which listens at its unit's address. Exposing it to other machines must be permitted
/// anyway.
fn from_systemd(listener: std::net::TcpListener, settings: &Service) -> Result<TcpListener, ServeError> {
    let address = listener.local_addr()?.ip();
    if !address.is_loopback() {
        may_be_exposed(&address.to_string(), settings)?;
    }
    Ok(TcpListener::from_std(listener)?)
}

/// Checks the settings of a service that other machines can reach.
fn may_be_exposed(host: &str, settings: &Service) -> Result<(), ServeError> {
    let host = host.to_owned();
    if !settings.exposed {
        return Err(ServeError::Exposed { host });
    }
    if settings.auth_mode != AuthMode::Token {
        return Err(ServeError::ExposedWithoutToken { host });
    }
    Ok(())
}

/// Returns the host as a person types it into a browser on this machine.
pub fn shown(host: &str) -> String {
    match host {
        "0.0.0.0" | "::" | "[::]" => "127.0.0.1".to_owned(),
        other => bracketed(other),
    }
}

/// Builds a runtime with few threads: the service is nearly always idle, and each thread costs memory.
fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(Duration::from_secs(2))
        .thread_name("the-loop")
        .enable_all()
        .build()
}

async fn listen(host: &str, port: u16) -> Result<TcpListener, ServeError> {
    let name = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind((name, port)).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::PortTaken { host: host.to_owned(), port },
        _ => ServeError::Listen { host: host.to_owned(), port, source },
    })
}

/// Opens the Unix socket beside the port. The service runs without it too: a path may be too long for a socket.
fn unix(state_root: &Path) -> Option<UnixListener> {
    let path = state_root.join("local/service.sock");
    accept::unix(&path).inspect_err(|error| tracing::warn!(path = %path.display(), %error, "no Unix socket")).ok()
}

/// Counts the signals that request the end.
fn signals() -> io::Result<watch::Receiver<u32>> {
    let (sender, receiver) = watch::channel(0);
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => {},
                _ = interrupt.recv() => {},
            }
            sender.send_modify(|count| *count += 1);
        }
    });
    Ok(receiver)
}

/// Serves until the first signal, then until every answer is sent; false if that was interrupted.
async fn until_drained(
    listeners: Listeners,
    (app, auth): (axum::Router, Auth),
    signals: watch::Receiver<u32>,
    end: &CancellationToken,
    engine: &Engine,
) -> bool {
    let first = nth(signals.clone(), 1);
    let serving = listeners.serve(app, auth, async {
        first.await;
        tracing::info!("shutting down: finishing open requests");
        // Streams never end on their own and would be waited for otherwise.
        end.cancel();
        // Verbs that wait for their session are refused; those that have started run to their end.
        engine.close();
    });
    let cut_short = async {
        nth(signals.clone(), 1).await;
        tokio::select! {
            () = nth(signals.clone(), 2) => tracing::warn!("second signal: exiting at once"),
            () = time::sleep(DRAIN) => tracing::warn!("requests still open after {} s: exiting", DRAIN.as_secs()),
        }
    };
    tokio::select! {
        () = serving => true,
        () = cut_short => false,
    }
}

async fn nth(mut signals: watch::Receiver<u32>, n: u32) {
    // The sender lives in a task that never ends, so waiting cannot fail while the service runs.
    let _ = signals.wait_for(|count| *count >= n).await;
}
