//! The sentences. A model acts on them: they are snapshot-tested and changed on purpose.

use super::{Availability, Notice, ReaderAbilities, SaveStatus, Stored};
use crate::text::nth_char;
use crate::{Cut, Size, Span};

/// How long a notice is; each form is shorter than the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoticeForm {
    /// Everything there is to say, and at each gap the command that reads it.
    Full,
    /// Everything there is to say once; at each gap, of which there may be many, what is missing in
    /// as few bytes as it takes.
    Many,
    /// How much is shown and one way to the rest; at each gap what is missing.
    Short,
    /// The same, with the shortest marks that say all.
    ShortMany,
    /// No first line; at each gap how much is missing.
    Bare,
    /// No first line; dots at each gap.
    Dots,
    /// Nothing.
    Silent,
}

impl NoticeForm {
    fn has_many_marks(self) -> bool {
        matches!(self, NoticeForm::Many | NoticeForm::ShortMany)
    }
}

/// The facts of the first line that are known only once the cut is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownFacts {
    pub(super) what: ShownAmount,
    /// How many bytes of it are not shown as they are.
    pub(super) altered: u64,
}

impl ShownFacts {
    pub(super) fn of(cut: &Cut) -> ShownFacts {
        let whole_lines = cut.spans().iter().all(|span| span.starts_line && span.ends_line);
        let what = match cut.gaps().next() {
            None if cut.shown().bytes > 0 => ShownAmount::All,
            Some(_) if whole_lines => ShownAmount::Lines(cut.shown().lines),
            _ => ShownAmount::Bytes(cut.shown().bytes),
        };
        ShownFacts { what, altered: cut.altered() }
    }
}

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum ShownAmount {
    All,
    /// A text of our own making, in JSON.
    Json,
    /// So many lines, all of them whole.
    Lines(u64),
    /// So many bytes, where a line is shown in part.
    Bytes(u64),
}

impl std::fmt::Display for ShownAmount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ShownAmount::All => f.write_str("all of it shown"),
            ShownAmount::Json => f.write_str("shown as shorter JSON, … marks what is left out"),
            ShownAmount::Lines(n) => write!(f, "{} shown", count(*n, "line")),
            ShownAmount::Bytes(n) => write!(f, "{} shown", count(*n, "byte")),
        }
    }
}

/// How many lines, or bytes of a line, a mark offers to read next.
const PAGE_LINES: u64 = 200;
const PAGE_BYTES: u64 = 16 * 1024;

/// The most characters of a reason that are shown.
const REASON: u64 = 160;

/// Returns the first line.
pub(super) fn header(
    notice: &Notice,
    form: NoticeForm,
    total: &Size,
    shown: ShownFacts,
) -> Option<String> {
    let token = &notice.token;
    let (bytes, lines) = (count(total.bytes, "byte"), count(total.lines, "line"));
    let ShownFacts { what, altered } = shown;
    match form {
        NoticeForm::Full | NoticeForm::Many => {
            let rest = whereabouts(notice);
            let without = match altered {
                0 => String::new(),
                _ => {
                    let bytes = count(altered, "byte");
                    format!(", without {bytes} of colours, redraws and control characters")
                }
            };
            Some(format!("[overspill {token}: {bytes} in {lines}; {what}{without}. {rest}]"))
        }
        NoticeForm::Short | NoticeForm::ShortMany => {
            let rest = shortest_way(notice);
            let cleaned = if altered > 0 { ", cleaned" } else { "" };
            Some(format!("[overspill {token}: {bytes}, {what}{cleaned}; {rest}]"))
        }
        NoticeForm::Bare | NoticeForm::Dots | NoticeForm::Silent => None,
    }
}

/// Returns what stands where a gap is.
pub(super) fn mark(notice: &Notice, form: NoticeForm, gap: &Span) -> Option<String> {
    // Where a line is cut apart, line numbers do not say what is missing.
    let page = if gap.starts_line {
        NextPage::Lines(gap.first_line, gap.last_line.min(gap.first_line + PAGE_LINES - 1))
    } else {
        NextPage::Bytes(gap.bytes.start, gap.bytes.end.min(gap.bytes.start + PAGE_BYTES))
    };
    let place = if form.has_many_marks() { short_place(gap) } else { place(gap) };
    mark_for(notice, form, &place, gap.bytes.end - gap.bytes.start, page)
}

