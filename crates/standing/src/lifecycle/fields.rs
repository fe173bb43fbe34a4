//! Limits for the texts of a request, on every surface. Checked before anything else.

use wire::{AnswerRequest, ControlRequest, CreateRequest, SayRequest, SessionName};

use crate::{Error, variables};

/// Length limit for the name of a sender, in characters.
const ACTOR_LIMIT: usize = 200;

/// Length limit for an idempotency key, in bytes: a UUID has 36.
const KEY_LIMIT: usize = 200;

/// Returns the session that a request names. A missing name never means every session.
pub(crate) fn name_of_one(request: &ControlRequest) -> Result<SessionName, Error> {
    match request.unnamed() {
        Some(reason) => Err(Error::InvalidRequest(reason)),
        None => Ok(SessionName::parse(&request.name)?),
    }
}

/// Refuses texts that cannot be passed to a program or stored in a record.
pub(crate) fn of_create(request: &CreateRequest) -> Result<(), Error> {
    let texts = [
        ("harness", &request.harness),
        ("cwd", &request.cwd),
        ("prompt", &request.prompt),
        ("description", &request.description),
        ("slackChannel", &request.slack_channel),
    ];
    for (field, text) in texts {
        without_nul(field, text)?;
    }
    for (index, argument) in request.harness_args.iter().flatten().enumerate() {
        without_nul(&format!("harnessArgs[{index}]"), argument)?;
    }
    variables::check(&request.env, &request.secrets).map_err(Error::InvalidRequest)
}

/// Refuses a sender's name that is too long. Control characters in the name and in the text are removed when they are
/// pasted.
pub(crate) fn of_say(request: &SayRequest) -> Result<(), Error> {
    actor(&request.actor)?;
    key(&request.idempotency_key)
}

/// Refuses an answer with a sender's name or texts beyond the limits.
pub(crate) fn of_answer(request: &AnswerRequest) -> Result<(), Error> {
    actor(&request.actor)?;
    key(&request.idempotency_key)
}

fn key(key: &str) -> Result<(), Error> {
    if key.len() > KEY_LIMIT || key.chars().any(char::is_control) {
        let length = key.len();
        let text = format!("`idempotencyKey` has {length} bytes: use at most {KEY_LIMIT}, without control characters");
        return Err(Error::InvalidRequest(text));
    }
    Ok(())
}

fn actor(actor: &str) -> Result<(), Error> {
    let length = actor.chars().count();
    if length > ACTOR_LIMIT {
        let text = format!("`actor` has {length} characters: use at most {ACTOR_LIMIT}");
        return Err(Error::InvalidRequest(text));
    }
    Ok(())
}

/// Refuses a NUL, which ends a text for the kernel and for tmux: the rest would be lost later and silently.
fn without_nul(field: &str, text: &str) -> Result<(), Error> {
    if text.contains('\0') {
        let text = format!("`{field}` contains a NUL character: remove it");
        return Err(Error::InvalidRequest(text));
    }
    Ok(())
}
