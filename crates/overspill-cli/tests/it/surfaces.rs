//! The program, the MCP tools and the packages give the same answer to the same question.

use std::process::{Command, Stdio};

use overspill::store::{Disk, DiskOptions, Store};
use overspill::{Call, Overspill, Profile};
use serde_json::{Value, json};

use crate::mcp::client::{Client, text_of};
use crate::program::{numbered, program};

/// One store, and the surfaces that answer questions about it.
struct Surfaces {
    client: Client,
    packages: Overspill,
}

/// A question in the grammar of each surface.
struct Question {
    /// Options of `overspill read` or `overspill grep`.
    program: Vec<&'static str>,
    /// Arguments of the MCP tool.
    tool: Value,
    /// Options of `read` or `grep` of the packages.
    package: Value,
    /// The pattern, if this is a search.
    pattern: Option<&'static str>,
    /// The test asks for no more pages than this.
    max_pages: usize,
}

/// An answer: the text of all pages, and the sentence about each page.
#[derive(Debug, Default)]
struct Told {
    text: String,
    what: Vec<String>,
}

impl Told {
    fn add(&mut self, text: &str, what: &str) {
        self.text.push_str(text);
        if !text.is_empty() && !text.ends_with('\n') {
            self.text.push('\n');
        }
        self.what.push(what.to_owned());
    }

    /// Tells whether two answers are the same. Pages of different surfaces have different sizes, so
    /// numbers count only in single pages.
    fn is_same(&self, other: &Told) -> bool {
        let what = |told: &Told, at: usize| without_numbers(&told.what[at]);
        let last = |told: &Told| what(told, told.what.len() - 1);
        let is_same = match (self.what.len(), other.what.len()) {
            (1, 1) => self.what == other.what,
            (1, _) | (_, 1) => last(self) == last(other),
            _ => what(self, 0) == what(other, 0) && last(self) == last(other),
        };
        is_same && self.text == other.text
    }
}

/// Replaces every number by `0`.
fn without_numbers(what: &str) -> String {
    let mut text = String::new();
    for char in what.chars() {
        match char.is_ascii_digit() {
            true if text.ends_with('0') => {}
            true => text.push('0'),
            false => text.push(char),
        }
    }
    text
}

/// Splits `TEXT[overspill TOKEN: WHAT; next: NEXT]` into its parts.
fn split(answer: &str) -> (String, String, Option<String>) {
    let lines = answer.strip_suffix('\n').unwrap_or(answer);
    let (text, last) = lines.rsplit_once('\n').unwrap_or(("", lines));
    let footer = last.strip_prefix("[overspill ").and_then(|rest| rest.strip_suffix(']'));
    let Some((_, footer)) = footer.and_then(|footer| footer.split_once(": ")) else {
        return (answer.to_owned(), String::new(), None);
    };
    match footer.split_once("; next: ") {
        Some((what, next)) => (text.to_owned(), what.to_owned(), Some(next.to_owned())),
        None => (text.to_owned(), footer.to_owned(), None),
    }
}

impl Surfaces {
    fn new() -> Surfaces {
        let client = Client::with(&["--serve", "--all-outputs"], &[], |_| {});
        let packages = Overspill::new(Profile::OWN, disk(&client));
        Surfaces { client, packages }
    }

