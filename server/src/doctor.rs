//! Checks this machine for problems that could affect the service, in addition to the core's own checks.
//!
//! Each check has its own file. A check reads and reports; it starts nothing and changes nothing.

mod access;
mod port;
mod service;
mod slack;
mod terminal;
mod unit;

use standing::{Finding, TheLoop};

use crate::surfaces::notify;

/// Returns every finding, including the core's, hazards first.
pub(crate) fn examine(the_loop: &TheLoop) -> Vec<Finding> {
    let mut findings = the_loop.doctor();
    findings.extend(access::check(the_loop));
    findings.extend(port::check(the_loop));
    findings.extend(service::check(the_loop));
    findings.extend(slack::check(the_loop));
    findings.extend(notify::check(the_loop));
    findings.extend(terminal::check(the_loop));
    findings.extend(unit::check(the_loop));
    findings.sort_by_key(|finding| finding.severity);
    findings
}
