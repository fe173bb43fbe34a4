//! Connections: accepted, identified, served with timeouts, and drained at the end.
//!
//! A connection that sends its request too slowly is closed, and the number of connections is limited for each kind of
//! caller: an idle client must not keep another from being served.

use std::{convert::Infallible, io, os::fd::AsFd, path::Path, pin::pin, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, Request, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, UnixListener},
};
use tokio_util::sync::CancellationToken;
use wire::ProblemCode;

use super::half_closed::{Answering, Line};
use crate::{
    access::{
        Peer,
        auth::Auth,
        places::{Kind, Place, Places},
        refusal::refuse,
    },
    problem::ApiProblem,
    upgraded::{self, Upgraded},
};

/// Timeout for the head of a request, and for a connection without a request.
const HEAD: Duration = Duration::from_secs(15);

/// Timeout for the head of a request on a refused connection.
const SHORT_HEAD: Duration = Duration::from_secs(2);

/// Listening sockets of the service.
#[derive(Debug)]
pub(super) struct Listeners {
    pub(super) tcp: TcpListener,
    pub(super) unix: Option<UnixListener>,
}

/// Shared state for serving connections.
#[derive(Clone)]
struct Served {
    app: Router,
    auth: Auth,
    places: Places,
    /// Cancelled when open connections must end.
    closing: CancellationToken,
    upgraded: Upgraded,
}

impl Listeners {
    /// Accepts connections until `end`, then waits for the open ones.
    pub(super) async fn serve(self, app: Router, auth: Auth, end: impl Future<Output = ()>) {
        let connections = GracefulShutdown::new();
        let (upgraded, all_closed) = upgraded::marks();
        let served = Served { app, auth, places: Places::default(), closing: CancellationToken::new(), upgraded };
        let mut end = std::pin::pin!(end);
        loop {
            tokio::select! {
                accepted = self.tcp.accept() => match accepted {
                    Ok((stream, _)) => {
                        let _ = stream.set_nodelay(true);
                        let (served, watcher) = (served.clone(), connections.watcher());
                        // In a separate task: where the kernel cannot look up one socket, its whole list is read.
                        tokio::spawn(async move { served.connection(Peer::of_tcp(&stream), stream, watcher).await });
                    }
                    Err(error) => refused(&error).await,
                },
                accepted = next(self.unix.as_ref()) => match accepted {
                    Ok(stream) => {
                        let (served, watcher) = (served.clone(), connections.watcher());
                        tokio::spawn(async move { served.connection(Peer::of_unix(&stream), stream, watcher).await });
                    }
                    Err(error) => refused(&error).await,
                },
                () = &mut end => break,
            }
        }
        drop(self);
        served.closing.cancel();
        connections.shutdown().await;
        drop(served);
        all_closed.wait().await;
    }
}

impl Served {
    /// Serves a connection, if its peer is accepted and has a place left.
    async fn connection<S>(self, peer: Peer, stream: S, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + AsFd + Unpin + Send + 'static,
    {
        if let Err(why) = self.auth.admit_peer(peer) {
            let response = || refuse(why, StatusCode::FORBIDDEN, false);
            return self.turn_away(stream, watcher, response).await;
        }
        let Some(place) = self.places.take(Kind::of(peer)) else {
            return self.turn_away(stream, watcher, full).await;
        };
        let (app, answering) = (TowerToHyperService::new(self.app), Answering::default());
        let line = TokioIo::new(Line::new(stream, answering.clone()));
        let service = service_fn(|mut request: Request<Incoming>| {
            // A layer would do the same, and copy every route of the router for each connection.
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(self.upgraded.clone());
            let (begun, answer) = (answering.begin(), app.call(request));
            async { answer.await.map(|response| begun.with(response)) }
        });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD);
        // The WebSocket of a terminal leaves the connection and its place: terminals have a limit of their own.
        let mut connection = pin!(http.serve_connection(line, service).with_upgrades());
        let how = tokio::select! {
            how = &mut connection => how,
            () = self.closing.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        ended(how, place);
        // The service waits for the watcher, which cannot watch a connection with upgrades.
        drop(watcher);
    }

    /// Answers one request with a refusal. Sends nothing if too many connections are being refused.
    async fn turn_away<S>(&self, stream: S, watcher: Watcher, response: impl Fn() -> Response)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Some(place) = self.places.take(Kind::TurnedAway) else { return };
        let service = service_fn(|_: Request<Incoming>| {
            let response = response();
            async { Ok::<Response<Body>, Infallible>(response) }
        });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(SHORT_HEAD).keep_alive(false);
        ended(watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await, place);
    }
}

/// Errors of a client, or its disconnection, are not reported.
fn ended(how: hyper::Result<()>, place: Place) {
    if let Err(error) = how {
        tracing::debug!(%error, "a connection ended early");
    }
    drop(place);
}

fn full() -> Response {
    let detail = "too many open connections: close some, or retry in a second";
    let problem = ApiProblem::new(ProblemCode::TooMany, detail).with_status(StatusCode::SERVICE_UNAVAILABLE.as_u16());
    let mut response = problem.into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

async fn next(unix: Option<&UnixListener>) -> io::Result<tokio::net::UnixStream> {
    match unix {
        Some(unix) => unix.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

/// Most likely no descriptor is left; a moment later there may be one.
async fn refused(error: &io::Error) {
    tracing::warn!(%error, "could not accept a connection");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

/// Creates a socket file that only the service's user can connect to. The file of a dead service is replaced.
pub(super) fn unix(path: &Path) -> io::Result<UnixListener> {
    let listener = files::socket::listen(path)?;
    listener.set_nonblocking(true)?;
    UnixListener::from_std(listener)
}
