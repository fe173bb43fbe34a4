//! Variables that a definition sets: `env`, which contains its values, and `secrets`, which does not.

use std::{borrow::Cow, collections::BTreeMap};

use wire::SecretSource;

use crate::{Surroundings, marks};

/// Values of `env`: `None` for a variable that must not be set.
pub type Env = BTreeMap<String, Option<String>>;

/// Sources of the values of `secrets`.
pub type Secrets = BTreeMap<String, SecretSource>;

/// Maximum length of a name.
const NAME: usize = 128;

/// Maximum length of a value. The kernel takes 128 KiB for a variable, including its name.
const VALUE: usize = 120_000;

/// Maximum number of variables in a definition.
const COUNT: usize = 200;

/// Checks variables; the error says why they cannot be set.
pub fn check(env: &Env, secrets: &Secrets) -> Result<(), String> {
    for (key, variables) in [("env", env.len()), ("secrets", secrets.len())] {
        if variables > COUNT {
            return Err(format!("`{key}` sets {variables} variables: use at most {COUNT}"));
        }
    }
    for (name, value) in env {
        check_name(name).and_then(|()| check_value(value.as_deref())).map_err(|why| format!("`env.{name}`: {why}"))?;
    }
    for (name, source) in secrets {
        let twice = env.contains_key(name).then(|| "also set in `env`: keep one".to_owned());
        let checked = twice.map_or(Ok(()), Err).and_then(|()| check_name(name)).and_then(|()| check_source(source));
        checked.map_err(|why| format!("`secrets.{name}`: {why}"))?;
    }
    Ok(())
}

/// Checks the name of a variable; the error says why it cannot be set.
pub fn check_name(name: &str) -> Result<(), String> {
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !first || name.len() > NAME || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!(
            "a variable name consists of letters, digits and `_`, does not start with a digit, and \
                            has at most {NAME} characters"
        ));
    }
    let why = if name.starts_with("THE_LOOP_") {
        "variables that start with `THE_LOOP_` are set by the-loop"
    } else if marks::is_mark(name) {
        "it marks a program that runs inside an agent, and a session does not"
    } else if ["PWD", "OLDPWD"].contains(&name) {
        "set the working directory with `cwd`"
    } else {
        return Ok(());
    };
    Err(why.to_owned())
}

fn check_value(value: Option<&str>) -> Result<(), String> {
    match value {
        Some(value) if value.contains('\0') => Err("its value contains a NUL character: remove it".to_owned()),
        Some(value) if value.len() > VALUE => Err(format!("its value is longer than {VALUE} bytes")),
        _ => Ok(()),
    }
}

fn check_source(source: &SecretSource) -> Result<(), String> {
    let texts = match source {
        SecretSource::Command(words) if words.first().is_none_or(String::is_empty) => {
            return Err("its command is empty".to_owned());
        }
        SecretSource::File(path) if path.is_empty() => return Err("its file is empty".to_owned()),
        SecretSource::Command(words) => words.as_slice(),
        SecretSource::File(path) => std::slice::from_ref(path),
    };
    if texts.iter().any(|text| text.contains('\0')) {
        return Err("contains a NUL character: remove it".to_owned());
    }
    Ok(())
}

/// Returns the environment with these variables applied. A leading `~/` is the home directory of that environment.
pub fn over<'a>(env: &Env, environment: Cow<'a, Surroundings>) -> Cow<'a, Surroundings> {
    if env.is_empty() {
        return environment;
    }
    let mut set = environment.into_owned();
    // Its own home directory first: the others may be below it.
    for (key, value) in env.iter().filter(|(key, _)| *key == "HOME").chain(env.iter().filter(|(key, _)| *key != "HOME"))
    {
        set = match value {
            Some(value) => {
                let value = expanded(value, &set);
                set.with_var(key, value)
            }
            None => set.without_var(key),
        };
    }
    Cow::Owned(set)
}

/// Expands a value as a program gets it.
fn expanded(value: &str, environment: &Surroundings) -> std::ffi::OsString {
    match environment.home() {
        Some(home) if value == "~" => home.into(),
        Some(home) => value.strip_prefix("~/").map_or_else(|| value.into(), |rest| home.join(rest).into()),
        None => value.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str, value: &str) -> Env {
        Env::from([(name.to_owned(), Some(value.to_owned()))])
    }

    #[test]
    fn names_that_others_decide_are_refused_with_their_name() {
        for name in [
            "",
            "1X",
            "A-B",
            "A B",
            "A=B",
            "É",
            "THE_LOOP_ID",
            "THE_LOOP_SLACK_BOT_TOKEN",
            "CLAUDECODE",
            "CODEX_SANDBOX",
            "TMUX",
            "TMUX_PANE",
            "PWD",
            "NOTIFY_SOCKET",
        ] {
            let error = check(&env(name, "x"), &Secrets::new()).expect_err(name);
            assert!(error.contains(&format!("`env.{name}`")), "{error}");
            let source = SecretSource::File("/x".to_owned());
            check(&Env::new(), &Secrets::from([(name.to_owned(), source)])).expect_err(name);
        }
        for name in ["A", "_", "HOME", "PATH", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_EFFORT_LEVEL", "TERM", "TMUX_TMPDIR"] {
            assert_eq!(check(&env(name, "x"), &Secrets::new()), Ok(()), "{name}");
        }
    }

    #[test]
    fn values_and_sources_that_no_program_can_be_given_are_refused() {
        for value in ["a\0b", &"x".repeat(VALUE + 1)] {
            let error = check(&env("KEY", value), &Secrets::new()).expect_err("refused");
            assert!(error.contains("`env.KEY`") && !error.contains(value), "{error}");
        }
        for source in [
            SecretSource::Command(Vec::new()),
            SecretSource::Command(vec![String::new()]),
            SecretSource::Command(vec!["a".to_owned(), "\0".to_owned()]),
            SecretSource::File(String::new()),
        ] {
            check(&Env::new(), &Secrets::from([("KEY".to_owned(), source)])).expect_err("refused");
        }
        let both = Secrets::from([("KEY".to_owned(), SecretSource::File("/x".to_owned()))]);
        check(&env("KEY", "x"), &both).expect_err("twice");
    }

    #[test]
    fn a_value_may_begin_at_home_and_a_variable_may_be_unset() {
        let here = Surroundings::empty().with_var("HOME", "/h").with_var("GONE", "x");
        let mut env = env("DIR", "~/work");
        env.extend([("PLAIN".to_owned(), Some("a~/b".to_owned())), ("GONE".to_owned(), None)]);
        let set = over(&env, Cow::Borrowed(&here));
        assert_eq!(set.var("DIR").and_then(|value| value.to_str()), Some("/h/work"));
        assert_eq!(set.var("PLAIN").and_then(|value| value.to_str()), Some("a~/b"));
        assert!(!set.has("GONE"));
    }
}
