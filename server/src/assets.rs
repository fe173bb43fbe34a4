//! Files of the page, embedded in the binary and compressed at build time.
//!
//! The bundle is served below a folder whose name changes with its content, and may be cached forever. The page, which
//! is never cached, names that folder. So a browser cannot mix two builds, and an upgrade is visible at once. Every
//! file also has its plain address, where the browser must revalidate and is answered "unchanged" by the entity tag.
//!
//! This module must not read from disk: the binary is the whole product. The one exception is a debug build that runs
//! under `cargo leptos watch`, which rebuilds the bundle without building the server again.

use std::sync::LazyLock;

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
    routing::get,
};
use leptos::config::LeptosOptions;

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// One file.
#[derive(Debug)]
struct Asset {
    /// Path in the site, without a leading slash.
    path: &'static str,
    /// Hash of the content.
    hash: &'static str,
    plain: &'static [u8],
    br: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
}

/// Cache policy of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    /// Cache forever: the address identifies the content.
    ForEver,
    /// Revalidate: the address returns the current content.
    AskFirst,
}

/// Returns a route for every file, by full path.
pub fn router() -> Router {
    let mut router = Router::new();
    if let Some(options) = watched() {
        let path = leptos_axum::site_pkg_dir_service_route_path(options);
        router = router.route_service(&path, leptos_axum::site_pkg_dir_service(options));
    }
    for asset in ASSETS.iter().filter(|asset| watched().is_none() || inside(asset.path).is_none()) {
        router = router.route(&format!("/{}", asset.path), serve(asset, Keep::AskFirst));
        if let Some(address) = versioned(asset.path) {
            router = router.route(&address, serve(asset, Keep::ForEver));
        }
    }
    router
}

/// Returns the address of a file by its path in the site, such as `pkg/the-loop.css`; none if it is not embedded.
pub fn address(path: &str) -> Option<String> {
    if watched().is_some() && inside(path).is_some() {
        return Some(format!("/{path}"));
    }
    let asset = ASSETS.iter().find(|asset| asset.path == path)?;
    Some(versioned(asset.path).unwrap_or_else(|| format!("/{}", asset.path)))
}

/// Returns the location of the bundle for the page's start script; none if no WebAssembly is embedded.
pub fn bundle() -> Option<LeptosOptions> {
    if let Some(options) = watched() {
        return Some(options.clone());
    }
    let name = ASSETS.iter().find_map(|asset| inside(asset.path)?.strip_suffix("_bg.wasm"))?;
    Some(LeptosOptions::builder().output_name(name).site_pkg_dir(VERSIONED).build())
}

/// Returns the versioned address of a file of the bundle. Only these files refer to each other, so only they need an
/// address that changes with all of them.
fn versioned(path: &str) -> Option<String> {
    Some(format!("/{VERSIONED}/{}", inside(path)?))
}

/// Returns the path inside the bundle; none if the file is not part of it.
fn inside(path: &str) -> Option<&str> {
    path.strip_prefix(FOLDER)?.strip_prefix('/')
}

/// Returns the options of cargo-leptos for the bundle that it keeps on disk while it watches.
fn watched() -> Option<&'static LeptosOptions> {
    static WATCHED: LazyLock<Option<LeptosOptions>> = LazyLock::new(|| {
        let watching = cfg!(debug_assertions) && std::env::var_os("LEPTOS_WATCH").is_some();
        watching.then(|| leptos::config::get_configuration(None).ok())?.map(|config| config.leptos_options)
    });
    WATCHED.as_ref()
}

fn serve(asset: &'static Asset, keep: Keep) -> axum::routing::MethodRouter {
    get(move |headers: HeaderMap| async move { answer(asset, keep, &headers) })
}

fn answer(asset: &'static Asset, keep: Keep, request: &HeaderMap) -> Response {
    let (bytes, encoding) = match (asset.br, asset.gzip) {
        (Some(br), _) if accepts(request, "br") => (br, Some("br")),
        (_, Some(gzip)) if accepts(request, "gzip") => (gzip, Some("gzip")),
        _ => (asset.plain, None),
    };
    // Each encoding has different bytes, so each has its own tag.
    let tag = format!("\"{}{}\"", asset.hash, encoding.map(|name| format!("-{name}")).unwrap_or_default());
    let known = knows(request, &tag);
    let mut response = Response::new(if known { Body::empty() } else { Body::from(Bytes::from_static(bytes)) });
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::ETAG, &tag);
    set(header::CACHE_CONTROL, if keep == Keep::ForEver { "public, max-age=31536000, immutable" } else { "no-cache" });
    set(header::VARY, "accept-encoding");
    if !known {
        set(header::CONTENT_TYPE, media_type(asset.path));
        if let Some(name) = encoding {
            set(header::CONTENT_ENCODING, name);
        }
    }
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    response
}

