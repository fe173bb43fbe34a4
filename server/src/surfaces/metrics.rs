//! `GET /metrics`: counters and state of the service, in the text format of Prometheus.
//!
//! Sessions are counted and never named: the names of agents are private to their users.

use std::{collections::BTreeMap, fmt::Write as _};

use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use engine::{Engine, StandingApi as _};
use standing::{Metrics, Times};
use wire::{Need, Row};

use crate::{
    problem::ApiProblem,
    refusals::{Refused, refusals},
    surfaces::stream::Live,
};

const FORMAT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

refusals!(Refusals = Refused::with(&[]));

/// Metrics for Prometheus
///
/// Sessions by state, commands by outcome, durations of message deliveries and tmux calls, open streams, and event log
/// lines that could not be written. Counters start at zero with the service.
#[utoipa::path(get, path = "/metrics", operation_id = "get_metrics", tag = "service",
    responses((status = 200, description = "The metrics", body = String, content_type = "text/plain"), Refusals))]
pub(crate) async fn metrics(State(engine): State<Engine>, State(live): State<Live>) -> Result<Response, ApiProblem> {
    let streams = (live.permits().taken(), engine.config().await.settings.service.stream_max_subscribers);
    let page = page(engine.list().await.ok(), streams, engine.verbs_under_way());
    Ok(([(header::CONTENT_TYPE, FORMAT)], page).into_response())
}

fn page(listed: Option<Vec<Row>>, (streams, most_streams): (usize, usize), under_way: usize) -> String {
    let mut page = Page::default();
    page.gauge("the_loop_info", "Version of the service.", [(format!("version=\"{}\"", crate::VERSION), 1)]);
    page.gauge(
        "the_loop_config_valid",
        "1 if the config is valid, otherwise 0.",
        [(String::new(), usize::from(listed.is_some()))],
    );
    if let Some(rows) = listed {
        let mut by_state = BTreeMap::new();
        for row in &rows {
            *by_state.entry(row.state.as_str()).or_insert(0) += 1;
        }
        let states = wire::State::ALL.iter().map(|state| {
            let state = state.as_str();
            (format!("state=\"{state}\""), by_state.get(state).copied().unwrap_or(0))
        });
        page.gauge("the_loop_sessions", "Standing sessions by state.", states);
        page.needs(&rows);
    }
    page.gauge("the_loop_streams", "Open event streams.", [(String::new(), streams)]);
    page.gauge("the_loop_streams_limit", "Maximum number of open event streams.", [(String::new(), most_streams)]);
    let about = "Commands on single sessions that are running or waiting for their session.";
    page.gauge("the_loop_verbs_under_way", about, [(String::new(), under_way)]);
    page.numbers(&standing::metrics());
    page.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    /// Writes how many sessions need a person, by reason.
    fn needs(&mut self, rows: &[Row]) {
        let mut by_kind = BTreeMap::new();
        for entry in wire::attention(rows) {
            *by_kind.entry(entry.kind).or_insert(0) += entry.sessions.len();
        }
        let kinds = Need::ALL
            .iter()
            .map(|kind| (format!("kind=\"{}\"", kind.as_str()), by_kind.get(kind).copied().unwrap_or(0)));
        self.gauge("the_loop_needs", "Standing sessions that need a person, by reason.", kinds);
    }

    fn numbers(&mut self, numbers: &Metrics) {
        let verbs = numbers
            .verbs
            .iter()
            .map(|((verb, outcome), count)| (format!("verb=\"{verb}\",outcome=\"{outcome}\""), count));
        self.family("the_loop_verbs_total", "counter", "Commands on sessions by outcome.", verbs);
        self.histogram("the_loop_say_seconds", "Duration of message deliveries.", &numbers.say);
        self.histogram("the_loop_tmux_call_seconds", "Duration of tmux calls.", &numbers.tmux);
        let one = |count| [(String::new(), count)];
        self.family(
            "the_loop_tmux_silences_total",
            "counter",
            "tmux calls without an answer.",
            one(numbers.tmux_silences),
        );
        let about = "Event log lines that could not be written.";
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
