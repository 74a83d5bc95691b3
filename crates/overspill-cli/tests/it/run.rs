//! `overspill run`: streams, exit codes, limits and the place of the store.

use std::fs;
use std::io::Read;
use std::process::Command;

use crate::program::{Test, numbered, skip};

#[test]
fn run_shows_both_streams_in_order() {
    let script = "echo one; echo two >&2; echo three";
    Test::new(&["run", "--", "sh", "-c", script]).run().code(0).stdout("one\ntwo\nthree\n");
}

#[test]
fn run_passes_its_input_on() {
    Test::new(&["run", "--", "cat"]).stdin("through\n").run().code(0).stdout("through\n");
}

#[test]
fn exit_codes_are_the_commands() {
    for code in 0..=255 {
        Test::new(&["run", "--", "sh", "-c", &format!("exit {code}")]).run().code(code).stdout("");
    }
    let script = "seq 1 5000; exit 125";
    Test::new(&["run", "--", "sh", "-c", script]).run().code(125).saved(numbered(5000));
}

#[test]
fn standard_error_is_merged_separate_or_unchanged() {
    let script = "seq 1 3000; seq 1 4000 >&2";
    let both = [numbered(3000), numbered(4000)].concat();
    Test::new(&["run", "--", "sh", "-c", script]).run().code(0).saved(both);

    let apart = Test::new(&["run", "--stderr", "separate", "--", "sh", "-c", script]).run();
    let stderr = String::from_utf8_lossy(&apart.output.stderr).into_owned();
    assert!(apart.text().starts_with("[overspill ") && apart.text().ends_with("\n3000\n"));
    assert!(stderr.starts_with("[overspill ") && stderr.ends_with("\n4000\n"), "{stderr}");
    let mut saved: Vec<usize> =
        apart.files().iter().map(|file| fs::read(file).unwrap().len()).collect();
    saved.sort_unstable();
    assert_eq!(saved, [numbered(3000).len(), numbered(4000).len()]);

    let passed = Test::new(&["run", "--stderr", "pass", "--", "sh", "-c", script]).run();
    assert_eq!(String::from_utf8_lossy(&passed.output.stderr), numbered(4000));
    passed.code(0).saved(numbered(3000));
}

#[test]
fn shell_line_keeps_its_meaning() {
    let line = "printf 'a\\nb\\n' | grep b && echo yes > /dev/stderr; false || exit 9";
    Test::new(&["run", "--shell", line]).run().code(9).stdout("b\nyes\n");
    Test::new(&["run", "--shell", "yes | head -n 2"]).run().code(0).stdout("y\ny\n");
    Test::new(&["run", "--shell", "true", "--", "true"]).run().code(125);
    Test::new(&["run"]).run().code(125);
}

#[test]
fn script_without_an_interpreter_line_runs_in_the_shell() {
    let test = Test::new(&[]);
    let file = test.dir.path().join("commands");
    fs::write(&file, "echo run by $1\n").unwrap();
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut test = test;
    test.args = ["run", "--", file.to_str().unwrap(), "sh"].map(str::to_owned).to_vec();
    test.run().code(0).stdout("run by sh\n");
}

#[test]
fn stream_shows_its_start_at_once_and_the_rest_at_the_end() {
    let fits = "echo one; echo two";
    Test::new(&["run", "--stream", "--", "sh", "-c", fits]).run().code(0).stdout("one\ntwo\n");

    let done = Test::new(&["run", "--stream", "--", "seq", "1", "5000"]).run().code(0);
    let text = done.text();
    assert!(text.starts_with("1\n2\n3\n"), "{text}");
    assert!(
        text.lines().last().unwrap().contains("5,000 lines, 23,893 bytes, 1,998 lines shown"),
        "{text}"
    );
    assert!(text.lines().count() == 2000 && text.contains("\n5000\n[overspill "));
    done.saved(numbered(5000));

    // The first line is visible before the command ends.
    let script = "echo first; : > ready; while [ ! -e go ]; do sleep 0.02; done; echo last";
    let mut running = Test::new(&["run", "--stream", "--", "sh", "-c", script]).start();
    let mut first = [0; 6];
    running.child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"first\n");
    fs::write(running.test.dir.path().join("go"), "").unwrap();
    running.end().code(0).stdout("last\n");
}

