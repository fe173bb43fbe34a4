//! Signals: what an agent's own files and screen say about the progress of its turns.
//!
//! A signal is read from what the vendor writes about itself. Words of the conversation are never a signal: a model may
//! quote any sentence.

use jiff::Timestamp;
use wire::{Block, Source};

/// Obstacle that a source reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Kind of obstacle.
    pub kind: Block,
    /// Time at which it ends, if the source names one.
    pub until: Option<Timestamp>,
    /// Words of the source, one line.
    pub words: String,
}

/// Meaning of a signal for the progress of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The model is to answer again: a turn began, or a tool returned.
    Begun,
    /// The model answered, so account, service and context were in order.
    Answered {
        /// True if the answer calls a tool, which may run for any time.
        calls_tool: bool,
    },
    /// The conversation was shortened or left.
    Shortened,
    /// The turn failed, or cannot go on.
    Blocked(Obstacle),
}

/// Signal and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Time at which the source wrote it.
    pub at: Timestamp,
    /// Source that it is from.
    pub source: Source,
    /// Meaning of the signal.
    pub news: News,
}

/// Obstacle that signals leave standing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Latest report of it.
    pub obstacle: Obstacle,
    /// Time of its first report.
    pub since: Timestamp,
    /// Time of its latest report.
    pub last: Timestamp,
    /// Source of its latest report.
    pub source: Source,
}

impl Obstacle {
    /// Creates an obstacle from the words of a source, cut to one line of at most 240 characters.
    pub(crate) fn new(kind: Block, until: Option<Timestamp>, words: &str) -> Self {
        let line = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let words = line.chars().filter(|c| !c.is_control()).take(240).collect();
        Self { kind, until, words }
    }
}

/// Returns the obstacle that is left after these signals, oldest first.
///
/// An answer of the model ends every obstacle. A new turn ends those that concern one turn only; a usage limit, a
/// missing login or credit concerns the account, and the next turn meets it again.
pub fn left(signals: impl IntoIterator<Item = Signal>) -> Option<Standing> {
    let mut left: Option<Standing> = None;
    for Signal { at, source, news } in signals {
        match news {
            News::Answered { .. } => left = None,
            News::Begun => left = left.filter(|standing| is_of_account(standing.obstacle.kind)),
            News::Shortened => left = left.filter(|standing| standing.obstacle.kind != Block::ContextFull),
            News::Blocked(obstacle) => {
                let before = left.take().filter(|standing| standing.obstacle.kind == obstacle.kind);
                let since = before.as_ref().map_or(at, |before| before.since);
                let until = obstacle.until.or_else(|| before.and_then(|before| before.obstacle.until));
                left = Some(Standing { obstacle: Obstacle { until, ..obstacle }, since, last: at, source });
            }
        }
    }
    left
}

/// True if an obstacle concerns the account, so that a new turn does not end it.
pub const fn is_of_account(kind: Block) -> bool {
    matches!(kind, Block::Limited | Block::LoggedOut | Block::NoCredit)
}

/// Returns the kind of obstacle that an HTTP status of the vendor means.
pub(crate) const fn of_status(status: u64) -> Option<Block> {
    match status {
        401 | 403 => Some(Block::LoggedOut),
        402 => Some(Block::NoCredit),
        429 => Some(Block::Limited),
        413 => Some(Block::ContextFull),
        408 | 500..=599 => Some(Block::Overloaded),
        400..=499 => Some(Block::Refused),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWERED: News = News::Answered { calls_tool: false };

    fn at(second: i64, news: News) -> Signal {
        Signal { at: Timestamp::from_second(second).expect("a time"), source: Source::Transcript, news }
    }

    fn blocked(kind: Block, until: Option<i64>) -> News {
        let until = until.map(|until| Timestamp::from_second(until).expect("a time"));
        News::Blocked(Obstacle::new(kind, until, "words"))
    }

    fn kind(signals: Vec<Signal>) -> Option<(Block, i64)> {
        left(signals).map(|standing| (standing.obstacle.kind, standing.since.as_second()))
    }

    #[test]
    fn an_answer_ends_every_obstacle() {
        for &block in Block::ALL {
            assert_eq!(kind(vec![at(1, blocked(block, None))]), Some((block, 1)));
            assert_eq!(kind(vec![at(1, blocked(block, None)), at(2, News::Begun), at(3, ANSWERED)]), None);
        }
    }

    #[test]
    fn a_new_turn_ends_only_an_obstacle_of_one_turn() {
        let after = |block| kind(vec![at(1, blocked(block, None)), at(2, News::Begun)]).is_some();
        let kept: Vec<Block> = Block::ALL.iter().copied().filter(|&block| after(block)).collect();
        assert_eq!(kept, [Block::Limited, Block::LoggedOut, Block::NoCredit]);
        let shortened = |block| kind(vec![at(1, blocked(block, None)), at(2, News::Shortened)]).is_some();
        assert!(shortened(Block::Limited) && !shortened(Block::ContextFull));
    }

    #[test]
    fn a_repeated_obstacle_began_with_its_first_report_and_keeps_its_end() {
        let limit =
            vec![at(1, blocked(Block::Limited, Some(90))), at(2, News::Begun), at(3, blocked(Block::Limited, None))];
        let standing = left(limit).expect("limited");
        assert_eq!((standing.since.as_second(), standing.obstacle.until.map(Timestamp::as_second)), (1, Some(90)));
        let other = vec![at(1, blocked(Block::Limited, Some(90))), at(3, blocked(Block::LoggedOut, None))];
        let standing = left(other).expect("logged out");
        assert_eq!((standing.since.as_second(), standing.obstacle.until), (3, None));
    }
}
