//! Nesting marks: variables by which an agent tells the programs it starts that they run inside it.
//!
//! A harness that finds them takes itself for a part of the other one: Claude Code then writes no transcript, and Codex
//! believes that it has no network. They are listed by their exact names, so every setting of the operator passes,
//! whatever its prefix.

/// Nesting marks of one program.
pub struct Marks {
    /// Name of the program, for people.
    pub program: &'static str,
    /// Names of the variables.
    pub names: &'static [&'static str],
}

/// Nesting marks of every known program. Seen on Claude Code 2.1.197, Codex 0.171.0, Gemini CLI 0.61.0 and opencode
/// 1.18.33; for the others, from their documentation.
pub const MARKS: &[Marks] = &[
    Marks {
        program: "Claude Code",
        names: &[
            "CLAUDECODE",
            "CLAUDE_CODE",
            "CLAUDE_CODE_AGENT",
            "CLAUDE_CODE_CHILD_SESSION",
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CODE_ENVIRONMENT_KIND",
            "CLAUDE_CODE_EXECPATH",
            "CLAUDE_CODE_INVOKED_SKILLS",
            "CLAUDE_CODE_MCP_SERVER_NAME",
            "CLAUDE_CODE_MCP_SERVER_URL",
            "CLAUDE_CODE_REMOTE_SESSION_ID",
            "CLAUDE_CODE_SESSION_ACCESS_TOKEN",
            "CLAUDE_CODE_SESSION_ID",
            "CLAUDE_CODE_SESSION_KIND",
            "CLAUDE_CODE_SESSION_NAME",
            "CLAUDE_CODE_SPAWN_TIMESTAMP_MS",
            "CLAUDE_CODE_SSE_PORT",
            "CLAUDE_CODE_TMUX_PREFIX",
            "CLAUDE_CODE_TMUX_PREFIX_CONFLICTS",
            "CLAUDE_CODE_TMUX_SESSION",
            "CLAUDE_CODE_TUI_JUST_SWITCHED",
            "CLAUDE_CODE_WORKER_EPOCH",
            "CLAUDE_AGENTS_SELECT",
            "CLAUDE_BG_AUTH_SNAPSHOT_PATH",
            "CLAUDE_BG_BACKEND",
            "CLAUDE_BG_CLAIM_AUTH",
            "CLAUDE_BG_ISOLATION",
            "CLAUDE_BG_MEMORY_TOGGLED_OFF",
            "CLAUDE_BG_PTY_AUTH",
            "CLAUDE_BG_RENDEZVOUS_SOCK",
            "CLAUDE_BG_RV_AUTH",
            "CLAUDE_BG_SESSION_PERMISSION_RULES",
            "CLAUDE_BG_SOCKET_TOKENS_PATH",
            "CLAUDE_BG_SOURCE",
            "CLAUDE_BG_TCC_DISCLAIMED",
            "CLAUDE_BRIDGE_REATTACH_OUTBOUND_ONLY",
            "CLAUDE_BRIDGE_REATTACH_SEQ",
            "CLAUDE_BRIDGE_REATTACH_SESSION",
            "CLAUDE_EFFORT",
            "CLAUDE_ENV_FILE",
            "CLAUDE_JOB_DIR",
            "CLAUDE_PID",
            "CLAUDE_PLUGIN_DATA",
            "CLAUDE_PLUGIN_ROOT",
            "CLAUDE_PROJECT_DIR",
            "CLAUDE_PTY_HOST_EXEC",
            "CLAUDE_SESSION_ID",
        ],
    },
    Marks {
        program: "Codex",
        names: &[
            "CODEX_CI",
            "CODEX_INTERNAL_ORIGINATOR_OVERRIDE",
            "CODEX_MANAGED_BY_BUN",
            "CODEX_MANAGED_BY_NPM",
            "CODEX_MANAGED_BY_PNPM",
            "CODEX_MANAGED_PACKAGE_ROOT",
            "CODEX_NETWORK_ALLOW_LOCAL_BINDING",
            "CODEX_NETWORK_PROXY_ACTIVE",
            "CODEX_NETWORK_PROXY_ATTRIBUTION",
            "CODEX_PERMISSION_PROFILE",
            "CODEX_SANDBOX",
            "CODEX_SANDBOX_NETWORK_DISABLED",
            "CODEX_SESSION_ID",
            "CODEX_THREAD_ID",
            "CODEX_TOOL_CALL_ID",
        ],
    },
    Marks {
        program: "Gemini CLI",
        names: &[
            "GEMINI_CLI",
            "GEMINI_CLI_IDE_PID",
            "GEMINI_CLI_IDE_SERVER_PORT",
            "GEMINI_CLI_IDE_SERVER_STDIO_ARGS",
            "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND",
            "GEMINI_CLI_IDE_WORKSPACE_PATH",
            "GEMINI_CLI_SESSION_ID",
            "GEMINI_CLI_WORKTREE_HANDLED",
            "GEMINI_CWD",
            "GEMINI_PLANS_DIR",
            "GEMINI_PROJECT_DIR",
            "GEMINI_SESSION_ID",
        ],
    },
    Marks {
        program: "opencode",
        names: &[
            "OPENCODE",
            "OPENCODE_CALLER",
            "OPENCODE_CLIENT",
            "OPENCODE_PID",
            "OPENCODE_ROUTE",
            "OPENCODE_RUN_ID",
            "OPENCODE_SESSION_ID",
            "OPENCODE_TERMINAL",
            "OPENCODE_WORKSPACE_ID",
        ],
    },
    Marks { program: "Cursor", names: &["CURSOR_AGENT", "CURSOR_INVOKED_AS", "CURSOR_TRACE_ID"] },
    Marks {
        program: "another agent",
        names: &[
            "AI_AGENT",
            "AMP_CURRENT_THREAD_ID",
            "ANTIGRAVITY_AGENT",
            "AUGMENT_AGENT",
            "CLINE_ACTIVE",
            "COPILOT_CLI",
            "CRUSH",
            "GOOSE_TERMINAL",
            "PI_CODING_AGENT",
            "QWEN_CODE",
            "ROO_ACTIVE",
        ],
    },
];

/// True if a variable would make a harness believe that it runs inside another one.
pub fn is_mark(key: &str) -> bool {
    MARKS.iter().any(|marks| marks.names.contains(&key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_look_like_marks_pass() {
        for setting in [
            "CLAUDE_CODE_SUBAGENT_MODEL",
            "CLAUDE_CODE_EFFORT_LEVEL",
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
            "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS",
            "CLAUDE_CODE_SHELL",
            "CLAUDE_CODE_SHELL_PREFIX",
            "CLAUDE_CODE_GIT_BASH_PATH",
            "CLAUDE_CODE_PROXY_RESOLVES_HOSTS",
            "CLAUDE_CODE_TMPDIR",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "CODEX_SQLITE_HOME",
            "GEMINI_CLI_HOME",
            "GEMINI_CLI_NO_RELAUNCH",
            "GEMINI_API_KEY",
            "GEMINI_SANDBOX",
            "OPENCODE_CONFIG",
            "OPENCODE_PERMISSION",
            "CURSOR_API_KEY",
        ] {
            assert!(!is_mark(setting), "{setting}");
        }
        for mark in ["CLAUDECODE", "CLAUDE_EFFORT", "CLAUDE_CODE_SSE_PORT", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE"] {
            assert!(is_mark(mark), "{mark}");
        }
    }
}
