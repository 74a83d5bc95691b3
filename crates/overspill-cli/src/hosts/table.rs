//! The table of hosts: the facts about each host agent that overspill knows.

use std::time::Duration;

use overspill::core::{Keep, Limits};

use super::hook::{ClaudeFormat, CopilotFormat, PluginFormat};
use super::{
    BackgroundLog, Ceiling, CommandInput, DefaultShell, Host, HostFile, LIMITS, OwnCut, SetupStep,
    SlotKind, TaskFiles, WaitsFor, by_alias, by_contract,
};

/// A host without any facts. Rows fill in the fields that differ.
pub(super) const NONE: Host = Host {
    name: "",
    title: "",
    programs: &[],
    home: "",
    mark: None,
    session: None,
    frame: None,
    parents: &[],
    input: CommandInput::Used,
    waits_for: WaitsFor::Unknown,
    task_files: None,
    background_log: None,
    on_terminal: false,
    resets_path: false,
    how: "",
    shell: DefaultShell::Bash,
    slot: None,
    settings_variable: None,
    steps: &[],
    second: &[],
    reading: &[],
    no_reading: "overspill knows no rules of this agent for single commands",
    file_tool: None,
    servers: None,
    rules: None,
    hook: None,
    bundle: &[],
    overrides: &[],
    ceiling: Ceiling::UNKNOWN,
    own_cut: None,
    transcripts: &[],
    session_database: None,
    then: None,
};

/// The shell of opencode and of its forks.
const SHELL_OF_USER: DefaultShell = DefaultShell::OfUser { except: &["fish", "nu"] };

/// The ceiling of a host with a limit in characters.
pub(super) const fn chars(most: u64) -> Ceiling {
    Ceiling { limits: LIMITS.chars(most), if_failed: None }
}

/// The way in which opencode and its forks cut: they show the last 2,000 lines and 50 KiB.
const LAST_LINES: OwnCut = OwnCut::to(Limits::NONE.bytes(51_200).lines(2_000), Keep::Tail);

/// The ceiling of a host that shows 2,000 lines and 50 KiB.
const LINES_AND_BYTES: Ceiling =
    Ceiling { limits: Limits::NONE.bytes(50_000).lines(1_900), if_failed: None };

pub(super) const fn place(user: &'static str, project: &'static str) -> HostFile {
    HostFile { user, project }
}

/// The file that bash reads first. It passes the whole command to overspill.
pub(super) const fn env(name: &'static str) -> SetupStep {
    SetupStep::Script { name, text: include_str!("files/env.sh") }
}

/// A rule that allows one command of overspill.
const fn claude_rule(value: &'static str) -> SetupStep {
    SetupStep::JsonItem { place: CLAUDE, path: &["permissions", "allow"], value }
}

