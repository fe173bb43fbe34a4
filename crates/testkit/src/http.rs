//! HTTP over a plain socket, so that tests can send requests that no client would send.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value;

/// Client of one service.
#[derive(Clone, Debug)]
pub struct Http {
    /// Address as `host:port`.
    authority: String,
}

/// An HTTP response.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Header lines, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body as received, including the chunk sizes of a chunked body.
    pub body: String,
}

impl Answer {
    /// Returns the first header with that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Parses the body as JSON.
    ///
    /// # Panics
    ///
    /// If it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }
}

impl Http {
    /// Creates a client of the service at `host:port`.
    pub fn to(authority: impl Into<String>) -> Self {
        Self { authority: authority.into() }
    }

    /// Returns the address as `host:port`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Sends a `GET`, as a program other than a browser does.
    pub fn get(&self, path: &str) -> Answer {
        self.raw(&format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.authority))
    }

    /// Sends a `POST` of JSON.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.raw(&self.posting(path, body))
    }

    /// Returns the bytes of a `POST` of JSON.
    pub fn posting(&self, path: &str, body: &Value) -> String {
        let body = body.to_string();
        let head = format!("POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close", self.authority);
        let kind = format!("content-type: application/json\r\ncontent-length: {}", body.len());
        format!("{head}\r\n{kind}\r\n\r\n{body}")
    }

    /// Sends any bytes, and returns the answer up to the end of the connection.
    ///
    /// # Panics
    ///
    /// If the service could not be reached or does not answer in HTTP.
    pub fn raw(&self, request: &str) -> Answer {
        self.exchange(request).unwrap_or_else(|| panic!("no HTTP answer to {request:?}"))
    }

    /// Sends any bytes, and returns the answer, or `None` if the connection ended without one.
    ///
    /// # Panics
    ///
    /// If the service could not be reached.
    pub fn exchange(&self, request: &str) -> Option<Answer> {
        Self::talk(TcpStream::connect(&self.authority).expect("the service listens"), request)
    }

    /// Sends any bytes to a service that may have ended: `None` if it could not be reached or did not answer.
    pub fn exchange_if_up(&self, request: &str) -> Option<Answer> {
        Self::talk(TcpStream::connect(&self.authority).ok()?, request)
    }

    fn talk(mut stream: TcpStream, request: &str) -> Option<Answer> {
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a read timeout");
        // The service may refuse and close the socket before the whole request was sent.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        // A reset connection counts as ended: the bytes before the reset are the answer.
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
