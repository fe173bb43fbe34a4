//! Check that the harnesses in use can start: every session's harness and the default one.

use std::{collections::BTreeMap, path::PathBuf};

use harness::find_program;
use wire::{Check, Finding};

use super::CheckContext;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let default = patient.settings().routing.default_harness.clone();
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut findings = Vec::new();
    for definition in patient.definitions() {
        let adapter = patient.context.harness(&definition.harness).ok();
        if let Some(Err(reason)) = adapter.map(|adapter| adapter.check_args(&definition.harness_args)) {
            let place = format!("session `{}`", definition.name);
            let remedy = "change `harnessArgs`: the session cannot start with them";
            findings.push(Finding::hazard(Check::Harness, place, reason, remedy));
        }
        wanted.entry(definition.harness).or_default().push(format!("session `{}`", definition.name));
    }
    wanted.entry(default.clone()).or_default().push("the default harness".to_owned());
    findings.extend(wanted.iter().filter_map(|(harness, who)| missing(patient, harness, &who.join(", "))));
    findings
}

fn missing(patient: &CheckContext<'_>, name: &str, who: &str) -> Option<Finding> {
    let place = format!("harness `{name}` ({who})");
    let adapter = match patient.context.harness(name) {
        Ok(adapter) => adapter,
        Err(reason) => {
            let remedy = "use another harness, or define this one under `routing.harnesses`";
            return Some(Finding::hazard(Check::Harness, place, reason, remedy));
        }
    };
    let context = patient.context;
    let mut needed = std::iter::once(adapter.program()).chain(adapter.program_behind());
    let found = |program| find_program(program, context.config.path.project_dir(), &context.surroundings);
    let missing = needed.find_map(|program| found(program).err().map(|reason| (program, reason)));
    let Some((program, reason)) = missing else {
        let remedy = "the-loop then handles trust, screen and conversation as for that harness (docs/harnesses.md)";
        return adapter.hint().map(|hint| Finding::notice(Check::Harness, place, hint, remedy));
    };
    let what = reason.strip_suffix(": install it, or use another harness").unwrap_or(&reason).to_owned();
    if let Some(found) = installed(patient, program) {
        let dir = found.parent().unwrap_or(&found).display().to_string();
        let what = format!("{what}; it was found at {}, which is not on PATH", found.display());
        let remedy = format!("add the directory to PATH where the-loop is started: `export PATH=\"{dir}:$PATH\"`");
        return Some(Finding::hazard(Check::Harness, place, what, remedy));
    }
    let remedy = "install it or add it to PATH, or use another harness (`routing.defaultHarness`, or the session's \
                  `harness`); `demo` is always available";
    Some(Finding::hazard(Check::Harness, place, what, remedy))
}

/// Folders below the home directory where the vendors' own installers and package managers put programs. A `*` stands
/// for every folder at that place.
const BELOW_HOME: [&str; 19] = [
    ".claude/local",
    ".local/bin",
    ".npm-global/bin",
    ".npm-packages/bin",
    "node_modules/.bin",
    ".codex/bin",
    ".cursor/bin",
    ".opencode/bin",
    ".gemini/bin",
    ".bun/bin",
    ".deno/bin",
    ".volta/bin",
    ".cargo/bin",
    ".asdf/shims",
    ".yarn/bin",
    ".local/share/mise/shims",
    ".local/share/pnpm",
    ".nvm/versions/node/*/bin",
    ".local/share/fnm/node-versions/*/installation/bin",
];

/// Folders outside the home directory where installers put programs.
const ELSEWHERE: [&str; 5] =
    ["/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin", "/usr/local/share/npm/bin"];

/// Finds an installed program that is not on PATH.
fn installed(patient: &CheckContext<'_>, program: &str) -> Option<PathBuf> {
    let here = &patient.context.surroundings;
    if program.contains('/') {
        return None;
    }
    let below = here.home().into_iter().flat_map(|home| BELOW_HOME.iter().flat_map(|dir| expanded(home, dir)));
    below
        .chain(ELSEWHERE.iter().map(PathBuf::from))
        .map(|dir| dir.join(program))
        .find(|path| find_program(&path.to_string_lossy(), here.cwd(), here).is_ok())
}

fn expanded(home: &std::path::Path, dir: &str) -> Vec<PathBuf> {
    let Some((before, after)) = dir.split_once("/*/") else { return vec![home.join(dir)] };
    let folders = std::fs::read_dir(home.join(before)).into_iter().flatten().flatten();
    folders.map(|folder| folder.path().join(after)).collect()
}
