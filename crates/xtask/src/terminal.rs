//! Files of the terminal on the page: xterm.js from npm as it is published, and the module that connects it. There is
//! no bundler: each file is an ES module, and a browser loads them only on the page of a terminal.

use std::fs;

use anyhow::{Context, Result};

use crate::npm;
use crate::on_path;
use crate::project::Project;
use crate::step::say;

/// Name in the bundle, and file below the packages of npm.
const PUBLISHED: [(&str, &str); 2] =
    [("xterm.js", "@xterm/xterm/lib/xterm.mjs"), ("xterm-fit.js", "@xterm/addon-fit/lib/addon-fit.mjs")];

/// Style sheet of xterm.js, below the packages of npm.
const SHEET: &str = "@xterm/xterm/css/xterm.css";

/// True for a file of the terminal, by its name in the bundle.
pub(crate) fn is_file(name: &str) -> bool {
    ["terminal.js", "terminal.css"].contains(&name) || PUBLISHED.iter().any(|(published, _)| *published == name)
}

/// Returns the files by their names in the bundle. Without npm there are none: the page has no terminal then, and
/// everything else works.
pub(crate) fn files(project: &Project) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let folder = project.root.join("frontend/terminal");
    let is_installed = folder.join("node_modules/.installed-from").is_file();
    if !is_installed && on_path::find(&["npm"]).is_none() {
        say("no `npm` on PATH: building without the terminal");
        return Ok(Vec::new());
    }
    if let Err(error) = npm::install(project, &folder) {
        say(format_args!("{error:#}: building without the terminal"));
        return Ok(Vec::new());
    }
    let read = |path: &str| {
        let file = folder.join(path);
        fs::read_to_string(&file).with_context(|| format!("could not read `{}`", file.display()))
    };
    let mut files = Vec::new();
    for (name, path) in PUBLISHED {
        files.push((name, without_map(&read(&format!("node_modules/{path}"))?).into_bytes()));
    }
    files.push(("terminal.js", read("terminal.js")?.into_bytes()));
    let sheet = read(&format!("node_modules/{SHEET}"))? + "\n" + &read("terminal.css")?;
    files.push(("terminal.css", sheet.into_bytes()));
    Ok(files)
}

/// Removes the line that names the source map, which is not part of the site.
fn without_map(script: &str) -> String {
    let lines = script.lines().filter(|line| !line.starts_with("//# sourceMappingURL="));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_does_not_name_a_map_that_is_not_there() {
        assert_eq!(without_map("let a;\n//# sourceMappingURL=a.mjs.map\n"), "let a;\n");
        assert_eq!(without_map("let a; //# not a line of its own\n"), "let a; //# not a line of its own\n");
    }
}
