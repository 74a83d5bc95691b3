//! `init` and `uninstall` change only our own pieces, in any order of commands and hand edits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{links, read, run, well, write};

const CODEX: &str = "[mcp_servers.big]\ncommand = \"python3\"\nargs = [\"x.py\"]\n";
const OPENCODE: &str =
    "{\n  \"mcp\": {\"big\": {\"type\": \"local\", \"command\": [\"python3\", \"x.py\"]}}\n}\n";
const HOSTS: [(&str, &str, &str); 2] = [
    ("codex", ".codex/config.toml", CODEX),
    ("opencode", ".config/opencode/opencode.json", OPENCODE),
];

#[test]
fn second_init_leaves_mcp_servers_alone() {
    for (host, file, text) in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        write(&path, text);
        well(dir.path(), &["init", host]);
        let once = read(&path);
        well(dir.path(), &["init", host]);
        assert_eq!(read(&path), once, "{host}");
        assert!(!once.contains("\"mcp\", "), "{host}: {once}");
        // A server that is added later is wrapped only on request.
        well(dir.path(), &["init", host, "--mcp"]);
        let with = read(&path);
        let new = match host {
            "codex" => format!("{with}\n[mcp_servers.new]\ncommand = \"new\"\n"),
            _ => with.replacen("{\"big\"", "{\"new\": {\"command\": [\"new\"]}, \"big\"", 1),
        };
        assert!(new.len() > with.len());
        write(&path, &new);
        well(dir.path(), &["init", host]);
        assert_eq!(read(&path), new, "{host}");
        well(dir.path(), &["init", host, "--mcp"]);
        assert_eq!(read(&path).matches("bin/overspill\"").count(), 2, "{host}: {}", read(&path));
    }
}

#[test]
fn proxy_of_the_user_survives_init_and_uninstall() {
    for (host, file, text) in HOSTS {
        for by_hand in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(file);
            write(&path, text);
            if by_hand {
                let text = match host {
                    "codex" => text.replace("python3", "overspill").replace(
                        "[\"x.py\"]",
                        "[\"mcp\", \"--name\", \"big\", \"--\", \"python3\", \"x.py\"]",
                    ),
                    _ => text.replace("\"python3\"", "\"overspill\", \"mcp\", \"--\", \"python3\""),
                };
                write(&path, &text);
            } else {
                well(dir.path(), &["mcp", "wrap", path.to_str().unwrap()]);
            }
            let wrapped = read(&path);
            for options in [&[][..], &["--mcp"]] {
                well(dir.path(), &[&["init", host], options].concat());
                let server = wrapped.lines().find(|line| line.contains("overspill")).unwrap();
                assert!(read(&path).contains(server), "{host}: {}", read(&path));
                let said = well(dir.path(), &["uninstall", host]);
                assert_eq!(read(&path), wrapped, "{host}");
                assert!(said.contains("as it was before"), "{host}: {said}");
            }
        }
    }
}

#[test]
fn uninstall_names_the_pieces_that_somebody_changed() {
    let dir = tempfile::tempdir().unwrap();
    let settings = dir.path().join(".claude/settings.json");
    let rules = dir.path().join(".claude/CLAUDE.md");
    write(&rules, "# Mine\n");
    well(dir.path(), &["init", "claude-code", "--rules"]);
    write(&rules, &read(&rules).replace("## Long outputs", "## My own words"));
    write(&settings, &read(&settings).replace("overspill-sh\"", "overspill-sh --mine\""));
    let said = well(dir.path(), &["uninstall", "claude-code"]);
    assert!(said.contains("left: env.CLAUDE_CODE_SHELL_PREFIX"), "{said}");
    assert!(said.contains("left: a paragraph of rules"), "{said}");
    assert!(!said.contains("as it was before"), "{said}");
    assert!(read(&rules).contains("## My own words"));
    assert!(read(&settings).contains("--mine") && !read(&settings).contains("Read("));
    // The settings still name a link of ours, so the link stays.
    assert!(links(dir.path()).join("overspill-sh").exists());
}

#[test]
fn plugin_that_somebody_changed_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".copilot/hooks/overspill.json");
    well(dir.path(), &["init", "copilot", "--force"]);
    let mine = read(&path).replace("30", "60");
    write(&path, &mine);
    std::fs::create_dir_all(dir.path().join(".copilot")).unwrap();
    let said = super::wrong(dir.path(), &["init", "copilot"], 1);
    assert!(said.contains("changed since") && said.contains("--force"), "{said}");
    assert_eq!(read(&path), mine);
    let said = well(dir.path(), &["uninstall", "copilot"]);
    assert!(said.contains("left: a file of ours"), "{said}");
    assert_eq!(read(&path), mine);
}

