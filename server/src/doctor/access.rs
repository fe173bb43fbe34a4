//! Checks that the service does not accept people whom the kernel cannot identify.

use standing::{Check, Finding, TheLoop};

use crate::access;

pub(super) fn check(the_loop: &TheLoop) -> Option<Finding> {
    let config = the_loop.config();
    let what = access::vouches_too_far(&config.settings.service)?;
    let place = config.path.file().display().to_string();
    Some(Finding::hazard(
        Check::Access,
        place,
        what,
        "set `service.auth.mode: token`, and sign in with `the-loop open`",
    ))
}
