//! Checks that a running service receives Slack messages, and in time.

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
        let reason = if problem.is_empty() { "no reason reported" } else { problem };
        let what = format!("not receiving replies: {reason}");
        findings.push(Finding::hazard(Check::Slack, PLACE, what, "see docs/slack.md, \"When it does not work\""));
    }
    for (channel, problem) in report.channel_problems() {
        let remedy = "fix it in Slack (`/invite` the app, or unarchive the channel); then write in that channel or \
                      run `the-loop restart --service-only` to retry at once";
        findings.push(Finding::hazard(Check::Slack, format!("the Slack channel {channel}"), problem, remedy));
    }
    if let Some(slowed) = report.slowed() {
        let remedy =
            "set `channels.slack.read.mode: socket`, where Slack pushes replies, or enable Slack for fewer sessions";
        findings.push(Finding::notice(Check::Slack, PLACE, format!("reading is rate limited: {slowed}"), remedy));
    }
    findings
}
