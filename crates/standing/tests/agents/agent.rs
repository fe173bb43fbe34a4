//! Differences between the agents under test: package, settings for a model on loopback, and text that a person types.

use std::{fs, path::Path};

use serde_json::json;
use testkit::StubModel;

/// An agent that npm has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    Claude,
    Codex,
    Gemini,
    OpenCode,
}

impl Agent {
    pub(crate) const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::OpenCode];

    /// The harness, and its program.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    /// The package, in the version that the adapter was last checked against.
    pub(crate) fn package(self) -> (&'static str, &'static str) {
        match self {
            Self::Claude => ("@anthropic-ai/claude-code", "2.1.332"),
            Self::Codex => ("@openai/codex", "0.171.0"),
            Self::Gemini => ("@google/gemini-cli", "0.61.0"),
            Self::OpenCode => ("opencode-ai", "1.18.33"),
        }
    }

    /// Arguments with which it asks before it runs a command.
    pub(crate) fn cautious(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["--permission-mode", "default"],
            Self::Codex => &["--ask-for-approval", "on-request", "--sandbox", "read-only"],
            Self::Gemini => &["--approval-mode", "default"],
            // It stands in its config.
            Self::OpenCode => &[],
        }
    }

    /// Arguments that would take the prompt for one of theirs if nothing kept it apart.
    pub(crate) fn greedy(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Claude => &[
                &["--allowedTools", "Read"],
                // Another directory meets a question of its own.
                &["--disallowedTools", "WebSearch"],
                &["--mcp-config", "m.json"],
                &["--debug"],
                &["--verbose", "--"],
            ],
            Self::Codex => &[&["--add-dir", "../lib"], &["-c", "tui.animations=false", "--"]],
            Self::Gemini => &[&["--include-directories", "../lib"], &["--debug", "--"]],
            Self::OpenCode => &[&["--cors", "example.org"], &["--print-logs", "--"]],
        }
    }

    /// Returns the command that a person types to move to a new conversation in the same process, and the prompt that
    /// must then be answered with Enter. Returns `None` if the agent does not report which conversation it is in.
    pub(crate) fn new_conversation(self) -> Option<(&'static str, Option<&'static str>)> {
        match self {
            Self::Claude => Some(("/clear", None)),
            Self::Codex => Some(("/new", Some("Where should the new conversation run?"))),
            Self::Gemini | Self::OpenCode => None,
        }
    }

    /// Returns true if the agent writes turns to a file of the conversation.
    pub(crate) fn has_transcripts(self) -> bool {
        self != Self::OpenCode
    }

    /// Returns true if the agent's prompts offer numbered answers, which a digit selects.
    pub(crate) fn numbers_its_answers(self) -> bool {
        self != Self::OpenCode
    }

    /// Returns true if a file of that name may hold the turns of the conversation.
    pub(crate) fn keeps_in(self, file: &str, conversation: &str) -> bool {
        match self {
            Self::Claude | Self::Codex => file.contains(conversation) && file.ends_with("jsonl"),
            Self::Gemini => file.contains(&conversation[..8]) && file.ends_with("jsonl"),
            Self::OpenCode => file.starts_with("opencode.db"),
        }
    }

    /// How often the life of a session is gone through, unless the run says so.
    pub(crate) fn rounds(self) -> u32 {
        match self {
            Self::Claude | Self::Codex => 20,
            Self::Gemini | Self::OpenCode => 5,
        }
    }

    /// Signs Claude Code in with a subscription.
    pub(crate) fn subscribe(home: &Path) {
        let login = json!({"accessToken": "stub", "refreshToken": "stub", "expiresAt": 9_999_999_999_999_i64,
            "scopes": ["user:inference", "user:profile"], "subscriptionType": "max"});
        write(&home.join(".claude/.credentials.json"), &json!({"claudeAiOauth": login}).to_string());
    }

    /// Sets it up in an empty HOME as its account holder would have, with the stub for a vendor. Trust, onboarding and
    /// whatever else meets a first start is left for the adapter to see to.
    pub(crate) fn configure(self, home: &Path, model: &StubModel) -> Vec<(&'static str, String)> {
        let own = |key, value: &str| (key, value.to_owned());
        match self {
            Self::Claude => vec![
                ("ANTHROPIC_BASE_URL", model.url()),
                own("ANTHROPIC_AUTH_TOKEN", "stub"),
                own("DISABLE_AUTOUPDATER", "1"),
                own("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ],
            Self::Codex => {
                let config = format!(
                    "# the account holder's own\nmodel = \"gpt-5.3-codex\"\nmodel_provider = \"stub\"\n\
                     check_for_update_on_startup = false\n\n[model_providers.stub]\nname = \"stub\"\n\
                     base_url = \"{}/v1\"\nwire_api = \"responses\"\nenv_key = \"STUB_KEY\"\n",
                    model.url()
                );
                write(&home.join(".codex/config.toml"), &config);
                vec![own("STUB_KEY", "stub")]
            }
            Self::Gemini => {
                let settings = json!({
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
                    "privacy": {"usageStatisticsEnabled": false},
                    "model": {"name": "gemini-2.5-flash"},
                });
                write(&home.join(".gemini/settings.json"), &settings.to_string());
                vec![own("GEMINI_API_KEY", "stub"), ("GOOGLE_GEMINI_BASE_URL", model.url())]
            }
            Self::OpenCode => {
                let vendor = json!({
                    "npm": "@ai-sdk/openai-compatible", "name": "Stub",
                    "options": {"baseURL": format!("{}/v1", model.url()), "apiKey": "stub"},
                    "models": {"stub-1": {"name": "Stub 1", "limit": {"context": 100_000, "output": 8000}}},
                });
                let config = json!({
                    "autoupdate": false, "share": "disabled", "permission": {"bash": "ask"},
                    "model": "stub/stub-1", "small_model": "stub/stub-1", "enabled_providers": ["stub"],
                    "provider": {"stub": vendor},
                });
                write(&home.join(".config/opencode/opencode.json"), &config.to_string());
                vec![own("OPENCODE_DISABLE_AUTOUPDATE", "1"), own("OPENCODE_DISABLE_MODELS_FETCH", "1")]
            }
        }
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}
