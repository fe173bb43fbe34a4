//! Row 28: the daemon restarted. Under a real user unit it is in the service's own tests, which have the program.

use standing::{CreateRequest, Outcome};
use testkit::assert_nothing_spawned;

use crate::stage::{begin, event_names, home};

#[test]
fn row_28_a_service_that_comes_back_finds_its_sessions_running_and_announces_none_again() {
    let home = home();
    let first = home.the_loop();
    let row = begin(&first, &CreateRequest { slack_enabled: true, ..CreateRequest::named("ops") });
    first.standing().bind_thread("ops", "C1", "1.000001").expect("bound");
    drop(first);
    let second = home.the_loop();
    let report = assert_nothing_spawned(&home, || second.standing().start_auto().expect("a report"));
    let found = &report.sessions[0];
    assert_eq!((found.outcome, found.pid), (Some(Outcome::AlreadyRunning), row.pid));
    // A thread that is bound is what keeps it from being announced.
    assert_eq!(found.slack_thread, "1.000001");
    let bound = second.standing().bind_thread("ops", "C1", "2.000002").expect("told");
    assert_eq!(bound.slack_thread, "1.000001");
    assert_eq!(event_names(&home), ["standing.created", "standing.started"]);
}