#[test]
fn lost_receipt_is_made_up_for_by_exact_shapes() {
    for (host, file, text) in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        write(&path, text);
        well(dir.path(), &["init", host, "--mcp"]);
        let with = read(&path);
        std::fs::remove_file(dir.path().join(format!(".config/overspill/hosts/{host}.json")))
            .unwrap();
        well(dir.path(), &["init", host]);
        assert_eq!(read(&path), with, "{host}");
        well(dir.path(), &["uninstall", host]);
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&read(&path)), squeezed(text), "{host}");
    }
}

#[test]
fn receipt_of_an_older_version_is_understood() {
    for (host, file, text) in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        write(&path, text);
        well(dir.path(), &["init", host, "--mcp"]);
        let receipt = dir.path().join(format!(".config/overspill/hosts/{host}.json"));
        let mut noted: serde_json::Value = serde_json::from_str(&read(&receipt)).unwrap();
        noted["files"][0].as_object_mut().unwrap().remove("pieces").unwrap();
        write(&receipt, &noted.to_string());
        let with = read(&path);
        well(dir.path(), &["init", host]);
        assert_eq!(read(&path), with, "{host}");
        write(&receipt, &noted.to_string());
        let comment = if host == "codex" { "# mine\n" } else { "// mine\n" };
        write(&path, &format!("{comment}{with}"));
        well(dir.path(), &["uninstall", host]);
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&read(&path)), squeezed(&format!("{comment}{text}")), "{host}");
    }
}

#[test]
fn rules_that_two_hosts_share_stay_with_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("work/AGENTS.md");
    std::fs::create_dir_all(dir.path().join("work/.git")).unwrap();
    for host in ["opencode", "pi"] {
        well(dir.path(), &["init", host, "--project", "--rules", "--force"]);
    }
    assert_eq!(read(&path).matches("overspill: begin").count(), 1);
    well(dir.path(), &["uninstall", "pi"]);
    assert_eq!(read(&path).matches("overspill: begin").count(), 1);
    well(dir.path(), &["uninstall", "opencode"]);
    assert!(!path.exists());
}

