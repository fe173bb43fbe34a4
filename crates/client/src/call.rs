//! A single call over its own connection. On one machine a new connection is cheap, and there is no connection to
//! keep alive, to share or to find closed.

use std::{future::Future, io, time::Duration};

use http::{Method, Request, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{body::Bytes, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, UnixStream},
};
use wire::Problem;

use crate::{Address, Error};

/// Timeout for a connection. The service runs on this machine or near it.
const CONNECT: Duration = Duration::from_secs(5);

/// Limit for the body of an answer, in bytes. Real answers are much smaller.
const LARGEST: usize = 64 << 20;

/// Sends a request and returns the body of the answer, or an error if the service refused.
pub(crate) async fn call(
    address: &Address,
    token: Option<&str>,
    method: Method,
    path: &str,
    body: Vec<u8>,
) -> Result<Bytes, Error> {
    let mut request = Request::builder().method(method).uri(path).header(header::HOST, address.authority());
    request = request.header(header::ACCEPT, "application/json").header(header::CONNECTION, "close");
    if !body.is_empty() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    if let Some(token) = token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let request = request.body(Full::new(Bytes::from(body))).map_err(|error| Error::Answer(error.to_string()))?;
    match address {
        Address::Tcp { host, port } => {
            exchange(address, connected(address, TcpStream::connect((host.as_str(), *port))).await?, request).await
        }
        Address::Unix(path) => exchange(address, connected(address, UnixStream::connect(path)).await?, request).await,
    }
}

async fn connected<S>(address: &Address, connecting: impl Future<Output = io::Result<S>>) -> Result<S, Error> {
    let connected = tokio::time::timeout(CONNECT, connecting).await;
    let connected = connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
    connected.map_err(|source| Error::Unreachable { address: address.clone(), source })
}

async fn exchange<S>(address: &Address, stream: S, request: Request<Full<Bytes>>) -> Result<Bytes, Error>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let broken = |error: hyper::Error| Error::Unreachable { address: address.clone(), source: io::Error::other(error) };
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    // The connection ends with its one request, or when the call is dropped.
    let _connection = Ended(tokio::spawn(connection));
    let answer = sender.send_request(request).await.map_err(broken)?;
    let status = answer.status();
    let body = Limited::new(answer.into_body(), LARGEST).collect().await;
    let body = body.map_err(|error| Error::Answer(error.to_string()))?.to_bytes();
    if status.is_success() {
        return Ok(body);
    }
    match serde_json::from_slice::<Problem>(&body) {
        Ok(problem) => Err(Error::Refused(Box::new(problem))),
        Err(_) => Err(Error::Answer(format!("status {status}"))),
    }
}

/// A task that is aborted when this is dropped.
struct Ended<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Ended<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
