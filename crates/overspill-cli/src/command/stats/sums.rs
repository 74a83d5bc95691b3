//! The sums that `overspill stats` shows.

use std::collections::BTreeMap;

use overspill::internal::retrieve::Usage;
use overspill::store::OutputId;

use super::program_word::program_word;

/// The average number of bytes in a token of English text and code.
pub(in crate::command) const BYTES_PER_TOKEN: u64 = 4;
/// The name of the row for outputs without a known host, command or tool.
pub(super) const NO_NAME: &str = "(not known)";
/// The largest number of outputs with unseen failures that are named.
const NAMED_FAILURES: usize = 5;

/// The sums of several outputs. All sizes are in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::command) struct Sum {
    pub(in crate::command) outputs: u64,
    pub(in crate::command) produced: u64,
    /// The bytes that the host alone would have shown, or the whole output if the host is unknown.
    pub(in crate::command) baseline: u64,
    pub(in crate::command) shown: u64,
    pub(in crate::command) retrieved: u64,
    /// The number of lines with a sign of failure that no preview and no later page showed.
    pub(in crate::command) unseen_failures: u64,
}

impl Sum {
    pub(in crate::command) fn add(&mut self, usage: &Usage) {
        self.outputs += 1;
        self.produced += usage.produced;
        self.baseline += usage.baseline.unwrap_or(usage.produced);
        self.shown += usage.shown;
        self.retrieved += usage.retrieved;
        self.unseen_failures += usage.unseen_failures.unwrap_or(0);
    }

    /// Returns the bytes that the model did not have to read. The number is negative if the host
    /// alone would have shown less.
    pub(in crate::command) fn saved(&self) -> i64 {
        self.baseline as i64 - self.shown as i64 - self.retrieved as i64
    }
}

/// All numbers that `overspill stats` shows.
#[derive(Debug, Default)]
pub(in crate::command) struct Totals {
    pub(in crate::command) all: Sum,
    /// The outputs without a known baseline, which are compared with the whole output.
    pub(super) against_whole: Sum,
    /// The outputs on a terminal. The other sums do not count them.
    pub(super) on_terminal: Sum,
    /// The number of outputs with unseen failures, expired or not.
    pub(super) outputs_with_failures: u64,
    /// The newest outputs in the store with unseen failures, each with the number of these lines.
    pub(super) unseen: Vec<(OutputId, u64)>,
    pub(super) hosts: Vec<(String, Sum)>,
    pub(super) commands: Vec<(String, Sum)>,
    pub(super) tools: Vec<(String, Sum)>,
    pub(super) days: Vec<(String, Sum)>,
}

impl Totals {
    /// Adds up the outputs.
    pub(in crate::command) fn of(usage: &[Usage]) -> Totals {
        let mut totals = Totals::default();
        let [mut hosts, mut commands, mut tools, mut days]: [BTreeMap<String, Sum>; 4] =
            Default::default();
        let mut newest: Vec<&Usage> = usage.iter().collect();
        newest.sort_by_key(|one| std::cmp::Reverse(one.saved));
        for one in newest {
            if one.on_terminal {
                totals.on_terminal.add(one);
                continue;
            }
            totals.all.add(one);
            if one.baseline.is_none() {
                totals.against_whole.add(one);
            }
            let name = |name: Option<&str>| name.unwrap_or(NO_NAME).to_owned();
            hosts.entry(name(one.host.as_deref())).or_default().add(one);
            let program = one.command.as_deref().and_then(program_word);
            commands.entry(name(program.as_deref())).or_default().add(one);
            tools.entry(name(one.tool.as_deref())).or_default().add(one);
            days.entry(one.saved.strftime("%Y-%m-%d").to_string()).or_default().add(one);
            if let Some(lines) = one.unseen_failures.filter(|lines| *lines > 0) {
                totals.outputs_with_failures += 1;
                if one.is_there && totals.unseen.len() < NAMED_FAILURES {
                    totals.unseen.push((one.id.clone(), lines));
                }
            }
        }
        let sorted = |rows: BTreeMap<String, Sum>| {
            let mut rows: Vec<(String, Sum)> = rows.into_iter().collect();
            rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.produced));
            rows
        };
        totals.hosts = sorted(hosts);
        totals.commands = sorted(commands);
        totals.tools = sorted(tools);
        totals.days = days.into_iter().collect();
        totals
    }
}
