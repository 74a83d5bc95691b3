//! Texts that users may have in the files of every host.

/// A file that a host has, and texts that people may have in it. `None` stands for no file.
pub(super) type HostTexts = (&'static str, &'static [Option<&'static str>]);

/// Every host, with all files that `init` may change.
pub(super) const ALL: &[(&str, &[HostTexts])] = &[
    (
        "claude-code",
        &[
            (".claude/settings.json", SETTINGS),
            (".claude.json", SERVERS),
            (".claude/CLAUDE.md", RULES),
        ],
    ),
    (
        "codex",
        &[
            (
                ".codex/config.toml",
                &[
                    None,
                    Some(""),
                    Some("# only this"),
                    Some("model = \"x\"\r\n[mcp_servers.a]\r\ncommand = \"a\"\r\n"),
                    Some("a = 1\r\nb = 2\n"),
                    Some(
                        "[shell_environment_policy]\ninherit = \"all\"\nset = { A = \"b\" } # c\n\n[mcp_servers.a]\ncommand = \"npx\"\n",
                    ),
                    Some(
                        "[shell_environment_policy.set]\nBASH_ENV = '/old.sh' # old\n\n[mcp_servers]\na = { command = \"x\", args = [] }\n",
                    ),
                    Some("shell_environment_policy.set.B = \"1\"\n"),
                    Some(
                        "[shell_environment_policy]\nset = {}\n[mcp_servers.w]\ncommand = \"overspill\"\nargs = [\"mcp\", \"--\", \"x\"]\n",
                    ),
                    Some("shell_environment_policy = { inherit = \"all\" }\n"),
                    Some("[z]\ny = \"\"\"\nBASH_ENV = \"no\"\n\"\"\"\n\n# end\n"),
                ],
            ),
            (".codex/AGENTS.md", RULES),
        ],
    ),
    (
        "gemini",
        &[
            (
                ".gemini/.env",
                &[
                    None,
                    Some(""),
                    Some("# keys\nGEMINI_API_KEY=x\nexport BASH_ENV = /old.sh\nLAST=1"),
                    Some("A=1\r\nBASH_ENV=/old.sh\r\n"),
                    Some("BASH_ENV=1\nBASH_ENV=2 # two\n# BASH_ENV=3\n"),
                ],
            ),
            (".gemini/settings.json", SERVERS),
            (".gemini/GEMINI.md", RULES),
            (".gemini/policies/overspill.toml", &[None]),
        ],
    ),
    (
        "opencode",
        &[
            (
                ".config/opencode/opencode.jsonc",
                &[
                    None,
                    Some("{}"),
                    Some("{\"permission\": {\"bash\": {\"*\": \"ask\"}}}"),
                    Some("{\"permission\": {\"bash\": \"ask\"}, \"mcp\": {}}"),
                    Some(
                        "{\n  // servers\n  \"shell\": \"\\/bin\\/zsh\",\n  \"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"x\", \"y\"],},},\n}\n",
                    ),
                    Some(
                        "{\"mcp\": {\"w\": {\"command\": [\"overspill\", \"mcp\", \"--\", \"x\"]}}}",
                    ),
                ],
            ),
            (".config/opencode/plugins/overspill.js", &[None]),
            (".config/opencode/AGENTS.md", RULES),
        ],
    ),
    ("qwen", &[(".qwen/settings.json", SERVERS), (".qwen/QWEN.md", RULES)]),
    (
        "copilot",
        &[(".copilot/hooks/overspill.json", &[None]), (".copilot/mcp-config.json", SERVERS)],
    ),
    ("pi", &[(".pi/agent/settings.json", SETTINGS), (".pi/agent/AGENTS.md", RULES)]),
    (
        "cursor",
        &[
            (
                ".cursor/hooks.json",
                &[
                    None,
                    Some(
                        "{\"version\": 1, \"hooks\": {\"preToolUse\": [{\"command\": \"mine\"}]}}\n",
                    ),
                    Some("{\n  \"version\": 2,\n  \"hooks\": {\n    \"postToolUse\": []\n  }\n}\n"),
                ],
            ),
            (".cursor/mcp.json", SERVERS),
        ],
    ),
    (
        "cline",
        &[
            (".cline/plugins/overspill.js", &[None]),
            (".cline/data/settings/cline_mcp_settings.json", SERVERS),
        ],
    ),
    ("neovate", &[(".neovate/plugins/overspill.js", &[None]), (".neovate/config.json", SERVERS)]),
    (
        "goose",
        &[
            (
                ".config/goose/config.yaml",
                &[
                    None,
                    Some(
                        "GOOSE_MODEL: x\nextensions:\n  a:\n    cmd: npx\n    args:\n    - -y\n    - one # first\n    enabled: true\n  b:\n    cmd: bare\n",
                    ),
                    Some(
                        "extensions:\n  w:\n    cmd: overspill\n    args: [mcp, --, x]\n  c:\n    cmd: 'c d'\n    args: [a, \"b\"]\n# end\n",
                    ),
                ],
            ),
            (".config/goose/.goosehints", RULES),
        ],
    ),
    (
        "kilo",
        &[
            (
                ".config/kilo/kilo.json",
                &[None, Some("{}"), Some("{\"shell\": \"/mine\", \"mcp\": {}}")],
            ),
            (".config/kilo/AGENTS.md", RULES),
        ],
    ),
    (
        "continue",
        &[(
            ".continue/config.yaml",
            &[
                None,
                Some(
                    "name: x\nmcpServers:\n  - name: a\n    command: npx\n    args:\n      - one # first\n",
                ),
            ],
        )],
    ),
    ("kimi-code", &[(".kimi-code/mcp.json", SERVERS), (".kimi-code/AGENTS.md", RULES)]),
    (
        "qoder",
        &[
            (".qoder/.env", &[None, Some("# mine\nA=1\nQODER_SHELL_PREFIX=/mine\n")]),
            (".qoder/settings.json", SERVERS),
            (".qoder/AGENTS.md", RULES),
        ],
    ),
    ("droid", &[(".factory/mcp.json", SERVERS), (".factory/AGENTS.md", RULES)]),
    ("auggie", &[(".augment/settings.json", SERVERS)]),
    ("amp", &[(".config/amp/settings.json", SETTINGS), (".config/amp/AGENTS.md", RULES)]),
    (
        "crush",
        &[(
            ".config/crush/crush.json",
            &[None, Some("{}"), Some("{\"mcp\": {\"a\": {\"command\": \"x\"}}}\n")],
        )],
    ),
    (
        "windsurf",
        &[
            (".codeium/windsurf/mcp_config.json", SERVERS),
            (".codeium/windsurf/memories/global_rules.md", RULES),
        ],
    ),
];

const SETTINGS: &[Option<&str>] = &[
    None,
    Some("{}"),
    Some("{ }\n"),
    Some("{\n  // nothing yet\n}\n"),
    Some(
        "{\n  // mine\n  \"env\": {\"A\": \"b\"}, /* and */\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\", // ls\n    ],\n  },\n}\n",
    ),
    Some("{\"permissions\":{\"deny\":[]},\"hooks\":{\"PostToolUse\":[{\"matcher\":\"X\"}]}}"),
    Some("\u{feff}{\r\n\t\"model\": \"x\"\r\n}\r\n"),
    Some("{\n    \"env\": {},\n    \"model\": \"x\"\n}"),
    Some("{\"env\": {\"CLAUDE_CODE_SHELL_PREFIX\": \"\\/mine\"}, \"shellPath\": \"\\/mine\"}"),
    Some("{\"permissions\": {\"allow\": [ // none\n]}, \"model\": \"overspill\"}"),
];

const SERVERS: &[Option<&str>] = &[
    None,
    Some(
        "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"},\n    \"b\": {\"command\": \"y\", \"args\": [\"1\"]}\n  }\n}\n",
    ),
    Some("{\"mcpServers\":{}}"),
    Some(
        "{\"model\": \"x\", \"mcpServers\": {\"w\": {\"command\": \"overspill\", \"args\": [\"mcp\", \"--\", \"x\"]}, \"c\": {\"args\": [], \"command\": \"x y\"}}}",
    ),
    Some(
        "{\"projects\":{\"/p\":{\"mcpServers\":{\"m\":{\"command\":\"a\"}}}},\"mcpServers\":{\"m\":{\"command\":\"overspill\",\"args\":[\"mcp\",\"--name\",\"m\",\"--\",\"a\"]}}}",
    ),
];

const RULES: &[Option<&str>] = &[
    None,
    Some(""),
    Some("# Mine\n\nUse overspill.\n"),
    Some("no line end"),
    Some("# A\r\n\r\nb\r\n"),
];
