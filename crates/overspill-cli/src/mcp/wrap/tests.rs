//! Tests with configuration files as the clients write them.

use super::*;

const FILES: [(&str, &str, usize); 13] = [
    (
        "claude.json",
        r#"{
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv"], "env": {"A": "b"}},
    "bare": { "type": "stdio", "command": "/opt/bare" },
    "empty": {"args": [], "command": "x y"},
    "far": {"type": "http", "url": "http://localhost:1/mcp"}
  }
}
"#,
        3,
    ),
    (
        "user.json",
        r#"{"numStartups":3,"projects":{"/home/a":{"mcpServers":{"m":{"command":"a"}}}},"mcpServers":{}}"#,
        1,
    ),
    (
        "gemini-settings.json",
        r#"{"theme":"x","mcpServers":{"g":{"command":"uvx","args":["tool"],"trust":false,"timeout":600}}}"#,
        1,
    ),
    (
        "opencode.jsonc",
        r#"{
  // servers
  "$schema": "x",
  "mcp": {
    "local": {
      "type": "local",
      "command": ["bun", "x", "my-mcp"], /* all of it */
      "environment": {"K": "v"},
    },
    "remote": {"type": "remote", "url": "http://localhost/mcp"},
  },
}
"#,
        1,
    ),
    (
        "vscode-mcp.json",
        "{\r\n\t\"inputs\": [],\r\n\t\"servers\": {\r\n\t\t\"s\": {\"command\": \"node\", \"args\": [\r\n\t\t\t\"a.js\"\r\n\t\t]}\r\n\t}\r\n}",
        1,
    ),
    ("amp.json", r#"{"amp.mcpServers": {"s": {"command": "node", "args": ["x"]}}}"#, 1),
    ("crush.json", r#"{"mcp": {"s": {"type": "stdio", "command": "node", "args": ["x"]}}}"#, 1),
    ("vscode-settings.json", r#"{"mcp": {"servers": {"s": {"command": "node"}}}}"#, 1),
    (
        "config.toml",
        "model = \"x\"\n\n# mine\n[mcp_servers.one]\ncommand = 'npx' # why\nargs = [\"-y\", \"it\"]\n\n[mcp_servers.two]\ncommand = \"two\"\n\n[mcp_servers.three]\nurl = \"http://localhost\"\n\n[mcp_servers]\nfour = { command = \"f\", args = [] }\nfive = { command = \"f\" }\n",
        4,
    ),
    (
        "config.yaml",
        "extensions:\n  files:\n    enabled: true\n    type: stdio\n    name: files\n    cmd: npx\n    args:\n    - -y\n    - '@x/y'\n    envs: {}\n  bare:\n    type: stdio\n    cmd: \"bare it\"\n  flow:\n    cmd: a\n    args: [b, \"c d\"]\n  builtin:\n    type: builtin\nGOOSE_MODE: auto\n",
        3,
    ),
    (
        "goose.yml",
        "other: 1\nextensions:\n    e:\n        cmd: e\n        args:\n            - 1\n            - two\n",
        1,
    ),
    (
        "continue.yaml",
        "name: mine\nmodels:\n  - name: m\n    command: no server\nmcpServers:\n  - name: one\n    command: npx\n    args:\n      - -y\n      - it: 1\n  - command: two # first\n    name: \"t w o\"\n  - uses: some/server\n  -   name: far\n      command: a\n      args: [b]\n  - name: remote\n    url: http://localhost\nrules: []\n",
        3,
    ),
    (
        "comments.yaml",
        "extensions:\n  a: # one\n    cmd: x # why\n    args: ['b # c', \"d\"] # more\n  b:\n    cmd: \"y#z\" # it's\n    args: # all\n    - 1 # first\n    - it's\n",
        2,
    ),
];

#[test]
fn client_file_is_wrapped_once_and_unwrapped_to_the_same_bytes() {
    for (name, text, servers) in FILES {
        let path = Path::new(name);
        let change = |text: &str, to: To| {
            changed(text, path, to, "/usr/bin/overspill", None)
                .unwrap_or_else(|why| panic!("{name}: {why}"))
        };
        let wrapped = change(text, To::Wrap);
        assert_eq!(wrapped.text.matches("/usr/bin/overspill").count(), servers, "{}", wrapped.text);
        assert_eq!(change(&wrapped.text, To::Wrap).text, wrapped.text, "{name}");
        assert_eq!(change(&wrapped.text, To::Unwrap).text, text, "{name}");
        assert_eq!(change(text, To::Unwrap).text, text, "{name}");
    }
}

#[test]
fn wrapped_server_gets_its_own_command() {
    for (name, text, _) in FILES {
        let path = Path::new(name);
        let wrapped = changed(text, path, To::Wrap, "overspill", None).unwrap().text;
        let language: &dyn Language = match path.extension().and_then(|name| name.to_str()) {
            Some("toml") => &toml::Toml,
            Some("yaml" | "yml") => &yaml::Yaml,
            _ => &json::Json,
        };
        let before = language.entries(text).unwrap();
        let after = language.entries(&wrapped).unwrap();
        for (before, after) in before.iter().zip(&after) {
            let Some(own) = before.all_words(text, language) else { continue };
            let words = after.all_words(&wrapped, language).unwrap();
            let place = words.iter().position(|word| word == "--").unwrap();
            assert_eq!(words[..2], ["overspill", "mcp"]);
            assert!(words[2..place].join("=").ends_with(&format!("--name={}", before.name)));
            assert_eq!(words[place + 1..], own, "{name}");
        }
    }
}

#[test]
fn edits_after_wrap_survive_unwrap() {
    let text = r#"{"mcpServers":{"a":{"command":"x","args":["1"]}}}"#;
    let path = Path::new("x.json");
    let wrapped = changed(text, path, To::Wrap, "overspill", None).unwrap().text;
    let edited = wrapped.replace("\"1\"", "\"1\", \"2\"").replace("}}}", "}},\"new\":1}");
    let back = changed(&edited, path, To::Unwrap, "overspill", None).unwrap().text;
    assert_eq!(back, r#"{"mcpServers":{"a":{"command":"x","args":["1", "2"]}},"new":1}"#);
}

#[test]
fn fields_added_or_reordered_after_wrap_survive_unwrap() {
    for (name, wrapped, own) in [
        (
            "x.json",
            r#"{"mcpServers":{"a":{"command":"/b/overspill","env":{"K":"v"},"args":["mcp","--name=a","--","x"]}}}"#,
            r#"{"mcpServers":{"a":{"command":"x","env":{"K":"v"},"args":[]}}}"#,
        ),
        (
            "x.json",
            r#"{"mcpServers":{"a":{"args":["mcp","--name=a","--","x"],"command":"/b/overspill"}}}"#,
            r#"{"mcpServers":{"a":{"args":[],"command":"x"}}}"#,
        ),
        // Another program has rewritten the file.
        (
            "x.json",
            "{\"mcpServers\":{\"a\":{\n\"command\":\"/b/overspill\",\n\"args\":[\n\"mcp\",\n\"--name=a\",\n\"--\",\n\"x\"\n],\"env\":{}}}}",
            "{\"mcpServers\":{\"a\":{\n\"command\":\"x\",\"env\":{}}}}",
        ),
        (
            "x.toml",
            "[mcp_servers.a]\ncommand = \"/b/overspill\"\ncwd = \"/\"\nargs = [\"mcp\", \"--name=a\", \"--\", \"x\"]\n",
            "[mcp_servers.a]\ncommand = \"x\"\ncwd = \"/\"\nargs = []\n",
        ),
        (
            "x.yaml",
            "extensions:\n  a:\n    args: [\"mcp\", \"--name=a\", \"--\", x]\n    cmd: \"/b/overspill\"\n",
            "extensions:\n  a:\n    args: []\n    cmd: x\n",
        ),
    ] {
        let back = changed(wrapped, Path::new(name), To::Unwrap, "", None).unwrap();
        assert_eq!(back.text, own);
    }
}

#[test]
fn invalid_client_file_is_reported_with_a_reason() {
    for (name, text, reason) in [
        ("a.json", "{", "is not JSON"),
        ("a.json", "{}", "no MCP servers found"),
        ("a.toml", "a = ", "is not TOML"),
        ("a.yaml", "a: b\n", "no MCP servers found"),
        ("a.yaml", "extensions:\n  a:\n    cmd: x\n   b: [\n", "is not YAML"),
        ("a.yaml", "extensions: {a: {cmd: x}}\n", "line 1: `extensions` is written on one line"),
        // A second `args` would be invalid YAML.
        (
            "a.yaml",
            "extensions:\n  a:\n    cmd: x\n    args:\n",
            "cannot change a file of this form",
        ),
    ] {
        let why = changed(text, Path::new(name), To::Wrap, "overspill", None).unwrap_err();
        assert!(why.contains(reason), "{why}");
    }
}

#[test]
fn yaml_comment_is_not_part_of_a_value() {
    let (_, text, _) = FILES[FILES.len() - 1];
    let entries = yaml::Yaml.entries(text).unwrap();
    let words = entries.iter().map(|entry| entry.all_words(text, &yaml::Yaml).unwrap());
    let words: Vec<Vec<String>> = words.collect();
    assert_eq!(words, [vec!["x", "b # c", "d"], vec!["y#z", "1", "it's"]]);
}
