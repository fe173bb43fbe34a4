//! Finds the tests in the sources, without building or running them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Returns every test function in these folders, with the module path of its file, as the runner names it.
pub(super) fn tests(folders: &[PathBuf]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in folders {
        walk(folder, &[], &mut found);
    }
    found
}

fn walk(folder: &Path, modules: &[String], found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let mut inner = modules.to_vec();
        inner.push(stem);
        if path.is_dir() {
            walk(&path, &inner, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            for (within, name) in in_text(&text) {
                let whole = inner.iter().map(String::as_str).chain(within).chain([name]);
                found.insert(whole.collect::<Vec<_>>().join("::"));
            }
        }
    }
}

/// Returns the tests of one file, each with the module `tests` if it is in one.
fn in_text(text: &str) -> Vec<(Option<&str>, &str)> {
    let (mut marked, mut within, mut found) = (false, None, Vec::new());
    for line in text.lines() {
        let code = line.trim_start();
        if line.starts_with("mod tests {") {
            within = Some("tests");
        }
        let function = code.strip_prefix("fn ").or_else(|| code.strip_prefix("async fn "));
        if code.starts_with("#[test]") || code.starts_with("#[tokio::test") {
            marked = true;
        } else if let Some(rest) = function {
            if marked && let Some((name, _)) = rest.split_once('(') {
                found.push((within, name));
            }
            marked = false;
        } else if code.starts_with("#[ignore") {
            marked = false;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_from_other_functions() {
        let text = "fn row_1() {}\n#[test]\nfn row_02_a() {\n#[tokio::test(flavor = \"x\")]\nasync fn b() {}\n\
                    #[test]\n#[ignore = \"long\"]\nfn c() {}\nmod tests {\n    #[test]\n    fn d() {}\n}\n";
        assert_eq!(in_text(text), [(None, "row_02_a"), (None, "b"), (Some("tests"), "d")]);
    }
}
