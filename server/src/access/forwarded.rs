//! Whether a request was forwarded: by a reverse proxy, a tunnel or a content network, which say so in a header.
//!
//! The names are compared without regard to case, and `_` counts as `-`, as some proxies write it.

use axum::http::{HeaderMap, HeaderName};

/// Headers that forwarders add, by their whole name.
const NAMES: [&str; 29] = [
    "cdn-loop",
    "client-ip",
    "forwarded",
    "front-end-https",
    "proxy-client-ip",
    "true-client-ip",
    "via",
    "wl-proxy-client-ip",
    "x-arr-clientcert",
    "x-arr-ssl",
    "x-authenticated-user",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-forward-for",
    "x-forwarded",
    "x-host",
    "x-https",
    "x-ip",
    "x-nf-client-connection-ip",
    "x-originating-ip",
    "x-proxy-user",
    "x-proxyuser-ip",
    "x-remote-addr",
    "x-remote-ip",
    "x-remote-user",
    "x-rewrite-url",
    "x-scheme",
    "x-url-scheme",
    "x-webauth-user",
];

/// Families of headers that forwarders add, by how their names begin.
const FAMILIES: [&str; 20] = [
    "akamai-",
    "cf-",
    "fastly-",
    "fly-",
    "forwarded-",
    "ngrok-",
    "remote-",
    "tailscale-",
    "via-",
    "x-akamai-",
    "x-appengine-",
    "x-auth-request-",
    "x-authentik-",
    "x-azure-",
    "x-envoy-",
    "x-forwarded-",
    "x-ms-client-principal",
    "x-original-",
    "x-pomerium-",
    "x-real-",
];

/// The first header that says that the request was forwarded.
pub(crate) fn header(headers: &HeaderMap) -> Option<&HeaderName> {
    headers.keys().find(|name| says_so(name.as_str()))
}

/// Header names arrive in lower case.
fn says_so(name: &str) -> bool {
    let name = name.replace('_', "-");
    NAMES.contains(&name.as_str()) || FAMILIES.iter().any(|family| name.starts_with(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_forwarders_add_is_known_from_what_programs_send() {
        for name in [
            "Forwarded",
            "VIA",
            "X-Forwarded-For",
            "X-Forwarded-Anything-New",
            "X_Forwarded_For",
            "X-Real-IP",
            "CF-Connecting-IP",
            "CF-Ray",
            "Tailscale-User-Login",
            "True-Client-IP",
            "X-Original-Host",
            "Fly-Client-IP",
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_bytes(name.as_bytes()).expect("a name"), "".parse().expect("a value"));
            assert!(header(&headers).is_some(), "{name}");
        }
        for name in ["host", "accept", "user-agent", "x-request-id", "traceparent", "idempotency-key", "mcp-session-id"]
        {
            assert!(!says_so(name), "{name}");
        }
    }
}
