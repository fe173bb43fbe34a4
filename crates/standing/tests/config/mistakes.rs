//! Each mistake with its place, what was found and what is allowed.

use serde_json::Value;

use crate::{Project, assert_problem, problems};

#[test]
fn mistakes_in_keys() {
    let entry = "standingSessions:\n  sessions:\n    - ";
    assert_problem("standingSession: {}", "1:1 standingSession: unknown key: did you mean `standingSessions`?");
    assert_problem("standing_sessions:", "1:1 standing_sessions: unknown key: did you mean `standingSessions`?");
    assert_problem("sessions: []", "1:1 sessions: unknown key with a list");
    assert_problem("routing: {tmuxx: {}}", "1:11 routing.tmuxx: unknown key: did you mean `tmux`?");
    assert_problem(
        "routing:\n  spawnWorkDir: x",
        "2:3 routing.spawnWorkDir: unknown key: did you mean `spawnWorkdir`?",
    );
    assert_problem("channels: {Slack: {}}", "1:12 channels.Slack: unknown key: did you mean `slack`?");
    assert_problem(
        "standingSessions:\n  enabeld: true\n",
        "2:3 standingSessions.enabeld: unknown key: did you mean `enabled`? allowed here: `enabled`, `agentsMayControl`, `keepMessages` or `sessions`",
    );
    assert_problem(
        format!("{entry}name: a\n      auto_start: false"),
        "4:7 standingSessions.sessions[0].auto_start: unknown key: did you mean `autoStart`? allowed here: `name`, ",
    );
    assert_problem(
        format!("{entry}{{name: a, zzz: 1}}"),
        "3:17 standingSessions.sessions[0].zzz: unknown key; allowed",
    );
    assert_problem(format!("{entry}harness: x"), "3:7 standingSessions.sessions[0].name: required key is missing");
    assert_problem(
        format!("{entry}name: a\n      name: b"),
        "4:7 standingSessions.sessions[0].name: already set at 3:7",
    );
    assert_problem("routing: {}\nrouting: {}\n", "2:1 routing: already set at 1:1");
    assert_problem("state: {[a]: b}", "1:9 : expected a key, found a list or mapping");
    for closed in [
        "state",
        "eventLog",
        "service",
        "service.auth",
        "service.mcp",
        "service.stream",
        "service.cors",
        "channels.slack",
        "channels.slack.read",
        "routing.tmux",
        "routing.harnessTrust",
        "routing.webTerminal",
    ] {
        let text = format!("{}: {{zzzzz: 1{}", closed.replace('.', ": {"), "}".repeat(1 + closed.matches('.').count()));
        let found = problems(&text);
        assert!(found.len() == 1 && found[0].contains(&format!(" {closed}.zzzzz: unknown key; ")), "{text}: {found:?}");
    }
}