/// True if the browser accepts this encoding: named, or covered by `*`, and with a weight above zero.
fn accepts(request: &HeaderMap, encoding: &str) -> bool {
    let weight = |wanted: &str| {
        items(request, &header::ACCEPT_ENCODING).find_map(|item| {
            let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
            let weight = parameters.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
            name.trim().eq_ignore_ascii_case(wanted).then_some(weight.unwrap_or(0.0))
        })
    };
    weight(encoding).or_else(|| weight("*")).is_some_and(|weight| weight > 0.0)
}

/// True if the browser already has exactly this form.
fn knows(request: &HeaderMap, tag: &str) -> bool {
    items(request, &header::IF_NONE_MATCH).any(|item| item == "*" || item.trim_start_matches("W/") == tag)
}

/// Returns the items of a list header, over all its lines. None of the headers used here has a comma inside an item.
fn items<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',').map(str::trim)).filter(|item| !item.is_empty())
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "ico" => "image/x-icon",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SCRIPT: Asset = Asset {
        path: "pkg/the-loop.js",
        hash: "0123456789abcdef",
        plain: b"plain",
        br: Some(b"brotli"),
        gzip: Some(b"gzip"),
    };

    fn asked(headers: &[(HeaderName, &str)]) -> Response {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_str(value).expect("a header"));
        }
        answer(&SCRIPT, Keep::AskFirst, &map)
    }

    fn header_of(response: &Response, name: &HeaderName) -> Option<String> {
        response.headers().get(name).map(|value| value.to_str().expect("ASCII").to_owned())
    }

    #[test]
    fn the_best_form_that_the_browser_takes_is_sent() {
        for (accepted, encoding) in [
            ("gzip, deflate, br, zstd", Some("br")),
            ("gzip", Some("gzip")),
            ("br;q=0, gzip;q=0.5", Some("gzip")),
            ("BR", Some("br")),
            ("*", Some("br")),
            ("*;q=0, gzip", Some("gzip")),
            ("br;q=nonsense", None),
            ("identity", None),
            ("", None),
        ] {
            let response = asked(&[(header::ACCEPT_ENCODING, accepted)]);
            assert_eq!(header_of(&response, &header::CONTENT_ENCODING).as_deref(), encoding, "{accepted}");
            assert_eq!(header_of(&response, &header::VARY).as_deref(), Some("accept-encoding"), "{accepted}");
        }
    }

    #[test]
    fn what_the_browser_has_is_not_sent_again() {
        let brotli = (header::ACCEPT_ENCODING, "br");
        let tag = header_of(&asked(std::slice::from_ref(&brotli)), &header::ETAG).expect("a tag");
        assert_eq!(tag, "\"0123456789abcdef-br\"");
        for held in [tag.clone(), format!("\"other\", {tag}"), format!("W/{tag}"), "*".to_owned()] {
            let response = asked(&[brotli.clone(), (header::IF_NONE_MATCH, &held)]);
            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{held}");
            assert_eq!(header_of(&response, &header::ETAG).as_deref(), Some(tag.as_str()), "{held}");
            assert_eq!(header_of(&response, &header::CACHE_CONTROL).as_deref(), Some("no-cache"), "{held}");
        }
    }

    #[test]
    fn another_form_or_another_build_is_sent() {
        for held in ["\"0123456789abcdef-br\"", "\"fedcba9876543210\"", "0123456789abcdef"] {
            assert_eq!(asked(&[(header::IF_NONE_MATCH, held)]).status(), StatusCode::OK, "{held}");
        }
    }

    #[test]
    fn only_an_address_that_names_the_content_is_kept() {
        let kept = answer(&SCRIPT, Keep::ForEver, &HeaderMap::new());
        assert!(header_of(&kept, &header::CACHE_CONTROL).is_some_and(|value| value.contains("immutable")));
        assert_eq!(header_of(&asked(&[]), &header::CACHE_CONTROL).as_deref(), Some("no-cache"));
        assert_eq!(versioned("pkg/a.js"), Some(format!("/{VERSIONED}/a.js")));
        assert_eq!(versioned("favicon.svg"), None);
        assert_eq!(versioned("pkg-2/a.js"), None);
    }

    #[test]
    fn a_browser_runs_webassembly_only_under_its_own_type() {
        assert_eq!(media_type("pkg/the-loop_bg.wasm"), "application/wasm");
        assert_eq!(media_type("pkg/the-loop.js"), "text/javascript; charset=utf-8");
        assert_eq!(media_type("odd"), "application/octet-stream");
    }

    #[test]
    fn every_embedded_file_has_one_route_and_an_address() {
        let _routes_do_not_collide = router();
        for asset in ASSETS {
            assert!(address(asset.path).is_some_and(|address| address.starts_with('/')), "{}", asset.path);
        }
        assert_eq!(address("not/there.js"), None);
    }
}
