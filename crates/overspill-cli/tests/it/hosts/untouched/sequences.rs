//! Random sequences of `init`, hand edits, `mcp wrap` and `uninstall`.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::texts::ALL;
use crate::hosts::{links, read, run, well, write};

/// One step of a sequence.
#[derive(Debug, Clone)]
enum Step {
    Init(Vec<&'static str>),
    Uninstall,
    Wrap,
    Unwrap,
    /// A change by hand: the index of the file, and of the change.
    Edit(Index, Index),
    /// A comment by hand beside one of our pieces: the index of the file.
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

/// A home in which a host is set up, and its twin, which gets all steps except those of `init` and
/// `uninstall`.
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
        // After an edit, a file that `init` wrote belongs to the user.
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
                // `uninstall` removes a comment inside of our hook or rule.
                let is_name = text[end..].trim_start().starts_with(':');
                if is_name || text[at..end].contains(" hook ") {
                    return;
                }
                (end, format!(" /* {mark} */"))
            }
            // In a list on one line, the rest of the line would become a comment.
            Some("toml" | "yaml" | "env") => (line, format!("# {mark}\n")),
            _ => return,
        };
        write(&path, &[&text[..at], &comment, &text[at..]].concat());
        self.marks.entry(file).or_default().push(mark);
        let index = self.files.iter().position(|other| *other == file).unwrap();
        self.beside.push(index);
    }

    /// Changes a file in both homes, if the change is possible in both.
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

/// Returns a text with a change by hand. `None` if this change cannot be made.
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
                // A host rewrites its settings in this form, which also changes `\\/`.
                if text.contains("\\/") {
                    return None;
                }
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
    // The texts before `init`, until another step changes a file.
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
                    // The blanks around a comment stay with it.
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
    let listed: Vec<&str> = ALL.iter().map(|(host, _)| *host).collect();
    let dir = tempfile::tempdir().unwrap();
    let said = well(dir.path(), &["init", "--json"]);
    let hosts = said.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let missing = hosts.filter(|host| !listed.contains(&host["host"].as_str().unwrap()));
    assert_eq!(missing.count(), 0, "add the host to ALL: {said}");
}
