//! Bundles the style sheet: each `@import` of a local file is replaced by that file.
//!
//! Imports of other addresses stay unchanged. A layer of the import (`@import "a.css" layer(base);`) is put around the
//! imported rules. Media conditions are not supported, and refused.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Returns the sheet with everything it imports, in order.
pub(crate) fn bundle(sheet: &Path) -> Result<String> {
    let mut open = Vec::new();
    inline(sheet, &mut open)
}

fn inline(sheet: &Path, open: &mut Vec<PathBuf>) -> Result<String> {
    if open.iter().any(|other| other == sheet) {
        bail!("`{}` imports itself", sheet.display());
    }
    open.push(sheet.to_owned());
    let text = std::fs::read_to_string(sheet).with_context(|| format!("no style sheet at `{}`", sheet.display()))?;
    let mut bundled = String::with_capacity(text.len());
    for line in text.lines() {
        match import(line).with_context(|| format!("in `{}`", sheet.display()))? {
            None => bundled.push_str(line),
            Some(Import { path, layer }) => {
                let body = inline(&sheet.parent().unwrap_or(Path::new("")).join(path), open)?;
                let body = body.trim_end();
                match layer {
                    None => bundled.push_str(body),
                    Some(layer) => bundled.extend(["@layer ", layer, " {\n", body, "\n}"]),
                }
            }
        }
        bundled.push('\n');
    }
    open.pop();
    Ok(bundled)
}

#[derive(Debug, PartialEq, Eq)]
struct Import<'a> {
    path: &'a str,
    layer: Option<&'a str>,
}

/// Parses one line; `None` if it is not an import of a local file.
fn import(line: &str) -> Result<Option<Import<'_>>> {
    let Some(rest) = line.trim().strip_prefix("@import") else { return Ok(None) };
    let unreadable = || format!("not understood: `{}`; write `@import \"file.css\";`", line.trim());
    let rest = rest.trim().strip_suffix(';').with_context(unreadable)?;
    let (target, condition) = if let Some(url) = rest.strip_prefix("url(") {
        url.split_once(')').with_context(unreadable)?
    } else {
        let quote = rest.chars().next().filter(|first| ['"', '\''].contains(first)).with_context(unreadable)?;
        rest[1..].split_once(quote).with_context(unreadable)?
    };
    let path = target.trim_matches(['"', '\'', ' ']);
    if path.contains("://") || path.starts_with('/') {
        return Ok(None);
    }
    let layer = match condition.trim() {
        "" => None,
        condition => {
            Some(condition.strip_prefix("layer(").and_then(|rest| rest.strip_suffix(')')).with_context(unreadable)?)
        }
    };
    Ok(Some(Import { path, layer }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_replaced_in_order_and_nested() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("a parent")).expect("folders");
            std::fs::write(&file, text).expect("written");
            file
        };
        put("base.css", "@import './deep/one.css';\na { b: c }\n");
        put("deep/one.css", "@import url(\"two.css\") layer(two);\n");
        put("deep/two.css", "d { e: f }\n");
        let main = put("main.css", "@layer base;\n@import \"base.css\";\ng { h: i }\n");
        let bundled = bundle(&main).expect("bundled");
        assert_eq!(bundled, "@layer base;\n@layer two {\nd { e: f }\n}\na { b: c }\ng { h: i }\n");
    }

    #[test]
    fn what_cannot_be_bundled_is_refused_not_dropped() {
        for line in ["@import \"a.css\" screen;", "@import \"a.css\"", "@import a.css;", "@import url(a.css"] {
            assert!(import(line).is_err(), "{line}");
        }
        assert_eq!(import("@import 'https://example.org/a.css';").expect("left alone"), None);
        assert_eq!(import("a { b: c }").expect("no import"), None);
    }

    #[test]
    fn a_sheet_that_imports_itself_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let main = folder.path().join("main.css");
        std::fs::write(&main, "@import \"main.css\";\n").expect("written");
        assert!(bundle(&main).expect_err("a circle").to_string().contains("imports itself"));
    }
}
