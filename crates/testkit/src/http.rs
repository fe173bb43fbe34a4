//! HTTP over a plain socket: tests must be able to send what no client would.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value;

/// Sends requests to one service.
#[derive(Clone, Debug)]
pub struct Http {
    /// `host:port`.
    authority: String,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The header lines, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it came (chunks and all, if it was chunked).
    pub body: String,
}

impl Answer {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }
}

impl Http {
    /// To the service at `host:port`.
    pub fn to(authority: impl Into<String>) -> Self {
        Self { authority: authority.into() }
    }

    /// `host:port`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// `GET`, as a program that is no browser sends it.
    pub fn get(&self, path: &str) -> Answer {
        self.raw(&format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.authority))
    }

    /// `POST` of JSON.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.raw(&self.posting(path, body))
    }

    /// The bytes of a `POST` of JSON.
    pub fn posting(&self, path: &str, body: &Value) -> String {
        let body = body.to_string();
        let head = format!("POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close", self.authority);
        let kind = format!("content-type: application/json\r\ncontent-length: {}", body.len());
        format!("{head}\r\n{kind}\r\n\r\n{body}")
    }

    /// Any bytes, and what came back until the service closed.
    ///
    /// # Panics
    /// If the service cannot be reached or does not answer in HTTP.
    pub fn raw(&self, request: &str) -> Answer {
        self.exchange(request).unwrap_or_else(|| panic!("no HTTP answer to {request:?}"))
    }

    /// The same, or `None` if the connection ended without an answer.
    ///
    /// # Panics
    /// If the service cannot be reached.
    pub fn exchange(&self, request: &str) -> Option<Answer> {
        Self::talk(TcpStream::connect(&self.authority).expect("the service listens"), request)
    }

    /// The same where the service may be gone: `None` if it cannot be reached either.
    pub fn exchange_if_up(&self, request: &str) -> Option<Answer> {
        Self::talk(TcpStream::connect(&self.authority).ok()?, request)
    }

    fn talk(mut stream: TcpStream, request: &str) -> Option<Answer> {
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a read timeout");
        // A refusal may come, and the socket close, before the whole request was taken.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        // A reset connection is one that ended: what came before it counts.
        let _ = stream.read_to_end(&mut bytes);
        parse(&String::from_utf8_lossy(&bytes))
    }
}

fn parse(text: &str) -> Option<Answer> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let header =
        |line: &str| line.split_once(':').map(|(key, value)| (key.to_ascii_lowercase(), value.trim().to_owned()));
    Some(Answer { status, headers: lines.filter_map(header).collect(), body: body.to_owned() })
}