#[test]
fn mistakes_in_values() {
    let entry = "standingSessions:\n  sessions:\n    - ";
    let name = "standingSessions.sessions[0].name";
    assert_problem("standingSessions: {enabled: \"yes\"}", "1:29 standingSessions.enabled: expected `true` or `false`");
    assert_problem("standingSessions: []", "1:19 standingSessions: expected a mapping, found a list");
    assert_problem(
        "standingSessions: {sessions: {}}",
        "1:30 standingSessions.sessions: expected a list, found a mapping",
    );
    assert_problem("- a", "1:1 : expected a mapping, found a list");
    assert_problem("hello", "1:1 : expected a mapping, found the string \"hello\"");
    assert_problem("version: 0.5", "1:10 version: expected a string, found the number 0.5: put it in quotes");
    assert_problem(format!("{entry}name: 7"), &format!("3:13 {name}: expected a string, found the number 7"));
    assert_problem(format!("{entry}name:"), &format!("3:7 {name}: expected a string, found nothing"));
    assert_problem(
        format!("{entry}name: Sup"),
        &format!("3:13 {name}: found the string \"Sup\", and 'S' is not allowed"),
    );
    assert_problem(
        format!("{entry}name: \"\""),
        &format!("3:13 {name}: found the string \"\", and a session name is required"),
    );
    assert_problem(format!("{entry}name: {}", "a".repeat(41)), &format!("3:13 {name}: found the string \"aaa"));
    assert_problem(
        format!("{entry}name: \"a\\n\""),
        &format!("3:13 {name}: found the string \"a\\n\", and control characters are not"),
    );
    assert_eq!(problems(format!("{entry}name: {}", "a".repeat(40))), [""; 0]);
    assert_problem(
        format!("{entry}name: a\n      harnessArgs: [x, 1]"),
        "4:24 standingSessions.sessions[0].harnessArgs[1]: expected a string, found the number 1: put it in quotes",
    );
    assert_problem(
        "routing: {tmux: {resumeProbeSeconds: -1}}",
        "1:38 routing.tmux.resumeProbeSeconds: expected a number from 0 to 3600, found the number -1",
    );
    assert_problem(
        "routing: {tmux: {socket: a/b}}",
        "1:26 routing.tmux.socket: expected a tmux socket name of letters, digits",
    );
    assert_problem("routing: {harnesses: {m: {}}}", "1:26 routing.harnesses.m.command: required key is missing");
    assert_problem(
        "routing: {harnesses: {m: {command: []}}}",
        "1:36 routing.harnesses.m.command: expected a list with",
    );
    assert_problem(
        "routing: {harnesses: {claude: {crosSession: ask}}}",
        "1:32 routing.harnesses.claude.crosSession: unknown key",
    );
    assert_problem("routing: {harnesses: {claude: {crossSession: yes}}}", "1:46 routing.harnesses.claude.crossSession");
    assert_problem("routing: {harnesses: {m n: 1}}", "1:28 routing.harnesses[\"m n\"]: expected a mapping");
    assert_problem("routing: {harnessArgs: {m: x}}", "1:28 routing.harnessArgs.m: expected a list");
    assert_problem(
        "service: {port: 65536}",
        "1:17 service.port: expected an integer from 0 to 65535, found the number 65536",
    );
    assert_problem("service: {port: 1.5}", "1:17 service.port: expected an integer, found the number 1.5");
    assert_problem(
        "service: {port: '80'}",
        "1:17 service.port: expected an integer, found the string \"80\": remove the",
    );
    assert_problem("service: {host: ''}", "1:17 service.host: expected a non-empty string");
    assert_problem(
        "service: {auth: {mode: same_user}}",
        "1:24 service.auth.mode: expected `same-user`, `token` or `none`, found the string \"same_user\": did you mean `same-",
    );
    assert_problem(
        "channels: {slack: {read: {intervalSeconds: 4}}}",
        "1:44 channels.slack.read.intervalSeconds: expected an integer from 5 to 86400, found the number 4",
    );
    assert_problem("channels: {slack: {verbosity: loud}}", "1:31 channels.slack.verbosity: expected `quiet`, `normal`");
}

#[test]
fn a_nul_that_would_cut_a_text_off() {
    let nul = "contains a NUL character";
    for (text, place) in [
        ("state: {root: \"a\\0b\"}", "1:15 state.root"),
        ("eventLog: {path: \"\\0\"}", "1:18 eventLog.path"),
        ("routing: {spawnWorkdir: \"a\\0\"}", "1:25 routing.spawnWorkdir"),
        ("routing: {harnessArgs: {demo: [x, \"a\\0\"]}}", "1:35 routing.harnessArgs.demo[1]"),
        ("routing: {harnesses: {m: {command: [\"a\\0b\"]}}}", "1:37 routing.harnesses.m.command[0]"),
        ("standingSessions: {sessions: [{name: a, prompt: \"x\\0\"}]}", "1:49 standingSessions.sessions[0].prompt"),
        ("channels: {slack: {channel: \"C\\0\"}}", "1:29 channels.slack.channel"),
        ("{\"state\": {\"root\": \"a\\u0000b\"}}", "1:20 state.root"),
    ] {
        assert_problem(text, &format!("{place}: {nul}"));
    }
    // What belongs to others is not looked into.
    assert_eq!(problems("webhooks: {x: \"\\0\"}\nrouting: {promptTemplate: \"\\0\"}"), [""; 0]);
    // For `stop`, the default stands in its place.
    let project =
        Project::with("state: {root: \"a\\0b\"}\nstandingSessions: {sessions: [{name: a, cwd: \"\\0\"}, {name: b}]}");
    let settings = project.load().settings;
    assert_eq!(settings.state_root, project.defaults().state_root);
    assert_eq!(settings.sessions.len(), 1);
}

