//! What of this machine endangers the service: the hosts' part of what the core's own doctor tells.
//!
//! One check a file. A check looks and tells; it starts nothing and changes nothing.

mod access;
mod port;
mod service;
mod slack;
mod unit;

use standing::{Finding, TheLoop};

/// Every finding, those of the core included, hazards first.
pub(crate) fn examine(the_loop: &TheLoop) -> Vec<Finding> {
    let mut findings = the_loop.doctor();
    findings.extend(access::check(the_loop));
    findings.extend(port::check(the_loop));
    findings.extend(service::check(the_loop));
    findings.extend(slack::check(the_loop));
    findings.extend(unit::check(the_loop));
    findings.sort_by_key(|finding| finding.severity);
    findings
}
