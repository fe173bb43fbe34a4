//! Rules of `notify` that a schema cannot express.

use serde_json::Value;

use crate::{
    position::{At, KeyPath, Mistake},
    schema::MAX_MISTAKES,
};

/// Finds every mistake against these rules.
pub(super) fn check(value: &Value) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for (index, entry) in value["notify"].as_array().into_iter().flatten().enumerate() {
        let path = KeyPath::of_keys(["notify"]).index(index).key("to");
        let Some(to) = entry["to"].as_object() else { continue };
        if to.len() != 1 && mistakes.len() <= MAX_MISTAKES {
            let message = "a target needs exactly one of `ntfy`, `webhook` and `command`".to_owned();
            mistakes.push(Mistake { path: path.clone(), at: At::Key, message });
        }
        for (kind, secret) in [("ntfy", "token"), ("webhook", "key")] {
            let Some(target) = to.get(kind) else { continue };
            let path = path.key(kind);
            if let Some(message) = target["url"].as_str().and_then(|url| wrong_address(kind, url)) {
                mistakes.push(Mistake { path: path.key("url"), at: At::Value, message });
            }
            if target[secret].as_object().is_some_and(|source| source.len() != 1) {
                let message = "a secret needs either a `command` or a `file`".to_owned();
                mistakes.push(Mistake { path: path.key(secret), at: At::Key, message });
            }
        }
    }
    mistakes.truncate(MAX_MISTAKES + 1);
    mistakes
}

/// Returns the reason why an address cannot be used. The address is not in the message, since it may be a secret.
fn wrong_address(kind: &str, url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let Some(rest) = rest.filter(|_| url.bytes().all(|byte| byte.is_ascii_graphic())) else {
        return Some("expected an address that starts with `https://` or `http://`".to_owned());
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if host.is_empty() {
        return Some("the address has no host".to_owned());
    }
    if host.contains('@') {
        return Some("an address must not contain a user or a password: use `token` or `key`".to_owned());
    }
    let topic = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let is_topic = !topic.is_empty() && topic.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    (kind == "ntfy" && !is_topic)
        .then(|| "expected the address of a topic, such as `https://ntfy.sh/my-topic`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_no_secret() {
        for (kind, good) in [
            ("ntfy", "https://ntfy.sh/my-topic"),
            ("ntfy", "http://127.0.0.1:8080/push/topic_1/"),
            ("webhook", "https://hooks.example.org/a/b?c=d"),
            ("webhook", "http://[::1]:8080"),
        ] {
            assert_eq!(wrong_address(kind, good), None, "{good}");
        }
        for wrong in [
            "ntfy.sh/topic",
            "ftp://a/b",
            "https:///b",
            "https://me:pw@ntfy.sh/t",
            "https://ntfy.sh/",
            "https://ntfy.sh/a b",
        ] {
            let why = wrong_address("ntfy", wrong).unwrap_or_else(|| panic!("{wrong}"));
            assert!(!why.contains("pw"), "{why}");
        }
    }
}
