//! Detects forwarded requests by the headers of reverse proxies, tunnels and content delivery networks.
//!
//! The names are compared without regard to case, and `_` counts as `-`, as some proxies write it.

use axum::http::{HeaderMap, HeaderName};

/// Full names of headers that forwarders add.
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

/// Prefixes of headers that forwarders add.
const FAMILIES: [&str; 36] = [
    "akamai-",
    "cdn-",
    "cf-",
    "cloudfront-",
    "fastly-",
    "fly-",
    "forwarded-",
    "ngrok-",
    "incap-",
    "remote-",
    "rndr-",
    "tailscale-",
    "via-",
    "x-akamai-",
    "x-amz-cf-",
    "x-amzn-",
    "x-appengine-",
    "x-appgw-",
    "x-arr-",
    "x-auth-request-",
    "x-authentik-",
    "x-azure-",
    "x-cdn-",
    "x-envoy-",
    "x-forwarded-",
    "x-goog-authenticated-",
    "x-goog-iap-",
    "x-ms-client-principal",
    "x-ms-proxy",
    "x-original-",
    "x-pomerium-",
    "x-railway-",
    "x-real-",
    "x-replit-",
    "x-sucuri-",
    "x-vercel-",
];

/// Words that mark a header of a forwarder wherever they stand, for vendors with a prefix of their own.
const WORDS: [&str; 5] = ["authenticated-user", "client-ip", "connecting-ip", "forwarded", "remote-user"];

/// Returns the first header that marks the request as forwarded.
pub(crate) fn header(headers: &HeaderMap) -> Option<&HeaderName> {
    headers.keys().find(|name| says_so(name.as_str()))
}

/// True for the name of such a header. Names arrive in lower case.
fn says_so(name: &str) -> bool {
    let name = name.replace('_', "-");
    NAMES.contains(&name.as_str())
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || WORDS.iter().any(|word| name.contains(word))
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
            "X-Vercel-Forwarded-For",
            "X-Goog-Authenticated-User-Email",
            "X-Amzn-Trace-Id",
            "X-Amz-Cf-Id",
            "Cdn-Src-Ip",
            "X-Github-Forwarded",
            "X-Ms-Proxy",
            "X-Newvendor-Client-IP",
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
