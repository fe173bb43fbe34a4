//! Processor time and memory of process trees, from one pass through `/proc`.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::Read as _,
    time::{Duration, Instant},
};

/// Buffer size above any `/proc/<pid>/stat`.
const LINE: usize = 4096;

/// Shortest interval over which processor time is meaningful.
const SHORTEST: Duration = Duration::from_secs(5);

/// Resources of a process and everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// Percent of one core over the last interval; `None` after the first measurement.
    pub cpu: Option<u32>,
    /// Resident memory in bytes. Shared memory counts once per process.
    pub memory: u64,
}

/// Meter that measures trees repeatedly.
#[derive(Debug, Default)]
pub struct Meter {
    last: Option<Look>,
    used: HashMap<u32, Used>,
}

#[derive(Debug)]
struct Look {
    at: Instant,
    /// Keyed by pid and start tick: a reused pid is another process.
    ticks: HashMap<(u32, u64), u64>,
}

/// Fields of one process from `/proc/<pid>/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    pid: u32,
    parent: u32,
    ticks: u64,
    start: u64,
    pages: u64,
}

impl Meter {
    /// Returns the resources of the trees below these processes. Measures again only if the last measurement is old
    /// enough, or lacks one of them.
    pub fn measure(&mut self, roots: &[u32]) -> &HashMap<u32, Used> {
        let known = roots.iter().all(|root| self.used.contains_key(root));
        let recent = self.last.as_ref().is_some_and(|last| last.at.elapsed() < SHORTEST);
        if !(known && recent) {
            self.look(roots);
        }
        &self.used
    }

    fn look(&mut self, roots: &[u32]) {
        let (at, stats) = (Instant::now(), every_process());
        let mut children: HashMap<u32, Vec<Stat>> = HashMap::new();
        for stat in &stats {
            children.entry(stat.parent).or_default().push(*stat);
        }
        let of_pid: HashMap<u32, Stat> = stats.iter().map(|stat| (stat.pid, *stat)).collect();
        // Too short an interval is meaningless: the measurement over a longer one stays.
        let last = self.last.as_ref().filter(|last| at - last.at >= SHORTEST);
        let page = rustix::param::page_size() as u64;
        let measured = roots.iter().filter_map(|root| {
            let tree = tree(*of_pid.get(root)?, &children);
            let memory = tree.iter().map(|stat| stat.pages * page).sum();
            let before = self.used.get(root).and_then(|used| used.cpu);
            let cpu = last.map_or(before, |last| percent(&tree, last, at));
            Some((*root, Used { cpu, memory }))
        });
        self.used = measured.collect();
        if last.is_some() || self.last.is_none() {
            let ticks = stats.iter().map(|stat| ((stat.pid, stat.start), stat.ticks)).collect();
            self.last = Some(Look { at, ticks });
        }
    }
}

/// Collects a process and its descendants.
fn tree(root: Stat, children: &HashMap<u32, Vec<Stat>>) -> Vec<Stat> {
    let mut found = vec![root];
    let mut at = 0;
    // A pid may be reused during the pass, so a tree could seem to contain itself.
    while let Some(stat) = found.get(at).copied().filter(|_| found.len() < 10_000) {
        found.extend(children.get(&stat.pid).into_iter().flatten());
        at += 1;
    }
    found
}

/// Returns the percentage of one core that a tree used since a measurement, if that included its root.
fn percent(tree: &[Stat], last: &Look, at: Instant) -> Option<u32> {
    let root = tree.first()?;
    last.ticks.get(&(root.pid, root.start))?;
    // A process that started since then has used all its time since then.
    let since =
        |stat: &Stat| stat.ticks.saturating_sub(last.ticks.get(&(stat.pid, stat.start)).copied().unwrap_or_default());
    let used: u64 = tree.iter().map(since).sum();
    let milliseconds = u64::try_from((at - last.at).as_millis()).ok().filter(|&passed| passed > 0)?;
    let hundredths = used * 100 * 1000 / rustix::param::clock_ticks_per_second().max(1);
    u32::try_from((hundredths + milliseconds / 2) / milliseconds).ok()
}

fn every_process() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut buffer = [0; LINE];
    pids.filter_map(|pid: u32| {
        let read = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut buffer).ok()?;
        parse(pid, &String::from_utf8_lossy(&buffer[..read]))
    })
    .collect()
}

/// Parses a stat line. The second field may contain anything, parentheses included.
fn parse(pid: u32, stat: &str) -> Option<Stat> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    // The state, field 3, is the first remaining field.
    let field = |number: usize| fields.get(number - 3).copied();
    let number = |at: usize| field(at)?.parse::<u64>().ok();
    if matches!(field(3)?, "Z" | "X") {
        return None;
    }
    let parent = u32::try_from(number(4)?).ok()?;
    Some(Stat { pid, parent, ticks: number(14)? + number(15)?, start: number(22)?, pages: number(24)? })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_fields_are_found_behind_any_name() {
        let stat = "7 (a) b ) R 1 7 7 0 -1 4194304 1 0 0 0 30 12 0 0 20 0 1 0 4242 9000 33 18446744073709551615";
        assert_eq!(parse(7, stat), Some(Stat { pid: 7, parent: 1, ticks: 42, start: 4242, pages: 33 }));
        assert_eq!(parse(7, "7 (a) Z 1 7 7 0 -1 0 1 0 0 0 30 12 0 0 20 0 1 0 4242 9000 33 1"), None);
    }

    #[test]
    fn a_tree_is_what_descends_from_its_root() {
        let stat = |pid, parent| Stat { pid, parent, ticks: 0, start: 0, pages: 1 };
        let children = HashMap::from([(1, vec![stat(2, 1), stat(9, 1)]), (2, vec![stat(3, 2)])]);
        let pids: Vec<u32> = tree(stat(2, 1), &children).iter().map(|stat| stat.pid).collect();
        assert_eq!(pids, [2, 3]);
    }

    #[test]
    fn processor_time_is_a_share_of_the_interval_and_of_living_trees_only() {
        let begun = Instant::now();
        let ticks = rustix::param::clock_ticks_per_second();
        let stat = |pid, ticks| Stat { pid, parent: 1, ticks, start: 5, pages: 1 };
        let last = Look { at: begun, ticks: HashMap::from([((2, 5), 100)]) };
        let tree = [stat(2, 100 + ticks * 5), stat(3, ticks * 10)];
        assert_eq!(percent(&tree, &last, begun + Duration::from_secs(10)), Some(150));
        assert_eq!(percent(&[stat(4, 100)], &last, begun + Duration::from_secs(10)), None, "it was not there");
    }

    #[test]
    fn a_child_counts_and_what_is_known_is_not_measured_again_at_once() {
        let mut child = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().expect("sleep starts");
        let mut meter = Meter::default();
        let (own, other) = (std::process::id(), child.id());
        let used = meter.measure(&[own, other, u32::MAX]).clone();
        assert!(used[&own].memory > used[&other].memory && used[&other].memory > 0, "{used:?}");
        assert_eq!((used[&own].cpu, used.get(&u32::MAX)), (None, None));
        child.kill().expect("ended");
        child.wait().expect("reaped");
        assert_eq!(meter.measure(&[own, other])[&other], used[&other], "measured a moment ago");
    }
}
