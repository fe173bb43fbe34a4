//! The two tokens, from the environment variables that the config names.
//!
//! A token never appears in a message, log, event, argument or harness environment. It is stored in a type that hides
//! it, and is read in one place, where a request gets its header.

use secrecy::SecretString;
use standing::{Surroundings, config};

/// Tokens that authenticate requests.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) bot: SecretString,
    /// App token; needed by Socket Mode only.
    pub(super) app: Result<SecretString, NoToken>,
}

/// A variable that should contain a token and does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable `{var}` does not contain a {kind} token (`{}…`): set it where the-loop is started", prefixes[0])]
pub(super) struct NoToken {
    var: String,
    kind: &'static str,
    prefixes: &'static [&'static str],
}

/// Prefixes of bot tokens. A token that Slack rotates has the longer one.
const BOT: &[&str] = &["xoxb-", "xoxe.xoxb-"];
const APP: &[&str] = &["xapp-"];

impl Tokens {
    /// Reads the tokens from the environment of this instance.
    pub(super) fn of(settings: &config::Slack, surroundings: &Surroundings) -> Result<Self, NoToken> {
        let token = |var: &str, kind, prefixes: &'static [&'static str]| {
            let value = surroundings.var(var).and_then(|value| value.to_str()).map(str::trim);
            // A value that is not a token is never sent: it may be another secret, in the wrong variable.
            let is_token = |value: &&str| {
                prefixes.iter().any(|prefix| value.starts_with(prefix))
                    && value.bytes().all(|byte| byte.is_ascii_graphic())
            };
            match value.filter(is_token) {
                Some(value) => Ok(SecretString::from(value)),
                None => Err(NoToken { var: var.to_owned(), kind, prefixes }),
            }
        };
        Ok(Self { bot: token(&settings.bot_token_env, "bot", BOT)?, app: token(&settings.app_token_env, "app", APP) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_taken_from_its_variable_and_never_shown() {
        let settings = config::Slack::default();
        let here = Surroundings::of_process()
            .with_var("THE_LOOP_SLACK_BOT_TOKEN", "xoxb-s3cret")
            .with_var("THE_LOOP_SLACK_APP_TOKEN", "hunter2");
        let tokens = Tokens::of(&settings, &here).expect("a bot token");
        let missing = tokens.app.as_ref().expect_err("no app token");
        assert!(missing.to_string().contains("`THE_LOOP_SLACK_APP_TOKEN`"), "{missing}");
        let shown = format!("{tokens:?} {missing}");
        assert!(!shown.contains("s3cret") && !shown.contains("hunter2"), "{shown}");
        let none = Tokens::of(&settings, &here.without_var("THE_LOOP_SLACK_BOT_TOKEN")).expect_err("no bot token");
        assert!(none.to_string().contains("`THE_LOOP_SLACK_BOT_TOKEN` does not contain a bot token"), "{none}");
    }
}
