//! Exchange of a record: the keys that other programs know, and the copy that a session carries in case the file is
//! lost.

use serde_json::Value;

use super::{FORMAT, Record};

/// Keys that other programs read and write.
const PUBLISHED: [&str; 16] = [
    "name",
    "harness",
    "harnessSessionId",
    "cwd",
    "tmuxTarget",
    "status",
    "createdAt",
    "startedAt",
    "lastMessageAt",
    "slackChannel",
    "slackThread",
    "description",
    "harnessArgs",
    "prompt",
    "autoStart",
    "slackEnabled",
];

/// Keys that a copy may lack, where it does not list them by name.
pub(crate) const WITHOUT_NAMES: [&str; 5] = ["env", "secrets", "prompt", "harnessArgs", "description"];

impl Record {
    /// Merges the published keys of a newer record, written by a program that knows only those, into this one. No
    /// conversation of this record is forgotten.
    pub(crate) fn with_published_of(&self, newer: &Self) -> Option<Self> {
        let of = |record: &Self| match serde_json::to_value(record) {
            Ok(Value::Object(fields)) => Some(fields),
            _ => None,
        };
        let (mut fields, mut theirs) = (of(self)?, of(newer)?);
        for key in PUBLISHED {
            if let Some(value) = theirs.remove(key) {
                fields.insert(key.to_owned(), value);
            }
        }
        fields.extend(newer.other.clone());
        let mut record: Self = serde_json::from_value(Value::Object(fields)).ok()?;
        let known = self.pending.iter().map(|pending| &pending.session_id).chain([&self.harness_session_id]);
        for id in known.filter(|id| **id != newer.harness_session_id) {
            record.remember_former(id);
        }
        Some(record)
    }

    /// Serialises the record to one line of at most `limit` bytes, leaving out what is too long for that. The line lists
    /// the keys that it lacks.
    pub(crate) fn in_brief(&self, limit: usize) -> Option<String> {
        let mut record = Self { format: FORMAT, ..self.clone() };
        // The server's command line, which every user can read, holds it for the server's life.
        record.prompt.clear();
        record.env.clear();
        record.secrets.clear();
        record.left_out = Some(self.names_of_private());
        let steps: [fn(&mut Self); 4] = [
            |_| {},
            |record| {
                let had = !record.description.is_empty();
                record.description.clear();
                record.other.clear();
                record.leave_out(had, "description");
            },
            |record| {
                let had = !record.harness_args.is_empty();
                record.harness_args.clear();
                record.leave_out(had, "harnessArgs");
            },
            // The names are too long as well: restore then names the kinds.
            |record| record.left_out = Some(WITHOUT_NAMES.map(str::to_owned).to_vec()),
        ];
        steps.iter().find_map(|shorten| {
            shorten(&mut record);
            serde_json::to_string(&record).ok().filter(|text| text.len() <= limit)
        })
    }

    /// Lists the keys whose values only the record may hold.
    fn names_of_private(&self) -> Vec<String> {
        let env = self.env.keys().map(|name| format!("env.{name}"));
        let secrets = self.secrets.keys().map(|name| format!("secrets.{name}"));
        let brief = (!self.prompt.is_empty()).then(|| "prompt".to_owned());
        env.chain(secrets).chain(brief).collect()
    }

    fn leave_out(&mut self, had: bool, key: &str) {
        if had {
            self.left_out.get_or_insert_default().push(key.to_owned());
        }
    }
}
