//! The words of our notices: where the saved output is, and how to read it.
//!
//! A model acts on these sentences. Snapshot tests fix every one of them.

use overspill_core::internal::text::counted;
use overspill_core::{Cut, Kind, Oversized, Wording};

use crate::error::without_number;
use crate::store::{Availability, Kept, OutputId, SpillRef};
use crate::{CallEnd, Error};

/// The word that begins every notice, mark and message of ours.
const LABEL: &str = "overspill";

/// The number of characters to which a reason is shortened.
const LONGEST_REASON: usize = 160;

/// The abilities of the reader of a notice. A notice offers no other way to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReaderAbilities {
    /// The reader can run our program, under this name.
    pub program: Option<String>,
    /// The reader can call our tools.
    pub tools: Option<ToolNames>,
    /// The reader can open files.
    pub files: bool,
    /// The name of the tool with which the reader opens files by lines, without asking a person for
    /// permission.
    pub file_tool: Option<String>,
    /// The name of the tool with which the reader hands work to a sub-agent.
    pub delegate: Option<String>,
}

/// The names under which the reader knows our tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolNames {
    /// Reads a part of a saved output.
    pub read: String,
    /// Searches in a saved output.
    pub grep: String,
}

/// Returns the wording for an output that was saved, or could not be saved.
///
/// ```
/// use overspill::ReaderAbilities;
/// use overspill::internal::notice::wording;
/// use overspill::store::{Kept, OutputId, SpillRef};
///
/// let id = OutputId::parse("01KA3F9C2E").unwrap();
/// let saved = SpillRef::new(id.clone(), "/state/01KA3F9C2E.txt".into(), Kept::Whole);
/// let reader = ReaderAbilities { program: Some("overspill".into()), ..Default::default() };
/// let wording = wording(id.short_id(), Ok(&saved), &reader);
/// assert_eq!(wording.short_copy, "overspill read 3f9c2e");
/// ```
pub fn wording(
    short_id: String,
    saved: Result<&SpillRef, &Error>,
    reader: &ReaderAbilities,
) -> Wording {
    let label = LABEL.into();
    match saved {
        Ok(saved) => Wording {
            label,
            short_id,
            facts: Vec::new(),
            copy: long(saved, reader, Content::Text),
            short_copy: short(saved, reader),
        },
        Err(error) => Wording {
            label,
            short_id,
            facts: Vec::new(),
            copy: format!("could not be saved: {}", clipped(&without_number(&error.to_string()))),
            short_copy: "could not be saved".into(),
        },
    }
}

/// Returns the shortest way to a whole output: a command, a tool call, a path or an id.
pub(crate) fn way_to(id: &OutputId, path: &str, reader: &ReaderAbilities) -> String {
    let short_id = id.short_id();
    match reader {
        ReaderAbilities { tools: Some(tools), .. } => {
            format!(r#"{} {{"id":"{short_id}"}}"#, tools.read)
        }
        ReaderAbilities { program: Some(program), .. } => format!("{program} read {short_id}"),
        ReaderAbilities { files: true, .. } => path.to_owned(),
        ReaderAbilities { .. } => short_id,
    }
}

/// Returns the line about the output of a command that still runs. `lines` is the number of its
/// lines so far.
pub(crate) fn still_running(
    saved: Option<&SpillRef>,
    lines: u64,
    reader: &ReaderAbilities,
) -> String {
    let so_far = format!("still running, {} so far", counted(lines, "line"));
    let Some(saved) = saved else { return mark_line(None, &so_far) };
    let way = short(saved, reader);
    let tail = if reader.tools.is_none() && reader.program.is_some() { " --tail 50" } else { "" };
    mark_line(Some(&saved.id), &format!("{so_far}; {way}{tail}"))
}

/// Returns the word for the kind of an output. If no kind is known, the word tells how the output
/// is shown.
pub fn kind_word(over: &Oversized, cut: &Cut) -> &'static str {
    over.kind().map_or(if cut.reasons().is_empty() { "ends" } else { "lines" }, Kind::name)
}