/// Returns marks of which one is at least as long as any that an output of this size calls for.
pub(super) fn longest_marks(notice: &Notice, form: NoticeForm, total: &Size) -> Vec<String> {
    let mut marks = Vec::new();
    for (starts_line, ends_line) in [(true, true), (true, false), (false, true), (false, false)] {
        for first_line in [total.lines.saturating_sub(1), total.lines] {
            let last_line = total.lines;
            let gap = Span { bytes: 0..0, first_line, last_line, starts_line, ends_line };
            let page = if starts_line {
                NextPage::Lines(total.lines, total.lines)
            } else {
                NextPage::Bytes(total.bytes, total.bytes)
            };
            let place = if form.has_many_marks() { short_place(&gap) } else { place(&gap) };
            marks.extend(mark_for(notice, form, &place, total.bytes, page));
        }
    }
    marks
}

/// A part of a gap to read next.
enum NextPage {
    /// From one line to another, both included.
    Lines(u64, u64),
    /// From one offset up to another.
    Bytes(u64, u64),
}

fn mark_for(
    notice: &Notice,
    form: NoticeForm,
    place: &str,
    size: u64,
    page: NextPage,
) -> Option<String> {
    let token = &notice.token;
    let bytes = count(size, "byte");
    match form {
        NoticeForm::Full => {
            let page =
                command(notice, page).map_or(String::new(), |command| format!(": {command}"));
            Some(format!("[overspill {token}: {place} not shown ({bytes}){page}]"))
        }
        NoticeForm::Short => Some(format!("[overspill {token}: {place} not shown]")),
        NoticeForm::Many => Some(format!("[{token}: {place} cut, {size} bytes]")),
        NoticeForm::ShortMany => Some(format!("[{token}: {place} cut]")),
        NoticeForm::Bare => {
            let name = notice.saved.copy().map_or(token, |copy| &copy.id);
            Some(format!("[overspill {name}: {bytes} not shown]"))
        }
        NoticeForm::Dots => Some("[…]".into()),
        NoticeForm::Silent => None,
    }
}

/// Returns the line for a person.
pub(super) fn person(notice: &Notice, total: &Size, what: ShownAmount) -> String {
    let (bytes, lines) = (count(total.bytes, "byte"), count(total.lines, "line"));
    format!("{bytes} in {lines}; {what}. {}", whereabouts(notice))
}

/// Says where the whole output is, and all the ways to it.
fn whereabouts(notice: &Notice) -> String {
    let ways = |copy: &Stored, what: &str| {
        let what = match &copy.within {
            Availability::ThisMachine => what.to_owned(),
            Availability::Shared => format!("{what}, saved in the bucket"),
            Availability::UploadPending(reason) => {
                format!("{what}, saved on this machine, upload pending: {reason}")
            }
        };
        let ways = ways(&notice.reach, copy);
        let masked = match copy.masked {
            0 => String::new(),
            masked => format!("; {} masked in it", count(masked, "secret")),
        };
        match (ways.is_empty(), &copy.within) {
            (true, _) => format!("{what} saved as {}{masked}", copy.id),
            // A reason may have colons of its own.
            (false, Availability::UploadPending(_)) => {
                format!("{what}. Read it: {}{masked}", ways.join(" · "))
            }
            (false, _) => format!("{what}: {}{masked}", ways.join(" · ")),
        }
    };
    match &notice.saved {
        SaveStatus::Whole(copy) => ways(copy, "All of it"),
        SaveStatus::Partial(copy, bytes) => {
            ways(copy, &format!("Not all of it could be kept; {} of it", count(*bytes, "byte")))
        }
        SaveStatus::Failed(reason) => format!("It could not be saved: {reason}"),
        SaveStatus::No => "It was not saved".into(),
    }
}

