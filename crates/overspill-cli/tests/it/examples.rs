//! Runs the `console` examples of the documentation and compares their output with the page.
//!
//! The examples of a page run in order, in the directory `work` of a new home directory. `work`
//! has a link to `crates` of the repository. A comment before an example changes that:
//!
//! - `<!-- setup: COMMAND -->` runs a command first that the page does not show.
//! - `<!-- not run: REASON -->` skips the example; the test prints the reason.
//!
//! In the text of a page, `…` stands for any text of a line, and a line with `…` alone for any
//! lines. Ids, durations and numbers of blanks may differ. A command without text below it must
//! succeed; the test does not compare its output.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;

use crate::program::program;

/// One command of an example, with the text that the page shows below it.
struct Step {
    command: String,
    shown: Vec<String>,
}

/// A `console` block of a page.
struct Example {
    line: usize,
    setup: Vec<String>,
    not_run: Option<String>,
    steps: Vec<Step>,
}

fn examples(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let (mut setup, mut not_run) = (Vec::new(), None);
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let comment = line.trim().strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        if let Some(command) = comment.and_then(|text| text.strip_prefix("setup: ")) {
            setup.push(command.to_owned());
        } else if let Some(reason) = comment.and_then(|text| text.strip_prefix("not run: ")) {
            not_run = Some(reason.to_owned());
        } else if line.trim() == "```console" {
            let block =
                lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
            let (setup, not_run) = (std::mem::take(&mut setup), not_run.take());
            examples.push(Example { line: number + 1, setup, not_run, steps: steps(block) });
        }
    }
    examples
}

fn steps<'a>(block: impl Iterator<Item = &'a str>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step { command: command.to_owned(), shown: Vec::new() });
            }
            (None, Some(step)) if step.shown.is_empty() && step.command.ends_with('\\') => {
                step.command.push('\n');
                step.command.push_str(line);
            }
            (None, Some(step)) => step.shown.push(line.to_owned()),
            (None, None) => panic!("an example begins with `$ `, not with {line:?}"),
        }
    }
    steps
}

/// A home directory in which the examples of one page run, and the ids that outputs have got there.
struct Home {
    dir: tempfile::TempDir,
    /// The working directory of the examples.
    work: PathBuf,
    /// The id on the page, and the id of this run.
    ids: Vec<(String, String)>,
}

impl Home {
    fn new(root: &Path) -> Home {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_overspill"), dir.path().join("bin/overspill")).unwrap();
        let work = dir.path().join("work");
        fs::create_dir_all(&work).unwrap();
        symlink(root.join("crates"), work.join("crates")).unwrap();
        Home { dir, work, ids: Vec::new() }
    }

    /// Runs a command in a shell, in which `$?` is the exit code of the command before it.
    fn run(&self, command: &str, code_before: i32) -> (String, i32) {
        let mut shell = Command::new("bash");
        for (name, value) in program(self.dir.path()).get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let path = format!("{}/bin:/usr/local/bin:/usr/bin:/bin", self.dir.path().display());
        shell.env("PATH", path).env_remove("OVERSPILL_DIR").env_remove("XDG_CONFIG_HOME");
        shell.env("COLUMNS", "120").current_dir(&self.work);
        let script = format!("exec 2>&1\n(exit {code_before})\n{}", self.with_real_ids(command));
        let output = shell.args(["-c", &script]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let home = self.dir.path().display().to_string();
        (text.replace(&home, "/home/ada"), output.status.code().unwrap_or(-1))
    }

    /// Replaces the ids of the page by those of this run.
    fn with_real_ids(&self, command: &str) -> String {
        self.ids.iter().fold(command.to_owned(), |text, (shown, real)| text.replace(shown, real))
    }

    /// Learns which id of this run stands for which id of the page: both texts name them in the same order.
    fn learn_ids(&mut self, shown: &str, printed: &str) {
        let name =
            Regex::new(r"(?m)\[overspill ([0-9a-z]{6})[:,]|^\[([0-9a-z]{6}): |^([0-9a-z]{6})  ")
                .unwrap();
        let ids = |text: &str| -> Vec<String> {
            let found = name.captures_iter(text);
            found
                .map(|id| id.iter().skip(1).flatten().next().unwrap().as_str().to_owned())
                .collect()
        };
        for (shown, real) in ids(shown).into_iter().zip(ids(printed)) {
            if !self.ids.iter().any(|(known, _)| *known == shown) {
                self.ids.push((shown, real));
            }
        }
    }

    /// Returns printed text as the page would show it.
    fn with_page_ids(&self, printed: &str) -> String {
        self.ids.iter().fold(printed.to_owned(), |text, (shown, real)| text.replace(real, shown))
    }
}

/// Makes durations equal, and blanks that only align columns.
fn plain(line: &str) -> String {
    let duration = Regex::new(r"\b\d+(\.\d+)? ?(ms|s|min|h|d)\b").unwrap();
    let text = duration.replace_all(line, "TIME");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Tells whether printed lines are those that a page shows.
fn is_shown(shown: &[String], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], []) => true,
        ([line, rest @ ..], _) if line.trim() == "…" => {
            (0..=printed.len()).any(|skipped| is_shown(rest, &printed[skipped..]))
        }
        ([line, rest @ ..], [first, others @ ..]) => {
            line_matches(line, first) && is_shown(rest, others)
        }
        _ => false,
    }
}

fn line_matches(shown: &str, printed: &str) -> bool {
    let parts: Vec<_> = shown.split('…').map(|part| regex::escape(&plain(part))).collect();
    Regex::new(&format!("^{}$", parts.join(" ?.*? ?"))).unwrap().is_match(&plain(printed))
}

/// Returns the pages of the project that can have examples.
fn pages(root: &Path) -> Vec<PathBuf> {
    let mut pages = vec![root.join("README.md"), root.join("crates/overspill-cli/README.md")];
    for directory in ["docs", "docs/replace", "bindings/python", "bindings/node"] {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            pages.extend(
                Some(entry.unwrap().path())
                    .filter(|path| path.extension().is_some_and(|end| end == "md")),
            );
        }
    }
    pages.sort();
    pages
}

#[test]
fn console_examples_print_what_the_pages_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let (mut run, mut wrong) = (0, Vec::new());
    for page in pages(&root) {
        let name = page.strip_prefix(&root).unwrap().display();
        let mut home = Home::new(&root);
        for example in examples(&fs::read_to_string(&page).unwrap()) {
            if let Some(reason) = example.not_run {
                println!("skipped: {name}:{}: {reason}", example.line);
                continue;
            }
            run += 1;
            for command in &example.setup {
                let (text, code) = home.run(command, 0);
                assert_eq!(code, 0, "{name}:{}: {command}\n{text}", example.line);
            }
            let mut code = 0;
            for step in &example.steps {
                let text;
                (text, code) = home.run(&step.command, code);
                home.learn_ids(&step.shown.join("\n"), &text);
                let text = home.with_page_ids(&text);
                let lines: Vec<_> = text.trim_end().lines().collect();
                let is_right =
                    if step.shown.is_empty() { code == 0 } else { is_shown(&step.shown, &lines) };
                if !is_right {
                    wrong.push(format!(
                        "{name}:{}: $ {}\n{text}exit code {code}\n",
                        example.line, step.command
                    ));
                }
            }
        }
    }
    assert!(run >= 10, "only {run} examples were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
