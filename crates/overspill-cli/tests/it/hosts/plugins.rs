//! The plugins for hosts. Node runs each plugin in the same way as its host.

use std::path::Path;
use std::process::Command;

use super::{read, well};
use crate::program::{numbered, program, skip};

/// Runs a script with Node in `dir` and returns its output.
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

/// Sets up a host, and runs its plugin with a long text and a short text.
fn check(host: &str, options: &[&str], file: &str, script: &str) {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &[&["init", host, "--force"], options].concat());
    let plugin = dir.path().join(file);
    assert!(read(&plugin).starts_with(concat!("// overspill ", env!("CARGO_PKG_VERSION"), ": ")));
    let module = dir.path().join("plugin.mjs");
    // The host removes TypeScript types; the test removes the only kind that the plugin has.
    let text = read(&plugin).replace(": object): { content?: unknown }", ")").replace(": any", "");
    std::fs::write(&module, text).unwrap();
    let lines = numbered(5_000).replace('\n', "\\n");
    let script = script.replace("LONG", &format!("\"{lines}\""));
    let Some(shown) = node(dir.path(), &script) else { return };
    let (long, short) = shown.split_once("=====\n").unwrap();
    assert!(long.starts_with("[overspill ") && long.contains("\n5000"), "{host}: {long}");
    assert!(long.chars().count() <= 9_600, "{host}");
    assert_eq!(short, "short\n", "{host}");
    // Without the program the result is unchanged.
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

/// Runs a script with the plugin of neovate. `OPTS` and `LONG` stand for the options of a call and a long text.
fn with_neovate(variables: &[(&str, &str)], script: &str) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &["init", "neovate", "--force"]);
    let module = dir.path().join("plugin.mjs");
    std::fs::copy(dir.path().join(".neovate/plugins/overspill.js"), module).unwrap();
    let lines = numbered(5_000).replace('\n', "\\n");
    let set: String =
        variables.iter().map(|(name, value)| format!("process.env.{name} = {value:?}\n")).collect();
    let script = script
        .replace("LONG", &format!("\"{lines}\""))
        .replace("OPTS", r#"{ toolUse: { name: "bash" }, approved: true, sessionId: "s-1" }"#);
    node(dir.path(), &format!("import plugin from \"./plugin.mjs\"\n{set}{script}"))
}

#[test]
fn neovate_plugin_has_the_gates_and_the_fields_of_its_document() {
    let shown = with_neovate(
        &[],
        r#"
        import { readFileSync } from "node:fs"
        const check = (it, what) => { if (!it) throw new Error(what) }
        const call = (result, me = plugin) => plugin.toolResult.call(me, result, OPTS)
        check(plugin.enforce === "post", "enforce")
        const kept = { llmContent: LONG, returnDisplay: "for people", extra: 7 }
        const cut = await call(kept)
        check(cut.truncated === true && cut.llmContent.startsWith("[overspill "), "cut")
        check(readFileSync(cut.outputPath, "utf8") === kept.llmContent, "outputPath")
        check(cut.extra === 7 && cut.returnDisplay === "for people", "other fields")
        const fits = await call({ llmContent: "short" })
        check(fits.truncated === false && fits.llmContent === "short" && !("outputPath" in fits), "fits")
        for (const same of [
            { llmContent: LONG, isError: true },
            { llmContent: LONG, truncated: false },
            { llmContent: LONG, truncated: null },
            { llmContent: null }, {}, null, undefined, "text", 7,
        ]) check((await call(same)) === same, "same " + JSON.stringify(same)?.slice(0, 60))
        const off = { llmContent: LONG }
        check((await call(off, { config: { truncation: false } })) === off, "switched off")
        check((await call(off, { config: { truncation: true } })).truncated === true, "on")
        const image = { type: "image", source: "data" }
        const parts = await call({ llmContent: [{ type: "text", text: LONG }, image] })
        check(parts.truncated === true && parts.outputPath, "parts")
        check(JSON.stringify(parts.llmContent.at(-1)) === JSON.stringify(image), "image")
        console.log("good")
        "#,
    );
    assert!(shown.is_none_or(|shown| shown == "good\n"));
}

#[test]
fn neovate_plugin_knows_the_tool_and_uses_the_profile_that_is_set() {
    let shown = with_neovate(
        &[("OVERSPILL_PROFILE", "takumi")],
        r#"
        const { llmContent, outputPath } = await plugin.toolResult({ llmContent: LONG }, OPTS)
        console.log(llmContent.slice(llmContent.indexOf("\n\n...")).replaceAll(outputPath, "PATH"))
        console.log(outputPath.split("/").at(-1))
        "#,
    );
    let Some(shown) = shown else { return };
    let expected = "\n\n...3001 lines truncated...\n\nFull output saved to: PATH\n\
         Use Grep to search the full content or Read with offset/limit to view specific sections.\n\
         tool_s-1_";
    assert!(shown.starts_with(expected), "{shown}");
    // File names of agent-v2 contain the tool, and its table has a limit for this tool.
    let shown = with_neovate(
        &[("OVERSPILL_PROFILE", "agent-v2")],
        r#"
        const { llmContent, outputPath } = await plugin.toolResult({ llmContent: LONG }, OPTS)
        console.log(llmContent.split("\n")[0], outputPath.split("/").at(-1))
        "#,
    );
    let shown = shown.unwrap();
    assert!(shown.starts_with("...4501 lines truncated... bash_"), "{shown}");
}

#[test]
fn neovate_plugin_logs_a_failed_save() {
    let shown = with_neovate(
        &[("OVERSPILL_DIR", "/dev/null/store")],
        r#"
        let logged = ""
        console.warn = text => { logged += text }
        const cut = await plugin.toolResult({ llmContent: LONG }, OPTS)
        console.log(cut.truncated, "outputPath" in cut, cut.llmContent.length < 20000)
        console.log(logged)
        "#,
    );
    let Some(shown) = shown else { return };
    let expected = "true false true\noverspill: the full output was not saved: /dev/null/store";
    assert!(shown.starts_with(expected), "{shown}");
}

#[test]
fn neovate_plugin_does_not_block_and_keeps_values_that_json_lacks() {
    let shown = with_neovate(
        &[],
        r#"
        let turned = false
        setImmediate(() => { turned = true })
        const circular = {}
        circular.self = circular
        const result = { llmContent: LONG, returnDisplay: circular, metadata: { when: new Date(0), big: 1n }, note: undefined }
        const cut = await plugin.toolResult(result, OPTS)
        console.log(turned, cut.truncated, cut.returnDisplay === circular, cut.metadata === result.metadata)
        const odd = { llmContent: [{ type: "text", text: LONG, big: 1n }] }
        console.log((await plugin.toolResult(odd, OPTS)) === odd)
        "#,
    );
    assert!(shown.is_none_or(|shown| shown == "true true true true\ntrue\n"));
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
