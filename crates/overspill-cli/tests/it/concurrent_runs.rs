//! Many runs at the same time.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::program::{Test, numbered};

#[test]
fn sixty_four_runs_with_sweeps_and_readers_lose_and_mix_nothing() {
    let test = Test::new(&[]);
    let program = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overspill"));
        command.args(words).envs(test.environment()).stdin(Stdio::null());
        command
    };
    let over = AtomicBool::new(false);
    let outputs: Vec<String> = thread::scope(|scope| {
        for words in [&["gc"][..], &["list", "--json"], &["grep", "-c", "^4999$"], &["list"]] {
            let (program, over) = (&program, &over);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let output = program(words).output().unwrap();
                    let said = String::from_utf8_lossy(&output.stderr).into_owned();
                    assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {said}");
                }
            });
        }
        let start = |n: u32| -> Child {
            let last = (5000 + n).to_string();
            let mut command = program(&["run", "--", "seq", "1", &last]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<Child> = (0..64).map(start).collect();
        let ended = children.into_iter().map(|child| child.wait_with_output().unwrap());
        let outputs = ended.map(|output| {
            assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        });
        let outputs = outputs.collect();
        over.store(true, Ordering::Relaxed);
        outputs
    });
    let mut paths = Vec::new();
    for (n, text) in outputs.iter().enumerate() {
        let notice = text.lines().next().unwrap();
        let id = &notice["[overspill ".len()..][..6];
        let output = program(&["read", id, "--raw"]).output().unwrap();
        assert_eq!(output.stdout, numbered(5000 + n as u32).into_bytes(), "{notice}");
        paths.push(id.to_owned());
    }
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 64);
}