    /// Saves an output and returns its id.
    fn save(&self, text: &str, max_output: Option<&str>) -> String {
        let mut command = program(self.client.dir.path());
        command.args(["cut", "--max-lines", "1", "--max-bytes", "600", "--json"]);
        command.current_dir(self.client.dir.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.envs(max_output.map(|most| ("OVERSPILL_MAX_OUTPUT", most)));
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let outcome = child.wait_with_output().unwrap().stdout;
        let outcome: Value = serde_json::from_slice(&outcome).unwrap();
        outcome["id"].as_str().unwrap_or_else(|| panic!("{outcome}")).to_owned()
    }

    fn save_empty(&self) -> String {
        let draft = disk(&self.client).create(&Call::default()).unwrap();
        draft.publish().unwrap().id.to_string()
    }

    /// Runs a command line in a shell; returns exit code, stdout and stderr.
    fn shell(&self, line: &str) -> (i32, String, String) {
        let ours = program(self.client.dir.path());
        let mut command = Command::new("sh");
        command.args(["-c", line]).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    fn by_program(&self, id: &str, question: &Question) -> Told {
        let mut told = Told::default();
        let mut next = Some(question.command_line(id));
        while let Some(line) = next.take_if(|_| told.what.len() < question.max_pages) {
            let (code, stdout, stderr) = self.shell(&line);
            let (text, what, following) = split(&stdout);
            match (code, question.pattern) {
                (0, _) => told.add(&text, &what),
                (1, Some(_)) if what.is_empty() => told.add("", "nothing matches"),
                (1, Some(_)) => told.add(&text, &what),
                _ => told.add("", stderr.lines().next().unwrap().trim_start_matches("error: ")),
            }
            next = following;
        }
        told
    }

    /// Asks for lines of JSON, and words them like the text answer.
    fn by_program_as_json(&self, id: &str, question: &Question) -> Told {
        let mut told = Told::default();
        let mut next = Some(format!("{} --json", question.command_line(id)));
        while let Some(line) = next.take_if(|_| told.what.len() < question.max_pages) {
            let (_, stdout, _) = self.shell(&line);
            let (mut text, mut what) = (String::new(), Vec::new());
            for row in stdout.lines() {
                let row: Value = serde_json::from_str(row).unwrap();
                if let Some(number) = row["line"].as_u64() {
                    let mark = if row["match"] == true { ':' } else { '-' };
                    text.push_str(&format!("{number}{mark}{}\n", row["text"].as_str().unwrap()));
                }
                what.extend(row["what"].as_str().map(str::to_owned));
                next = row["next"].as_str().map(str::to_owned).or(next);
            }
            if text.is_empty() {
                what.insert(0, "nothing matches".into());
            }
            told.add(&text, &what.join("; "));
        }
        told
    }

    fn by_tool(&mut self, id: &str, question: &Question) -> Told {
        let mut told = Told::default();
        let tool = if question.pattern.is_some() { "overspill_grep" } else { "overspill_read" };
        let mut arguments = question.tool.clone();
        arguments["id"] = id.into();
        if let Some(pattern) = question.pattern {
            arguments["pattern"] = pattern.into();
        }
        let mut next = Some(arguments);
        while let Some(arguments) = next.take_if(|_| told.what.len() < question.max_pages) {
            let answer = self.client.call(tool, arguments);
            if answer["result"]["isError"] == true {
                told.add("", &text_of(&answer));
                break;
            }
            let (text, what, following) = split(&text_of(&answer));
            told.add(&text, &what);
            next = following
                .map(|next| serde_json::from_str(next.strip_prefix(tool).unwrap()).unwrap());
        }
        told
    }

    fn by_package(&self, id: &str, question: &Question) -> Told {
        let mut told = Told::default();
        let mut next = Some(question.package.clone());
        while let Some(options) = next.take_if(|_| told.what.len() < question.max_pages) {
            let answer = match question.pattern {
                Some(pattern) => overspill_embed::grep(&self.packages, id, pattern, &options),
                None => overspill_embed::read(&self.packages, id, &options),
            };
            match answer {
                Ok(answer) => {
                    let what = answer["what"].as_str().unwrap_or("(no sentence)");
                    told.add(answer["text"].as_str().unwrap(), what);
                    next = answer.get("next").filter(|next| !next.is_null()).cloned();
                }
                Err(error) => told.add("", &error.to_string()),
            }
        }
        told
    }

    /// Asks the same question through every surface; returns the surfaces that answer differently.
    fn differing(&mut self, output: &str, id: &str, question: &Question) -> Vec<String> {
        let program = self.by_program(id, question);
        let mut others = vec![
            ("MCP tool", self.by_tool(id, question)),
            ("packages", self.by_package(id, question)),
        ];
        if question.pattern.is_some() && !program.text.contains("--\n") {
            others.push(("--json", self.by_program_as_json(id, question)));
        }
        others.retain(|(_, told)| !told.is_same(&program));
        let short = |text: &str| text.chars().take(80).collect::<String>();
        let different = others.into_iter().map(|(surface, told)| {
            let text = match told.text == program.text {
                true => String::new(),
                false => format!("; texts {:?}, {:?}", short(&told.text), short(&program.text)),
            };
            let what = format!("{surface} {:?}, program {:?}", told.what, program.what);
            format!("{output}: {}: {what}{text}", question.command_line(id))
        });
        different.collect()
    }
}

impl Question {
    fn command_line(&self, id: &str) -> String {
        let mut words = vec![env!("CARGO_BIN_EXE_overspill").to_owned()];
        words.push(if self.pattern.is_some() { "grep" } else { "read" }.into());
        words.extend(self.program.iter().map(|word| format!("'{word}'")));
        words.extend(self.pattern.map(|pattern| format!("'{pattern}'")));
        words.push(id.into());
        words.join(" ")
    }
}

fn disk(client: &Client) -> Disk {
    Disk::new(client.dir.path().join("store"), DiskOptions::default())
}

fn all(program: &[&'static str], tool: Value, package: Value) -> Question {
    Question { program: program.into(), tool, package, pattern: None, max_pages: usize::MAX }
}

/// Returns the question for a part and for the next one.
fn part(program: &[&'static str], tool: Value, package: Value) -> Question {
    Question { max_pages: 2, ..all(program, tool, package) }
}

fn path(path: &'static str) -> Question {
    all(&["--json", path], json!({ "json": path }), json!({ "json": path }))
}

fn search(
    pattern: &'static str,
    program: &[&'static str],
    tool: Value,
    package: Value,
) -> Question {
    Question { pattern: Some(pattern), ..all(program, tool, package) }
}

fn questions() -> Vec<Question> {
    vec![
        all(&[], json!({}), json!({})),
        part(&["--lines", "3:5"], json!({"lines": "3:5"}), json!({"lines": [3, 5]})),
        part(&["--lines", "300:310"], json!({"lines": "300:310"}), json!({"lines": [300, 310]})),
        all(&["--lines", "9000:"], json!({"lines": "9000:"}), json!({"lines": [9000, null]})),
        part(&["--bytes", "10:30"], json!({"bytes": "10:30"}), json!({"bytes": [10, 30]})),
        all(
            &["--bytes", "99999999:"],
            json!({"bytes": "99999999:"}),
            json!({"bytes": [99_999_999, null]}),
        ),
        all(&["--tail", "2"], json!({"tail": 2}), json!({"tail": 2})),
        all(&["--tail", "0"], json!({"tail": 0}), json!({"tail": 0})),
        path("$[0]"),
        path("$[9999]"),
        path("$.none"),
        path("$[*]"),
        search("77$", &[], json!({}), json!({})),
        search("[0-9]", &[], json!({}), json!({})),
        search("no such line", &[], json!({}), json!({})),
        search("^1.*7", &["-m", "2"], json!({"limit": 2}), json!({"max_count": 2})),
        search(".", &["-m", "2200"], json!({"limit": 2200}), json!({"max_count": 2200})),
        search("77$", &["-C", "1"], json!({"context": 1}), json!({"context": 1})),
    ]
}

#[test]
fn same_question_has_the_same_answer_on_every_surface() {
    let mut surfaces = Surfaces::new();
    let values: Vec<String> = (0..2500).map(|n| n.to_string()).collect();
    let values = values.join(",\n");
    let outputs = [
        ("lines", surfaces.save(&numbered(2500), None)),
        ("without a line feed at the end", surfaces.save(numbered(2500).trim_end(), None)),
        ("a part not kept", surfaces.save(&numbered(1000), Some("2000"))),
        ("JSON", surfaces.save(&format!("[{values}]"), None)),
        ("JSON that goes wrong", surfaces.save(&format!("[12abc,\n{values}]"), None)),
        ("JSON that goes wrong later", surfaces.save(&format!("[{values},12abc]"), None)),
        ("JSON of which a part was not kept", surfaces.save(&format!("[{values}]"), Some("2000"))),
        ("empty", surfaces.save_empty()),
    ];
    let mut differing = Vec::new();
    for (output, id) in &outputs {
        for question in &questions() {
            differing.extend(surfaces.differing(output, id, question));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn values_of_broken_json_come_with_a_warning_on_every_surface() {
    let mut surfaces = Surfaces::new();
    let id = surfaces.save(&format!("[12abc, {}]", "1,\n".repeat(500)), None);
    let question = path("$[0]");
    let expected =
        "the only value; left out text that is not JSON: expected `,` or `]` at line 1, byte 4";
    for told in [
        surfaces.by_program(&id, &question),
        surfaces.by_tool(&id, &question),
        surfaces.by_package(&id, &question),
    ] {
        assert_eq!((told.text.as_str(), &told.what[..]), ("12\n", &[expected.to_owned()][..]));
    }
}

#[test]
fn diff_is_the_same_as_text_and_as_json() {
    let surfaces = Surfaces::new();
    let old = surfaces.save(&numbered(1000), None);
    let outputs = [
        surfaces.save(&numbered(1000).replace("7\n", "seven\n"), None),
        surfaces.save(&numbered(1000), None),
        surfaces.save(&numbered(1000), Some("2000")),
        surfaces.save(&"a\n".repeat(5000), None),
        surfaces.save_empty(),
    ];
    for new in &outputs {
        let line = format!("{} diff {old} {new}", env!("CARGO_BIN_EXE_overspill"));
        let (code, text, _) = surfaces.shell(&line);
        let (_, what, next) = split(&text);
        let (json_code, json, _) = surfaces.shell(&format!("{line} --json"));
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((code, json_code), (0, 0));
        assert_eq!(json["what"], what, "{line}");
        assert_eq!(json["next"].is_string(), next.is_some(), "{line}");
    }
}
