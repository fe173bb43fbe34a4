//! Programs of others against the real service: the original's own command line, and the MCP inspector.
//!
//! Both come from their registries, so they are run by `cargo xtask test --interop`, which installs them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use testkit::{TestHome, TestService};

use crate::app::{SESSIONS, Said, THE_LOOP};

fn program(variable: &str) -> PathBuf {
    PathBuf::from(env::var_os(variable).expect("`cargo xtask test --interop` says where the program is"))
}

#[test]
#[ignore = "needs the original's command line: `cargo xtask test --interop` installs it and runs this"]
#[expect(clippy::print_stdout, reason = "what another program said is the point of the test")]
fn the_originals_command_line_works_against_this_service() {
    let original = program("THE_LOOP_ORIGINAL");
    let home = TestHome::builder().exe(THE_LOOP).set("/service/auth/mode", json!("none")).build();
    let service = TestService::start(THE_LOOP, &home);
    let client = home.path().join("client");
    fs::create_dir_all(client.join(".the-loop")).expect("a folder");
    let port = service.http().authority().rsplit_once(':').expect("a port").1.to_owned();
    let config = format!("version: \"0.5.0\"\nservice: {{host: 127.0.0.1, port: {port}}}\n");
    fs::write(client.join(".the-loop/cli-config.yaml"), config).expect("a config");
    let standing = |args: &[&str], code: i32, part: &str| {
        let mut command = home.command(&original);
        let said = Said::of(&command.arg("standing").args(args).current_dir(&client).output().expect("it runs"));
        println!("$ the-loop standing {}\n{}{}", args.join(" "), said.out, said.err);
        assert_eq!(said.code, code, "{args:?}: {said:?}");
        assert!(said.out.contains(part) || said.err.contains(part), "{args:?}: {said:?}");
    };
    standing(&["list"], 0, "no standing sessions");
    standing(&["create", "ops", "--harness", "demo"], 0, "started");
    standing(&["list"], 0, "loop-standing-ops");
    standing(&["say", "ops", "--text", "hello from the original"], 0, "submitted");
    standing(&["stop", "ops"], 0, "stopped");
    standing(&["say", "ops", "--text", "too late"], 1, "the-loop standing start ops");
    standing(&["start", "ops"], 0, "resumed");
    standing(&["restart", "ops"], 0, "resumed");
    standing(&["delete", "ops"], 0, "deleted");
    standing(&["list"], 0, "no standing sessions");
    // It was the service that did it all.
    let sources: Vec<_> = home.events().iter().map(|event| event["source"].clone()).collect();
    assert!(sources.len() > 5 && sources.iter().all(|source| source == "service"), "{sources:?}");
}

#[test]
#[ignore = "needs the MCP inspector: `cargo xtask test --interop` installs it and runs this"]
fn the_inspector_lists_and_calls_the_tools() {
    let inspector = program("THE_LOOP_MCP_INSPECTOR");
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let made = service.http().post(&format!("{SESSIONS}/create"), &json!({ "name": "ops" }));
    assert_eq!(made.json()["ok"], true, "{made:?}");
    let address = format!("http://{}/mcp", service.http().authority());
    let ask = |args: &[&str]| -> Value {
        let output = inspect(&home, &inspector, &address, args);
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = serde_json::Deserializer::from_str(&out).into_iter().next();
        first.and_then(Result::ok).unwrap_or_else(|| panic!("{args:?}: {output:?}"))
    };
    assert_eq!(ask(&["tools/list"])["tools"].as_array().expect("a list").len(), 3);
    let listed = ask(&["tools/call", "--tool-name", "list_standing_sessions"]);
    assert_eq!(listed["structuredContent"]["sessions"][0]["name"], "ops");
    let say = ["tools/call", "--tool-name", "say_to_standing_session", "--tool-arg"];
    let said = ask(&[&say[..], &["name=ops", "--tool-arg", "text=hello"]].concat());
    assert_eq!(said["structuredContent"]["delivered"], true, "{said}");
    let refused = ask(&[&say[..], &["name=nobody", "--tool-arg", "text=hello"]].concat());
    assert_eq!(refused["isError"], true, "{refused}");
}

fn inspect(home: &TestHome, inspector: &Path, address: &str, args: &[&str]) -> std::process::Output {
    let mut command: Command = home.command(inspector);
    command.args(["--cli", address, "--transport", "http", "--method"]).args(args).output().expect("it runs")
}