/// A file that a host has, and texts that people may have in it. `None` stands for no file.
type HostTexts = (&'static str, &'static [Option<&'static str>]);

/// Every host, with all files that `init` may change.
const ALL: &[(&str, &[HostTexts])] = &[
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

/// One thing that happens.
#[derive(Debug, Clone)]
enum Step {
    Init(Vec<&'static str>),
    Uninstall,
    Wrap,
    Unwrap,
    /// A change by hand: of which file, and which one.
    Edit(Index, Index),
    /// A comment by hand beside one of our pieces: of which file.
    Comment(Index),
}

fn step() -> impl Strategy<Value = Step> {
    let options =
        prop::collection::vec(select(vec!["--mcp", "--hooks", "--rules", "--allow-read"]), 0..3);
    prop_oneof![
        4 => options.prop_map(Step::Init),
        2 => Just(Step::Uninstall),
        1 => Just(Step::Wrap),
        1 => Just(Step::Unwrap),
        4 => (any::<Index>(), any::<Index>()).prop_map(|(file, edit)| Step::Edit(file, edit)),
        2 => any::<Index>().prop_map(Step::Comment),
    ]
}

/// A home in which a host is set up, and its twin, in which only the rest happens.
struct Twins {
    main: tempfile::TempDir,
    twin: tempfile::TempDir,
    files: Vec<&'static str>,
    /// Numbers of the edits.
    edits: usize,
    /// Words that must be in a file of the main home.
    marks: BTreeMap<&'static str, Vec<String>>,
    /// The files with comments beside our pieces, which the twin does not have.
    beside: Vec<usize>,
}

impl Twins {
    fn new(texts: &[(&'static str, Option<&str>)]) -> Twins {
        let [main, twin] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        for (file, text) in texts {
            for home in [&main, &twin] {
                if let Some(text) = text {
                    write(&home.path().join(file), text);
                }
            }
        }
        let files = texts.iter().map(|(file, _)| *file).collect();
        Twins { main, twin, files, edits: 0, marks: BTreeMap::new(), beside: Vec::new() }
    }

    fn texts(&self, home: &Path) -> Vec<Option<String>> {
        self.files.iter().map(|file| std::fs::read_to_string(home.join(file)).ok()).collect()
    }

    fn wrap(&self, action: &str) {
        for file in self.files.iter().filter(|file| has_servers(file)) {
            let path = self.main.path().join(file);
            let ours = format!("{}/overspill\"", links(self.main.path()).display());
            // A proxy of `init` is no proxy of the user, so the twin would differ.
            if !path.exists() || read(&path).contains(&ours) {
                continue;
            }
            for home in [&self.main, &self.twin] {
                run(home.path(), &["mcp", action, home.path().join(file).to_str().unwrap()]);
            }
        }
    }

    /// Puts a comment beside one of our pieces.
    fn comment(&mut self, file: &'static str) {
        // A file that is all ours becomes the user's by an edit.
        if file.contains("/overspill.") {
            return;
        }
        let path = self.main.path().join(file);
        let ours = format!("{}/", links(self.main.path()).display());
        let Ok(text) = std::fs::read_to_string(&path) else { return };
        let Some(at) = text.find(&ours) else { return };
        self.edits += 1;
        let mark = format!("mine{}", self.edits);
        let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let line = if text[line..].starts_with('\u{feff}') { line + 3 } else { line };
        let (at, comment) = match file.rsplit('.').next() {
            Some("json" | "jsonc") => {
                let end = at + text[at..].find('"').unwrap() + 1;
                // A comment inside of a hook of ours goes with it.
                if text[at..end].contains(" hook ") {
                    return;
                }
                (end, format!(" /* {mark} */"))
            }
            // A comment in a list of one line would be none.
            Some("toml" | "yaml" | "env") => (line, format!("# {mark}\n")),
            _ => return,
        };
        write(&path, &[&text[..at], &comment, &text[at..]].concat());
        self.marks.entry(file).or_default().push(mark);
        let index = self.files.iter().position(|other| *other == file).unwrap();
        self.beside.push(index);
    }

    /// Changes a file in both homes, if that can be done in both.
    fn edit(&mut self, file: &'static str, which: usize) {
        let paths = [self.main.path().join(file), self.twin.path().join(file)];
        if !paths.iter().all(|path| path.exists()) {
            return;
        }
        self.edits += 1;
        let mark = format!("mine{}", self.edits);
        let edited = paths.iter().map(|path| edited(&read(path), file, which, &mark));
        let Some(edited) = edited.collect::<Option<Vec<String>>>() else { return };
        for (path, text) in paths.iter().zip(edited) {
            write(path, &text);
        }
        self.marks.entry(file).or_default().push(mark);
    }
}

fn has_servers(file: &str) -> bool {
    ["json", "jsonc", "toml", "yaml"].iter().any(|kind| file.ends_with(&format!(".{kind}")))
}

/// Returns a text with a change of somebody; nothing if this change cannot be made.
fn edited(text: &str, file: &str, which: usize, mark: &str) -> Option<String> {
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let after = |anchor: &str, with: &str| {
        let at = text.find(anchor)? + anchor.len();
        Some([&text[..at], with, &text[at..]].concat())
    };
    let apart = if text.is_empty() || text.ends_with('\n') { "" } else { line };
    match file.rsplit('.').next()? {
        "json" | "jsonc" => match which % 6 {
            0 => Some(format!("{text}{apart}// {mark}{line}")),
            1 => {
                let at = text.find('{')? + 1;
                let rest = text[at..].trim_start();
                let comma = if rest.starts_with('}') { "" } else { "," };
                let is_simple = !rest.starts_with('/');
                is_simple.then(|| {
                    [&text[..at], &format!("\"{mark}\": {{\"x\": [1]}}{comma}"), &text[at..]]
                        .concat()
                })
            }
            2 => after("\"mcpServers\": {", &format!("\"{mark}\": {{\"command\": \"{mark}\"}},"))
                .filter(|text| !text.contains(",}")),
            3 => after("\"PostToolUse\":[", &format!("{{\"matcher\": \"{mark}\"}},")),
            4 => after("\"model\": \"x\"", &format!(" /* {mark} */")),
            _ => {
                // As a host does that writes its settings anew.
                let mut value: serde_json::Value = serde_json::from_str(text).ok()?;
                value.as_object_mut()?.insert(mark.into(), true.into());
                serde_json::to_string_pretty(&value).ok()
            }
        },
        "toml" => match which % 4 {
            0 => Some(format!("# {mark}{line}{text}")),
            1 => Some(format!("{mark} = 1{line}{text}")),
            2 => Some(format!("{text}{apart}{line}[{mark}] # {mark}{line}x = 1{line}")),
            _ => Some(format!("{text}{apart}# {mark}{line}")),
        },
        "yaml" => match which % 2 {
            0 => Some(format!("# {mark}\n{text}")),
            _ => after("extensions:\n", &format!("  {mark}:\n    cmd: {mark}\n    args: []\n")),
        },
        "js" => None,
        _ => match which % 2 {
            0 => Some(format!("{text}{apart}# {mark}{line}")),
            _ => Some(format!("# {mark}{line}{text}")),
        },
    }
}

fn check(host: &str, texts: &[(&'static str, Option<&str>)], steps: &[Step]) {
    let mut twins = Twins::new(texts);
    let main = twins.main.path().to_owned();
    // The files before `init`, as long as nothing but `init` has changed them.
    let mut original: Option<Vec<Option<String>>> = None;
    let mut is_set_up = false;
    for step in steps.iter().chain([&Step::Uninstall]) {
        match step {
            Step::Init(options) => {
                let words: Vec<&str> = [&["init", host, "--force"], &options[..]].concat();
                let before = twins.texts(&main);
                if !run(&main, &words).status.success() {
                    assert_eq!(twins.texts(&main), before, "a refusal changes nothing: {steps:?}");
                    continue;
                }
                if !is_set_up {
                    original = Some(before);
                }
                is_set_up = true;
                let once = twins.texts(&main);
                well(&main, &words);
                assert_eq!(twins.texts(&main), once, "the second time: {steps:?}");
            }
            Step::Uninstall => {
                let output = run(&main, &["uninstall", host]);
                assert!(output.status.success(), "{output:?}: {:?}", twins.texts(&main));
                if let Some(original) = original.take().filter(|_| is_set_up) {
                    assert_eq!(twins.texts(&main), original, "without edits: {steps:?}");
                }
                is_set_up = false;
                for (file, marks) in &twins.marks {
                    let text = read(&main.join(file));
                    for mark in marks {
                        assert!(text.contains(mark.as_str()), "{file} lost {mark}: {text}");
                    }
                }
                let squeezed = |texts: Vec<Option<String>>| -> Vec<String> {
                    let all = texts.into_iter().map(Option::unwrap_or_default);
                    all.map(|text| text.split_whitespace().collect()).collect()
                };
                let [own, other] = [&twins.main, &twins.twin].map(|home| twins.texts(home.path()));
                let (mut own, mut other) = (squeezed(own), squeezed(other));
                for index in &twins.beside {
                    // What stands around a comment stays with it.
                    let ours = links(&main).display().to_string();
                    assert!(!own[*index].contains(&ours), "{}", own[*index]);
                    (own[*index], other[*index]) = (String::new(), String::new());
                }
                assert_eq!(own, other, "beside the twin: {steps:?}");
            }
            Step::Wrap => {
                original = None;
                twins.wrap("wrap");
            }
            Step::Unwrap => {
                original = None;
                twins.wrap("unwrap");
            }
            Step::Comment(file) => {
                original = None;
                twins.comment(twins.files[file.index(twins.files.len())]);
            }
            Step::Edit(file, edit) => {
                original = None;
                let file = twins.files[file.index(twins.files.len())];
                twins.edit(file, edit.index(12));
            }
        }
    }
}

fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    // Each case runs the program some twenty times.
    ProptestConfig { cases: default.cases.div_ceil(4), failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn init_and_uninstall_leave_the_rest_byte_for_byte(
        host in 0..ALL.len(),
        choice in prop::collection::vec(any::<Index>(), 4),
        steps in prop::collection::vec(step(), 1..9),
    ) {
        let (host, files) = ALL[host];
        let texts: Vec<(&'static str, Option<&str>)> = files
            .iter()
            .zip(&choice)
            .map(|((file, texts), choice)| (*file, texts[choice.index(texts.len())]))
            .collect();
        check(host, &texts, &steps);
    }
}

#[test]
fn every_host_is_tried() {
    let listed: Vec<PathBuf> = ALL.iter().map(|(host, _)| PathBuf::from(host)).collect();
    let dir = tempfile::tempdir().unwrap();
    let said = well(dir.path(), &["init", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let missing = said
        .as_array()
        .unwrap()
        .iter()
        .filter(|host| !listed.contains(&PathBuf::from(host["host"].as_str().unwrap())));
    assert_eq!(missing.count(), 0, "add the host to ALL: {said}");
}
