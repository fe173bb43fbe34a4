//! Account of a session: where its harness keeps its conversations, trust and settings.
//!
//! A few variables decide this (`CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `HOME`, …). Their values are taken when a session
//! starts and are kept in its record. A session therefore stays in its account, whatever the environment of a later
//! caller. Only variables that hold a path are listed: a record never holds a secret.

use std::{borrow::Cow, collections::BTreeMap, ffi::OsStr, fs};

use process::{LOOP_ID_VAR, Surroundings};
use serde::{Deserialize, Serialize};

/// Listed variables of a session with their values, `None` for a variable that was not set. A variable that is missing
/// here (a record of an older version, or of another harness) takes the caller's value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Account(BTreeMap<String, Option<String>>);

/// Every variable that an adapter lists. A record cannot set any other.
pub const ALL: &[&str] = &[
    "HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "CODEX_SQLITE_HOME",
    "GEMINI_CLI_HOME",
    "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
    "OPENCODE_DB",
    "CURSOR_CONFIG_DIR",
    "CURSOR_DATA_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "THE_LOOP_DEMO_HOME",
];

impl Account {
    /// Reads these variables from an environment.
    pub fn of(variables: &[&str], environment: &Surroundings) -> Self {
        Self::read(variables, |key| environment.var(key))
    }

    /// Reads these variables from a process that carries this session's mark. `None` if its environment cannot be read,
    /// or is not, or no longer, the one that a launch gave it.
    pub fn of_process(variables: &[&str], pid: u32, loop_id: &str) -> Option<Self> {
        let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let value = |key: &str| {
            use std::os::unix::ffi::OsStrExt;
            let mut entries = environ.split(|&byte| byte == 0);
            let value = entries.find_map(|entry| entry.strip_prefix(key.as_bytes())?.strip_prefix(b"="))?;
            Some(OsStr::from_bytes(value)).filter(|value| !value.is_empty())
        };
        let ours = !loop_id.is_empty() && value(LOOP_ID_VAR).is_some_and(|id| id == loop_id);
        ours.then(|| Self::read(variables, value))
    }

    fn read<'a>(variables: &[&str], value: impl Fn(&str) -> Option<&'a OsStr>) -> Self {
        let known = variables.iter().filter_map(|key| match value(key) {
            None => Some(((*key).to_owned(), None)),
            // A value that is not text cannot be recorded, so the caller's value applies.
            Some(value) => Some(((*key).to_owned(), Some(value.to_str()?.to_owned()))),
        });
        Self(known.collect())
    }

    /// True if no variable is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the environment with this account applied.
    pub fn over<'a>(&self, environment: Cow<'a, Surroundings>) -> Cow<'a, Surroundings> {
        let mut environment = environment;
        for (key, value) in self.0.iter().filter(|(key, _)| ALL.contains(&key.as_str())) {
            let set = environment.var(key).and_then(OsStr::to_str);
            if set != value.as_deref() || (set.is_none() && environment.has(key)) {
                environment = Cow::Owned(match value {
                    Some(value) => environment.into_owned().with_var(key, value),
                    None => environment.into_owned().without_var(key),
                });
            }
        }
        environment
    }

    /// Lists the variables that both accounts know and that differ: name, value here, value there.
    pub fn differences<'a>(&'a self, other: &'a Self) -> Vec<Difference<'a>> {
        let both = self.0.iter().filter_map(|(key, value)| Some((key, value, other.0.get(key)?)));
        both.filter(|(_, here, there)| here != there)
            .map(|(key, here, there)| Difference { key, here: here.as_deref(), there: there.as_deref() })
            .collect()
    }
}

/// Variable whose values differ between two accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference<'a> {
    /// Name of the variable.
    pub key: &'a str,
    /// Value in the account that is compared; `None` if it is not set.
    pub here: Option<&'a str>,
    /// Value in the other account.
    pub there: Option<&'a str>,
}

/// Lists the variables that decide an agent's account and differ between two environments: name and both values.
pub fn account_differences(here: &Surroundings, there: &Surroundings) -> Vec<(String, String, String)> {
    let (here, there) = (Account::of(ALL, here), Account::of(ALL, there));
    let told = |one: &Difference<'_>| (one.key.to_owned(), shown(one.here), shown(one.there));
    here.differences(&there).iter().map(told).collect()
}

/// Formats a variable's value for people.
pub fn shown(value: Option<&str>) -> String {
    value.map_or_else(|| "not set".to_owned(), |value| format!("`{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callers_other_account_is_replaced_and_an_unset_variable_is_unset_again() {
        let began = Surroundings::of_process().with_var("CLAUDE_CONFIG_DIR", "/work").without_var("CODEX_HOME");
        let variables = ["CLAUDE_CONFIG_DIR", "CODEX_HOME"];
        let account = Account::of(&variables, &began);
        let caller = Surroundings::of_process().without_var("CLAUDE_CONFIG_DIR").with_var("CODEX_HOME", "/other");
        let environment = account.over(Cow::Borrowed(&caller));
        assert_eq!(environment.var("CLAUDE_CONFIG_DIR"), Some(OsStr::new("/work")));
        assert!(!environment.has("CODEX_HOME"));
        assert!(matches!(account.over(Cow::Borrowed(&began)), Cow::Borrowed(_)), "nothing to change");
        let theirs = Account::of(&variables, &caller);
        let differing: Vec<&str> = account.differences(&theirs).iter().map(|one| one.key).collect();
        assert_eq!(differing, variables);
    }

    #[test]
    fn a_record_cannot_set_a_variable_that_no_adapter_lists() {
        let account: Account = serde_json::from_str(r#"{"LD_PRELOAD": "/x.so", "CODEX_HOME": "/c"}"#).expect("reads");
        let caller = Surroundings::of_process().without_var("LD_PRELOAD");
        let environment = account.over(Cow::Borrowed(&caller));
        assert!(!environment.has("LD_PRELOAD"));
        assert_eq!(environment.var("CODEX_HOME"), Some(OsStr::new("/c")));
    }
}
