//! Hooks of a launch: the settings that make a harness report what it does.
//!
//! The settings are in a private file, and only the arguments of this launch name it. No file of the user is changed. If
//! the operator's own settings cannot be merged, the harness is started without hooks.

use std::path::Path;

use files::write::{self, Durability};
use harness::{Launch, LaunchSettings, quoted};

use super::plan::Plan;
use crate::{Error, error::storage, hook, lifecycle::Context};

impl Plan<'_> {
    /// Makes the settings of a launch; `None` if the harness has no hooks, runs elsewhere, or its settings cannot be
    /// merged.
    pub(super) fn hooks(&self, context: &Context, launch: &str) -> Option<LaunchSettings> {
        self.made(context, launch)?.ok()
    }

    /// Returns the reason why the settings cannot be made, if they should be.
    pub(super) fn check_hooks(&self, context: &Context) -> Option<String> {
        self.made(context, "check")?.err()
    }

    fn made(&self, context: &Context, launch: &str) -> Option<Result<LaunchSettings, String>> {
        if !self.adapter.runs_here() {
            return None;
        }
        let dir = context.registry.hooks_dir();
        let command =
            command(context.surroundings.exe(), &hook::lines_file(&dir, launch), launch, self.adapter.name())?;
        let file = hook::settings_file(&dir, launch);
        let cross_session = context.settings().routing.cross_session;
        let launch = Launch { hook: &command, file: &file, cross_session };
        self.adapter.launch_settings(&self.place(context), &self.definition.harness_args, &launch)
    }
}

/// Returns the shell command of a hook. It succeeds even if this program was removed since.
fn command(exe: &Path, lines: &Path, launch: &str, harness: &str) -> Option<String> {
    let (exe, lines) = (quoted(exe.to_str()?), quoted(lines.to_str()?));
    Some(format!("[ ! -x {exe} ] || {exe} hook {lines} {launch} {harness} || :"))
}

/// Writes the settings of a launch.
pub(super) fn write(context: &Context, launch: &str, settings: &LaunchSettings) -> Result<(), Error> {
    let path = hook::settings_file(&context.registry.hooks_dir(), launch);
    let text = format!("{:#}\n", settings.content);
    write::create(&path, text.as_bytes(), Durability::Crash)
        .map_err(storage(&path, "could not write the settings of the launch"))
}
