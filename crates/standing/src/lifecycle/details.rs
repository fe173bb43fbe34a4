//! details: facts about one session that its row does not contain.

use wire::SessionName;

use super::Context;
use crate::{Details, Error, registry::Entry};

/// Returns the details of a session. Values of environment variables and secrets are not among them.
pub(crate) fn details(context: &Context, name: &SessionName) -> Result<Details, Error> {
    let entry = context.registry.read(name);
    if matches!(entry, Entry::Vacant) && context.unrecorded(name).is_none() {
        context.resolve_vacant(name)?;
    }
    let record = entry.record();
    let definition = context.definitions().known(name, record);
    Ok(Details {
        config_file: context.config.path.file().to_owned(),
        declared_at: context.config.lines.get(name).copied(),
        created_by: record.map(|record| record.created_by.clone()).unwrap_or_default(),
        harness_args: definition.map(|definition| definition.harness_args).unwrap_or_default(),
        former_conversations: record.map(|record| record.former_session_ids.clone()).unwrap_or_default(),
    })
}
