//! Signals reach the command, and a signal that ends the command also ends overspill.

use std::fs;

use rustix::process::Signal;

use crate::program::{Running, Test, numbered, outputs};

/// Starts a command that counts a signal in the file `count` and ends with 7 at the third.
fn counting(name: &str) -> Running {
    let script = format!(
        "n=0; trap 'n=$((n+1)); echo got $n; echo $n > part; mv part count$n; \
         [ $n = 3 ] && exit 7' {name}; : > ready; while :; do sleep 0.02; done"
    );
    Test::new(&["run", "--", "sh", "-c", &script]).start()
}

#[test]
fn each_signal_reaches_the_command_each_time() {
    for (name, signal) in [
        ("INT", Signal::INT),
        ("TERM", Signal::TERM),
        ("HUP", Signal::HUP),
        ("QUIT", Signal::QUIT),
        ("USR1", Signal::USR1),
        ("USR2", Signal::USR2),
        ("WINCH", Signal::WINCH),
        ("CONT", Signal::CONT),
        ("TSTP", Signal::TSTP),
    ] {
        let running = counting(name);
        for n in 1..=3 {
            running.send(signal);
            running.wait_for(&format!("count{n}"));
        }
        running.end().code(7).stdout("got 1\ngot 2\ngot 3\n");
    }
}

#[test]
fn signal_that_ends_the_command_ends_overspill_too() {
    for signal in [
        Signal::HUP,
        Signal::INT,
        Signal::QUIT,
        Signal::ABORT,
        Signal::KILL,
        Signal::USR1,
        Signal::SEGV,
        Signal::PIPE,
        Signal::TERM,
        Signal::XFSZ,
    ] {
        let script = format!("seq 1 3000; kill -{} $$", signal.as_raw());
        let test = Test::new(&["run", "--", "sh", "-c", &format!("ulimit -c 0; {script}")]);
        let done = test.run().signal(signal).saved(numbered(3000));
        assert!(done.text().ends_with("\n3000\n"));
        let (_, json, _) = done.then(&["info", "--json", &done.id()]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["record"]["signal"], signal.as_raw());
    }
    // A shell reports the signal as 128 plus its number.
    let test = Test::new(&[]);
    let line = format!("{} run -- sh -c 'kill -TERM $$'; echo $?", env!("CARGO_BIN_EXE_overspill"));
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &line]).envs(test.environment()).output().unwrap();
    assert_eq!(output.stdout, b"143\n");
}

#[test]
fn ended_overspill_shows_the_output_so_far_and_marks_it() {
    let script = "seq 1 3000; : > ready; exec sleep 60";
    let running = Test::new(&["run", "--", "sh", "-c", script]).start();
    running.send(Signal::TERM);
    let done = running.end().signal(Signal::TERM).saved(numbered(3000));
    assert!(done.text().ends_with("\n3000\n"));
    let (_, json, _) = done.then(&["info", "--json", &done.id()]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["record"]["interrupted"], true);
    let (_, list, _) = done.then(&["list"]);
    assert!(list.contains("  143  interrupted  run "), "{list}");
    let (_, info, _) = done.then(&["info", &done.id()]);
    assert!(info.contains("the work may be incomplete") && info.contains(" 15\n"), "{info}");
}

#[test]
fn output_of_a_command_that_ignores_the_signal_is_shown_at_once() {
    let script = "trap '' TERM; seq 1 3000; : > ready; \
                  while [ ! -e go ]; do sleep 0.02; done; echo at last; exit 4";
    let running = Test::new(&["run", "--", "sh", "-c", script]).start();
    running.send(Signal::TERM);
    // The output is on the disk while the command still runs.
    let store = running.test.dir.path().join("store");
    let saved = || !outputs(&store).is_empty();
    for _ in 0..1000 {
        if saved() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(saved());
    fs::write(running.test.dir.path().join("go"), "").unwrap();
    let done = running.end().code(4).saved(numbered(3000));
    assert!(done.text().ends_with("\n3000\nat last\n"), "{}", done.text());
}

#[test]
fn signal_to_its_own_group_reaches_the_command_only_once() {
    let script = "trap 'echo got it' USR1; kill -USR1 0; sleep 0.3; echo end";
    let test = Test::new(&["run", "--", "sh", "-c", script]);
    // The command has its own group, so that the signal does not reach the tests.
    let mut command = test.command();
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "got it\nend\n");
}

#[test]
fn signal_of_a_grandchild_to_its_group_reaches_the_command_only_once() {
    // The grandchild runs until overspill has looked up its parent processes.
    let grandchild = "trap '' USR1; kill -USR1 0; exec sleep 0.8";
    let script = format!("trap 'echo got it' USR1; sh -c \"{grandchild}\" & wait; wait; echo end");
    let test = Test::new(&["run", "--", "sh", "-c", &script]);
    let mut command = test.command();
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "got it\nend\n");
}

#[test]
fn reader_that_goes_away_ends_the_command_as_without_overspill() {
    let script = "exec 3>&1; : > ready; while echo line; do sleep 0.02; done";
    let mut running =
        Test::new(&["run", "--", "sh", "-c", &format!("trap - PIPE; {script}")]).start();
    drop(running.child.stdout.take());
    running.end().signal(Signal::PIPE);

    let line = format!("{} run --stream -- yes | head -n 1", env!("CARGO_BIN_EXE_overspill"));
    let test = Test::new(&[]);
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", &format!("{line}; echo ${{PIPESTATUS[0]}}")]).envs(test.environment());
    let output = shell.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "y\n141\n");
}

#[test]
fn stopped_command_stops_overspill_and_continues_with_it() {
    let script = ": > ready; kill -TSTP $$; echo on again";
    let running = Test::new(&["run", "--", "sh", "-c", script]).start();
    let stat = format!("/proc/{}/stat", running.child.id());
    let stopped = || {
        let stat = fs::read_to_string(&stat).unwrap();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
    };
    for _ in 0..1000 {
        if stopped() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(stopped());
    running.send(Signal::CONT);
    running.end().code(0).stdout("on again\n");
}
