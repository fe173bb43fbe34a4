//! The brief reaches the agent whatever stands before it, options that take a list or may take a value included.

use std::fs;

use standing::{CreateRequest, Outcome};

use crate::{
    agent::Agent,
    stage::{Stage, wait_for},
};

pub(crate) fn brief(agent: Agent) {
    for args in agent.greedy() {
        let stage = Stage::new(agent);
        fs::create_dir_all(stage.home.path().join("lib")).expect("a folder");
        fs::write(stage.home.work().join("m.json"), r#"{"mcpServers": {}}"#).expect("a file");
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let request = CreateRequest {
            harness_args: Some(args.clone()),
            prompt: "--mark-of-the-brief /help @file !ls".to_owned(),
            ..CreateRequest::named("ops")
        };
        let row = stage.create_with(&request);
        assert_eq!(row.outcome, Some(Outcome::Started), "{args:?}: {row:?}");
        wait_for(&format!("the brief to be taken with {args:?}"), || {
            let kept = stage.transcripts(&row.harness_session_id);
            kept.iter().any(|path| holds(path, "--mark-of-the-brief /help @file !ls")).then_some(())
        });
        stage.delete("ops");
    }
}

/// A database keeps its newest pages in a file beside it.
fn holds(path: &std::path::Path, text: &str) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}
