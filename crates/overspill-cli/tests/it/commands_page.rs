//! Compares docs/commands.md with the help texts: every command and every option is on the page.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

fn help(command: &str) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_overspill"));
    let output = program.args(command.split_whitespace()).arg("--help").output().unwrap();
    assert!(output.status.success(), "{command}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the commands that a help text lists in rows such as `  wrap    Puts overspill …`.
fn listed(help: &str) -> Vec<String> {
    let lists = help.split("\n\nExamples:").next().unwrap();
    let rows = lists.lines().filter_map(|line| line.strip_prefix("  "));
    let rows = rows.map(|row| row.strip_prefix("CMD …, ").unwrap_or(row));
    let names = rows.filter_map(|row| row.split_once("  ").map(|(name, _)| name));
    let is_name = |name: &&str| {
        !name.is_empty() && *name != "help" && name.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    names.filter(is_name).map(str::to_owned).collect()
}

/// Returns the long options of a help text. Each stands at the start of a row.
fn options(help: &str) -> Vec<String> {
    let rows = help.split("\nOptions:\n").nth(1).unwrap_or_default().lines();
    let rows = rows.map(str::trim_start).filter(|row| row.starts_with('-'));
    let names =
        rows.filter_map(|row| row.split([' ', '=', '[', ',']).find(|word| word.starts_with("--")));
    names.map(str::to_owned).collect()
}

/// Returns the sections of the page by their headings.
fn sections() -> BTreeMap<String, String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md");
    let page = fs::read_to_string(page).unwrap();
    let mut sections: BTreeMap<String, String> = BTreeMap::new();
    let mut heading = String::new();
    for line in page.lines() {
        match line.strip_prefix("##") {
            Some(rest) => heading = rest.trim_start_matches('#').trim().replace('`', ""),
            None => *sections.entry(heading.clone()).or_default() += &format!("{line}\n"),
        }
    }
    sections
}

#[test]
fn commands_page_has_every_command_and_option() {
    let sections = sections();
    let (every, preview) = (&sections["Every command"], &sections["Options for a preview"]);
    let mut commands = listed(&help(""));
    commands.retain(|name| name != "CMD");
    assert!(commands.len() > 20, "{commands:?}");
    for parent in ["mcp", "config"] {
        let inner = help(parent);
        let inner = inner.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        commands.extend(listed(inner).iter().map(|name| format!("{parent} {name}")));
    }
    let mut missing = Vec::new();
    for command in &commands {
        let Some(section) = sections.get(&format!("overspill {command}")) else {
            missing.push(format!("a section `overspill {command}`"));
            continue;
        };
        let has_preview = ["run", "cut", "explain"].contains(&command.as_str());
        for option in options(&help(command)) {
            let is_named = |text: &str| {
                let ends = ["`", " <", "[=", ","].map(|end| format!("{option}{end}"));
                ends.iter().any(|written| text.contains(written))
            };
            let is_on_the_page =
                is_named(section) || is_named(every) || (has_preview && is_named(preview));
            if !is_on_the_page {
                missing.push(format!("{option} of `overspill {command}`"));
            }
        }
    }
    assert!(missing.is_empty(), "docs/commands.md lacks:\n{}", missing.join("\n"));
}
