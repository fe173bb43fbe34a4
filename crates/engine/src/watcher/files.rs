//! File notifications by inotify: records, queues, the config, the event log, and the socket of the tmux server.
//!
//! The folder of a file is watched instead of the file, since files are replaced. If a folder does not exist, its
//! nearest existing ancestor is watched until it does.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    fmt, fs, io,
    mem::MaybeUninit,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::Path,
    time::Duration,
};

use rustix::{
    fs::inotify::{self, CreateFlags, Reader, WatchFlags},
    io::Errno,
};
use standing::{Places, TheLoop, Watching};
use tokio::{io::unix::AsyncFd, task, time};

use super::{Shared, registered};

/// Time to wait for more events after one.
const GATHER: Duration = Duration::from_millis(30);

/// Poll interval where the kernel provides no events.
const BLIND: Duration = Duration::from_secs(1);

/// A file is created, removed, replaced or written.
const CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO);

/// The folder itself is removed or moved.
const ITSELF: WatchFlags = WatchFlags::DELETE_SELF.union(WatchFlags::MOVE_SELF);

/// Watch on the config file.
pub struct ConfigFile {
    the_loop: TheLoop,
    notices: Option<Notices<AsyncFd<OwnedFd>>>,
}

impl fmt::Debug for ConfigFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigFile").finish_non_exhaustive()
    }
}

impl ConfigFile {
    pub(crate) async fn follow(the_loop: TheLoop) -> Self {
        let mut file = Self { the_loop, notices: None };
        file.begin().await;
        file
    }

    /// Waits until the file may have changed since the last call.
    pub async fn changed(&mut self) {
        match &self.notices {
            Some(notices) => while !notices.next().await.rewatch {},
            None => time::sleep(BLIND).await,
        }
        // Order matters: the watch is renewed before the caller reads the file, so that no later change is missed.
        self.begin().await;
    }

    /// Renews the watch: if the path is a link, it may now point to another file.
    async fn begin(&mut self) {
        let path = self.the_loop.config_file().to_owned();
        let begun = task::spawn_blocking(move || Notices::of_config(&path)).await.map_err(io::Error::other);
        self.notices = begun.and_then(|begun| begun).and_then(Notices::registered).ok();
    }
}

/// Notifies the watcher of changes, until it ends.
pub(super) async fn follow(shared: &Shared) {
    let mut told = false;
    loop {
        let watching = Watching::new(shared.the_loop.clone());
        let begun = task::spawn_blocking(move || Notices::begin(&watching.places())).await;
        // Changes before this point produce no event, so everything counts as changed.
        shared.tell(Told { log: true, sessions: true, rewatch: false });
        match begun.map_err(io::Error::other).and_then(|begun| begun).and_then(Notices::registered) {
            Ok(notices) => notices.tell(shared).await,
            Err(error) => {
                if !std::mem::replace(&mut told, true) {
                    tracing::warn!(%error, "could not watch files for changes; checking them every second instead");
                }
                time::sleep(BLIND).await;
            }
        }
    }
}

impl Shared {
    fn tell(&self, told: Told) {
        if told.log {
            self.log.send_modify(|changes| *changes += 1);
        }
        if told.sessions {
            self.changed.notify_one();
        }
    }
}

/// Combined meaning of some events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Told {
    log: bool,
    sessions: bool,
    /// The set of watched files must be renewed.
    rewatch: bool,
}

/// Meaning of a change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Log,
    Sessions,
    /// The config may name other files.
    Config,
    /// A folder that should be watched may have been created.
    Folder,
}

/// Files of a folder that are relevant.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Files {
    Named(OsString),
    Ending(&'static str),
}

impl Files {
    fn has(&self, name: &OsStr) -> bool {
        match self {
            Self::Named(wanted) => name == wanted,
            Self::Ending(ending) => name.as_bytes().ends_with(ending.as_bytes()),
        }
    }
}

/// inotify instance with all its watches.
struct Notices<F> {
    file: F,
    /// By watch descriptor. Two paths of the same folder share one descriptor.
    watched: HashMap<i32, Vec<(Files, Meaning)>>,
}

impl Notices<OwnedFd> {
    fn none() -> io::Result<Self> {
        let file = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(Self { file, watched: HashMap::new() })
    }

    fn of_config(path: &Path) -> io::Result<Self> {
        let mut notices = Self::none()?;
        notices.watch_file(path, CHANGES, Meaning::Config)?;
        Ok(notices)
    }

