//! schemathesis against the real service: requests made from the document, answers held against it.
//!
//! Needs Python, so it is run by `cargo xtask test`, which installs what it needs.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;
use testkit::{TestHome, TestService};

use crate::app::{SESSIONS, THE_LOOP};

/// Where `cargo xtask test` put the program `st`.
const PROGRAM: &str = "THE_LOOP_SCHEMATHESIS";

/// Requests an operation and phase: enough to meet each rule of its schema, few enough for a minute in all.
const EXAMPLES: &str = "20";

#[test]
#[ignore = "needs schemathesis: `cargo xtask test` installs it and runs this"]
fn schemathesis_finds_nothing() {
    let program = PathBuf::from(env::var_os(PROGRAM).expect("`cargo xtask test` says where schemathesis is"));
    let home = TestHome::builder().exe(THE_LOOP).declare(json!({ "name": "ops" })).build();
    let service = TestService::start(THE_LOOP, &home);
    let post = |verb: &str, body| service.http().post(&format!("{SESSIONS}/{verb}"), &body).json();
    assert_eq!(post("control", json!({ "name": "ops", "verb": "start" }))["ok"], true);
    assert_eq!(post("create", json!({ "name": "spare" }))["ok"], true);

    let address = format!("http://{}", service.http().authority());
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemathesis.toml");
    let mut command = Command::new(program);
    command.arg("--config-file").arg(config).arg("run").arg(format!("{address}/api/openapi.json"));
    command.args(["--checks", "all", "--phases", "examples,coverage,fuzzing", "--max-examples", EXAMPLES]);
    // It keeps its finds below the folder it is run in.
    command.env("THE_LOOP_BASE_URL", &address).current_dir(home.path());
    let ended = command.status().expect("schemathesis runs");
    assert!(ended.success(), "schemathesis ended with {ended}; what it found is above");

    // Whatever was asked for, the service is still up and holds its record.
    assert_eq!(service.http().get("/health").status, 200);
    assert_eq!(service.http().get(&format!("{SESSIONS}/one?name=ops")).status, 200);
    // The sessions that it made end with the private tmux of the home.
}
