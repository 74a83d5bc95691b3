//! Missing resources: memory, descriptors, a home, a place to write.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Output, Stdio};

use crate::program::{Test, numbered, skip};

/// Runs a shell line that has the path of the program in `$OVERSPILL`.
fn shell(test: &Test, line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("OVERSPILL", env!("CARGO_BIN_EXE_overspill"));
    command.envs(test.environment()).stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn shows_the_end(output: &Output, of: &str) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.ends_with(of), "{output:?}");
}

#[test]
fn run_works_with_twelve_descriptors() {
    let output = shell(&Test::new(&[]), "ulimit -n 12; $OVERSPILL run -- seq 1 5000");
    shows_the_end(&output, "\n5000\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains("overspill read "), "{output:?}");
}

#[test]
fn run_works_with_sixty_four_megabytes_of_memory() {
    let line = "ulimit -v 65536; $OVERSPILL run -- sh -c 'head -c 100000000 /dev/zero; echo end'";
    let output = shell(&Test::new(&[]), line);
    shows_the_end(&output, "end\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains("overspill read "), "{output:?}");
}

#[test]
fn file_size_limit_costs_run_only_the_saved_copy() {
    let output = shell(&Test::new(&[]), "ulimit -f 100; $OVERSPILL run -- seq 1 100000");
    shows_the_end(&output, "\n100000\n");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.lines().next().unwrap().contains("could not be saved"), "{text}");
}

#[test]
fn file_size_limit_costs_cut_only_the_saved_copy() {
    let line = "ulimit -f 20; seq 1 100000 | $OVERSPILL cut";
    let output = shell(&Test::new(&[]), line);
    shows_the_end(&output, "\n100000\n");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.lines().next().unwrap().contains("could not be saved"), "{text}");
}

