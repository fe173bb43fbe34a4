//! The schema of the config file, as published.

use std::sync::LazyLock;

use serde_json::Value;

/// The schema that config files are validated with, as published.
pub const SCHEMA: &str = include_str!("../../../schemas/cli-config.schema.json");

/// The number of mistakes that are shown: more of them help nobody.
pub(crate) const MAX_MISTAKES: usize = 100;

/// The schema as a document.
pub(crate) static SCHEMA_DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(SCHEMA).expect("a test parses the schema"));
