//! Settings that are still read from a file with mistakes in it. `stop` uses them.

use std::time::Duration;

use crate::Project;

/// `stop` must find the state and the tmux server whatever has become of the declaration.
#[test]
fn what_can_be_understood_of_a_broken_file_counts() {
    let around = |broken: &str| {
        format!("state:\n  root: kept\n{broken}\nrouting:\n  tmux:\n    socket: kept\n    resumeProbeSeconds: x\n")
    };
    for broken in [
        "standingSessions:\n\tenabled: true",
        "standingSessions:\n  sessions: [{name: \"a}]",
        "standingSessions:\n  sessions:\n    - name: a\n   - name: b",
        "standingSessions: {sessions: [{name: a}",
        "standingSessions: *x",
        "standingSessions: 7",
        "standingSessions:\n  sessions: &x [*x]",
        "? [a",
        "'standingSessions': }",
    ] {
        let project = Project::with(around(broken));
        let loaded = project.load();
        assert!(loaded.standing().is_err(), "{broken}");
        assert_eq!(loaded.settings.state_root, project.dir.path().join("kept"), "{broken}");
        let tmux = &loaded.settings.routing.tmux;
        assert_eq!((tmux.socket.as_str(), tmux.probe), ("kept", Duration::from_secs(2)), "{broken}");
        assert!(loaded.problems.iter().any(|problem| problem.key == "routing.tmux.resumeProbeSeconds"), "{broken}");
    }
    let json = "{\n  \"state\": {\"root\": \"kept\"},\n  \"standingSessions\": {\"sessions\": [{\"name\": \"a\" \"b\"}]},\n  \
                \"routing\": {\"tmux\": {\"socket\": \"kept\"}}\n}\n";
    let loaded = Project::with(json).load();
    assert_eq!((loaded.problems.len(), loaded.problems[0].line), (1, Some(3)));
    assert!(loaded.settings.state_root.ends_with("kept") && loaded.settings.routing.tmux.socket == "kept");
}

#[test]
fn good_entries_beside_bad_ones_are_kept() {
    let text = "state: {root: 5}\nstandingSessions:\n  enabled: true\n  sessions:\n    - name: good\n    - name: Bad\n    - \
                name: typo\n      promt: x\n    - name: both\n      prompt: x\n      promptFile: y\n    - name: good\n    - 7\n    \
                - name: fine\n";
    let project = Project::with(text);
    let loaded = project.load();
    let names: Vec<&str> = loaded.settings.sessions.iter().map(|session| session.name.as_str()).collect();
    assert_eq!(names, ["good", "fine"]);
    assert_eq!(loaded.settings.state_root, project.defaults().state_root);
    assert!(loaded.settings.standing_enabled);
}
