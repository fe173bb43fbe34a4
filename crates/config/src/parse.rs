//! Parses text to a tree with the place of each value.
//!
//! YAML is read event by event instead of into a ready-made document, for three reasons. Every key and value keeps its
//! place. A repeated key is seen instead of lost. The expanded size of aliases is counted before it grows. The same
//! code reads JSON, which is a subset of YAML.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use saphyr::{Scalar, ScalarStyle};
use saphyr_parser::{Event, Marker, Parser, ScanError, Tag};
use serde_json::{Number, Value};

use super::{
    position::{At, KeyPath, Mark, Mistake},
    syntax,
    tree::{Entry, Kind, Node},
};

/// Maximum nesting depth of values.
const MAX_DEPTH: usize = 64;

/// Maximum number of values, aliases counted at full size.
pub(super) const MAX_NODES: usize = 100_000;

/// Parsed document, or the mistake at which parsing stopped.
pub(super) type Parsed = Result<Document, Mistake>;

/// Document with the mistakes that did not stop its parsing.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) root: Option<Rc<Node>>,
    pub(super) mistakes: Vec<Mistake>,
}

/// Parses a text, or a part of one that begins `lines_before` lines into the file.
pub(super) fn parse(text: &str, lines_before: usize) -> Parsed {
    let text = syntax::prepare(text);
    let mut builder = Builder { lines_before, ..Builder::default() };
    let mut parser = Parser::new_from_str(&text);
    while let Some(event) = parser.next_event() {
        let taken = match event {
            Ok((event, span)) => builder.take(event, builder.mark(span.start)),
            Err(error) => Err(builder.syntax_error(&text, &error)),
        };
        if !taken? {
            break;
        }
    }
    Ok(builder.document)
}

/// List or block that is still open.
#[derive(Debug)]
struct Open {
    mark: Mark,
    anchor: usize,
    depth: usize,
    size: usize,
    items: Items,
}

#[derive(Debug)]
enum Items {
    List(Vec<Rc<Node>>),
    Block { entries: Vec<Entry>, key: Pending },
}

/// Key whose value comes next.
#[derive(Debug)]
enum Pending {
    Nothing,
    Key {
        key: String,
        mark: Mark,
        bare: bool,
    },
    /// The key is not usable, so its value is skipped.
    Unusable,
}

#[derive(Default)]
struct Builder {
    document: Document,
    open: Vec<Open>,
    anchors: HashMap<usize, Rc<Node>>,
    nodes: usize,
    lines_before: usize,
    documents: usize,
}

impl Builder {
    fn mark(&self, marker: Marker) -> Mark {
        Mark { line: marker.line().max(1) + self.lines_before, column: marker.col() + 1 }
    }

    fn syntax_error(&self, text: &str, error: &ScanError) -> Mistake {
        let (mark, message) = syntax::explain(text, self.mark_in_text(error), error.info());
        let mark = Mark { line: mark.line + self.lines_before, ..mark };
        Mistake { path: KeyPath::default(), at: At::Mark(mark), message }
    }

    fn mark_in_text(&self, error: &ScanError) -> Mark {
        let mark = self.mark(*error.marker());
        Mark { line: mark.line - self.lines_before, ..mark }
    }

