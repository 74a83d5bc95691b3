//! Turns a request for the next page into a command line that a reader can run.

use overspill::Part;
use overspill::retrieve::{Query, Request};
use overspill::store::OutputId;

use crate::ui;

/// Returns the command line for a request. `program` is the name or path that runs overspill.
pub(crate) fn command_line(request: &Request, program: &str) -> String {
    let words = match request {
        Request::Part { id, part: Part::Lines(from, to) } => {
            format!("read {} --lines {from}:{to}", id.short_id())
        }
        Request::Part { id, part: Part::Bytes(range) } => {
            format!("read {} --bytes {}:{}", id.short_id(), range.start, range.end)
        }
        Request::Part { id, part: Part::Tail(count) } => {
            format!("read {} --tail {count}", id.short_id())
        }
        Request::Values { id, path, from } => {
            let path = ui::shell_word(&path.to_string());
            format!("read {} --json {path} --from {from}", id.short_id())
        }
        Request::Search { id, query } => {
            let search = SearchWords { query, flags: &[], shown: 0 };
            return search.command(&Targets::Named(std::slice::from_ref(id)), program);
        }
        Request::Compare { old, new, from_line } => {
            format!("diff {} {} --from {from_line}", old.short_id(), new.short_id())
        }
    };
    format!("{program} {words}")
}

/// The same, for pages of bytes as hexadecimal numbers.
pub(super) fn hex_command_line(request: &Request, program: &str) -> String {
    match request {
        Request::Part { id, part: Part::Bytes(range) } => {
            format!("{program} read {} --hex {}:{}", id.short_id(), range.start, range.end)
        }
        other => command_line(other, program),
    }
}

/// The parts of a `grep` command line.
pub(super) struct SearchWords<'a> {
    /// The pattern, its options and the line to begin with.
    pub(super) query: &'a Query,
    /// Options that change the form of the answer, such as `--json`.
    pub(super) flags: &'a [&'a str],
    /// The number of matches of the first output that earlier pages have shown.
    pub(super) shown: u64,
}

/// The outputs to search.
pub(super) enum Targets<'a> {
    /// All saved outputs, beginning with this output.
    AllFrom(&'a OutputId),
    /// The outputs with these ids. The command leaves out ids that take too much room, but never
    /// the first.
    Named(&'a [OutputId]),
}

/// The largest number of bytes that ids take in a command.
const NAMES_BYTES: usize = 8_192;

impl SearchWords<'_> {
    pub(super) fn command(&self, targets: &Targets<'_>, program: &str) -> String {
        let query = self.query;
        let mut words = vec![program.to_owned(), "grep".into()];
        for (flag, is_set) in [
            ("-i", query.ignore_case),
            ("-F", query.fixed),
            ("-w", query.word),
            ("-v", query.invert),
            ("-o", query.only),
        ] {
            words.extend(is_set.then(|| flag.into()));
        }
        words.extend(self.flags.iter().map(|flag| (*flag).to_owned()));
        for (flag, lines) in [("-B", query.before), ("-A", query.after)] {
            words.extend((lines > 0).then(|| format!("{flag} {lines}")));
        }
        words.extend(query.most.map(|most| format!("-m {most}")));
        words.extend((self.shown > 0).then(|| format!("--shown {}", self.shown)));
        let patterns = query.patterns();
        let dash = if patterns.len() > 1 || patterns[0].starts_with('-') { "-e " } else { "" };
        words.extend(patterns.iter().map(|one| format!("{dash}{}", ui::shell_word(one))));
        let line = query.from_line;
        match targets {
            Targets::AllFrom(first) => words.push(format!("--from {}:{line}", first.short_id())),
            Targets::Named(ids) => {
                let all = ids.iter().map(OutputId::short_id).collect::<Vec<_>>().join(" ");
                let first = ids.first().map(OutputId::short_id).unwrap_or_default();
                words.push(if all.len() <= NAMES_BYTES { all } else { first });
                words.extend((line > 1).then(|| format!("--from {line}")));
            }
        }
        words.join(" ")
    }
}
