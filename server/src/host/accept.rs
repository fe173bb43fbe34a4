//! Connections: accepted, vouched for, served with time-outs, and drained at the end.
//!
//! A connection that sends its request too slowly is closed, and there is an upper bound to how many there are: a
//! client that does nothing must not keep another from being served.

use std::{io, path::Path, time::Duration};

use axum::{Extension, Router};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, UnixListener},
    sync::Semaphore,
};

use super::Peer;

/// How long a request's head may take, and how long a connection may stay without one.
const HEAD: Duration = Duration::from_secs(15);

/// Connections at once. More wait in the kernel's queue; each of ours costs a descriptor of the 1024 that are usual.
const AT_ONCE: usize = 800;

/// Where the service listens.
#[derive(Debug)]
pub(super) struct Listeners {
    pub(super) tcp: TcpListener,
    pub(super) unix: Option<UnixListener>,
}

impl Listeners {
    /// Accepts until `end`, then waits for what has begun.
    pub(super) async fn serve(self, app: Router, end: impl Future<Output = ()>) {
        let connections = GracefulShutdown::new();
        let room = std::sync::Arc::new(Semaphore::new(AT_ONCE));
        let mut end = std::pin::pin!(end);
        loop {
            let place = tokio::select! {
                place = std::sync::Arc::clone(&room).acquire_owned() => place,
                () = &mut end => break,
            };
            tokio::select! {
                accepted = self.tcp.accept() => match accepted {
                    Ok((stream, _)) => {
                        let _ = stream.set_nodelay(true);
                        spawn(&connections, app.clone(), Peer::of_tcp(&stream), stream, place);
                    }
                    Err(error) => refused(&error).await,
                },
                accepted = next(self.unix.as_ref()) => match accepted {
                    Ok(stream) => spawn(&connections, app.clone(), Peer::of_unix(&stream), stream, place),
                    Err(error) => refused(&error).await,
                },
                () = &mut end => break,
            }
        }
        drop(self);
        connections.shutdown().await;
    }
}

async fn next(unix: Option<&UnixListener>) -> io::Result<tokio::net::UnixStream> {
    match unix {
        Some(unix) => unix.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

/// Out of descriptors, most likely: a moment later there may be some.
async fn refused(error: &io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

fn spawn<S, P>(connections: &GracefulShutdown, app: Router, peer: Peer, stream: S, place: P)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    P: Send + 'static,
{
    let service = TowerToHyperService::new(app.layer(Extension(peer)));
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        // What a client did wrong, or that it went away, is its own affair.
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended early");
        }
        drop(place);
    });
}

/// A socket file that our user alone can connect to; one that a dead service left is replaced.
pub(super) fn unix(path: &Path) -> io::Result<UnixListener> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    if let Some(dir) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    }
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another service listens on it"));
    }
    // Bound under a name of its own and then renamed: there is no moment in which others could connect to it.
    let fresh = path.with_extension(format!("{}", std::process::id()));
    let _ = std::fs::remove_file(&fresh);
    let listener = UnixListener::bind(&fresh)?;
    std::fs::set_permissions(&fresh, std::fs::Permissions::from_mode(0o600))?;
    std::fs::rename(&fresh, path)?;
    Ok(listener)
}
