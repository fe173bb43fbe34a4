//! `the-loop stop` with a config that cannot be read or used.

use serde_json::json;
use testkit::TestHome;

use super::Home;
use crate::app::THE_LOOP;

#[test]
fn a_config_that_was_named_and_is_not_there_is_not_taken_for_nothing_to_stop() {
    let home =
        TestHome::builder().exe(THE_LOOP).declare(json!({ "name": "ops" })).set("/state/root", json!("elsewhere"));
    let home = Home::of(home.build());
    assert_eq!(home.run(&["standing", "start", "ops"]).code, 0);
    let gone = home.home.path().join("gone.yaml").display().to_string();
    for args in [&["stop"][..], &["stop", "--service-only"], &["standing", "stop"], &["standing", "stop", "ops"]] {
        let said = home.run(&[&["--config", &gone], args].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {said:#?}");
        assert!(said.err.contains(&format!("{gone}: no such file")), "{args:?}: {}", said.err);
    }
    // A mistake in one that can be read is told, and what can be understood says where the sessions are.
    home.home.reconfigure("/service/port", json!("x"));
    let said = home.run(&["standing", "stop"]);
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.out.contains("ops  stopped") && said.err.contains("`service.port`"), "{said:#?}");
    let said = home.run(&["stop"]);
    assert!(said.code == 0 && said.err.contains("`service.port`"), "{said:#?}");
}
