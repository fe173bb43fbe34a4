//! Table of figures, each with a reference from the same run and its aim.

use std::fs;

/// Column titles.
const HEAD: [&str; 6] = ["what", "measured", "reference in the same run", "aim", "met", "load"];

/// Figures of a run, in the order of their measurement.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<[String; HEAD.len()]>);

/// Aim of a figure.
pub(crate) enum Aim {
    /// At most this many, in the unit of the figure.
    Most(f64, &'static str),
    /// At most a multiple of the reference and a constant, both in milliseconds.
    Beside { times: f64, plus: f64, reference: f64 },
    /// None: shown for comparison.
    None,
}

impl Aim {
    fn limit(&self) -> Option<f64> {
        match self {
            Self::Most(most, _) => Some(*most),
            Self::Beside { times, plus, reference } => Some(times * reference + plus),
            Self::None => None,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Most(most, unit) => format!("{most} {unit}").trim_end().to_owned(),
            Self::Beside { times, plus, reference } => {
                format!("{times}x + {plus} ms = {:.1} ms", times * reference + plus)
            }
            Self::None => "-".to_owned(),
        }
    }
}

impl Table {
    /// Adds a figure. `value` is compared with the aim; `measured` is what the table shows.
    pub(crate) fn row(&mut self, what: &str, value: f64, measured: &str, reference: &str, aim: &Aim) {
        let met = match aim.limit() {
            Some(limit) if value <= limit => "yes",
            Some(_) => "no",
            None => "-",
        };
        println!("{what}: {measured}   [{reference}]   aim {}: {met}", aim.text());
        let row = [what, measured, reference, &aim.text(), met, &load()];
        self.0.push(row.map(str::to_owned));
    }

    /// Prints all figures.
    pub(crate) fn print(&self) {
        let lines: Vec<&[String; HEAD.len()]> = self.0.iter().collect();
        let head = HEAD.map(str::to_owned);
        let width = |column: usize| {
            lines.iter().copied().chain([&head]).map(|line| line[column].chars().count()).max().unwrap_or_default()
        };
        let widths: [usize; HEAD.len()] = std::array::from_fn(width);
        println!();
        let dashes = widths.map(|width| "-".repeat(width));
        for line in [&head, &dashes].into_iter().chain(lines) {
            let cells: Vec<String> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            println!("| {} |", cells.join(" | "));
        }
    }
}

/// Returns the load average of the last minute: figures of a busy machine are worse.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
