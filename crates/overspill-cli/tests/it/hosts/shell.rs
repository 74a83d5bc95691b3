//! The shell slot: overspill runs under the name of a shell.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::event::{PollFd, PollFlags, poll};

use crate::program::{numbered, program};

/// A directory with links to the program under the names of shells, and a store.
struct Slot {
    dir: tempfile::TempDir,
}

impl Slot {
    fn new() -> Slot {
        let dir = tempfile::tempdir().unwrap();
        for name in ["bash", "overspill-sh", "overspill"] {
            symlink(env!("CARGO_BIN_EXE_overspill"), dir.path().join(name)).unwrap();
        }
        Slot { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns the program under a name, in the environment of a host, with an empty stdin.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.path(name));
        for (name, value) in program(self.dir.path()).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("QWEN_CODE", "1").stdin(Stdio::null()).current_dir(self.dir.path());
        command.env("PATH", format!("{}:/usr/bin:/bin", self.dir.path().display()));
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command("bash").args(words).output().unwrap()
    }

    fn saved(&self) -> usize {
        crate::program::outputs(&self.path("store")).len()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn command_of_a_host_is_shortened() {
    let slot = Slot::new();
    let output = slot.run(&["-c", "seq 1 40000; echo bad >&2; exit 3"]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3));
    assert!(shown.contains("[overspill ") && shown.ends_with("40000\nbad\n"), "{shown}");
    assert!(shown.chars().count() <= 28_000 && shown.lines().count() <= 1_900);
    assert_eq!((text(&output.stderr).as_str(), slot.saved()), ("", 1));
    // The command in the notice works in the same shell.
    assert!(shown.contains("; overspill read "), "{shown}");
}

#[test]
fn short_output_of_a_shell_slot_keeps_its_stream() {
    let slot = Slot::new();
    let output = slot.run(&["-c", "echo a; echo b >&2; printf 'c\\0\\n'; exit 7"]);
    assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"a\nc\0\n"[..], &b"b\n"[..]));
    assert_eq!((output.status.code(), slot.saved()), (Some(7), 0));
    let name = slot.run(&["-c", "echo $0 $1", "name", "first"]);
    assert_eq!(text(&name.stdout), "name first\n");
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(slot.run(&["-c", "kill -TERM $$"]).status.signal(), Some(15));
    assert_eq!(slot.run(&["-c", "no-such-command"]).status.code(), Some(127));
}

#[test]
fn shell_slot_runs_the_real_shell_for_everything_else() {
    let slot = Slot::new();
    let all = numbered(20_000);
    let script = slot.path("script");
    std::fs::write(&script, "seq 1 20000\n").unwrap();
    assert_eq!(text(&slot.run(&[script.to_str().unwrap()]).stdout), all);
    // Interactive, with an unknown option, or inside another overspill.
    assert_eq!(text(&slot.run(&["-i", "-c", "seq 1 20000"]).stdout), all);
    assert!(text(&slot.run(&["--version"]).stdout).starts_with("GNU bash"));
    let nested = slot.run(&["-c", "bash -c 'seq 1 20000' | tail -n 1; bash -c 'echo $BASH'"]);
    let nested = text(&nested.stdout);
    assert!(nested.starts_with("20000\n/") && nested.ends_with("/bin/bash\n"), "{nested}");
    // Outside of a host.
    let outside = slot.command("bash").env_remove("QWEN_CODE").args(["-c", "seq 1 20000"]).output();
    assert_eq!(text(&outside.unwrap().stdout), all);
    assert_eq!(slot.saved(), 0);
}

