//! What differs between the agents under test: package, settings for a model on loopback, words typed by a person.

use std::{fs, path::Path};

use testkit::StubModel;

/// An agent that npm has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    Claude,
    Codex,
}

impl Agent {
    pub(crate) const ALL: [Self; 2] = [Self::Claude, Self::Codex];

    /// The harness, and its program.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// The package, in the version that the adapter was last checked against.
    pub(crate) fn package(self) -> (&'static str, &'static str) {
        match self {
            Self::Claude => ("@anthropic-ai/claude-code", "2.1.332"),
            Self::Codex => ("@openai/codex", "0.171.0"),
        }
    }

    /// Arguments with which it asks before it runs a command.
    pub(crate) fn cautious(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["--permission-mode", "default"],
            Self::Codex => &["--ask-for-approval", "on-request", "--sandbox", "read-only"],
        }
    }

    /// What a person types to go on to a fresh conversation in the same process, and the question that is then to be
    /// answered with Enter.
    pub(crate) fn anew(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Claude => ("/clear", None),
            Self::Codex => ("/new", Some("Where should the new conversation run?")),
        }
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
                fs::create_dir_all(home.join(".codex")).expect("a folder");
                fs::write(home.join(".codex/config.toml"), config).expect("a file");
                vec![own("STUB_KEY", "stub")]
            }
        }
    }
}
