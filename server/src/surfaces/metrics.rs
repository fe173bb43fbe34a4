//! `GET /metrics`: what the service has done and how things stand, in the text format of Prometheus.
//!
//! A session is counted and never named: what agents are called is nobody's business who watches a machine.

use std::{collections::BTreeMap, fmt::Write as _};

use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use engine::{Engine, StandingApi as _};
use standing::{Numbers, Times};
use wire::Row;

use crate::{
    openapi::{Refused, refusals},
    problem::ApiProblem,
    surfaces::stream::Live,
};

const FORMAT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Every state there is, so that one without a session is told as 0 and not left out.
const STATES: [wire::State; 11] = [
    wire::State::Absent,
    wire::State::Stopped,
    wire::State::Starting,
    wire::State::Running,
    wire::State::Stopping,
    wire::State::Ended,
    wire::State::Orphaned,
    wire::State::Foreign,
    wire::State::Unrecorded,
    wire::State::Unknown,
    wire::State::Unreadable,
];

refusals!(Refusals = Refused::with(&[]));

/// What the service has done, for Prometheus
///
/// Sessions by state, verbs by outcome, how long a say and a call of tmux take, open streams, and lines of the event
/// log that could not be written. Counted since the service began.
#[utoipa::path(get, path = "/metrics", operation_id = "get_metrics", tag = "service",
    responses((status = 200, description = "The metrics", body = String, content_type = "text/plain"), Refusals))]
pub(crate) async fn metrics(State(engine): State<Engine>, State(live): State<Live>) -> Result<Response, ApiProblem> {
    let streams = (live.seats().taken(), engine.config().await.settings.service.stream_max_subscribers);
    let page = page(engine.list().await.ok(), streams, engine.verbs_under_way());
    Ok(([(header::CONTENT_TYPE, FORMAT)], page).into_response())
}

fn page(listed: Option<Vec<Row>>, (streams, most_streams): (usize, usize), under_way: usize) -> String {
    let mut page = Page::default();
    page.gauge("the_loop_info", "The version that runs.", [(format!("version=\"{}\"", crate::VERSION), 1)]);
    page.gauge(
        "the_loop_config_valid",
        "Whether the config can be used.",
        [(String::new(), usize::from(listed.is_some()))],
    );
    if let Some(rows) = listed {
        let mut by_state = BTreeMap::new();
        for row in &rows {
            *by_state.entry(word(row.state)).or_insert(0) += 1;
        }
        let states = STATES.map(|state| {
            let state = word(state);
            (format!("state=\"{state}\""), by_state.get(&state).copied().unwrap_or(0))
        });
        page.gauge("the_loop_sessions", "Standing sessions by state.", states);
    }
    page.gauge("the_loop_streams", "Open streams.", [(String::new(), streams)]);
    page.gauge("the_loop_streams_limit", "How many streams may be open.", [(String::new(), most_streams)]);
    let about = "Verbs on single sessions that have begun or wait for their session.";
    page.gauge("the_loop_verbs_under_way", about, [(String::new(), under_way)]);
    page.numbers(&standing::numbers());
    page.0
}

/// The published word of a state.
fn word(state: wire::State) -> String {
    serde_json::to_value(state).ok().and_then(|word| Some(word.as_str()?.to_owned())).unwrap_or_default()
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn numbers(&mut self, numbers: &Numbers) {
        let verbs = numbers
            .verbs
            .iter()
            .map(|((verb, outcome), count)| (format!("verb=\"{verb}\",outcome=\"{outcome}\""), count));
        self.family("the_loop_verbs_total", "counter", "Verbs by what came of them.", verbs);
        self.histogram("the_loop_say_seconds", "How long a say took.", &numbers.say);
        self.histogram("the_loop_tmux_call_seconds", "How long tmux took to answer.", &numbers.tmux);
        let one = |count| [(String::new(), count)];
        self.family(
            "the_loop_tmux_silences_total",
            "counter",
            "How often tmux did not answer.",
            one(numbers.tmux_silences),
        );
        let about = "Lines of the event log that could not be written.";
        self.family("the_loop_event_log_errors_total", "counter", about, one(numbers.event_errors));
    }

    fn gauge(&mut self, name: &str, about: &str, values: impl IntoIterator<Item = (String, usize)>) {
        self.family(name, "gauge", about, values);
    }

    fn family<V: std::fmt::Display>(
        &mut self,
        name: &str,
        kind: &str,
        about: &str,
        values: impl IntoIterator<Item = (String, V)>,
    ) {
        self.head(name, kind, about);
        for (labels, value) in values {
            self.line(name, &labels, value);
        }
    }

    fn histogram(&mut self, name: &str, about: &str, times: &Times) {
        self.head(name, "histogram", about);
        for (bound, count) in &times.within {
            self.line(&format!("{name}_bucket"), &format!("le=\"{bound}\""), count);
        }
        self.line(&format!("{name}_bucket"), "le=\"+Inf\"", times.count);
        self.line(&format!("{name}_sum"), "", times.seconds);
        self.line(&format!("{name}_count"), "", times.count);
    }

    fn head(&mut self, name: &str, kind: &str, about: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {about}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi;

    #[test]
    fn every_state_is_told() {
        let known = &openapi::document()["components"]["schemas"]["State"]["enum"];
        assert_eq!(*known, serde_json::json!(STATES.map(word)));
    }
}
