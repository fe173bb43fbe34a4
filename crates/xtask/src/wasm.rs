//! Builds the WASM half: from the front-end package to the files that the server embeds.

pub(crate) mod bindgen;
pub(crate) mod compile;
pub(crate) mod precompress;
pub(crate) mod shorten;
pub(crate) mod target;

use anyhow::Result;

use crate::notes::Notes;
use crate::project::Project;
use crate::site::{self, Site};
use crate::step::say;
use crate::style;
use crate::terminal;

/// Target of the WASM half.
pub(crate) const TRIPLE: &str = "wasm32-unknown-unknown";

/// Updates the site folder; changes nothing if it is up to date.
pub(crate) fn build(project: &Project) -> Result<()> {
    let mut notes = Notes::open(project);
    let compiler = target::find_or_make(project, &mut notes)?;
    let module = compile::compile(project, &compiler, &mut notes)?;

    let front = &project.front;
    let mut site = Site::default();
    site.add_folder(&project.root.join(&front.assets_dir))?;
    for (name, bytes) in bindgen::bind(project, &module)? {
        site.add(front.site_pkg_dir.join(name), bytes);
    }
    let sheet = project.root.join(&front.style_file);
    if sheet.is_file() {
        let name = format!("{}.css", front.output_name);
        site.add(front.site_pkg_dir.join(name), style::bundle(&sheet)?.into_bytes());
    } else {
        say(format_args!("no `{}`: the page goes without a style sheet", front.style_file.display()));
    }
    for (name, bytes) in terminal::files(project)? {
        site.add(front.site_pkg_dir.join(name), bytes);
    }
    let changed = site.write(&project.site())?;
    say(match changed {
        0 => "web assets: nothing changed".to_owned(),
        files => format!("web assets: {files} changed"),
    });
    say(site::sizes(&project.site())?);
    Ok(())
}
