//! Typical mistakes of users. Each error names the thing and the place, and its hint has a command
//! that works.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::program::{program, skip};

/// Command lines for `sh`, each with its exit code and words of its error.
///
/// `ID` is the short id of a saved output, `PINNED` that of a pinned one.
type Mistake = (&'static str, i32, &'static [&'static str]);

#[rustfmt::skip]
const MISTAKES: &[Mistake] = &[
    // Commands to run.
    ("overspill run", 125, &["`overspill run`", "CMD"]),
    ("overspill run --max-line 5 -- seq 3", 125, &["--max-line", "`overspill run --max-lines 5 -- seq 3`"]),
    ("overspill run --max-lines abc -- seq 3", 125, &["--max-lines", "abc", "a number, such as `500`"]),
    ("overspill run --timeout soon -- true", 125, &["--timeout", "soon", "90s"]),
    ("overspill run --stderr away -- true", 125, &["--stderr", "away", "merged"]),
    ("overspill run -- no-such-program", 127, &["no-such-program", "command not found"]),
    ("overspill no-such-program --flag", 127, &["no-such-program", "command not found"]),
    ("overspill 'seq 3 | head -1'", 127, &["command not found", "`overspill run --shell 'seq 3 | head -1'`"]),
    ("overspill run 'seq 3'", 127, &["command not found", "`overspill run --shell 'seq 3'`"]),
    ("overspill A=1 env", 127, &["A=1: command not found", "--shell"]),
    ("overspill export A=1", 127, &["export: command not found", "--shell"]),
    ("overspill ID", 127, &["ID: command not found", "`overspill read ID` shows the saved output"]),
    ("overspill --max-lines 10 seq 100", 2, &["no option --max-lines", "`overspill run --max-lines 10 seq 100`"]),
    ("overspill --max-lines=10 seq 100", 2, &["no option --max-lines", "`overspill run --max-lines=10 seq 100`"]),
    ("overspill run -- /etc/passwd", 126, &["/etc/passwd", "permission denied"]),
    ("overspill run -- /", 126, &["/: ", "denied"]),
    // Commands of overspill.
    ("overspill lisst", 2, &["lisst", "did you mean `overspill list`?"]),
    ("overspill config sett max_lines 5", 2, &["sett", "`overspill config set max_lines 5`"]),
    ("overspill config frobnicate", 2, &["frobnicate", "`overspill config`"]),
    ("overspill help frobnicate", 2, &["frobnicate"]),
    ("overspill --frobnicate", 2, &["--frobnicate", "`overspill`"]),
    ("overspill list extra", 2, &["extra", "`overspill list`"]),
    ("overspill list --frobnicate", 2, &["--frobnicate", "`overspill list`"]),
    ("overspill mcp", 2, &["`overspill mcp`"]),
    // Ids.
    ("overspill read nosuch", 1, &["nosuch", "the store"]),
    ("overspill info nosuch", 1, &["nosuch", "the store"]),
    ("overspill explain nosuch", 1, &["nosuch", "the store"]),
    ("overspill pin nosuch", 1, &["nosuch", "the store"]),
    ("overspill rm nosuch", 1, &["nosuch", "the store"]),
    ("overspill diff ID nosuch", 1, &["nosuch", "the store"]),
    ("overspill grep 42 nosuch", 2, &["nosuch", "the store"]),
    ("overspill read last~9", 1, &["last~9"]),
    ("overspill read ID 1:5", 2, &["no argument \"1:5\"", "`overspill read ID --lines 1:5`"]),
    ("overspill read ID -n 5", 2, &["no option -n", "--lines :N", "--tail N"]),
    ("overspill list -n 5", 2, &["no option -n", "--limit N"]),
    ("overspill config max_lines", 2, &["max_lines", "`overspill config get max_lines`"]),
    ("overspill config max-lines 300", 2, &["max-lines", "`overspill config set max_lines 300`"]),
    ("overspill config set max_lines=300", 2, &["VALUE", "`overspill config set max_lines 300`"]),
    ("overspill mcp no-such-server x", 2, &["no argument \"no-such-server\"", "`overspill mcp -- no-such-server x`"]),
    ("overspill mcp -- no-such-server", 127, &["no-such-server: command not found"]),
    ("overspill read 0", 1, &["0 is the beginning of 2 ids", "KiB", "seq 1 5000"]),
    ("overspill rm PINNED", 1, &["pinned", "--force"]),
    ("overspill diff ID", 1, &["ID", "no earlier run"]),
    ("OVERSPILL_DIR=$HOME/empty overspill read", 1, &["last", "nothing is saved yet"]),
    // Names of programs.
    ("overspill ls -la", 2, &["`overspill list`", "-l", "`overspill run ls -la`"]),
    ("overspill ls bin", 2, &["`overspill list`", "bin", "`overspill run ls bin`"]),
    ("overspill cat plain.txt", 1, &["plain.txt", "the store", "`overspill run cat plain.txt`"]),
    ("overspill cat -n plain.txt", 2, &["`overspill read`", "-n", "`overspill run cat -n plain.txt`"]),
    ("overspill rm plain.txt", 1, &["plain.txt", "the store", "`overspill run rm plain.txt`"]),
    ("overspill rm -rf empty", 2, &["`overspill rm`", "-r", "`overspill run rm -rf empty`"]),
    ("overspill diff plain.txt bad.toml", 1, &["plain.txt", "`overspill run diff plain.txt bad.toml`"]),
    ("overspill diff -u plain.txt bad.toml", 2, &["-u", "`overspill run diff -u plain.txt bad.toml`"]),
    ("overspill grep JSON plain.txt", 2, &["plain.txt", "`overspill run grep JSON plain.txt`"]),
    ("overspill grep -rn JSON .", 2, &["-r", "`overspill run grep -rn JSON .`"]),
    ("overspill cut -d: -f1 plain.txt", 2, &["-d", "`overspill run cut -d: -f1 plain.txt`"]),
    ("overspill man ls", 2, &["`overspill man`", "ls", "`overspill run man ls`"]),
    ("overspill last -n 3", 2, &["`overspill read`", "-n"]),
    ("overspill view plain.txt", 1, &["plain.txt", "the store"]),
    ("overspill show plain.txt", 1, &["plain.txt", "the store"]),
    ("overspill uninstall claud-code", 2, &["claud-code", "`overspill uninstall claude-code`"]),
    ("overspill config get --project max_lines", 1, &["project", "max_lines"]),
    ("overspill config edit --json", 2, &["--json", "no effect"]),
    ("overspill init --plugin $HOME/p opencode", 1, &["opencode", "plugin"]),
    // Values.
    ("overspill read ID --lines", 2, &["--lines", "`overspill read`", "needs a value"]),
    ("overspill read ID --lines 9-3", 2, &["--lines", "9-3", "`overspill read ID --lines 181-380`"]),
    ("overspill read ID --lines=abc", 2, &["--lines", "abc", "`overspill read ID --lines=181-380`"]),
    ("overspill read ID --bytes 9-3", 2, &["--bytes", "9-3"]),
    ("overspill read ID --tail x", 2, &["--tail", "\"x\"", "expected a number, such as `20`"]),
    ("overspill read ID --tail 3 --lines 1-2", 2, &["--tail", "--lines", "not both"]),
    ("overspill read ID --json '$['", 2, &["--json", "$["]),
    ("overspill read PINNED --json '$.a'", 1, &["not JSON"]),
    ("overspill list --limit 99999999999999999999999", 2, &["--limit", "too large"]),
    ("overspill list --since yesterday", 2, &["--since", "yesterday", "90s"]),
    ("overspill list --larger big", 2, &["--larger", "big"]),
    ("overspill list --sort name", 2, &["--sort", "name", "saved"]),
    ("overspill list --day today", 2, &["--day", "today"]),
    ("overspill stats --days x", 2, &["--days", "\"x\"", "a number"]),
    ("overspill cut --keep midle x", 2, &["--keep", "midle", "tail"]),
    ("overspill cut --max-bytes 5x x", 2, &["--max-bytes", "5x", "50KiB"]),
    ("overspill cut --profile klade x", 2, &["--profile", "klade", "`overspill cut --profile klaude x`"]),
    ("overspill completions tcsh", 2, &["tcsh", "bash"]),
    // Patterns.
    ("overspill grep", 2, &["`overspill grep`", "PATTERN"]),
    ("overspill grep ID 42", 2, &["there is no output 42", "`overspill grep 42 ID`"]),
    ("overspill grep 'a(b' ID", 2, &["a(b", "-F"]),
    ("overspill grep -P x ID", 2, &["-P", "look-around"]),
    // Settings.
    ("overspill config set max_line 5", 2, &["max_line", "max_lines"]),
    ("overspill config set max_lines", 2, &["`overspill config set`", "VALUE"]),
    ("overspill config set max_lines many", 2, &["max_lines", "many", "a whole number"]),
    ("overspill config set store.dir foo", 2, &["store.dir", "foo", "absolute path"]),
    ("overspill config get nothing", 2, &["nothing", "`overspill config list`"]),
    ("overspill config unset max_lines", 1, &["max_lines", "config.toml"]),
    ("OVERSPILL_CONFIG=$HOME/bad.toml overspill config set max_lines 5", 1, &["bad.toml", "line 2"]),
    // Agents.
    ("overspill init claud-code", 2, &["claud-code", "`overspill init claude-code`"]),
    ("overspill init no-such-host", 2, &["no-such-host", "codex"]),
    ("PATH=/nowhere $HOME/bin/overspill init codex", 1, &["Codex", "PATH", "--force"]),
    ("overspill uninstall no-such-host", 2, &["no-such-host"]),
    ("overspill mcp wrap $HOME/no.json", 1, &["no.json", "no such file"]),
    // Files and places.
    ("overspill cut $HOME/no.log", 1, &["no.log", "no such file"]),
    ("overspill cut /", 1, &["/: is a directory"]),
    ("overspill cut $HOME/secret.log", 1, &["secret.log", "permission denied"]),
    ("overspill cut --envelope $HOME/plain.txt", 1, &["plain.txt", "not JSON"]),
    ("overspill man --dir /proc/none", 1, &["/proc/none"]),
    ("overspill push", 1, &["no bucket is set"]),
    ("overspill list >/dev/full", 1, &["standard output", "no space left on device"]),
    ("overspill list >&-", 1, &["standard output", "bad file descriptor"]),
    ("OVERSPILL_DIR=/proc/none overspill list", 1, &["/proc/none", "OVERSPILL_DIR"]),
    ("env -u HOME -u XDG_CONFIG_HOME overspill config set max_lines 5", 1, &["home directory", "OVERSPILL_CONFIG"]),
];

/// A home with two outputs, of which one is pinned, and with files of every bad kind.
struct World {
    dir: tempfile::TempDir,
    id: String,
    pinned: String,
}

impl World {
    fn new() -> World {
        let dir = World::files();
        let mut world = World { dir, id: String::new(), pinned: String::new() };
        world.pinned = world.save("seq -f 'line %g' 1 5000");
        assert_eq!(world.sh("overspill pin last").0, 0);
        world.id = world.save("seq 1 5000");
        world
    }

    /// Makes the home with its outputs.
    fn copy(&self) -> World {
        let dir = World::files();
        let mut copy = Command::new("cp");
        copy.arg("-a").arg(self.dir.path().join("store")).arg(dir.path());
        assert!(copy.status().unwrap().success());
        World { dir, id: self.id.clone(), pinned: self.pinned.clone() }
    }

    fn files() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        fs::create_dir(home.join("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_overspill"), home.join("bin/overspill")).unwrap();
        fs::create_dir(home.join("empty")).unwrap();
        fs::set_permissions(home.join("empty"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(home.join("bad.toml"), "keep = \"tail\"\nmax_lines = = 5\n").unwrap();
        fs::write(home.join("plain.txt"), "no JSON\n").unwrap();
        fs::write(home.join("secret.log"), "x\n").unwrap();
        fs::set_permissions(home.join("secret.log"), fs::Permissions::from_mode(0o0)).unwrap();
        dir
    }

    fn save(&self, command: &str) -> String {
        assert_eq!(self.sh(&format!("overspill run -- {command}")).0, 0);
        let (_, list, _) = self.sh("overspill list --json --limit 1");
        let json: serde_json::Value = serde_json::from_str(list.lines().next().unwrap()).unwrap();
        json["id"].as_str().unwrap()[20..].to_lowercase()
    }

    /// Runs a command line, and returns its exit code, stdout and stderr.
    fn sh(&self, line: &str) -> (i32, String, String) {
        let home = self.dir.path();
        let path = format!("{}:{}", home.join("bin").display(), std::env::var("PATH").unwrap());
        let environment = program(home);
        let mut sh = Command::new("/bin/sh");
        sh.args(["-c", line]).current_dir(home);
        for (name, value) in environment.get_envs() {
            match value {
                Some(value) => sh.env(name, value),
                None => sh.env_remove(name),
            };
        }
        sh.env("EDITOR", "true").env_remove("VISUAL");
        let output = sh.env("PATH", path).stdin(std::process::Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// Fills in the ids.
    fn line(&self, line: &str) -> String {
        line.replace("PINNED", &self.pinned).replace("ID", &self.id)
    }
}

/// Returns the commands in backticks.
fn commands(hint: &str) -> Vec<String> {
    let quoted = hint.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.starts_with("overspill ")).map(str::to_owned).collect()
}

/// Tells whether this process may read every file.
fn may_read_all(path: &Path) -> bool {
    fs::read(path).is_ok()
}

/// Returns the problem with the error of a mistake; `None` if the error is good.
fn faults(world: &World, (line, code, words): &Mistake) -> Vec<String> {
    let (exit, _, stderr) = world.sh(&world.line(line));
    let mut faults = Vec::new();
    let mut check = |holds: bool, what: String| {
        if !holds {
            faults.push(what);
        }
    };
    check(exit == *code, format!("exit code {exit}, expected {code}"));
    check(stderr.starts_with("error: "), "no `error: ` at the start".into());
    check(stderr.matches("error: ").count() == 1, "not one error".into());
    for word in *words {
        let word = world.line(word);
        check(stderr.contains(&word), format!("{word:?} is missing"));
    }
    for bad in ["(os error", "invalid digit", "overspill: ", "Usage:", "tip:"] {
        check(!stderr.contains(bad), format!("{bad:?} is in it"));
    }
    let hints: Vec<&str> = stderr.lines().filter_map(|it| it.strip_prefix("hint: ")).collect();
    check(hints.len() == 1, format!("{} hints", hints.len()));
    let commands: Vec<String> = hints.iter().flat_map(|hint| commands(hint)).collect();
    let is_of_stdout = line.contains(">");
    check(is_of_stdout || !commands.is_empty(), "no command in the hint".into());
    // `view` is an editor, and waits.
    let waits = |it: &&String| it.contains("run view") || it.contains("no-such-server");
    let is_whole = |it: &&String| !it.contains("FILE") && !it.contains("OLD NEW");
    for command in commands.iter().filter(is_whole).filter(|it| !waits(it)) {
        let (exit, _, stderr) = world.sh(command);
        let is_usage = matches!(exit, 2 | 125..=127);
        check(!is_usage, format!("`{command}` exits with {exit}: {stderr}"));
    }
    faults.into_iter().map(|fault| format!("{fault}\n{stderr}")).collect()
}

#[test]
fn mistake_gets_an_error_with_thing_place_and_command() {
    let mut all = Vec::new();
    let first = World::new();
    for mistake in MISTAKES {
        let world = first.copy();
        if mistake.0.contains("secret.log") && may_read_all(&world.dir.path().join("secret.log")) {
            skip("this user may read every file");
            continue;
        }
        let faults = faults(&world, mistake);
        all.extend(faults.iter().map(|fault| format!("$ {}\n{fault}", mistake.0)));
    }
    assert!(all.is_empty(), "{} faults:\n\n{}", all.len(), all.join("\n"));
    assert!(MISTAKES.len() >= 40, "{}", MISTAKES.len());
}

#[test]
fn messages() {
    let world = World::new();
    let mut text = String::new();
    for (line, code, _) in MISTAKES.iter().filter(|it| !it.0.contains("secret.log")) {
        let (_, _, stderr) = world.sh(&world.line(line));
        let stderr = stderr
            .replace(&world.id, "ID")
            .replace(&world.pinned, "PINNED")
            .replace(world.dir.path().to_str().unwrap(), "HOME");
        text.push_str(&format!("$ {line}  # {code}\n{}\n", plain(&stderr)));
    }
    insta::assert_snapshot!("mistakes", text);
}

/// Replaces long ids and ages.
fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    let is_id =
        |part: &str| part.starts_with("01") && part.bytes().all(|it| it.is_ascii_alphanumeric());
    while let Some(at) = (0..text.len()).find(|&at| text.get(at..at + 26).is_some_and(is_id)) {
        text.replace_range(at..at + 26, "LONG-ID");
    }
    let line = |line: &str| match line.find(" s old") {
        Some(at) => {
            let start = line[..at].rfind(' ').map_or(0, |start| start + 1);
            format!("{}N{}", &line[..start], &line[at..])
        }
        None => line.to_owned(),
    };
    text.lines().map(|text| line(text) + "\n").collect()
}
