//! The disk space of a capture, and the notice about a partial capture.

use std::process::{Command, Stdio};

use super::{BASH, Seen, ours, saved};
use crate::program::{program, skip};

/// Runs a line with a limit for one output.
fn limited(line: &str, most: &str) -> Seen {
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    command.args(["sh", "--shell", BASH, "-c", line]);
    command.env("OVERSPILL_PIPELINES", "full").env("OVERSPILL_MAX_OUTPUT", most);
    let mut seen = Seen::of(&mut command, home.path());
    seen.saved = saved(home.path());
    seen
}

#[test]
fn notice_of_a_part_of_a_capture_names_both_sizes() {
    let seen = limited("sh -c 'seq 1 50000; exit 2' | tail -1", "20000");
    let notice = seen.notice.unwrap();
    assert!(notice.contains(" 20,000 of its 288,894 bytes are saved: "), "{notice}");
    assert_eq!(seen.saved[0].len(), 20_000);
    let seen = limited("(seq 1 50000; sleep 2.1) | tail -1", "20000");
    let notice = seen.notice.unwrap();
    assert!(
        notice.starts_with(
            "[overspill: 20,000 of the 288,894 bytes of `(seq 1 50000; sleep 2.1)` are saved: "
        ),
        "{notice}"
    );
    let seen = ours("sh -c 'seq 1 50000; exit 2' | tail -1", "full");
    assert!(seen.notice.unwrap().contains(" Its 50,000 lines are saved: "));
}

#[test]
fn capture_leaves_the_disk_to_the_line() {
    let lines = [
        format!(
            "{}head -c 1500000 /dev/zero > out; wc -c < out",
            "seq 1 300000 | tail -1; ".repeat(6)
        ),
        "seq 1 1000000 | tail -c 6500000 > out; wc -c < out".to_owned(),
    ];
    for line in lines {
        for keep in ["0", "1GiB"] {
            let home = tempfile::tempdir().unwrap();
            let small = home.path().join("small");
            std::fs::create_dir(&small).unwrap();
            let mut mount = Command::new("mount");
            mount.args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"]).arg(&small);
            if !mount.output().is_ok_and(|mount| mount.status.success()) {
                return skip("only root can mount a small file system to fill it up");
            }
            let mut command = program(home.path());
            command.args(["sh", "--shell", BASH, "-c", &line]).current_dir(&small);
            command.env("OVERSPILL_DIR", small.join("store")).env("OVERSPILL_KEEP_FREE", keep);
            command.env("OVERSPILL_PIPELINES", "full").stdin(Stdio::null());
            std::fs::create_dir(small.join("store")).unwrap();
            let output = command.output().unwrap();
            Command::new("umount").arg(&small).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let expected = if line.contains("6500000") { "6500000\n" } else { "1500000\n" };
            assert!(text.ends_with(expected), "{keep}: {line}: {output:?}");
        }
    }
}