#[test]
fn file_size_limit_ends_no_command_that_writes() {
    let test = Test::new(&[]);
    let big = numbered(20_000).replace('\n', "\\n");
    let payload = format!(
        r#"{{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{}},"tool_response":{{"stdout":"{big}","stderr":""}}}}"#
    );
    std::fs::write(test.dir.path().join("payload"), payload).unwrap();
    for (line, code) in [
        ("$OVERSPILL hook claude-code < \"$HOME/payload\"", 0),
        ("$OVERSPILL sh -c 'seq 1 100000'", 0),
        ("$OVERSPILL config set max_lines 10", 1),
        ("$OVERSPILL init claude-code --force", 1),
    ] {
        // One block has 512 bytes; a settings file is shorter than that.
        let limit = if code == 0 { 20 } else { 0 };
        let output = shell(&test, &format!("ulimit -f {limit}; {line}; echo code $? >&2"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.ends_with(&format!("code {code}\n")), "{line}: {output:?}");
        assert!(code == 0 || errors.contains("too large"), "{line}: {errors}");
    }
}

#[test]
fn mcp_server_has_the_original_signal_mask() {
    let look = "grep -E '^Sig(Blk|Ign)' /proc/self/status >&2";
    let test = Test::new(&[]);
    let bare = shell(&test, look);
    let served = shell(&test, &format!("$OVERSPILL mcp -- sh -c \"{look}\""));
    let errors = String::from_utf8_lossy(&served.stderr);
    assert!(errors.contains(&*String::from_utf8_lossy(&bare.stderr)), "{errors}");
}

#[test]
fn closed_descriptor_stays_closed_for_the_command() {
    let line = "$OVERSPILL run -- sh -c 'if read x <&0; then echo read; else echo none; fi; \
                ls /proc/self/fd' <&-";
    let bare = shell(&Test::new(&[]), &line.replace("$OVERSPILL run -- ", ""));
    let output = shell(&Test::new(&[]), line);
    assert_eq!(output.stdout, bare.stdout);
    shell(&Test::new(&[]), "$OVERSPILL run -- seq 1 5000 >&-");
    shell(
        &Test::new(&[]),
        "$OVERSPILL run -- seq 1 5000 2>&-; $OVERSPILL run -- seq 3 <&- >&- 2>&-",
    );
}

#[test]
fn command_environment_is_the_same_as_without_overspill() {
    let look = "umask; pwd; env | grep -v '^_=' | sort; ulimit -a; ls /proc/self/fd; \
                grep -E '^Sig(Blk|Ign)|^Shd|^Umask' /proc/self/status";
    let lines = [
        "umask 027; cd /; RUN sh -c LOOK 5>/dev/null 9</dev/null",
        "trap '' PIPE HUP; RUN sh -c LOOK",
        "env -i PATH=\"$PATH\" OVERSPILL_DIR=\"$OVERSPILL_DIR\" RUN sh -c LOOK",
    ];
    for line in lines {
        let line = line.replace("LOOK", &format!("'{}'", look.replace('\'', r"'\''")));
        let test = Test::new(&[]);
        let bare = shell(&test, &line.replace("RUN ", ""));
        let run = format!("{} run -- ", env!("CARGO_BIN_EXE_overspill"));
        let mut wrapped = shell(&test, &line.replace("RUN ", &run));
        let drop_store = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            text.lines()
                .filter(|line| !line.starts_with("OVERSPILL_DIR="))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let bare = drop_store(&bare.stdout);
        assert_eq!(drop_store(&std::mem::take(&mut wrapped.stdout)), bare);
    }
}

#[test]
fn arguments_that_are_not_utf8_are_passed_on() {
    let test = Test::new(&[]);
    let mut command = test.command();
    command.args(["run", "--", "printf", "%s"]).arg(OsStr::from_bytes(b"a\xff\xfeb"));
    assert_eq!(command.output().unwrap().stdout, b"a\xff\xfeb");
    for words in [["cut"], ["read"], ["info"], ["rm"]] {
        let mut command = test.command();
        let output = command.args(words).arg(OsStr::from_bytes(b"\xff")).output().unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
    }
}

#[test]
fn unusable_store_costs_only_the_saved_copy() {
    for store in ["/proc/nowhere", "/dev/null/store", "/"] {
        let test = Test::new(&["run", "--", "sh", "-c", "seq 1 5000; exit 5"]);
        let output = test.command().env("OVERSPILL_DIR", store).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(5), "{store}: {text}");
        assert!(text.ends_with("\n5000\n"), "{store}: {text}");
        let told = text.lines().next().unwrap();
        assert!(told.contains("could not be saved") && text.len() <= 51_200, "{store}: {told}");
    }
    let test = Test::new(&["run", "--", "seq", "1", "5000"]).run().saved(numbered(5000));
    drop(test);
}

#[test]
fn full_disk_costs_only_the_saved_copy() {
    for options in ["size=1m", "size=64m,nr_inodes=3"] {
        let test = Test::new(&["run", "--", "sh", "-c", "seq 1 300000; exit 5"]);
        let small = test.dir.path().join("small");
        std::fs::create_dir(&small).unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(&small)
            .output();
        if !mount.is_ok_and(|mount| mount.status.success()) {
            skip("only root can mount a small file system to fill it up");
            return;
        }
        let mut command = test.command();
        command.env("OVERSPILL_DIR", small.join("store")).env("OVERSPILL_KEEP_FREE", "0");
        let output = command.output().unwrap();
        Command::new("umount").arg(&small).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(5), "{options}");
        assert!(text.ends_with("\n300000\n") && text.len() <= 51_200, "{options}");
        // On a slow machine, the start of the output stands before the notice.
        let told = text.lines().rfind(|line| line.starts_with("[overspill ")).unwrap();
        // Without free inodes, a file without a name still fits, but not its record.
        let saved = told.contains("overspill read ");
        assert!(told.contains("could not be saved") || saved, "{options}: {told}");
        assert!(options.contains("inodes") || !saved, "{told}");
    }
}
