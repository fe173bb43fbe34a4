//! Which file it is, and what happens if it is none.

use std::{fs, os::unix::fs::symlink, path::Path};

use standing::config::{self, ConfigPath};

use crate::Project;

#[test]
fn a_named_file_must_exist() {
    let project = Project::new();
    let named = config::locate(Some(Path::new("ops.yaml")), &project.surroundings);
    assert_eq!(named.file(), project.dir.path().join("ops.yaml"));
    let loaded = config::load(named, &project.surroundings);
    assert!(loaded.problems[0].message.starts_with("no such file"), "{:?}", loaded.problems);
    assert_eq!(loaded.settings, project.defaults());

    let surroundings = project.surroundings.clone().with_var("THE_LOOP_CLI_CONFIG", "~/other.yaml");
    let loaded = config::load(config::locate(None, &surroundings), &surroundings);
    assert_eq!(loaded.path.file(), project.dir.path().join("home/other.yaml"));
    assert_eq!(loaded.problems.len(), 1);

    let unnamed = ConfigPath::new(project.dir.path().join("gone.yaml"));
    assert_eq!(config::load(unnamed, &project.surroundings).problems, []);
}

#[test]
fn the_nearest_file_wins() {
    let project = Project::new();
    let here = project.file();
    let home = project.dir.path().join("home/.the-loop/cli-config.yaml");
    assert_eq!(config::locate(None, &project.surroundings).file(), here, "where one would be written");
    fs::create_dir_all(home.parent().expect("a folder")).expect("a folder");
    fs::write(&home, "").expect("written");
    assert_eq!(config::locate(None, &project.surroundings).file(), home);
    assert_eq!(config::locate(None, &project.surroundings).project_dir(), project.dir.path().join("home"));
    fs::write(&here, "").expect("written");
    assert_eq!(config::locate(None, &project.surroundings).file(), here);
    let surroundings = project.surroundings.clone().with_var("THE_LOOP_CLI_CONFIG", "env.yaml");
    assert_eq!(config::locate(None, &surroundings).file(), project.dir.path().join("env.yaml"));
    assert_eq!(config::locate(Some(Path::new("/flag.yaml")), &surroundings).file(), Path::new("/flag.yaml"));
}

#[test]
fn what_is_no_readable_file_is_said() {
    let project = Project::new();
    let message = |project: &Project| {
        let loaded = project.load();
        assert_eq!(loaded.settings, project.defaults());
        assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
        assert_eq!(loaded.problems[0].line, None);
        loaded.problems[0].message.clone()
    };
    fs::create_dir(project.file()).expect("a folder");
    assert_eq!(message(&project), "is a directory, not a file");
    fs::remove_dir(project.file()).expect("gone");
    symlink("nowhere", project.file()).expect("a link");
    assert_eq!(message(&project), "dangling symbolic link");
    assert!(message(&Project::with(b"\xff\xfes\0")).starts_with("encoded as UTF-16"));
    assert!(message(&Project::with(b"\xff\xfe\0\0s\0\0\0")).starts_with("encoded as UTF-32"));
    assert!(message(&Project::with(b"\0\0\xfe\xff\0\0\0s")).starts_with("encoded as UTF-32"));
    for (big, encoding) in [(true, "UTF-16"), (false, "UTF-16"), (true, "UTF-32"), (false, "UTF-32")] {
        let bytes: Vec<u8> = "version: \"0.5.0\"\n"
            .chars()
            .flat_map(|c| {
                let mut wide = u32::from(c).to_be_bytes()[if encoding == "UTF-16" { 2 } else { 0 }..].to_vec();
                if !big {
                    wide.reverse();
                }
                wide
            })
            .collect();
        assert_eq!(message(&Project::with(bytes)), format!("encoded as {encoding}: save it as UTF-8"), "{big}");
    }
    assert!(message(&Project::with(vec![b'#'; 1024 * 1024 + 1])).starts_with("larger than 1 MiB"));
    assert_eq!(Project::with(vec![b'#'; 1024 * 1024]).load().problems, []);

    let device = config::locate(Some(Path::new("/dev/null")), &project.surroundings);
    assert_eq!(config::load(device, &project.surroundings).problems, []);
    let endless = config::locate(Some(Path::new("/dev/zero")), &project.surroundings);
    assert_eq!(config::load(endless, &project.surroundings).problems.len(), 1);
}
