//! Whether a service that runs hears what is said in Slack, and in time.

use standing::{Check, Finding, TheLoop};

use crate::surfaces::slack;

const PLACE: &str = "the Slack listener";

pub(super) fn check(the_loop: &TheLoop) -> Vec<Finding> {
    let report = slack::report(the_loop);
    if !report.enabled || !report.hosted {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if report.is_deaf() {
        let own = report.listener.as_ref().map_or("", |listener| listener.problem.as_str());
        let problem = report.channel_problems().map(|(_, problem)| problem).find(|_| own.is_empty()).unwrap_or(own);
        let reason = if problem.is_empty() { "it has not said why" } else { problem };
        let what = format!("replies are not heard: {reason}");
        findings.push(Finding::hazard(Check::Slack, PLACE, what, "see docs/slack.md, \"When it does not work\""));
    }
    for (channel, problem) in report.channel_problems() {
        let remedy = "mend it in Slack (`/invite` the app, or unarchive the channel); then write in that channel or \
                      run `the-loop restart --service-only`, so that it is tried again at once";
        findings.push(Finding::hazard(Check::Slack, format!("the Slack channel {channel}"), problem, remedy));
    }
    if let Some(slowed) = report.slowed() {
        let remedy =
            "set `channels.slack.read.mode: socket`, where replies are pushed; or give fewer sessions a thread";
        findings.push(Finding::notice(Check::Slack, PLACE, format!("reading is slowed: {slowed}"), remedy));
    }
    findings
}
