//! Plugins: each is run by Node, as its host would.

use std::path::Path;
use std::process::Command;

use super::{read, well};
use crate::program::{numbered, program, skip};

/// Runs a script of Node in `dir` and returns what it prints.
fn node(dir: &Path, script: &str) -> Option<String> {
    std::fs::write(dir.join("script.mjs"), script).unwrap();
    let mut command = Command::new("node");
    for (name, value) in program(dir).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.arg("script.mjs").current_dir(dir).output();
    let Ok(output) = output else {
        skip("there is no node here, so plugins are not run");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Sets a host up, and runs its plugin with a long text and a short one.
fn check(host: &str, options: &[&str], file: &str, script: &str) {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &[&["init", host, "--force"], options].concat());
    let plugin = dir.path().join(file);
    assert!(read(&plugin).starts_with(concat!("// overspill ", env!("CARGO_PKG_VERSION"), ": ")));
    let module = dir.path().join("plugin.mjs");
    // Types are the host's to take out; here is one kind of them.
    let text = read(&plugin).replace(": object): { content?: unknown }", ")").replace(": any", "");
    std::fs::write(&module, text).unwrap();
    let lines = numbered(5_000).replace('\n', "\\n");
    let script = script.replace("LONG", &format!("\"{lines}\""));
    let Some(shown) = node(dir.path(), &script) else { return };
    let (long, short) = shown.split_once("=====\n").unwrap();
    assert!(long.starts_with("[overspill ") && long.contains("\n5000"), "{host}: {long}");
    assert!(long.chars().count() <= 9_600, "{host}");
    assert_eq!(short, "short\n", "{host}");
    // Where the program is gone, everything stays as it is.
    std::fs::remove_file(super::links(dir.path()).join("overspill")).unwrap();
    let shown = node(dir.path(), &script).unwrap();
    assert!(shown.starts_with("1\n2\n") && shown.ends_with("=====\nshort\n"), "{host}");
}

#[test]
fn opencode() {
    check(
        "opencode",
        &["--hooks"],
        ".config/opencode/plugins/overspill.js",
        r#"
        import { Overspill } from "./plugin.mjs"
        const after = (await Overspill())["tool.execute.after"]
        const long = { output: LONG }, short = { content: [{ type: "text", text: "short" }] }
        await after({ tool: "x" }, long)
        await after({ tool: "x" }, short)
        console.log(long.output + "\n=====\n" + short.content[0].text)
    "#,
    );
}

#[test]
fn pi() {
    check(
        "pi",
        &["--hooks"],
        ".pi/agent/extensions/overspill.ts",
        r#"
        import plugin from "./plugin.mjs"
        let on
        plugin({ on: (_, hear) => { on = hear } })
        const parts = text => ({ toolName: "x", content: [{ type: "text", text }] })
        const show = event => (on(event) ?? event).content[0].text
        console.log(show(parts(LONG)) + "\n=====\n" + show(parts("short")))
    "#,
    );
}

#[test]
fn cline() {
    check(
        "cline",
        &[],
        ".cline/plugins/overspill.js",
        r#"
        import plugin from "./plugin.mjs"
        const show = async output => {
            const given = { toolCall: { toolName: "x" }, result: { output } }
            return ((await plugin.hooks.afterTool(given)) ?? given).result.output
        }
        console.log((await show(LONG)) + "\n=====\n" + (await show("short")))
    "#,
    );
}

#[test]
fn cline_results_of_commands_are_shortened_one_by_one() {
    check(
        "cline",
        &[],
        ".cline/plugins/overspill.js",
        r#"
        import plugin from "./plugin.mjs"
        const show = async output => {
            const given = { toolCall: { toolName: "run_commands" }, result: { output } }
            return ((await plugin.hooks.afterTool(given)) ?? given).result.output
        }
        const small = { query: "true", result: "short", success: true }
        const failed = { query: "make", result: LONG, error: "Command exited with code 3", success: false }
        const [first, second] = await show([failed, small])
        if (first.query !== "make" || first.error !== failed.error || first.success !== false) throw first
        console.log(first.result + "\n=====\n" + second.result)
    "#,
    );
}

#[test]
fn cline_results_of_mcp_tools_become_text() {
    check(
        "cline",
        &[],
        ".cline/plugins/overspill.js",
        r#"
        import plugin from "./plugin.mjs"
        const show = async output => {
            const given = { toolCall: { toolName: "x" }, result: { output } }
            const shown = ((await plugin.hooks.afterTool(given)) ?? given).result.output
            return typeof shown === "string" ? shown : (shown.structuredContent?.all ?? shown.content[0].text)
        }
        const long = { content: [{ type: "text", text: LONG }], structuredContent: { all: LONG } }
        const short = { content: [{ type: "text", text: "short" }] }
        const text = await show(long)
        console.log(text + "\n=====\n" + (await show(short)))
        const only = await show({ content: [], structuredContent: { all: LONG } })
        if (text.startsWith("[overspill ") !== only.startsWith("[overspill ")) throw only.length
    "#,
    );
}

#[test]
fn neovate() {
    check(
        "neovate",
        &[],
        ".neovate/plugins/overspill.js",
        r#"
        import plugin from "./plugin.mjs"
        const show = async llmContent => (await plugin.toolResult({ llmContent, isError: false }, { name: "x" })).llmContent
        console.log((await show(LONG)) + "\n=====\n" + (await show("short")))
    "#,
    );
}

#[test]
fn claude_code_gets_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let plugin = dir.path().join("plugin dir");
    well(dir.path(), &["init", "claude-code", "--plugin", plugin.to_str().unwrap()]);
    for (file, has) in [
        (".claude-plugin/plugin.json", concat!("\"version\": \"", env!("CARGO_PKG_VERSION"), "\"")),
        ("hooks/hooks.json", "/.config/overspill/bin/overspill hook claude-code\""),
        (".mcp.json", "[\"mcp\", \"--serve\"]"),
    ] {
        let text = read(&plugin.join(file));
        assert!(text.contains(has), "{text}");
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }
    super::wrong(dir.path(), &["init", "codex", "--plugin", "x"], 1);
}
