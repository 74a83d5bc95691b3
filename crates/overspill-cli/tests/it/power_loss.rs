//! Power loss: an output that a notice calls saved is there afterwards.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::program::{numbered, skip};

/// A script that makes a file system forget its unwritten data, and refuse every later write.
const SHUT_DOWN: &str = "
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))
";

/// A file system in a file.
struct Loop {
    dir: tempfile::TempDir,
}

impl Loop {
    fn make() -> Option<Loop> {
        let made = Loop { dir: tempfile::tempdir().unwrap() };
        let image = made.path("image");
        std::fs::File::create(&image).unwrap().set_len(3 << 30).unwrap();
        std::fs::create_dir(made.path("mounted")).unwrap();
        let usable = done("mkfs.ext4", &["-q", "-F", &image]) && made.mount();
        usable.then_some(made)
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_str().unwrap().to_owned()
    }

    fn mount(&self) -> bool {
        done("mount", &["-o", "loop", &self.path("image"), &self.path("mounted")])
    }

    fn unmount(&self) -> bool {
        done("umount", &[&self.path("mounted")])
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = self.unmount();
    }
}

fn done(program: &str, words: &[&str]) -> bool {
    Command::new(program).args(words).output().is_ok_and(|output| output.status.success())
}

fn overspill(store: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overspill"));
    command.args(words).env("OVERSPILL_DIR", store).stdin(Stdio::null());
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn saved_output_survives_a_power_loss() {
    let Some(disk) = Loop::make() else {
        skip("only root, with mkfs.ext4 and loop devices, can make a disk to unplug");
        return;
    };
    let store = disk.dir.path().join("mounted/store");
    let mut called_saved = Vec::new();
    for round in 0..3 {
        for lines in 0..5_u32 {
            let last = (5000 + lines).to_string();
            let output = overspill(&store, &["run", "--", "seq", "1", &last]).output().unwrap();
            let notice = text(&output).lines().next().unwrap_or_default().to_owned();
            let id = notice.split("overspill read ").nth(1).unwrap().split(' ').next().unwrap();
            called_saved.push((id.to_owned(), numbered(5000 + lines)));
        }
        // Some runs are at work when the power fails.
        let at_it: Vec<_> = (0..4_u64)
            .map(|n| {
                thread::sleep(Duration::from_millis(n));
                let mut command = overspill(&store, &["run", "--", "seq", "1", "200000"]);
                command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
            })
            .collect();
        thread::sleep(Duration::from_millis(3 * round));
        if !done("python3", &["-c", SHUT_DOWN, &disk.path("mounted")]) {
            skip("the disk cannot be unplugged without python3 and the right to do it");
            return;
        }
        for mut child in at_it {
            // The run succeeds, even if it could not save everything.
            assert!(child.wait().unwrap().success());
        }
        assert!(disk.unmount() && disk.mount());
        for (id, whole) in &called_saved {
            let output = overspill(&store, &["read", "--raw", id]).output().unwrap();
            assert!(text(&output) == *whole, "{id} in round {round}: {output:?}");
        }
        let list = text(&overspill(&store, &["list", "--json"]).output().unwrap());
        for line in list.lines() {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            let id = entry["id"].as_str().unwrap();
            let info = text(&overspill(&store, &["info", id]).output().unwrap());
            assert!(!info.contains("damaged"), "{info}");
        }
    }
}