#[test]
fn stream_holds_back_a_line_that_a_preview_would_change() {
    let script = r"printf 'plain\n\033[31mred\033[0m\n'; seq 1 5000";
    let text = Test::new(&["run", "--stream", "--", "sh", "-c", script]).run().text();
    assert!(text.starts_with("plain\nred\n1\n"), "{text}");
}

#[test]
fn huge_line_and_bytes_of_every_kind_are_saved() {
    let script = "head -c 200000000 /dev/zero | tr '\\0' x";
    let done = Test::new(&["run", "--", "sh", "-c", script]).run().code(0);
    assert!(done.text().len() <= 51_200 && done.text().contains("xxxx"));
    assert_eq!(fs::metadata(&done.files()[0]).unwrap().len(), 200_000_000);

    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let done = Test::new(&["run", "--", "cat"]).stdin(bytes.clone()).run().code(0);
    let text = String::from_utf8(done.output.stdout.clone()).unwrap();
    assert!(!text.contains(['\0', '\x1b']), "control bytes are shown");
    done.saved(bytes);
}

#[test]
fn very_large_output_is_saved_within_max_output() {
    let script = "head -c 300M /dev/zero | tr '\\0' '\\n'; echo the end";
    let done = Test::new(&["run", "--", "sh", "-c", script]).run().code(0);
    assert!(done.text().contains("the end\n"), "{}", done.text());
    assert_eq!(fs::metadata(&done.files()[0]).unwrap().len(), 256 << 20);
    assert!(done.then(&["info", &done.id()]).1.contains("only the first and the last part"));
}

#[test]
fn command_that_cannot_be_run_has_the_exit_code_of_a_shell() {
    Test::new(&["run", "--", "no-such-command"])
        .run()
        .code(127)
        .stdout("")
        .stderr_contains("no-such-command: command not found");
    Test::new(&["run", "--", "/"]).run().code(126).stderr_contains("error: /: ");
}

#[test]
fn invalid_arguments_have_their_own_exit_code() {
    Test::new(&["run", "--no-such-flag", "--", "true"])
        .run()
        .code(125)
        .stderr_contains("--no-such-flag");
    Test::new(&["cut", "--max-lines", "many"]).run().code(2).stderr_contains("expected a number");
    Test::new(&["cut", "/no/such/file"]).run().code(1).stderr_contains("/no/such/file");
}

#[test]
fn reader_that_goes_away_causes_no_error() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!(
        "seq 1 100000 | {} cut --max-bytes 900000 | head -n 1; echo done",
        env!("CARGO_BIN_EXE_overspill")
    );
    let output = Command::new("sh")
        .args(["-c", &line])
        .env("OVERSPILL_DIR", dir.path().join("store"))
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("done\n"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn command_without_a_home_is_saved_in_a_private_temporary_directory() {
    let dir = tempfile::tempdir().unwrap();
    let script = "i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done; exit 3";
    let output = Command::new(env!("CARGO_BIN_EXE_overspill"))
        .args(["run", "--", "/bin/sh", "-c", script])
        .env_clear()
        .env("TMPDIR", dir.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(" read ") && !text.contains("could not be saved"), "{text}");
    assert!(text.ends_with("2999\n"), "{text}");
    assert_saved_below(dir.path(), &[], "2999\n");
}

/// Checks that one private directory contains the output, and that `read` finds it with these
/// variables.
#[track_caller]
fn assert_saved_below(temporary: &std::path::Path, variables: &[(&str, &str)], end: &str) {
    use std::os::unix::fs::PermissionsExt;
    let made: Vec<_> = std::fs::read_dir(temporary).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(made.len(), 1, "{made:?}");
    let mode = std::fs::metadata(&made[0]).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "{made:?}");
    let mut read = Command::new(env!("CARGO_BIN_EXE_overspill"));
    read.args(["read", "last", "--raw"]).env_clear().env("TMPDIR", temporary);
    let read = read.envs(variables.iter().copied()).output().unwrap();
    assert!(String::from_utf8_lossy(&read.stdout).ends_with(end), "{read:?}");
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_overspill"));
    doctor.arg("doctor").env_clear().env("TMPDIR", temporary).env("PATH", "/usr/bin:/bin");
    let doctor = doctor.envs(variables.iter().copied()).output().unwrap();
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(said.contains(made[0].to_str().unwrap()) && said.contains("hint: set HOME"), "{said}");
}

