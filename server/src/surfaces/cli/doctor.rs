//! `the-loop doctor`: reports problems of this machine that could affect the sessions or the service, with their
//! remedies.

use serde::Serialize;
use standing::{Check, Finding, Severity, TheLoop};

use super::{
    Output, Refusal, document,
    output::{BAD, BOLD, DIM, Format, GOOD, WARN, paint},
    sanitize,
};
use crate::doctor;

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop doctor
  the-loop doctor --format json

Checks tmux, the config, the harnesses, all sessions and records, the state directory, the locale,
the clock, the port, the service and systemd. Nothing is started or changed.
Exit status: 0 no hazards (there may be notices); 1 hazards found; 2 invalid arguments or config.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Result of the checks.
#[derive(Debug, Serialize)]
struct Diagnosis {
    findings: Vec<Finding>,
    ok: bool,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let findings = doctor::examine(the_loop);
    let hazards = findings.iter().filter(|finding| finding.severity == Severity::Hazard).count();
    let of_config = |finding: &Finding| finding.check == Check::Config && finding.severity == Severity::Hazard;
    let unusable = findings.iter().any(of_config);
    match args.format {
        Format::Json => output.out(&document(&Diagnosis { findings, ok: hazards == 0 })?),
        Format::Text => output.out(&text(&findings, hazards)),
    }
    Ok(if unusable { 2 } else { u8::from(hazards > 0) })
}

fn text(findings: &[Finding], hazards: usize) -> String {
    let paragraphs: String = findings.iter().map(paragraph).collect();
    let notices = findings.len() - hazards;
    let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let verdict = match (hazards, notices) {
        (0, 0) => format!("{}\n", paint(GOOD, "no problems found")),
        (0, _) => format!("{}, {}\n", paint(GOOD, "no hazards found"), count(notices, "notice")),
        (_, 0) => format!("{}\n", paint(BAD, count(hazards, "hazard"))),
        (..) => format!("{}, {}\n", paint(BAD, count(hazards, "hazard")), count(notices, "notice")),
    };
    paragraphs + &verdict
}

/// Formats a finding, followed by an empty line.
fn paragraph(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Hazard => paint(BAD, "hazard"),
        Severity::Notice => paint(WARN, "notice"),
    };
    let line = |text: &str| sanitize::text(text).replace('\n', "\n        ");
    format!(
        "{severity}  {}  {}\n        {}\n        {} {}\n\n",
        paint(BOLD, finding.check.as_str()),
        line(&finding.place),
        line(&finding.what),
        paint(DIM, "->"),
        line(&finding.remedy)
    )
}
