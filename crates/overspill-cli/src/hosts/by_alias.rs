//! The rows of hosts whose settings cannot name a shell. An alias that the user adds puts the shell
//! of overspill first.

use std::time::Duration;

use overspill::core::{Keep, Limits};

use super::table::{NONE, chars, env, place};
use super::{Ceiling, CommandInput, Host, LIMITS, OwnCut, SetupStep, WaitsFor};

/// The text that `init` prints, with the alias that the user adds.
macro_rules! with_alias {
    ($line:literal) => {
        Some(concat!(
            "Its settings cannot name a shell. Put this line into the startup file of your shell:\n",
            $line
        ))
    };
}

pub(super) const GOOSE: Host = Host {
    name: "goose",
    title: "goose",
    programs: &["goose"],
    home: "$config/goose",
    mark: Some("AGENT_SESSION_ID"),
    session: Some("AGENT_SESSION_ID"),
    parents: &["goose", "goosed"],
    waits_for: WaitsFor::ToldMoment(Duration::from_millis(500)),
    how: "wraps shell commands (a `bash` first in PATH)",
    steps: &[SetupStep::Link("bash")],
    servers: Some(place("$config/goose/config.yaml", "")),
    rules: Some(place("$config/goose/.goosehints", ".goosehints")),
    // The host shows 2,000 lines and 50,000 bytes.
    ceiling: Ceiling { limits: Limits::NONE.bytes(49_500).lines(1_900), if_failed: None },
    then: with_alias!("alias goose='PATH=\"@BIN@:$PATH\" goose'"),
    ..NONE
};

pub(super) const CONTINUE: Host = Host {
    name: "continue",
    title: "Continue CLI",
    programs: &["cn"],
    home: "~/.continue",
    input: CommandInput::Unused,
    waits_for: WaitsFor::PipeEnd,
    resets_path: true,
    how: "wraps shell commands (SHELL)",
    steps: &[SetupStep::Link("bash")],
    servers: Some(place("~/.continue/config.yaml", "")),
    rules: Some(place("", ".continue/rules/overspill.md")),
    // The host shows 1,000 lines and 50,000 characters for all commands that run at one time.
    ceiling: Ceiling { limits: LIMITS.chars(24_500).lines(480), if_failed: None },
    own_cut: Some(OwnCut::to(Limits::NONE.chars(50_000).lines(1_000), Keep::Tail)),
    then: with_alias!(
        "alias cn='OVERSPILL_HOST=continue OVERSPILL_SHELL=\"$SHELL\" SHELL=\"@BIN@/bash\" cn'"
    ),
    ..NONE
};

pub(super) const KIMI: Host = Host {
    name: "kimi-code",
    title: "Kimi Code",
    programs: &["kimi"],
    home: "~/.kimi-code",
    frame: Some("cd '"),
    parents: &["kimi-code"],
    waits_for: WaitsFor::Moment(Duration::from_millis(250)),
    input: CommandInput::Unused,
    how: "wraps shell commands (BASH_ENV)",
    steps: &[env("kimi-code.sh")],
    servers: Some(place("~/.kimi-code/mcp.json", ".kimi-code/mcp.json")),
    rules: Some(place("~/.kimi-code/AGENTS.md", "AGENTS.md")),
    // The host shows 50,000 characters.
    ceiling: Ceiling { limits: LIMITS.chars(49_000), if_failed: None },
    // The host saves a longer output in a file and shows 5,800 characters of its ends.
    own_cut: Some(OwnCut::over(Limits::NONE.chars(50_000), Limits::NONE.chars(5_800), Keep::ENDS)),
    then: with_alias!(
        "alias kimi='OVERSPILL_HOST=kimi-code OVERSPILL_BASH_ENV=\"$BASH_ENV\" BASH_ENV=\"@BIN@/kimi-code.sh\" kimi'"
    ),
    ..NONE
};

pub(super) const QWEN: Host = Host {
    name: "qwen",
    title: "Qwen Code",
    programs: &["qwen"],
    home: "~/.qwen",
    mark: Some("QWEN_CODE"),
    waits_for: WaitsFor::Moment(Duration::ZERO),
    on_terminal: true,
    how: "wraps shell commands (a `bash` first in PATH)",
    steps: &[SetupStep::Link("bash")],
    servers: Some(place("~/.qwen/settings.json", ".qwen/settings.json")),
    rules: Some(place("~/.qwen/QWEN.md", "QWEN.md")),
    // The host shows 30,000 characters, with the text of the command.
    ceiling: chars(28_000),
    transcripts: &["~/.qwen/projects"],
    // The host saves a longer output in a file and shows 4,000 characters of its ends.
    own_cut: Some(OwnCut::over(
        Limits::NONE.chars(30_000),
        Limits::NONE.chars(4_000),
        Keep::Ends { head: 1, tail: 4 },
    )),
    then: with_alias!("alias qwen='PATH=\"@BIN@:$PATH\" qwen'"),
    ..NONE
};