/// Returns a text in which no part reads as a mark or a message of ours.
pub fn defused(text: String) -> String {
    overspill_core::internal::text::defused(LABEL, text)
}

/// Returns the facts of how a call ended, for a notice.
pub(crate) fn facts(end: CallEnd) -> Vec<String> {
    let ended = match (end.exit, end.signal) {
        (Some(code), _) => Some(format!("exit {code}")),
        (None, Some(signal)) => Some(format!("signal {signal}")),
        (None, None) => None,
    };
    let took = end.took.map(|took| match took.as_secs() {
        0..=99 => format!("{:.1}s", took.as_secs_f64()),
        100..=5999 => format!("{}m", took.as_secs() / 60),
        seconds => format!("{}h", seconds / 3600),
    });
    ended.into_iter().chain(took).collect()
}

/// The content of an output, as far as a notice depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Text,
    Binary,
}

/// Returns the text about reading an output that is not text.
pub(crate) fn copy_of_binary(saved: &SpillRef, reader: &ReaderAbilities) -> String {
    long(saved, reader, Content::Binary)
}

/// Returns the text about reading and searching the output, and about anything special.
fn long(saved: &SpillRef, reader: &ReaderAbilities, content: Content) -> String {
    let id = saved.id.short_id();
    let (part, grep) = match content {
        Content::Text => ("--lines A-B", "grep RE"),
        Content::Binary => ("--hex 0:256", "grep -a RE"),
    };
    let way = match reader {
        ReaderAbilities { tools: Some(tools), .. } => {
            format!(r#"{} {{"id":"{id}"}} or {}"#, tools.read, tools.grep)
        }
        ReaderAbilities { file_tool: Some(tool), files: true, .. }
            if is_file(saved) && content == Content::Text =>
        {
            let read = format!("{tool} {} offset A limit N", saved.path);
            match &reader.program {
                Some(program) if !program.contains('/') => {
                    format!("{read}; {program} grep RE {id}")
                }
                _ => read,
            }
        }
        // A path is long.
        ReaderAbilities { program: Some(program), .. } if program.contains('/') => {
            format!("{program} read {id} {part}; or {grep} {id}")
        }
        ReaderAbilities { program: Some(program), .. } => {
            format!("{program} read {id} {part}; {program} {grep} {id}")
        }
        ReaderAbilities { .. } => short(saved, reader),
    };
    let kept = match saved.kept {
        Kept::Whole => String::new(),
        Kept::Ends { first, between, last } => {
            format!("only {} kept: ", counted(first + between + last, "byte"))
        }
    };
    let place = match &saved.within {
        Availability::ThisMachine => String::new(),
        Availability::Shared => "in the bucket: ".into(),
        Availability::UploadPending(reason) => format!("upload pending: {}; ", clipped(reason)),
    };
    let masked = match saved.masked {
        0 => String::new(),
        masked => format!("; {} masked", counted(masked, "secret")),
    };
    let delegate = match &reader.delegate {
        Some(tool) => format!("; or let a sub-agent read it ({tool})"),
        None => String::new(),
    };
    format!("{kept}{place}{way}{masked}{delegate}")
}

/// Tells whether a file of this machine has every line of the output.
fn is_file(saved: &SpillRef) -> bool {
    saved.within == Availability::ThisMachine && saved.kept == Kept::Whole
}

/// Returns the shortest way to the output.
fn short(saved: &SpillRef, reader: &ReaderAbilities) -> String {
    match reader {
        ReaderAbilities { tools: None, program: None, files: false, .. } => {
            format!("saved as {}", saved.id.short_id())
        }
        _ => way_to(&saved.id, &saved.path, reader),
    }
}

/// Returns a reason, shortened if it is long.
fn clipped(reason: &str) -> String {
    match reason.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.to_owned(),
    }
}

/// Returns a line of ours among the text of an output. [`defused`] changes text that imitates such
/// a line.
pub fn mark_line(id: Option<&OutputId>, what: &str) -> String {
    let short_id = id.map(OutputId::short_id).unwrap_or_default();
    Wording { label: LABEL.into(), ..Wording::plain(&short_id) }.line(what) + "\n"
}
