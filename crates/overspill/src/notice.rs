//! The words of our notices: where the saved output is, and how the reader gets at it.
//!
//! A model acts on these sentences. Tests hold every one of them as a snapshot.

use overspill_core::internal::text::counted;
use overspill_core::{PageCommand, Wording};

use crate::Error;
use crate::store::{Availability, Kept, OutputId, SpillRef};

/// The word that begins every notice, mark and message of ours.
const LABEL: &str = "overspill";

/// A longer reason, in characters, is shortened.
const LONGEST_REASON: usize = 160;

/// What the reader of a notice can do. A notice offers nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReaderAbilities {
    /// The reader can run our program, under this name.
    pub program: Option<String>,
    /// The reader can call our tools.
    pub tools: Option<ToolNames>,
    /// The reader can open files.
    pub files: bool,
    /// The reader can hand work to a sub-agent, through the tool of this name.
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

/// Returns the words about an output that was saved, or could not be saved.
///
/// ```
/// use overspill::ReaderAbilities;
/// use overspill::internal::notice::wording;
/// use overspill::store::{Kept, OutputId, SpillRef};
///
/// let id = OutputId::parse("01KA3F9C2E").unwrap();
/// let saved = SpillRef::new(id.clone(), "/state/01KA3F9C2E.txt".into(), Kept::Whole);
/// let reader = ReaderAbilities { program: Some("overspill".into()), ..Default::default() };
/// let wording = wording(id.token(), Ok(&saved), &reader);
/// assert_eq!(wording.short_copy, "all: overspill read 01KA3F9C2E");
/// ```
pub fn wording(
    token: String,
    saved: Result<&SpillRef, &Error>,
    reader: &ReaderAbilities,
) -> Wording {
    let label = LABEL.into();
    match saved {
        Ok(saved) => Wording {
            label,
            token,
            id: Some(saved.id.to_string()),
            copy: long(saved, reader),
            short_copy: short(saved, reader),
            page: page(saved, reader),
        },
        Err(error) => Wording {
            label,
            token,
            id: None,
            copy: format!("It could not be saved: {}", clipped(&error.to_string())),
            short_copy: "could not be saved".into(),
            page: None,
        },
    }
}

/// Returns the shortest way to a whole output: a command, a tool call, a path or an id.
pub(crate) fn way_to(id: &OutputId, path: &str, reader: &ReaderAbilities) -> String {
    let token = id.token();
    match reader {
        ReaderAbilities { tools: Some(tools), .. } => {
            format!(r#"{} {{"id":"{token}"}}"#, tools.read)
        }
        ReaderAbilities { program: Some(program), .. } => format!("{program} read {token}"),
        ReaderAbilities { files: true, .. } => path.to_owned(),
        ReaderAbilities { .. } => token,
    }
}

/// Returns a text in which nothing reads as a mark or a message of ours.
pub fn defused(text: String) -> String {
    overspill_core::internal::text::defused(LABEL, text)
}

/// Says where the output is, and every way to it.
fn long(saved: &SpillRef, reader: &ReaderAbilities) -> String {
    let what = match saved.kept {
        Kept::Whole => "All of it".to_owned(),
        Kept::Ends { first, between, last } => {
            let bytes = counted(first + between + last, "byte");
            format!("Not all of it could be kept; {bytes} of it")
        }
    };
    let (place, before_ways) = match &saved.within {
        Availability::ThisMachine => (String::new(), ": "),
        Availability::Shared => (", saved in the bucket".into(), ": "),
        // A reason may have colons of its own.
        Availability::UploadPending(reason) => {
            let reason = clipped(reason);
            (format!(", saved on this machine, upload pending: {reason}"), ". Read it: ")
        }
    };
    let masked = match saved.masked {
        0 => String::new(),
        masked => format!("; {} masked in it", counted(masked, "secret")),
    };
    match ways(saved, reader) {
        ways if ways.is_empty() => format!("{what}{place} saved as {}{masked}", saved.id),
        ways => format!("{what}{place}{before_ways}{}{masked}", ways.join(" · ")),
    }
}

/// Returns everything that the reader can do to see the output.
fn ways(saved: &SpillRef, reader: &ReaderAbilities) -> Vec<String> {
    let id = &saved.id;
    let mut ways = Vec::new();
    if let Some(tools) = &reader.tools {
        ways.push(format!(r#"{} {{"id":"{id}"}}"#, tools.read));
        ways.push(format!(r#"{} {{"id":"{id}","pattern":"…"}}"#, tools.grep));
    }
    if let Some(program) = &reader.program {
        ways.push(format!("{program} read {id}"));
        ways.push(format!("{program} grep PATTERN {id}"));
    }
    if reader.files {
        ways.push(saved.path.clone());
    }
    if let Some(tool) = &reader.delegate {
        ways.push(format!("or let a sub-agent work through it ({tool})"));
    }
    ways
}

/// Says how much was saved, and the shortest way to it.
fn short(saved: &SpillRef, reader: &ReaderAbilities) -> String {
    let id = &saved.id;
    let amount = match saved.kept {
        Kept::Whole => "all",
        Kept::Ends { .. } => "in part",
    };
    let pending = match saved.within {
        Availability::UploadPending(_) => ", not uploaded yet",
        Availability::ThisMachine | Availability::Shared => "",
    };
    let way = match reader {
        ReaderAbilities { tools: Some(tools), .. } => format!(r#"{} {{"id":"{id}"}}"#, tools.read),
        ReaderAbilities { program: Some(program), .. } => format!("{program} read {id}"),
        ReaderAbilities { files: true, .. } => saved.path.clone(),
        ReaderAbilities { .. } => id.to_string(),
    };
    format!("{amount}{pending}: {way}")
}

/// Returns the command that reads a page, if the reader has one.
fn page(saved: &SpillRef, reader: &ReaderAbilities) -> Option<PageCommand> {
    // A partial copy may lack the part that a page is about.
    if saved.kept != Kept::Whole {
        return None;
    }
    let id = &saved.id;
    match reader {
        ReaderAbilities { tools: Some(tools), .. } => Some(PageCommand {
            before_unit: format!(r#"{} {{"id":"{id}",""#, tools.read),
            before_range: r#"":""#.into(),
            after_range: r#""}"#.into(),
        }),
        ReaderAbilities { program: Some(program), .. } => Some(PageCommand {
            before_unit: format!("{program} read {id} --"),
            before_range: " ".into(),
            after_range: String::new(),
        }),
        ReaderAbilities { .. } => None,
    }
}

/// Returns a reason, shortened if it is long.
fn clipped(reason: &str) -> String {
    match reason.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.to_owned(),
    }
}

/// Returns a line of ours among the text of an output. [`defused`] changes text that imitates such a line.
pub fn mark_line(id: Option<&OutputId>, what: &str) -> String {
    let token = id.map_or_else(String::new, |id| format!(" {}", id.token()));
    format!("[{LABEL}{token}: {what}]\n")
}
