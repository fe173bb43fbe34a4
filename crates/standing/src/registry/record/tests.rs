use proptest::prelude::*;

use super::*;

fn name() -> SessionName {
    SessionName::parse("ops").expect("valid")
}

#[test]
fn a_record_of_another_program_loads_and_its_unknown_keys_survive() {
    let text = r#"{
  "name": "ops", "harness": "claude", "harnessSessionId": "c1", "cwd": "/p", "tmuxTarget": "elsewhere",
  "status": "running", "createdAt": "2026-01-02T03:04:05Z", "startedAt": "", "lastMessageAt": "",
  "slackChannel": "", "slackThread": "", "description": "d", "harnessArgs": ["-x"], "prompt": "p",
  "slackEnabled": false, "theirs": {"deep": [1, 2]}
}"#;
    let record = Record::parse(text, &name()).expect("loads");
    assert!(record.auto_start, "a missing autoStart is true");
    assert_eq!(record.tmux_target, "loop-standing-ops", "the target is never trusted");
    let written: Value = serde_json::from_str(&record.to_json()).expect("JSON");
    assert_eq!(written["theirs"]["deep"][1], 2);
    assert_eq!(written["harnessArgs"][0], "-x");
    assert!(record.to_json().starts_with("{\n  \"name\""));
    assert!(record.to_json().ends_with("}\n"));
}

#[test]
fn what_is_no_record_is_refused_with_its_place() {
    for (text, part) in [
        ("", "empty"),
        ("{\"name\": \"ops\",", "line 1 column 15"),
        ("{\"name\": \"other\"}", "`other`"),
        ("{\"name\": \"ops\", \"format\": 99}", "newer"),
        ("{\"name\": \"ops\", \"autoStart\": \"yes\"}", "line 1"),
    ] {
        let error = Record::parse(text, &name()).expect_err(text);
        assert!(error.contains(part), "{error:?} lacks {part:?}");
    }
}

#[test]
fn a_copy_that_is_too_long_lists_what_it_lacks() {
    let mut record = Record::new(&name(), "2026-01-02T03:04:05Z".to_owned());
    record.harness_session_id = "c1".to_owned();
    record.description = "d".repeat(300);
    record.harness_args = vec!["a".repeat(300)];
    record.env = (0..50).map(|n| (format!("VARIABLE_{n}"), Some("v".to_owned()))).collect();
    let copy = |limit| Record::parse(&record.in_brief(limit).expect("short enough"), &name()).expect("loads");
    let whole = record.in_brief(9999).expect("short enough").len();
    let besides_env = |limit| copy(limit).left_out.expect("listed").split_off(50);
    assert_eq!(besides_env(whole), [] as [&str; 0]);
    assert_eq!(besides_env(whole - 1), ["description"]);
    assert_eq!(besides_env(whole - 299), ["description", "harnessArgs"]);
    let short = copy(whole - 900);
    assert_eq!(short.left_out.expect("listed"), WITHOUT_NAMES);
    assert_eq!(short.harness_session_id, "c1");
}

/// Builds a record with every key.
fn whole() -> Value {
    serde_json::json!({
        "name": "ops", "harness": "claude", "harnessSessionId": "c1", "cwd": "/p", "tmuxTarget": "loop-standing-ops",
        "status": "running", "createdAt": "2026-01-02T03:04:05Z", "startedAt": "", "lastMessageAt": "",
        "slackChannel": "C1", "slackThread": "1.2", "description": "d", "harnessArgs": ["-x"], "prompt": "p",
        "autoStart": true, "slackEnabled": false, "format": 1, "origin": "created", "phase": "running",
        "harnessArgsInherited": false, "loopId": "l1", "spawnedAt": "2026-01-02T03:04:05Z",
        "process": {"pid": 7, "startTicks": 8, "bootId": "b"},
        "pending": {"sessionId": "c2", "harness": "claude", "cwd": "/p"}, "formerSessionIds": ["c0"], "theirs": [1],
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-zA-Z]{0,8}", inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Checks that a readable file reads the same after a rewrite, and that an unreadable one gives an error text.
fn reads_well(text: &str) -> Result<Option<Record>, TestCaseError> {
    match Record::parse(text, &name()) {
        Ok(record) => {
            // A record is always written in the private format, whatever it was read from.
            let record = Record { format: FORMAT, ..record };
            prop_assert_eq!(&Record::parse(&record.to_json(), &name()).expect("as it was written"), &record);
            Ok(Some(record))
        }
        Err(error) => {
            prop_assert!(!error.is_empty() && !error.contains('\n'), "{error:?}");
            Ok(None)
        }
    }
}

proptest! {
    #[test]
    fn any_file_is_read_without_a_panic(text in ".{0,300}") {
        reads_well(&text)?;
    }

    #[test]
    fn a_record_with_any_value_anywhere_is_refused_or_keeps_all_the_rest(
        at in any::<proptest::sample::Index>(),
        value in any_value(),
    ) {
        let mut text = whole();
        let fields = text.as_object_mut().expect("an object");
        let key = at.get(&fields.keys().cloned().collect::<Vec<_>>()).clone();
        fields.insert(key.clone(), value);
        if let Some(record) = reads_well(&text.to_string())? {
            let written: Value = serde_json::from_str(&record.to_json()).expect("JSON");
            for kept in ["harnessSessionId", "loopId", "formerSessionIds", "pending", "theirs", "process"] {
                prop_assert!(kept == key || written[kept] == text[kept], "{kept}, after {key}: {written}");
            }
        }
    }

    #[test]
    fn a_record_that_was_cut_or_edited_is_refused_or_read_as_it_stands(
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), 0..9_usize, ".{0,5}"), 1..4),
    ) {
        let mut bytes = serde_json::to_vec_pretty(&whole()).expect("JSON");
        for (at, cut, put) in edits {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            let end = (at + cut).min(bytes.len());
            bytes.splice(at..end, put.into_bytes());
        }
        reads_well(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn half_a_record_is_none(length in any::<proptest::sample::Index>()) {
        let text = whole().to_string();
        prop_assert!(Record::parse(&text[..length.index(text.len())], &name()).is_err());
    }

    #[test]
    fn a_record_reads_back_as_written(id in "[a-f0-9-]{0,36}", prompt in ".{0,80}", args in proptest::collection::vec(".{0,12}", 0..4)) {
        let mut record = Record::new(&name(), "2026-01-02T03:04:05Z".to_owned());
        record.harness_session_id = id;
        record.prompt = prompt;
        record.harness_args = args;
        prop_assert_eq!(Record::parse(&record.to_json(), &name()).expect("reads"), record);
    }
}