    /// Handles one event; `false` if the rest is not needed.
    fn take(&mut self, event: Event<'_>, mark: Mark) -> Result<bool, Mistake> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.document
                        .mistakes
                        .push(mistake(mark, "a second document starts here (`---`), and a config file holds only one"));
                    return Ok(false);
                }
            }
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor).cloned() else {
                    return Err(mistake(mark, "this alias refers to a value that contains it"));
                };
                self.count(node.size, mark)?;
                self.check_depth(node.depth, mark)?;
                self.place(node);
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.count(1, mark)?;
                self.check_depth(1, mark)?;
                let kind = scalar(&text, style, tag.as_deref());
                self.finish(Node { mark, kind, size: 1, depth: 1 }, anchor);
            }
            Event::SequenceStart(anchor, _) => self.begin(Items::List(Vec::new()), anchor, mark)?,
            Event::MappingStart(anchor, _) => {
                self.begin(Items::Block { entries: Vec::new(), key: Pending::Nothing }, anchor, mark)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
        }
        Ok(true)
    }

    fn begin(&mut self, items: Items, anchor: usize, mark: Mark) -> Result<(), Mistake> {
        self.count(1, mark)?;
        self.check_depth(1, mark)?;
        self.open.push(Open { mark, anchor, depth: 0, size: 1, items });
        Ok(())
    }

    fn end(&mut self) {
        let Some(Open { mark, anchor, depth, mut size, items }) = self.open.pop() else { return };
        let kind = match items {
            Items::List(items) => Kind::List(items),
            Items::Block { entries, .. } => {
                let entries = merged(entries);
                if entries.iter().any(|entry| entry.merged) {
                    size = 1 + entries.iter().map(|entry| 1 + entry.value.size).sum::<usize>();
                }
                Kind::Block(entries)
            }
        };
        self.finish(Node { mark, kind, size, depth: depth + 1 }, anchor);
    }

    /// Completes a node: it can be referred to from here on.
    fn finish(&mut self, node: Node, anchor: usize) {
        let node = Rc::new(node);
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.place(node);
    }

    /// Inserts a complete node into its parent.
    fn place(&mut self, node: Rc<Node>) {
        let Some(parent) = self.open.last_mut() else {
            self.document.root = Some(node);
            return;
        };
        parent.size += node.size;
        parent.depth = parent.depth.max(node.depth);
        match &mut parent.items {
            Items::List(items) => items.push(node),
            Items::Block { entries, key } => match std::mem::replace(key, Pending::Nothing) {
                Pending::Unusable => {}
                Pending::Key { key, mark, bare } => entries.push(Entry { key, mark, value: node, bare, merged: false }),
                Pending::Nothing => {
                    *key = if let Kind::Scalar { raw, bare, .. } = &node.kind {
                        Pending::Key { key: raw.clone(), mark: node.mark, bare: *bare }
                    } else {
                        let message = "expected a key, found a list or mapping";
                        self.document.mistakes.push(mistake(node.mark, message));
                        Pending::Unusable
                    };
                }
            },
        }
    }

    fn count(&mut self, more: usize, mark: Mark) -> Result<(), Mistake> {
        self.nodes = self.nodes.saturating_add(more);
        if self.nodes <= MAX_NODES {
            return Ok(());
        }
        Err(mistake(mark, "more than 100000 values, with aliases expanded"))
    }

    fn check_depth(&self, below: usize, mark: Mark) -> Result<(), Mistake> {
        if self.open.len() + below <= MAX_DEPTH {
            return Ok(());
        }
        Err(mistake(mark, "values are nested more than 64 levels deep"))
    }
}

fn mistake(mark: Mark, message: &str) -> Mistake {
    Mistake { path: KeyPath::default(), at: At::Mark(mark), message: message.to_owned() }
}

/// Converts a scalar by the core schema of YAML 1.2. With a tag that does not fit it stays a text.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Kind {
    let tag = tag.cloned().map(Cow::Owned);
    let value = match Scalar::parse_from_cow_and_metadata(text.into(), style, tag.as_ref()) {
        Some(Scalar::Null) => Value::Null,
        Some(Scalar::Boolean(value)) => Value::Bool(value),
        Some(Scalar::Integer(value)) => Value::from(value),
        Some(Scalar::FloatingPoint(value)) => float(*value, text),
        Some(Scalar::String(_)) | None => Value::from(text),
    };
    Kind::Scalar { value, raw: text.to_owned(), bare: style == ScalarStyle::Plain && tag.is_none() }
}

/// Converts a float. JSON has neither infinity nor NaN: both stay texts, which no key for a number accepts.
fn float(value: f64, text: &str) -> Value {
    Number::from_f64(value).map_or_else(|| Value::from(text), Value::Number)
}

/// Resolves `<<` by the rules of YAML 1.1, which existing files may rely on: keys of the block itself win, then the
/// first of several sources.
///
/// Keys are looked up in a set, since a block may hold tens of thousands of them.
fn merged(entries: Vec<Entry>) -> Vec<Entry> {
    let is_merge = |entry: &Entry| entry.bare && entry.key == "<<" && sources(&entry.value).is_some();
    if !entries.iter().any(is_merge) {
        return entries;
    }
    let (merges, mut all): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_merge);
    let mut known: HashSet<String> = all.iter().map(|entry| entry.key.clone()).collect();
    for entry in merges.iter().filter_map(|entry| sources(&entry.value)).flatten().flatten() {
        if known.insert(entry.key.clone()) {
            all.push(Entry { merged: true, ..entry.clone() });
        }
    }
    all
}

/// Returns the blocks that a `<<` merges, if the node is one.
fn sources(node: &Node) -> Option<Vec<&[Entry]>> {
    match &node.kind {
        Kind::Block(entries) => Some(vec![entries]),
        Kind::List(items) => items
            .iter()
            .map(|item| match &item.kind {
                Kind::Block(entries) => Some(entries.as_slice()),
                _ => None,
            })
            .collect(),
        Kind::Scalar { .. } => None,
    }
}
