//! Whatever stands in the file, reading it ends well.

use proptest::prelude::*;

use crate::{Project, keys::EVERY_KEY};

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let loaded = Project::with(bytes).load();
        prop_assert_eq!(loaded.standing().is_err(), !loaded.problems.is_empty());
    }

    #[test]
    fn no_edit_is_too_strange(edits in prop::collection::vec((any::<prop::sample::Index>(), 0..9_usize, edit()), 1..6)) {
        let mut bytes = EVERY_KEY.as_bytes().to_vec();
        for (at, cut, inserted) in edits {
            let at = at.index(bytes.len());
            let end = (at + cut).min(bytes.len());
            bytes.splice(at..end, inserted.into_bytes());
        }
        let lines = String::from_utf8_lossy(&bytes).lines().count();
        let loaded = Project::with(bytes).load();
        for problem in &loaded.problems {
            let line = problem.line.unwrap_or(1);
            prop_assert!(line <= lines + 1, "{problem}");
            prop_assert!(!problem.to_string().contains('\n'), "{problem}");
        }
    }

    /// Whatever stands in the block of the sessions, the blocks around it count.
    #[test]
    fn no_block_spoils_another(lines in prop::collection::vec("[ -~]{0,30}", 0..6)) {
        let body = lines.iter().fold(String::new(), |body, line| body + "  " + line + "\n");
        let project = Project::with(format!("state: {{root: kept}}\nstandingSessions:\n{body}routing: {{tmux: {{socket: kept}}}}\n"));
        let settings = project.load().settings;
        prop_assert_eq!(settings.state_root, project.dir.path().join("kept"));
        prop_assert_eq!(settings.routing.tmux.socket, "kept");
    }

    /// The place of a mistake is where it was put, in either style and whatever stands around it.
    #[test]
    fn mistakes_are_where_they_are(before in 0..20_usize, blank in 0..5_usize, flow in any::<bool>(), deep in 4..12_usize) {
        let indent = " ".repeat(deep);
        let entry = |name: String| if flow { format!("{indent}- {{name: {name}}}\n") } else { format!("{indent}- name: {name}\n") };
        let good: String = (0..before).map(|index| entry(format!("s{index}"))).collect();
        let text = format!("standingSessions:\n  sessions:\n{good}{}{}{}", "# é\n".repeat(blank), entry("Bad".to_owned()), entry("z".to_owned()));
        let loaded = Project::with(text).load();
        prop_assert_eq!(loaded.problems.len(), 1);
        let problem = &loaded.problems[0];
        let column = deep + 9 + usize::from(flow);
        prop_assert_eq!((problem.line, problem.column), (Some(3 + before + blank), Some(column)));
        prop_assert_eq!(&problem.key, &format!("standingSessions.sessions[{before}].name"));
    }
}

/// What an edit puts in: the words and marks that mean something, and some that mean nothing.
fn edit() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "\t", "\n", "- ", ": ", "? ", "{", "}", "[", "]", "&a ", "*a", "<<: ", "!!int ", "|\n", "\"", "'", "#",
            "---\n", ".nan", "1e999", "null", "name: ", "\u{feff}", "\r", "%", "\\", "é",
        ])
        .prop_map(str::to_owned),
        ".{0,5}",
    ]
}
