//! The tokens are nowhere but in the service's own memory and environment.

use std::{fs, path::Path};

use testkit::{Fault, StubSlack, marked};

use crate::stage::{ANN, Stage, THE_LOOP, done, in_slack};

fn holds_a_token(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.contains("s3cret") || text.contains(StubSlack::BOT_TOKEN) || text.contains(StubSlack::APP_TOKEN)
}

fn search(dir: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            search(&path, found);
        } else if fs::read(&path).is_ok_and(|bytes| holds_a_token(&bytes)) {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn no_token_is_told_anywhere() {
    let stage = Stage::new();
    stage.slack.fail("auth.test", [Fault::Refused("invalid_auth"), Fault::Lost]);
    let service = testkit::TestService::start_with(THE_LOOP, &stage.home, |command| {
        command.envs(stage.slack.vars()).env("THE_LOOP_LOG", "trace");
    });
    done(&service.http(), "create", &in_slack("ops"));
    // The first refusal is mended only after minutes, by the product's own pace: what it told is what counts.
    testkit::wait_for("the refusal to be told", || {
        stage.status()["problem"].as_str().unwrap_or_default().contains("invalid or revoked token").then_some(())
    });
    drop(service);
    let service = testkit::TestService::start_with(THE_LOOP, &stage.home, |command| {
        command.envs(stage.slack.vars()).env("THE_LOOP_LOG", "trace");
    });
    stage.until_it_hears();
    let thread = stage.thread("ops");
    stage.slack.cut();
    let ts = stage.slack.reply(&thread, ANN, "hello");
    stage.marked(&ts, "white_check_mark");
    let told = stage.the_loop(&["channels", "status"]);
    assert!(!holds_a_token(&told.stdout) && !holds_a_token(&told.stderr));

    assert!(!holds_a_token(service.log().as_bytes()), "the log holds a token");
    assert!(!service.log().contains("/link/"), "the socket's address is a ticket");
    let mut found = Vec::new();
    search(stage.home.path(), &mut found);
    assert_eq!(found, Vec::<String>::new());
    for (pid, command_line) in marked(stage.home.marker()) {
        assert!(!holds_a_token(command_line.as_bytes()), "{command_line}");
        if u32::try_from(pid) != Ok(service.pid()) {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            assert!(!holds_a_token(&environment), "the environment of {command_line}");
        }
    }
    let server = stage.home.tmux().run(&["show-environment", "-g"]);
    assert!(!holds_a_token(&server.stdout));
}