    fn begin(places: &Places) -> io::Result<Self> {
        let (mut notices, changes) = (Self::none()?, CHANGES);
        notices.watch(&places.records, Files::Ending(".json"), changes, Meaning::Sessions)?;
        notices.watch(&places.queues, Files::Ending(".queued.json"), changes, Meaning::Sessions)?;
        notices.watch_file(&places.config, changes, Meaning::Config)?;
        notices.watch_file(&places.event_log, changes | WatchFlags::MODIFY, Meaning::Log)?;
        notices.watch_socket(&places.socket)?;
        Ok(notices)
    }

    /// Watches the socket itself while it exists. Its folder belongs to all tmux servers of the user, and whatever happens
    /// there would wake the service; it is watched only until the socket comes to be.
    fn watch_socket(&mut self, socket: &Path) -> io::Result<()> {
        // A socket that is removed while it is open somewhere only loses its name, which is a change of its attributes.
        let flags = ITSELF | WatchFlags::ATTRIB | WatchFlags::DONT_FOLLOW;
        match inotify::add_watch(&self.file, socket, flags) {
            Ok(_) => Ok(()),
            Err(_) => self.watch_file(socket, CHANGES, Meaning::Folder),
        }
    }

    /// Watches a file under its own path, and under its target if it is a link.
    fn watch_file(&mut self, path: &Path, changes: WatchFlags, meaning: Meaning) -> io::Result<()> {
        let target = fs::canonicalize(path).ok().filter(|target| target != path);
        for path in [Some(path), target.as_deref()].into_iter().flatten() {
            if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
                self.watch(folder, Files::Named(name.to_owned()), changes, meaning)?;
            }
        }
        Ok(())
    }

    fn watch(&mut self, folder: &Path, files: Files, changes: WatchFlags, meaning: Meaning) -> io::Result<()> {
        let (mut folder, mut missing) = (folder, None);
        loop {
            match self.add(folder, changes) {
                Ok(watch) => {
                    let what = match missing {
                        None => (files, meaning),
                        // The folder may have been created before its parent was watched.
                        Some(name) if folder.join(name).exists() => return Err(io::ErrorKind::Interrupted.into()),
                        Some(name) => (Files::Named(OsString::from(name)), Meaning::Folder),
                    };
                    self.watched.entry(watch).or_default().push(what);
                    return Ok(());
                }
                Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => match (folder.parent(), folder.file_name()) {
                    (Some(parent), Some(name)) => (folder, missing) = (parent, Some(name)),
                    _ => return Err(io::ErrorKind::NotFound.into()),
                },
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn add(&self, folder: &Path, changes: WatchFlags) -> Result<i32, Errno> {
        inotify::add_watch(&self.file, folder, changes | ITSELF | WatchFlags::ONLYDIR | WatchFlags::MASK_ADD)
    }

    fn registered(self) -> io::Result<Notices<AsyncFd<OwnedFd>>> {
        Ok(Notices { file: registered(self.file)?, watched: self.watched })
    }

    /// Reads the events that are available.
    #[cfg(test)]
    fn read(&self) -> Told {
        read(&self.file, &self.watched)
    }
}

impl Notices<AsyncFd<OwnedFd>> {
    /// Notifies of changes until the set of watched files must be renewed.
    async fn tell(self, shared: &Shared) {
        loop {
            let told = self.next().await;
            shared.tell(told);
            if told.rewatch {
                return;
            }
        }
    }

    /// Waits for relevant events, and a moment for more of them.
    async fn next(&self) -> Told {
        loop {
            let Ok(mut ready) = self.file.readable().await else { return Told { rewatch: true, ..Told::default() } };
            // Order matters: events that arrive during the read make the file ready again.
            ready.clear_ready();
            let told = read(self.file.get_ref(), &self.watched);
            if told != Told::default() {
                time::sleep(GATHER).await;
                return told;
            }
        }
    }
}

fn read(file: &OwnedFd, watched: &HashMap<i32, Vec<(Files, Meaning)>>) -> Told {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut reader = Reader::new(file, &mut buffer);
    let mut told = Told::default();
    loop {
        let notice = match reader.next() {
            Ok(notice) => notice,
            Err(Errno::INTR) => continue,
            Err(_) => return told,
        };
        let flags = notice.events();
        if flags.intersects(inotify::ReadFlags::QUEUE_OVERFLOW) {
            told = Told { log: true, sessions: true, rewatch: true };
        }
        // Of attributes it is told for the socket alone.
        let itself = inotify::ReadFlags::DELETE_SELF | inotify::ReadFlags::MOVE_SELF | inotify::ReadFlags::IGNORED;
        if flags.intersects(itself | inotify::ReadFlags::ATTRIB) {
            told = Told { sessions: true, rewatch: true, ..told };
        }
        let Some(name) = notice.file_name().map(|name| OsStr::from_bytes(name.to_bytes())) else { continue };
        for (_, meaning) in watched.get(&notice.wd()).into_iter().flatten().filter(|(files, _)| files.has(name)) {
            match meaning {
                Meaning::Log => told.log = true,
                Meaning::Sessions => told.sessions = true,
                Meaning::Config | Meaning::Folder => told = Told { sessions: true, rewatch: true, ..told },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: Told = Told { log: true, sessions: false, rewatch: false };
    const SESSIONS: Told = Told { log: false, sessions: true, rewatch: false };
    const REWATCH: Told = Told { log: false, sessions: true, rewatch: true };
    const NOTHING: Told = Told { log: false, sessions: false, rewatch: false };

    fn places(root: &Path) -> Places {
        Places {
            records: root.join("state/standing"),
            queues: root.join("state/standing/.launch"),
            config: root.join("project/config.yaml"),
            event_log: root.join("logs/events.jsonl"),
            socket: root.join("tmux/socket"),
        }
    }

    fn made(root: &Path) -> Notices<OwnedFd> {
        for folder in ["state/standing/.launch", "project", "logs", "tmux"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        Notices::begin(&places(root)).expect("watched")
    }

    #[test]
    fn each_file_tells_of_what_it_is_about() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let notices = made(root);
        let write = |path: &str| fs::write(root.join(path), "x").expect("written");
        assert_eq!(notices.read(), NOTHING);
        for (path, told) in [
            ("state/standing/ops.json", SESSIONS),
            ("state/standing/.ops.lock", NOTHING),
            ("state/standing/.launch/ops.queued.json", SESSIONS),
            ("state/standing/.launch/spec", NOTHING),
            ("logs/events.jsonl", LOG),
            ("logs/events.jsonl.lock", NOTHING),
            ("project/config.yaml", REWATCH),
            ("project/other", NOTHING),
            ("tmux/another", NOTHING),
            ("tmux/socket", REWATCH),
        ] {
            write(path);
            assert_eq!(notices.read(), told, "{path}");
        }
        fs::rename(root.join("state/standing/ops.json"), root.join("gone")).expect("moved");
        assert_eq!(notices.read(), SESSIONS);
    }

    #[test]
    fn a_socket_that_is_removed_or_replaced_is_noticed_and_its_neighbours_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        drop(made(root));
        let socket = root.join("tmux/socket");
        let first = std::os::unix::net::UnixListener::bind(&socket).expect("bound");
        let notices = made(root);
        drop(std::os::unix::net::UnixListener::bind(root.join("tmux/another")).expect("bound"));
        drop(std::os::unix::net::UnixStream::connect(&socket).expect("connected"));
        assert_eq!(notices.read(), NOTHING);
        fs::remove_file(&socket).expect("removed");
        assert_eq!(notices.read(), REWATCH);
        let notices = made(root);
        let second = std::os::unix::net::UnixListener::bind(&socket).expect("bound");
        assert_eq!(notices.read(), REWATCH);
        drop((first, second));
    }

    #[test]
    fn a_folder_that_comes_to_be_or_goes_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let notices = Notices::begin(&places(root)).expect("watched");
        fs::create_dir(root.join("other")).expect("a folder");
        assert_eq!(notices.read(), NOTHING);
        fs::create_dir(root.join("state")).expect("a folder");
        assert_eq!(notices.read(), REWATCH);
        let notices = made(root);
        fs::rename(root.join("state/standing"), root.join("state/away")).expect("moved");
        assert_eq!(notices.read(), REWATCH);
    }

    #[test]
    fn a_config_behind_a_link_is_watched_where_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for made in ["project", "elsewhere"] {
            fs::create_dir(root.join(made)).expect("a folder");
        }
        fs::write(root.join("elsewhere/real.yaml"), "a").expect("written");
        std::os::unix::fs::symlink(root.join("elsewhere/real.yaml"), root.join("project/config.yaml")).expect("linked");
        let notices = Notices::begin(&places(root)).expect("watched");
        fs::write(root.join("elsewhere/real.yaml"), "b").expect("written");
        assert_eq!(notices.read(), REWATCH);
    }
}
