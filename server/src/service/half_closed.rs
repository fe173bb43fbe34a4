//! Handles clients that close their half of a connection after the request and wait for the answer.
//!
//! The HTTP library treats the end of its input as the end of the client, and drops the request. This module therefore
//! holds the end of input back while an answer is sent. It does not do so for a stream: the end of input is the only
//! sign that its listener has left. It also does not do so for a client that has closed its whole connection: on a Unix
//! socket the kernel tells the two apart. On TCP both look the same until something is sent.

use std::{
    io,
    os::fd::AsFd,
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
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Tracks the answers in progress on a connection. A clone shares the state.
#[derive(Clone, Debug, Default)]
pub(super) struct Answering(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    begun: bool,
    /// Waker of the task that waits for the end of input.
    waiting: Option<Waker>,
}

/// An answer in progress; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Begun(Answering);

impl Answering {
    /// Starts an answer.
    pub(super) fn begin(&self) -> Begun {
        self.lock().begun = true;
        Begun(self.clone())
    }

    /// True if the end of input must be held back. The task is then woken once it need not be.
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
    /// Returns the response, which counts as ended once its body is sent. A stream lasts for as long as its listener is
    /// there.
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

/// A connection that holds back the end of input while an answer is sent.
#[derive(Debug)]
pub(super) struct Line<S> {
    stream: S,
    answering: Answering,
    ended: bool,
    /// True if the client has closed its whole connection.
    left: bool,
}

impl<S> Line<S> {
    pub(super) fn new(stream: S, answering: Answering) -> Self {
        Self { stream, answering, ended: false, left: false }
    }
}

/// True if the other end receives nothing any more.
fn has_left(stream: &impl AsFd) -> bool {
    // A hang-up is always reported, whatever is asked for.
    let mut fds = [PollFd::new(stream, PollFlags::empty())];
    let polled = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    polled.is_ok() && fds[0].revents().contains(PollFlags::HUP)
}

impl<S: AsyncRead + AsFd + Unpin> AsyncRead for Line<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if !self.ended {
            let room = buf.remaining();
            ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
            if room == 0 || buf.remaining() < room {
                return Poll::Ready(Ok(()));
            }
            self.ended = true;
            self.left = has_left(&self.stream);
        }
        if !self.left && self.answering.holds_back(cx) { Poll::Pending } else { Poll::Ready(Ok(())) }
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
