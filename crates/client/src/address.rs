//! Addresses of services.

use std::{fmt, path::PathBuf};

/// Address of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// TCP port.
    Tcp {
        /// Host name or IP address; IPv6 without brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// Unix socket, `local/service.sock` below the state folder of the service.
    Unix(PathBuf),
}

impl Address {
    /// Returns the value of the `Host` header.
    pub(crate) fn authority(&self) -> String {
        match self {
            Self::Tcp { host, port } if host.contains(':') => format!("[{host}]:{port}"),
            Self::Tcp { host, port } => format!("{host}:{port}"),
            Self::Unix(_) => "localhost".to_owned(),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { .. } => write!(f, "http://{}", self.authority()),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