fn ways(reach: &ReaderAbilities, copy: &Stored) -> Vec<String> {
    let id = &copy.id;
    let mut ways = Vec::new();
    if let Some(tools) = &reach.tools {
        ways.push(format!(r#"{} {{"id":"{id}"}}"#, tools.read));
        ways.push(format!(r#"{} {{"id":"{id}","pattern":"…"}}"#, tools.grep));
    }
    if let Some(program) = &reach.program {
        ways.push(format!("{program} read {id}"));
        ways.push(format!("{program} grep PATTERN {id}"));
    }
    if reach.files
        && let Some(path) = &copy.path
    {
        ways.push(path.clone());
    }
    if let Some(tool) = &reach.delegate {
        ways.push(format!("or let a sub-agent work through it ({tool})"));
    }
    ways
}

fn shortest_way(notice: &Notice) -> String {
    let Some(copy) = notice.saved.copy() else {
        return match notice.saved {
            SaveStatus::Failed(_) => "could not be saved".into(),
            _ => "not saved".into(),
        };
    };
    let id = &copy.id;
    let what = match (&notice.saved, &copy.within) {
        (SaveStatus::Partial(..), Availability::UploadPending(_)) => "in part, not uploaded yet",
        (_, Availability::UploadPending(_)) => "all, not uploaded yet",
        (SaveStatus::Partial(..), _) => "in part",
        _ => "all",
    };
    match &notice.reach {
        ReaderAbilities { tools: Some(tools), .. } => {
            format!(r#"{what}: {} {{"id":"{id}"}}"#, tools.read)
        }
        ReaderAbilities { program: Some(program), .. } => format!("{what}: {program} read {id}"),
        ReaderAbilities { files: true, .. } => {
            format!("{what}: {}", copy.path.as_ref().unwrap_or(id))
        }
        ReaderAbilities { .. } => format!("{what}: {id}"),
    }
}

/// Returns the command that reads a page, if the reader has one.
fn command(notice: &Notice, page: NextPage) -> Option<String> {
    // What was kept of a partial copy need not be what is missing here.
    let SaveStatus::Whole(Stored { id, .. }) = &notice.saved else { return None };
    let (unit, from, to) = match page {
        NextPage::Lines(from, to) => ("lines", from, to),
        NextPage::Bytes(from, to) => ("bytes", from, to),
    };
    match &notice.reach {
        ReaderAbilities { tools: Some(tools), .. } => {
            Some(format!(r#"{} {{"id":"{id}","{unit}":"{from}:{to}"}}"#, tools.read))
        }
        ReaderAbilities { program: Some(program), .. } => {
            Some(format!("{program} read {id} --{unit} {from}:{to}"))
        }
        ReaderAbilities { .. } => None,
    }
}

/// Says which lines a gap takes.
fn place(gap: &Span) -> String {
    let (first, last) = (commas(gap.first_line), commas(gap.last_line));
    match (gap.starts_line, gap.ends_line, gap.first_line >= gap.last_line) {
        (true, true, true) => format!("line {first}"),
        (true, true, false) => format!("lines {first}–{last}"),
        (_, _, true) => format!("a part of line {first}"),
        (false, true, false) => format!("the rest of line {first} to line {last}"),
        (true, false, false) => format!("line {first} to a part of line {last}"),
        (false, false, false) => format!("the rest of line {first} to a part of line {last}"),
    }
}

/// Says which lines a gap takes, in numbers that can be asked for.
fn short_place(gap: &Span) -> String {
    let (first, last) = (gap.first_line, gap.last_line);
    match (gap.starts_line, gap.ends_line, first >= last) {
        (true, true, true) => format!("line {first}"),
        (true, true, false) => format!("lines {first}-{last}"),
        (false, true, true) => format!("rest of line {first}"),
        (true, false, true) => format!("start of line {first}"),
        (false, false, true) => format!("part of line {first}"),
        (false, true, false) => format!("rest of lines {first}-{last}"),
        (_, false, false) => format!("parts of lines {first}-{last}"),
    }
}

/// Returns a reason, shortened if it is long.
pub(super) fn clipped(reason: &str) -> String {
    let end = nth_char(reason.as_bytes(), REASON);
    match reason.get(..end) {
        Some(start) if end < reason.len() => format!("{start}…"),
        _ => reason.to_owned(),
    }
}

fn count(n: u64, unit: &str) -> String {
    format!("{} {unit}{}", commas(n), if n == 1 { "" } else { "s" })
}

pub(crate) fn commas(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