#[test]
fn names_that_the_service_is_to_trust() {
    let hosts = |text: &str| format!("service: {{allowedHosts: ['{text}']}}");
    let origins = |text: &str| format!("service: {{cors: {{allowOrigins: ['{text}']}}}}");
    for bad in ["*", "", "garbage value", "http://a", "a/b", "a:b", "*.example", "[::1", "g:80:90"] {
        assert_problem(hosts(bad), "1:26 service.allowedHosts[0]: expected a host name with an optional port");
    }
    for bad in ["*", "", "garbage value", "http://a/b", "a.example", "http://", "http://a:x", "https://*.a", "null"] {
        assert_problem(origins(bad), "1:33 service.cors.allowOrigins[0]: expected an origin");
    }
    for good in ["a", "Loop.example", "a_b:8443", "10.0.0.1:80", "[::1]", "[::1]:80", "::2", "fe80::1"] {
        assert_eq!(problems(hosts(good)), [""; 0], "{good}");
    }
    for good in ["http://a", "https://Dash.example/", "http://[::1]:80", "http://10.0.0.1:3000", "tauri://localhost"] {
        assert_eq!(problems(origins(good)), [""; 0], "{good}");
    }
}

#[test]
fn mistakes_that_no_schema_sees() {
    let entry = "standingSessions:\n  sessions:\n    - ";
    assert_problem(
        format!("{entry}name: a\n      prompt: x\n      promptFile: y\n"),
        "5:7 standingSessions.sessions[0].promptFile: `prompt` (line 4) and `promptFile` are both set",
    );
    assert_eq!(problems(format!("{entry}name: a\n      prompt: ''\n      promptFile: y\n")), [""; 0]);
    assert_problem(
        format!("{entry}name: a\n    - name: b\n    - name: a\n"),
        "5:13 standingSessions.sessions[2].name: `sessions[0]` (line 3) and `sessions[2]` (line 5)",
    );
}

#[test]
fn mistakes_in_yaml() {
    let tab = "tab in the indentation";
    assert_problem("standingSessions:\n\tenabled: true\n", &format!("2:1 : {tab}"));
    assert_problem("standingSessions:\n  enabled: true\n\tsessions: []\n", &format!("3:1 : {tab}"));
    assert_problem("standingSessions:\n  sessions:\n    - name: a\n    \tcwd: x\n", &format!("4:5 : {tab}"));
    assert_problem("state:\n  root:\tx\n", "2:8 : tab where a space is needed");
    assert_problem("state: {root: \"x}\n", "1:15 : unterminated quoted string");
    assert_problem("state: *x\n", "1:8 : this alias refers to an anchor");
    assert_problem("state: &x {root: *x}\n", "1:18 : this alias refers to a value that contains it");
    assert_problem("state: {}\n---\nstate: {}\n", "2:1 : a second document starts here");
    assert_problem("state:\n  root: a: b\n", "2:10 : unexpected `:`");
    assert_problem(format!("a: {}", "[".repeat(5000)), "1:259 : values are nested more than 64 levels deep");
    assert_problem(b"# caf\xe9\n", "1:6 : not UTF-8 (byte 0xe9)");
}

