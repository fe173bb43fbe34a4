//! Published schema of the config file.

use std::sync::LazyLock;

use serde_json::Value;

/// Schema that config files are validated with, as published.
pub const SCHEMA: &str = include_str!("../../../schemas/cli-config.schema.json");

/// Maximum number of mistakes that are shown: more of them do not help.
pub(crate) const MAX_MISTAKES: usize = 100;

/// Schema as a parsed document.
pub(crate) static SCHEMA_DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(SCHEMA).expect("a test parses the schema"));
