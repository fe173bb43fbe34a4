//! The agents' packages, installed once below the target folder.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use crate::agent::Agent;

/// The folder of the agent's program, installed if it is not there yet.
pub(crate) fn folder(agent: Agent) -> PathBuf {
    let (package, version) = agent.package();
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("agents").join(format!("{}-{version}", agent.name()));
    fs::create_dir_all(&prefix).expect("a folder");
    let bin = prefix.join("node_modules/.bin");
    let complete = prefix.join(".complete");
    // One test process installs, the others wait for it.
    let lock = File::create(prefix.join(".lock")).expect("a lock file");
    lock.lock().expect("the lock");
    if !complete.exists() {
        println!("installing {package}@{version} from npm");
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(&prefix);
        let done = npm.arg(format!("{package}@{version}")).output().expect("npm runs: it comes with Node.js");
        assert!(done.status.success(), "npm: {}", String::from_utf8_lossy(&done.stderr));
        File::create(complete).expect("a file");
    }
    let program = bin.join(agent.name());
    assert!(program.exists(), "{package}@{version} brings no `{}`", agent.name());
    bin
}

/// A PATH with that folder first.
pub(crate) fn path(agent: Agent) -> String {
    let rest = env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(folder(agent)).chain(env::split_paths(&rest));
    env::join_paths(all).expect("no colon in a folder's name").into_string().expect("UTF-8")
}
