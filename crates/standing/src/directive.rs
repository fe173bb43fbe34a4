//! Boot directive: the instructions that every session gets before its operator's brief.
//!
//! The directive is not configurable: the only use of a key for it would be to delete it. A brief is appended to it
//! and never replaces it.

use wire::SessionName;

/// Returns the first prompt of a new conversation.
pub(crate) fn boot_prompt(name: &SessionName, slack: bool, brief: &str) -> String {
    let mut prompt = directive(name, slack);
    let brief = brief.trim();
    if !brief.is_empty() {
        prompt.push_str("\n\nYour operator's brief:\n\n");
        prompt.push_str(brief);
    }
    prompt
}

/// Returns the beginning of the first prompt of a session, which is different for every session.
pub(crate) fn opening(name: &SessionName) -> String {
    format!("You are the standing session `{name}` of the-loop.")
}

fn directive(name: &SessionName, slack: bool) -> String {
    let opening = opening(name);
    let thread = if slack { ", in this session's own Slack thread" } else { "" };
    format!(
        "{opening} You run until an operator stops you, and you resume \
         this conversation when you are started again.\n\
         \n\
         You own no work item: no ticket is yours, no phase is yours to advance, and nothing you do here completes \
         one. You MUST NOT answer a phase-selection gate, and you MUST NOT post a control keyword on any ticket, \
         your own words or quoted.\n\
         \n\
         Your operator speaks to you in this terminal{thread}, and through the control plane (the dashboard's \
         Standing screen, `the-loop standing say {name}`, the REST API and MCP). Such a message begins with a line \
         that names its sender and this session. You cannot write to your operator first: what you have to say is \
         read in this terminal."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> SessionName {
        SessionName::parse("ops").expect("valid")
    }

    #[test]
    fn the_directive_says_what_it_must_and_the_brief_follows() {
        let prompt = boot_prompt(&name(), true, "  watch the queue\n");
        for part in [
            "`ops`",
            "no work item",
            "MUST NOT answer a phase-selection gate",
            "control keyword",
            "Slack thread",
            "this terminal",
            "control plane",
        ] {
            assert!(prompt.contains(part), "lacks {part:?}");
        }
        assert!(prompt.ends_with("brief:\n\nwatch the queue"));
        assert!(!boot_prompt(&name(), false, "").contains("Slack"));
        assert!(!boot_prompt(&name(), false, "").contains("brief"));
        assert!(!prompt.starts_with('-'), "a harness would read it as an option");
    }
}