/// A rule that allows one command of overspill, if the user has rules for single commands.
const fn opencode_rule(name: &'static [&'static str]) -> SetupStep {
    SetupStep::JsonMember { place: OPENCODE, path: name, value: r#""allow""# }
}

const CLAUDE: HostFile = place("~/.claude/settings.json", ".claude/settings.local.json");
const CODEX: HostFile = place("~/.codex/config.toml", "");
const OPENCODE: HostFile = place("$config/opencode/opencode.json", "opencode.json");
const KILO: HostFile = place("$config/kilo/kilo.json", "kilo.json");

pub(crate) const HOSTS: &[Host] = &[
    Host {
        name: "claude-code",
        title: "Claude Code",
        programs: &["claude"],
        home: "~/.claude",
        mark: Some("CLAUDECODE"),
        session: Some("CLAUDE_CODE_SESSION_ID"),
        waits_for: WaitsFor::Moment(Duration::ZERO),
        task_files: Some(TaskFiles {
            folder: "tasks",
            ending: "output",
            logs: "~/.claude/projects",
        }),
        how: "wraps shell commands (CLAUDE_CODE_SHELL_PREFIX)",
        slot: Some(SlotKind::Prefix),
        steps: &[
            SetupStep::Link("overspill-sh"),
            SetupStep::Json {
                place: CLAUDE,
                path: &["env", "CLAUDE_CODE_SHELL_PREFIX"],
                value: r#""@BIN@/overspill-sh""#,
            },
            SetupStep::JsonItem {
                place: CLAUDE,
                path: &["permissions", "allow"],
                value: r#""Read(/@OUTPUTS@/**)""#,
            },
        ],
        second: &[SetupStep::JsonItem {
            place: CLAUDE,
            path: &["hooks", "PostToolUse"],
            value: r#"{"matcher":"Bash|mcp__.*","hooks":[{"type":"command","command":"@COMMAND@ hook claude-code","timeout":10}]}"#,
        }],
        reading: &[
            claude_rule(r#""Bash(overspill read:*)""#),
            claude_rule(r#""Bash(overspill grep:*)""#),
            claude_rule(r#""Bash(overspill list:*)""#),
            claude_rule(r#""Bash(@COMMAND@ read:*)""#),
            claude_rule(r#""Bash(@COMMAND@ grep:*)""#),
            claude_rule(r#""Bash(@COMMAND@ list:*)""#),
        ],
        file_tool: Some("Read"),
        servers: Some(place("~/.claude.json", ".mcp.json")),
        rules: Some(place("~/.claude/CLAUDE.md", "CLAUDE.md")),
        hook: Some(&ClaudeFormat),
        bundle: &[
            (".claude-plugin/plugin.json", include_str!("files/claude-plugin.json")),
            ("hooks/hooks.json", include_str!("files/claude-hooks.json")),
            (".mcp.json", include_str!("files/claude-mcp.json")),
        ],
        overrides: &[".claude/settings.json", ".claude/settings.local.json"],
        // The host shows 30,000 characters, and 10,000 of a command that failed.
        ceiling: Ceiling { limits: LIMITS.chars(29_500), if_failed: Some(LIMITS) },
        transcripts: &["~/.claude/projects"],
        // The host saves a longer output in a file and shows 2,000 characters of its start.
        own_cut: Some(
            OwnCut::over(Limits::NONE.chars(30_000), Limits::NONE.chars(2_000), Keep::Head)
                .if_failed(OwnCut::to(Limits::NONE.chars(10_000), Keep::ENDS)),
        ),
        ..NONE
    },
    Host {
        name: "codex",
        title: "Codex CLI",
        programs: &["codex"],
        home: "~/.codex",
        mark: Some("CODEX_THREAD_ID"),
        session: Some("CODEX_THREAD_ID"),
        waits_for: WaitsFor::Moment(Duration::from_millis(50)),
        resets_path: true,
        how: "wraps shell commands (BASH_ENV in shell_environment_policy)",
        steps: &[
            env("codex.sh"),
            SetupStep::Toml {
                place: CODEX,
                path: &["shell_environment_policy", "set", "BASH_ENV"],
                value: "@BIN@/codex.sh",
            },
        ],
        no_reading: "it runs these commands in its sandbox without asking; a rule would run them outside",
        servers: Some(CODEX),
        rules: Some(place("~/.codex/AGENTS.md", "AGENTS.md")),
        // The host shows about 10,000 characters.
        ceiling: chars(9_500),
        own_cut: Some(OwnCut::to(Limits::NONE.chars(10_000), Keep::ENDS)),
        transcripts: &["~/.codex/sessions", "~/.codex/archived_sessions"],
        ..NONE
    },
    Host {
        name: "gemini",
        title: "Gemini CLI",
        programs: &["gemini"],
        home: "~/.gemini",
        mark: Some("GEMINI_CLI"),
        background_log: Some(BackgroundLog {
            path: "~/.gemini/tmp/background-processes/background-@PID@.log",
        }),
        waits_for: WaitsFor::PipeEnd,
        frame: Some("_bgpids_file="),
        on_terminal: true,
        how: "wraps shell commands (BASH_ENV in ~/.gemini/.env)",
        steps: &[
            env("gemini.sh"),
            SetupStep::Link("bash"),
            SetupStep::Variable {
                place: place("~/.gemini/.env", ""),
                name: "BASH_ENV",
                value: "@BIN@/gemini.sh",
            },
        ],
        reading: &[SetupStep::File {
            place: place("~/.gemini/policies/overspill.toml", ""),
            text: include_str!("files/gemini-policy.toml"),
        }],
        servers: Some(place("~/.gemini/settings.json", ".gemini/settings.json")),
        rules: Some(place("~/.gemini/GEMINI.md", "GEMINI.md")),
        overrides: &[".gemini/.env", ".env"],
        // The host shows 40,000 characters.
        ceiling: chars(39_500),
        transcripts: &["~/.gemini/tmp"],
        // The host shows the first 8,000 and the last 32,000 characters.
        own_cut: Some(OwnCut::to(Limits::NONE.chars(40_000), Keep::Ends { head: 1, tail: 4 })),
        then: Some(
            "A file .env in a project replaces ~/.gemini/.env, and BASH_ENV in your environment\n\
             overrides it. In both cases, start Gemini CLI with this line:\n\
             PATH=\"@BIN@:$PATH\" gemini",
        ),
        ..NONE
    },
    Host {
        name: "opencode",
        title: "opencode",
        programs: &["opencode"],
        home: "$config/opencode",
        mark: Some("OPENCODE"),
        waits_for: WaitsFor::PipeEnd,
        how: "wraps shell commands (`shell` in opencode.json)",
        shell: SHELL_OF_USER,
        slot: Some(SlotKind::Shell),
        settings_variable: Some("OPENCODE_CONFIG"),
        steps: &[
            SetupStep::ShellLink,
            SetupStep::Json { place: OPENCODE, path: &["shell"], value: r#""@BIN@/@SHELL@""# },
        ],
        second: &[SetupStep::File {
            place: place("$config/opencode/plugins/overspill.js", ".opencode/plugins/overspill.js"),
            text: include_str!("files/opencode.js"),
        }],
        reading: &[
            opencode_rule(&["permission", "bash", "overspill read *"]),
            opencode_rule(&["permission", "bash", "overspill grep *"]),
            opencode_rule(&["permission", "bash", "overspill list *"]),
            opencode_rule(&["permission", "bash", "@COMMAND@ read *"]),
            opencode_rule(&["permission", "bash", "@COMMAND@ grep *"]),
            opencode_rule(&["permission", "bash", "@COMMAND@ list *"]),
        ],
        servers: Some(OPENCODE),
        rules: Some(place("$config/opencode/AGENTS.md", "AGENTS.md")),
        overrides: &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/opencode.json",
            ".opencode/opencode.jsonc",
        ],
        ceiling: LINES_AND_BYTES,
        own_cut: Some(LAST_LINES),
        session_database: Some(("$data/opencode/opencode.db", "opencode export SESSION > FILE")),
        hook: Some(&PluginFormat),
        ..NONE
    },
    Host {
        name: "kilo",
        title: "Kilo CLI",
        programs: &["kilo", "kilocode"],
        home: "$config/kilo",
        mark: Some("KILO"),
        waits_for: WaitsFor::PipeEnd,
        how: "wraps shell commands (`shell` in kilo.json)",
        shell: SHELL_OF_USER,
        slot: Some(SlotKind::Shell),
        settings_variable: Some("KILO_CONFIG"),
        steps: &[
            SetupStep::ShellLink,
            SetupStep::Json { place: KILO, path: &["shell"], value: r#""@BIN@/@SHELL@""# },
        ],
        servers: Some(KILO),
        rules: Some(place("$config/kilo/AGENTS.md", "AGENTS.md")),
        overrides: &["kilo.json", "kilo.jsonc"],
        ceiling: LINES_AND_BYTES,
        own_cut: Some(LAST_LINES),
        ..NONE
    },
    by_alias::GOOSE,
    by_alias::CONTINUE,
    by_alias::KIMI,
    by_alias::QWEN,
    Host {
        name: "copilot",
        title: "Copilot CLI",
        programs: &["copilot"],
        home: "~/.copilot",
        mark: Some("COPILOT_CLI"),
        how: "hook after each tool",
        steps: &[SetupStep::File {
            place: place("~/.copilot/hooks/overspill.json", ".github/hooks/overspill.json"),
            text: include_str!("files/copilot.json"),
        }],
        servers: Some(place("~/.copilot/mcp-config.json", "")),
        rules: Some(place("", "AGENTS.md")),
        // The host shows 20,000 characters.
        ceiling: chars(19_500),
        transcripts: &["~/.copilot/session-state"],
        // The host saves a longer output in a file and shows 500 characters of its start.
        own_cut: Some(OwnCut::over(
            Limits::NONE.bytes(20_480),
            Limits::NONE.chars(500),
            Keep::Head,
        )),
        hook: Some(&CopilotFormat),
        ..NONE
    },
    Host {
        name: "pi",
        title: "pi",
        programs: &["pi"],
        home: "~/.pi",
        mark: Some("PI_CODING_AGENT"),
        waits_for: WaitsFor::Pause(Duration::from_millis(100)),
        how: "wraps shell commands (`shellPath` in settings.json)",
        slot: Some(SlotKind::Shell),
        steps: &[
            SetupStep::Link("bash"),
            SetupStep::Json {
                place: place("~/.pi/agent/settings.json", ".pi/settings.json"),
                path: &["shellPath"],
                value: r#""@BIN@/bash""#,
            },
        ],
        second: &[SetupStep::File {
            place: place("~/.pi/agent/extensions/overspill.ts", ".pi/extensions/overspill.ts"),
            text: include_str!("files/pi.ts"),
        }],
        no_reading: "it asks for no command",
        rules: Some(place("~/.pi/agent/AGENTS.md", "AGENTS.md")),
        overrides: &[".pi/settings.json"],
        ceiling: LINES_AND_BYTES,
        transcripts: &["~/.pi/agent/sessions"],
        own_cut: Some(LAST_LINES),
        hook: Some(&PluginFormat),
        ..NONE
    },
    by_contract::CURSOR,
    Host {
        name: "cline",
        title: "Cline",
        programs: &["cline"],
        home: "~/.cline",
        parents: &["cline", ".cline"],
        input: CommandInput::Closed,
        waits_for: WaitsFor::ToldMoment(Duration::from_secs(1)),
        how: "plugin (afterTool); wraps shell commands (BASH_ENV)",
        steps: &[
            env("cline.sh"),
            SetupStep::File {
                place: place("~/.cline/plugins/overspill.js", ".cline/plugins/overspill.js"),
                text: include_str!("files/cline.js"),
            },
        ],
        servers: Some(place("~/.cline/data/settings/cline_mcp_settings.json", "")),
        rules: Some(place("", ".clinerules/overspill.md")),
        // The host shows 8,000 characters, and adds a line to a failed command before our plugin
        // runs.
        ceiling: Ceiling { limits: LIMITS.chars(7_500), if_failed: Some(LIMITS.chars(7_400)) },
        own_cut: Some(OwnCut::to(Limits::NONE.chars(8_000), Keep::ENDS)),
        then: Some(
            "Its plugins see 48,000 characters of a command. This line saves all of its output.\n\
             Put it into the startup file of your shell:\n\
             alias cline='OVERSPILL_HOST=cline OVERSPILL_BASH_ENV=\"$BASH_ENV\" BASH_ENV=\"@BIN@/cline.sh\" cline'",
        ),
        hook: Some(&PluginFormat),
        ..NONE
    },
    by_contract::NEOVATE,
    by_contract::WINDSURF,
    by_contract::QODER,
    by_contract::DROID,
    by_contract::AUGGIE,
    by_contract::AMP,
    by_contract::CRUSH,
];
