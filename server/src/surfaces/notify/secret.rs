//! Secrets of the targets, and the environment of the commands.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    sync::{Mutex, PoisonError},
};

use secrecy::SecretString;
use standing::{SecretSource, Surroundings, config::Settings};

use super::failure::Failure;

/// Environment of commands.
pub(super) type Environment = BTreeMap<OsString, OsString>;

/// Returns the environment of commands: that of the service, without the tokens of Slack.
pub(super) fn environment(surroundings: &Surroundings, settings: &Settings) -> Environment {
    let tokens = [&settings.slack.bot_token_env, &settings.slack.app_token_env];
    let vars = surroundings.vars().filter(|(key, _)| tokens.iter().all(|token| *key != token.as_str()));
    vars.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Secret, read when it is first needed.
#[derive(Debug)]
pub(super) struct Secret {
    source: SecretSource,
    environment: Environment,
    value: Mutex<Option<SecretString>>,
}

impl Secret {
    pub(super) fn new(source: &SecretSource, environment: &Environment) -> Self {
        Self { source: source.clone(), environment: environment.clone(), value: Mutex::default() }
    }

    /// Returns the value.
    pub(super) async fn get(&self) -> Result<SecretString, Failure> {
        if let Some(value) = self.value.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Ok(value);
        }
        let (source, environment) = (self.source.clone(), self.environment.clone());
        let read = tokio::task::spawn_blocking(move || standing::read_secret(&source, &environment)).await;
        let value = read
            .map_err(|_| "it was not read".to_owned())
            .and_then(|read| read)
            .and_then(|value| value.into_string().map_err(|_| "it is not UTF-8".to_owned()))
            .map_err(|why| Failure::new(format!("its secret could not be read: {why}")))?;
        let value = SecretString::from(value);
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = Some(value.clone());
        Ok(value)
    }

    /// Forgets the value, so that it is read again: the target did not accept it.
    pub(super) fn forget(&self) {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