#[test]
fn a_file_that_would_grow_is_refused() {
    let line = |letter: char, item: &str| format!("{letter}: &{letter} [{}]\n", [item; 9].join(", "));
    let grown = ('a'..'i').zip('b'..'j').map(|(before, letter)| line(letter, &format!("*{before}")));
    let found = problems(line('a', "lol") + &grown.collect::<Vec<_>>().concat());
    let reason = "more than 100000 values, with aliases expanded";
    assert!(found.contains(&format!("6:8 : {reason}")), "{found:?}");
}

#[test]
fn all_mistakes_come_at_once_in_the_order_of_the_file() {
    let text = "service:\n  prot: 1\nstandingSessions:\n  enabled: maybe\n  sessions:\n    - name: A\n    - name: b\n    - \
                name: b\n      promt: x\n    - cwd: /\nstanding: {}\nstat: 1\n";
    let places: Vec<String> =
        problems(text).iter().map(|problem| problem.split_once(": ").expect("a key").0.to_owned()).collect();
    let expected = [
        "2:3 service.prot",
        "4:12 standingSessions.enabled",
        "6:13 standingSessions.sessions[0].name",
        "8:13 standingSessions.sessions[2].name",
        "9:7 standingSessions.sessions[2].promt",
        "10:7 standingSessions.sessions[3].name",
        "12:1 stat",
    ];
    assert_eq!(places, expected);
}

#[test]
fn there_is_an_end_to_mistakes() {
    let text = format!("standingSessions:\n  sessions:\n{}", "    - name: X\n".repeat(300));
    let found = problems(text);
    assert_eq!(found.len(), 101);
    assert!(found[100].contains("there are more errors"), "{}", found[100]);
}

#[test]
fn secrets_are_not_shown() {
    let secret = "xoxb-1234-secret";
    for text in [
        format!("channels: {{slack: {{botTokenEnv: {secret}}}}}"),
        format!("channels: {{slack: {{enabled: {secret}}}}}"),
        format!("botToken: {secret}"),
        format!("routing: {{harnessArgs: {{x: --api-key={secret}}}}}"),
        format!("service: {{port: {}{secret}}}", "s".repeat(60)),
    ] {
        let found = problems(&text);
        assert!(found.len() == 1 && !found[0].contains("secret"), "{found:?}");
    }
}

/// Paths of the numbers of the schema, with their schemas.
fn numbers(schema: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    if ["number", "integer"].iter().any(|kind| schema["type"] == *kind) {
        found.push((path.trim_start_matches('.').to_owned(), schema.clone()));
    }
    for (key, below) in schema["properties"].as_object().into_iter().flatten() {
        numbers(below, &format!("{path}.{key}"), found);
    }
}

#[test]
fn every_number_of_the_schema_has_a_range_and_refuses_infinity_and_nan_in_plain_words() {
    let schema: Value = serde_json::from_str(config::SCHEMA).expect("JSON");
    let mut found = Vec::new();
    numbers(&schema, "", &mut found);
    assert!(found.len() >= 7, "{found:?}");
    for (path, schema) in found {
        let (least, most) = (&schema["minimum"], &schema["maximum"]);
        assert!(least.is_number() && most.is_number(), "{path}: {schema}");
        let kind = if schema["type"] == "integer" { "an integer" } else { "a number" };
        let expected = format!(" {path}: expected {kind} from {least} to {most}, found ");
        for (value, reason) in [
            (".inf", "`.inf`, which is infinite"),
            ("-.INF", "`-.INF`, which is infinite"),
            ("1e999", "`1e999`, which is infinite"),
            (".nan", "`.nan`, which is not a number"),
            ("1e300", "the number 1e+300"),
            ("99999999999999999999", "the number "),
            ("-1", "the number -1"),
        ] {
            let text = format!("{}: {value}{}", path.replace('.', ": {"), "}".repeat(path.matches('.').count()));
            let problems = problems(&text);
            let right = |problem: &String| problem.contains(&format!("{expected}{reason}"));
            assert!(problems.len() == 1 && problems.iter().all(right), "{text}: {problems:?}");
        }
    }
    // Where a text is expected, these are texts.
    assert_eq!(problems("routing: {spawnWorkdir: .inf}"), [""; 0]);
}
