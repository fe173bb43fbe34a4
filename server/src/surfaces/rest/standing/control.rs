//! `POST /api/v1/standing-sessions/control`: starts, stops or restarts one session; starts or stops every session.

use engine::StandingApi as _;
use wire::{ControlBody, ControlReport, ControlRequest, ControlVerb, ProblemCode};

use super::{ApiProblem, Called};
use crate::{
    refusals::{Refused, refusals},
    surfaces::rest::body::Json,
};

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::InvalidRequest,
        ProblemCode::UnknownSession,
        ProblemCode::Misconfigured,
        ProblemCode::Registry,
        ProblemCode::TmuxSilent,
        ProblemCode::Busy
    ])
    .of_json()
    .of_body()
);

/// Start, stop or restart sessions
///
/// Send the `name` of one session, or `"all": true` for every session. The command is idempotent: a running session is
/// not started again, and a stopped one is not stopped again; see the `outcome` of the row. A stop keeps the
/// conversation, and the next start resumes it.
///
/// For existing clients: `start` or `stop` without `name` and `all` applies to every session. New clients send `all`,
/// so that a missing name cannot stop every session.
#[utoipa::path(post, path = "/api/v1/standing-sessions/control", operation_id = "control_standing_sessions", tag = "sessions", request_body = ControlBody,
    responses((status = 200, description = "Report of the command", body = ControlReport), Refusals))]
pub(in crate::surfaces::rest) async fn control(
    Called(engine): Called,
    Json(body): Json<ControlBody>,
) -> Result<axum::Json<ControlReport>, ApiProblem> {
    let report = match Call::of(body)? {
        Call::One(request) => engine.control(&request).await?,
        Call::StartAll => engine.start_all().await?,
        Call::StopAll => engine.stop_all().await?,
    };
    Ok(axum::Json(report))
}

/// Requested action.
#[derive(Debug, PartialEq, Eq)]
enum Call {
    One(ControlRequest),
    StartAll,
    StopAll,
}

impl Call {
    /// Parses the body. An unknown verb is a bad request (400); a number is a field of the wrong type (422).
    fn of(ControlBody { name, verb, all }: ControlBody) -> Result<Self, ApiProblem> {
        let refused = |text: String| Err(ApiProblem::new(ProblemCode::InvalidRequest, text));
        let verb = match verb.as_str() {
            "start" => ControlVerb::Start,
            "stop" => ControlVerb::Stop,
            "restart" => ControlVerb::Restart,
            other => {
                return refused(format!("unknown verb {other:?}: use `start`, `stop` or `restart`"));
            }
        };
        // Without `all`, an empty name means every session, as in the published API.
        let every = all.unwrap_or(name.is_empty());
        match verb {
            _ if every && !name.is_empty() => {
                refused("`name` and `all` exclude each other: send one of them".to_owned())
            }
            ControlVerb::Start if every => Ok(Self::StartAll),
            ControlVerb::Stop if every => Ok(Self::StopAll),
            ControlVerb::Restart if all == Some(true) => refused(
                "restart needs the `name` of one session; to restart every session, stop and start with `all`"
                    .to_owned(),
            ),
            verb => Ok(Self::One(ControlRequest { name, verb })),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(body: serde_json::Value) -> Result<Call, String> {
        let body = serde_json::from_value(body).map_err(|error| error.to_string())?;
        Call::of(body).map_err(|problem| problem.told().1)
    }

    #[test]
    fn every_session_is_asked_for_by_all_or_in_the_published_form() {
        for (verb, call) in [("start", Call::StartAll), ("stop", Call::StopAll)] {
            for body in [
                json!({ "verb": verb, "all": true }),
                json!({ "verb": verb, "all": true, "name": "" }),
                json!({ "verb": verb }),
                json!({ "verb": verb, "name": "" }),
            ] {
                assert_eq!(of(body.clone()).as_ref(), Ok(&call), "{body}");
            }
        }
    }

    #[test]
    fn a_name_that_was_lost_is_never_every_session_for_a_client_that_says_all() {
        for verb in ["start", "stop", "restart"] {
            let one = |name: &str| {
                Call::One(ControlRequest {
                    name: name.to_owned(),
                    verb: match verb {
                        "start" => ControlVerb::Start,
                        "stop" => ControlVerb::Stop,
                        _ => ControlVerb::Restart,
                    },
                })
            };
            assert_eq!(of(json!({ "verb": verb, "name": "", "all": false })), Ok(one("")), "refused by the core");
            assert_eq!(of(json!({ "verb": verb, "name": " " })), Ok(one(" ")), "refused by the core");
            assert_eq!(of(json!({ "verb": verb, "name": "ops", "all": false })), Ok(one("ops")));
            assert!(
                of(json!({ "verb": verb, "name": "ops", "all": true })).is_err_and(|told| told.contains("exclude"))
            );
            for lost in [json!(null), json!("true"), json!(1), json!("")] {
                assert!(of(json!({ "verb": verb, "all": lost })).is_err(), "{verb} {lost}");
            }
        }
        assert_eq!(
            of(json!({ "verb": "restart" })),
            Ok(Call::One(ControlRequest { name: String::new(), verb: ControlVerb::Restart }))
        );
        assert!(
            of(json!({ "verb": "restart", "all": true }))
                .is_err_and(|told| told.contains("needs the `name` of one session"))
        );
    }
}
