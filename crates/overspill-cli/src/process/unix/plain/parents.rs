//! Finds the parents of processes with `ps`, the only way that works on every Unix.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::process::{Command, Stdio};

/// The parents of all processes.
#[derive(Debug)]
pub(in super::super) struct Parents(OnceCell<HashMap<i32, i32>>);

impl Parents {
    pub(in super::super) fn new() -> Parents {
        Parents(OnceCell::new())
    }

    pub(in super::super) fn of(&self, process: i32) -> Option<i32> {
        self.0.get_or_init(read).get(&process).copied()
    }
}

/// Returns the name of a process, without its directory.
pub(in super::super) fn name_of(process: i32) -> Option<String> {
    let mut ps = Command::new("ps");
    ps.args(["-o", "comm=", "-p", &process.to_string()]);
    let output = ps.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let name = name.rsplit('/').next().unwrap_or(&name).to_owned();
    (!name.is_empty()).then_some(name)
}

/// Returns the table of `ps`. Without `ps`, no process has a parent.
fn read() -> HashMap<i32, i32> {
    let mut ps = Command::new("ps");
    ps.args(["-A", "-o", "pid=", "-o", "ppid="]).stdin(Stdio::null()).stderr(Stdio::null());
    let Ok(output) = ps.output() else { return HashMap::new() };
    parse(&String::from_utf8_lossy(&output.stdout))
}

fn parse(table: &str) -> HashMap<i32, i32> {
    let pair = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    table.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ps_table_is_parsed() {
        let parents = parse("    1     0\n  812     1\nnoise\n 9 x\n");
        assert_eq!(parents, HashMap::from([(1, 0), (812, 1)]));
    }
}