#[test]
fn output_goes_to_a_temporary_directory_if_the_home_cannot_be_used() {
    use std::os::unix::fs::chown;
    let dir = tempfile::tempdir().unwrap();
    // The homes: not a directory, another user's store, and a read-only file system.
    let mut homes = vec!["/dev/null".to_owned()];
    let read_only = dir.path().join("read-only");
    std::fs::create_dir(&read_only).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "ro", "tmpfs"]).arg(&read_only);
    let is_mounted = mount.output().is_ok_and(|mount| mount.status.success());
    match is_mounted {
        true => homes.push(read_only.to_str().unwrap().to_owned()),
        false => crate::program::skip("only root can mount a read-only file system"),
    }
    let of_another = dir.path().join("home");
    let store = of_another.join(".local/state/overspill");
    std::fs::create_dir_all(&store).unwrap();
    match chown(&store, Some(12_345), None) {
        Ok(()) => homes.push(of_another.to_str().unwrap().to_owned()),
        Err(_) => crate::program::skip("only root can give a directory to another user"),
    }
    for home in homes {
        let temporary = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_overspill"));
        command.args(["run", "seq", "1", "3000"]).env_clear().env("HOME", &home);
        command.env("TMPDIR", temporary.path()).env("PATH", "/usr/bin:/bin");
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert!(
            text.ends_with("\n3000\n") && !text.contains("could not be saved"),
            "{home}: {text}"
        );
        assert_saved_below(temporary.path(), &[("HOME", &home)], "3000\n");
    }
    if is_mounted {
        Command::new("umount").arg(&read_only).output().unwrap();
    }
}

#[test]
fn temporary_directory_of_another_user_is_not_used() {
    use std::os::unix::fs::{chown, symlink};
    let run = |temporary: &std::path::Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overspill"));
        command.args(["run", "seq", "1", "3000"]).env_clear().env("PATH", "/usr/bin:/bin");
        let output = command.env("TMPDIR", temporary).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let made = |temporary: &std::path::Path| {
        let first = std::fs::read_dir(temporary).unwrap().next();
        first.unwrap().unwrap().path()
    };
    let temporary = tempfile::tempdir().unwrap();
    run(temporary.path());
    let name = made(temporary.path());
    // Another user was there first, with a link or a directory.
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::remove_dir_all(&name).unwrap();
    symlink(elsewhere.path(), &name).unwrap();
    let text = run(temporary.path());
    assert!(text.contains("could not be saved") && text.contains("it is a link"), "{text}");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    std::fs::remove_file(&name).unwrap();
    std::fs::create_dir(&name).unwrap();
    std::fs::set_permissions(&name, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    assert!(run(temporary.path()).contains("other users can open it"));
    if chown(&name, Some(12_345), None).is_ok() {
        assert!(run(temporary.path()).contains("it belongs to another user (12345)"));
    }
}

#[test]
fn command_needs_no_dashes_before_it() {
    Test::new(&["run", "seq", "1", "3"]).run().code(0).stdout("1\n2\n3\n");
    Test::new(&["seq", "1", "3"]).run().code(0).stdout("1\n2\n3\n");
    Test::new(&["run", "--max-lines", "9", "sh", "-c", "echo $0 $1", "--", "-x"])
        .run()
        .code(0)
        .stdout("-- -x\n");
    Test::new(&["zzqq-not-there", "-c", "x"]).run().code(127);
    Test::new(&["lissst"]).run().code(2).stderr_contains("list");
    Test::new(&["run", "--pyt", "seq", "1"])
        .run()
        .code(125)
        .stderr_contains("hint: did you mean `overspill run --pty seq 1`?");
    Test::new(&["cut", "--max-lines", "-1"]).run().code(2).stderr_contains("expected a number");
}

#[test]
fn output_that_is_read_slowly_is_kept_to_its_end() {
    let test = Test::new(&[]);
    let mut command = Command::new("strace");
    // From the sixth read on, every read takes nearly a second. The command has ended long before.
    command.args(["-qq", "-o", "/dev/null", "-e", "trace=read"]);
    command.args(["-e", "inject=read:delay_enter=900ms:when=6+"]);
    command.args([env!("CARGO_BIN_EXE_overspill"), "run", "--", "seq", "1", "200000"]);
    let output = match command.envs(test.environment()).output() {
        Ok(output) if output.status.success() => output,
        _ => return skip("strace is not installed, or cannot trace"),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("\n200000\n") && output.stderr.is_empty(), "{output:?}");
}