#[test]
fn interactive_stdin_is_not_buffered() {
    let slot = Slot::new();
    let mut child = slot
        .command("bash")
        .args(["-c", "while read x; do echo got $x; done; seq 1 20000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    std::io::Write::write_all(&mut stdin, b"one\n").unwrap();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "got one\n");
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, numbered(20_000));
    assert!(child.wait().unwrap().success());
}

#[test]
fn command_of_a_known_host_is_shortened_though_its_stdin_is_a_socket() {
    let slot = Slot::new();
    let run = |host: &str, command: &str| {
        let (_ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let mut bash = slot.command("overspill");
        bash.env_remove("QWEN_CODE").env("OVERSPILL_HOST", host).args(["sh", "-c", command]);
        let output = bash.stdin(std::os::fd::OwnedFd::from(theirs)).output().unwrap();
        text(&output.stdout)
    };
    let shown = run("continue", "seq 1 40000");
    assert!(shown.contains("[overspill ") && shown.ends_with("\n40000\n"), "{shown}");
    assert!(shown.chars().count() <= 24_500 && shown.lines().count() <= 480);
    // Other hosts may write to the command.
    assert_eq!(run("qwen", "seq 1 20000"), numbered(20_000));
}

#[test]
fn host_that_closes_the_input_of_commands_talks_to_servers_only() {
    let slot = Slot::new();
    let run = |first: &[u8]| {
        let mut bash = slot.command("bash");
        bash.env_remove("QWEN_CODE").env("OVERSPILL_HOST", "cline").stdout(Stdio::piped());
        // The name of the host is that of the process that starts the command.
        let mut cline = Command::new(slot.path("cline"));
        cline.envs(bash.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let line = format!("{} -c 'seq 1 20000'; :", slot.path("bash").display());
        cline.args(["-c", &line]).stdout(Stdio::piped());
        let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let child = cline.stdin(std::os::fd::OwnedFd::from(theirs)).spawn().unwrap();
        drop(cline);
        std::io::Write::write_all(&mut ours, first).unwrap();
        // The input of a server stays open.
        let open = (!first.is_empty()).then_some(ours);
        let shown = text(&child.wait_with_output().unwrap().stdout);
        drop(open);
        shown
    };
    symlink("/bin/bash", slot.path("cline")).unwrap();
    assert!(run(b"").contains("[overspill "));
    assert_eq!(run(b"{\"method\":\"initialize\"}\n"), numbered(20_000));
}

#[test]
fn command_of_a_process_below_the_host_is_not_shortened() {
    let slot = Slot::new();
    // The variable of goose also reaches MCP servers, and this test acts as one.
    let mut bash = slot.command("bash");
    bash.env_remove("QWEN_CODE").env("AGENT_SESSION_ID", "1").args(["-c", "seq 1 20000"]);
    assert_eq!(text(&bash.output().unwrap().stdout), numbered(20_000));
    // The same command, started by a program with the name of the host.
    symlink("/bin/bash", slot.path("goose")).unwrap();
    let mut goose = Command::new(slot.path("goose"));
    goose.envs(bash.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let line = format!("{} -c 'seq 1 20000'; :", slot.path("bash").display());
    let shown = goose.args(["-c", &line]).stdin(Stdio::null()).output().unwrap();
    assert!(text(&shown.stdout).contains("[overspill "), "{}", text(&shown.stdout));
}

#[test]
fn frame_around_a_command_keeps_working() {
    let slot = Slot::new();
    let cwd = slot.path("cwd");
    let line = |command: &str| {
        format!("shopt -u extglob && eval '{command}' < /dev/null && pwd -P >| {}", cwd.display())
    };
    let prefix = |line: &str| slot.command("overspill-sh").arg(line).output().unwrap();
    let output = prefix(&line("cd /usr; seq 1 20000"));
    assert!(text(&output.stdout).contains("[overspill "));
    assert_eq!(std::fs::read_to_string(&cwd).unwrap(), "/usr\n");
    let failed = prefix(&line("seq 1 20000; (exit 5)"));
    assert!(text(&failed.stdout).ends_with("20000\n"));
    assert_eq!(failed.status.code(), Some(5));
    // The line of a server or a hook has no frame.
    assert_eq!(text(&prefix("seq 1 20000").stdout), numbered(20_000));
    // The record has the command without the frame.
    let list = program(slot.dir.path()).args(["list", "--json"]).output().unwrap();
    assert!(text(&list.stdout).contains("\"cd /usr; seq 1 20000\""), "{}", text(&list.stdout));

    let gemini = "shopt -u nullglob; _bgpids_file=bg\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nseq 1 20000; exit 4\n)\n__code=$?\nexit $__code";
    let output = slot.command("bash").env("GEMINI_CLI", "1").args(["-c", gemini]).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stdout).contains("[overspill ") && slot.path("bg").exists());
    // Without the frame, the command comes from an MCP server or another process of the host.
    for name in ["bash", "overspill"] {
        let words: &[&str] = if name == "bash" { &["-c"] } else { &["sh", "-c"] };
        let mut command = slot.command(name);
        let output =
            command.env("GEMINI_CLI", "1").args(words).arg("seq 1 20000").output().unwrap();
        assert_eq!(text(&output.stdout), numbered(20_000), "{name}");
    }
}

#[test]
fn page_of_an_output_fits_the_limits_of_a_host() {
    let slot = Slot::new();
    let shown = text(&slot.run(&["-c", "seq 1 40000"]).stdout);
    let command = shown.split("; ").nth(1).unwrap().strip_suffix(" --lines A-B").unwrap();
    for words in ["", "--tail 5000", "--bytes 0:50000"] {
        let page = text(&slot.run(&["-c", &format!("{command} {words}")]).stdout);
        assert!(page.len() <= 28_000 && !page.starts_with('['), "{page}");
        assert!(page.lines().last().unwrap().starts_with("[overspill "), "{page}");
    }
    let found = text(&slot.run(&["-c", "overspill grep 9"]).stdout);
    assert!(found.len() <= 28_000 && found.contains("overspill grep"), "{}", found.len());
    assert_eq!(slot.saved(), 1);
}

#[test]
fn two_programs_do_not_take_each_other_for_the_real_shell() {
    let (one, two) = (Slot::new(), tempfile::tempdir().unwrap());
    super::copy_program(&two.path().join("overspill"));
    symlink(two.path().join("overspill"), two.path().join("bash")).unwrap();
    let path = |first: &Path, second: &Path| {
        format!("{}:{}:/usr/bin:/bin", first.display(), second.display())
    };
    for path in [path(one.dir.path(), two.path()), path(two.path(), one.dir.path())] {
        let mut command = one.command("bash");
        let output =
            command.env("PATH", path).args(["-c", "echo $BASH; bash -c 'echo $BASH'"]).output();
        let output = output.unwrap();
        assert!(text(&output.stdout).lines().all(|line| line.ends_with("bin/bash")), "{output:?}");
        assert_eq!(text(&output.stdout).lines().count(), 2);
    }
}

#[test]
fn inherited_guard_variable_of_an_ended_process_is_ignored() {
    let slot = Slot::new();
    let run = |guard: &str| {
        let mut command = slot.command("bash");
        text(
            &command
                .env("OVERSPILL_ACTIVE", guard)
                .args(["-c", "seq 1 20000"])
                .output()
                .unwrap()
                .stdout,
        )
    };
    // No parent process has this id.
    assert!(run("999999999").contains("[overspill "));
    assert!(run("x").contains("[overspill "));
    assert_eq!(run(&std::process::id().to_string()), numbered(20_000));
}

#[test]
fn bash_env_file_passes_the_command_to_overspill() {
    let slot = Slot::new();
    super::well(slot.dir.path(), &["init", "codex", "--force"]);
    let script = super::links(slot.dir.path()).join("codex.sh");
    let run = |words: &[&str], variable: &Path| {
        let mut real = Command::new("/bin/bash");
        real.envs(slot.command("bash").get_envs().filter_map(|(name, value)| Some((name, value?))));
        real.env("BASH_ENV", variable).args(words).stdin(Stdio::null()).output().unwrap()
    };
    let output = run(&["-c", "seq 1 20000; echo $BASH_ENV; exit 3", "name"], &script);
    assert_eq!(output.status.code(), Some(3));
    let shown = text(&output.stdout);
    assert!(shown.contains("[overspill ") && shown.ends_with("20000\n\n"), "{shown}");
    let login = run(&["-lc", "shopt -q login_shell && seq 1 20000"], &script);
    assert!(text(&login.stdout).contains("[overspill "));
    let file = slot.path("script");
    std::fs::write(&file, "seq 1 20000\n").unwrap();
    assert_eq!(text(&run(&[file.to_str().unwrap()], &script).stdout), numbered(20_000));
    // Without the program, bash runs the command itself.
    std::fs::remove_file(super::links(slot.dir.path()).join("overspill")).unwrap();
    assert_eq!(text(&run(&["-c", "seq 1 20000"], &script).stdout), numbered(20_000));
}

#[test]
fn start_of_a_command_that_still_runs_is_shown() {
    let slot = Slot::new();
    let script = "echo listening; while ! [ -e stop ]; do sleep 0.05; done; seq 1 20000; exit 6";
    let mut child =
        slot.command("bash").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "listening\n");
    std::fs::write(slot.path("stop"), "").unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("\n20000\n") && rest.contains("[overspill "), "{rest}");
    assert!((line.len() + rest.len()) as u64 <= 28_000);
    assert_eq!(child.wait().unwrap().code(), Some(6));
}

#[test]
fn reader_of_two_pipes_sees_the_order_of_both_streams() {
    let slot = Slot::new();
    let line = "for i in 1 2 3; do echo out $i; sleep 0.1; echo err $i >&2; sleep 0.1; done";
    let mut command = slot.command("bash");
    command.args(["-c", line]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let mut seen = Vec::new();
    let mut open = [true, true];
    while open != [false, false] {
        let ready = {
            let mut both = [PollFd::new(&out, PollFlags::IN), PollFd::new(&err, PollFlags::IN)];
            poll(&mut both, None).unwrap();
            both.map(|fd| !fd.revents().is_empty())
        };
        let mut chunk = [0; 4096];
        for (at, stream) in [&mut out as &mut dyn Read, &mut err].into_iter().enumerate() {
            if ready[at] && open[at] {
                let len = stream.read(&mut chunk).unwrap();
                open[at] = len > 0;
                seen.extend_from_slice(&chunk[..len]);
            }
        }
    }
    child.wait().unwrap();
    let expected: String = (1..=3).map(|i| format!("out {i}\nerr {i}\n")).collect();
    assert_eq!(String::from_utf8_lossy(&seen), expected);
}
