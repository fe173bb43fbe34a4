//! What the texts of a request may be, whichever surface it came by. Checked before anything is looked at.

use wire::{AnswerRequest, ControlRequest, CreateRequest, SayRequest, SessionName};

use crate::{Error, variables};

/// The longest name of who speaks, in characters.
const ACTOR_LIMIT: usize = 200;

/// The longest idempotency key, in bytes: a UUID has 36.
const KEY_LIMIT: usize = 200;

/// The session that a request names. A name that is missing never means every session.
pub(crate) fn name_of_one(request: &ControlRequest) -> Result<SessionName, Error> {
    match request.unnamed() {
        Some(reason) => Err(Error::InvalidRequest(reason)),
        None => Ok(SessionName::parse(&request.name)?),
    }
}

/// Refuses what no program or record can be given.
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

/// Refuses a name of who speaks that is none by its length. Control characters in it and in the text are made harmless
/// where they are pasted.
pub(crate) fn of_say(request: &SayRequest) -> Result<(), Error> {
    actor(&request.actor)?;
    key(&request.idempotency_key)
}

/// The same for an answer.
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

/// A NUL ends a text for the kernel and for tmux: what stands behind it would be lost, late and without a word.
fn without_nul(field: &str, text: &str) -> Result<(), Error> {
    if text.contains('\0') {
        let text = format!("`{field}` contains a NUL character: remove it");
        return Err(Error::InvalidRequest(text));
    }
    Ok(())
}
