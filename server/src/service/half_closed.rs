//! A client may close its own half of a connection when it has sent its request, and wait for the answer.
//!
//! The library takes the end of what it reads for the end of the client and drops the request. So that end is held back
//! while an answer is given. It is not while a stream is: the end is all that tells that its listener has left.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    http::{HeaderMap, header},
    response::Response,
};
use hyper::body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Whether an answer is being given on a connection. A clone is of the same connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Answering(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    begun: bool,
    /// Whoever waits for the end of what is read.
    waiting: Option<Waker>,
}

/// An answer that was begun; it has ended when this is dropped.
#[derive(Debug)]
pub(super) struct Begun(Answering);

impl Answering {
    /// Begins an answer.
    pub(super) fn begin(&self) -> Begun {
        self.lock().begun = true;
        Begun(self.clone())
    }

    /// Whether the end must be held back; if so, the task is woken when it need no longer be.
    fn holds_back(&self, cx: &Context<'_>) -> bool {
        let mut state = self.lock();
        if state.begun {
            state.waiting = Some(cx.waker().clone());
        }
        state.begun
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let waiting = {
            let mut state = self.0.lock();
            state.begun = false;
            state.waiting.take()
        };
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }
}

impl Begun {
    /// The response, which has ended when its body was sent. A stream goes on for as long as its listener is there.
    pub(super) fn with(self, response: Response) -> Response {
        if is_stream(response.headers()) {
            return response;
        }
        response.map(|body| Body::new(Answer { body, _begun: self }))
    }
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

struct Answer {
    body: Body,
    _begun: Begun,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection that holds the end of what is read back while an answer is given.
#[derive(Debug)]
pub(super) struct Line<S> {
    stream: S,
    answering: Answering,
    ended: bool,
}

impl<S> Line<S> {
    pub(super) fn new(stream: S, answering: Answering) -> Self {
        Self { stream, answering, ended: false }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Line<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if !self.ended {
            let room = buf.remaining();
            ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
            if room == 0 || buf.remaining() < room {
                return Poll::Ready(Ok(()));
            }
            self.ended = true;
        }
        if self.answering.holds_back(cx) { Poll::Pending } else { Poll::Ready(Ok(())) }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Line<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
