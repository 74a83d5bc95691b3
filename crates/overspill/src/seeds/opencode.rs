//! The profile `opencode`: head or tail, and a hint that depends on the permissions of the agent.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use overspill_core::Keep;

use super::{SOURCE_SYSTEM, WalkWords};
use crate::profile::{Directory, NoticeStyle, Profile, Sweeps};
use crate::store::{Also, Entry, NamePart, NameStyle};
use crate::{Error, Layer, Limit, Overspill};

/// The sentences of the notice.
pub(super) const WORDS: WalkWords = WalkWords {
    saved: "The tool call succeeded but the output was truncated. Full output saved to: {PATH}",
    look: "Use Grep to search the full content or Read with offset/limit to view specific sections.",
    delegate: Some(
        "Use the Task tool to have a subagent process this file with Grep and Read (with \
         offset/limit). Do NOT read the full file yourself - delegate to save context.",
    ),
    failed: "The tool call succeeded but the output was truncated. The full output could not be saved.",
};

impl Profile {
    /// The profile: 2000 lines and 50 KiB, whole lines from the head.
    pub const OPENCODE: Profile = Profile {
        name: "opencode",
        words: NoticeStyle::Walk(WORDS),
        directory: Directory::Data(Cow::Borrowed("tool-output")),
        names: NameStyle {
            parts: &[
                NamePart::Text("tool_"),
                NamePart::UtcDay,
                NamePart::Text("_"),
                NamePart::Random(12),
            ],
            ending: "",
            also: Also::Prefix("tool_"),
        },
        sweeps: Sweeps::BeforeFirstSave,
        ..SOURCE_SYSTEM
    };
}

/// Limits for a kind of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// 2000 lines, 50 KiB, from the head.
    Code,
    /// 500 lines, 20 KiB, from the tail.
    Log,
    /// 100 lines, 10 KiB, from the tail.
    Error,
}

impl Preset {
    /// Returns the settings of this preset. The settings of a call override them.
    pub fn layer(self) -> Layer {
        let (lines, bytes, keep) = match self {
            Preset::Code => (2000, 51_200, None),
            Preset::Log => (500, 20_480, Some(Keep::Tail)),
            Preset::Error => (100, 10_240, Some(Keep::Tail)),
        };
        Layer {
            max_lines: Some(Limit::AtMost(lines)),
            max_bytes: Some(Limit::AtMost(bytes)),
            keep,
            ..Layer::default()
        }
    }
}

/// Removes outputs by the time in their names, as the document of opencode describes it, and
/// returns their number.
///
/// [`Overspill::sweep`] instead uses the time of the last use, so that an output in use stays. An
/// output whose name has a day is removed if the whole day is older than the retention. The ids of
/// opencode's own source contain the time, too. If a name has no time, the last use of the output
/// counts. A pinned output stays.
pub fn cleanup_by_name(overspill: &Overspill) -> Result<u64, Error> {
    let Some(longest) = overspill.retention().unused_for else { return Ok(0) };
    let (store, now) = (overspill.store(), overspill.now());
    let is_old = |entry: &Entry| {
        let named = time_in_name(entry.name.as_str(), now);
        now.duration_since(named.unwrap_or(entry.used)) > longest
    };
    let mut removed = 0;
    for entry in store.list()?.iter().filter(|entry| !entry.pinned && is_old(entry)) {
        // A file that cannot be removed does not end the cleanup.
        removed += u64::from(store.delete(&entry.name).is_ok());
    }
    Ok(removed)
}

/// Returns the latest time at which a file with this name can have been written.
fn time_in_name(name: &str, now: Timestamp) -> Option<Timestamp> {
    let rest = name.strip_prefix("tool_")?;
    if let Some((day, _)) = rest.split_once('_') {
        let day = Date::strptime("%Y%m%d", day).ok()?;
        return Some(day.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
    }
    // An id of opencode's source: 48 bits of time in hex, the lower 12 of them a counter, then 14
    // random characters.
    let is_id = rest.len() == 26 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let time = i64::from_str_radix(rest.get(..12).filter(|_| is_id)?, 16).ok()? >> 12;
    // The 36 bits of milliseconds wrap around every 2.2 years. The latest time that fits counts.
    let past = (now.as_millisecond() - time).rem_euclid(1 << 36);
    // If that is over 1.1 years ago, the clock that made the id was more likely ahead.
    (past < 1 << 35).then(|| Timestamp::from_millisecond(now.as_millisecond() - past).ok())?
}

/// A kind of output. It decides which end is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// Source code.
    Code,
    /// Configuration.
    Config,
    /// Search results.
    Search,
    /// A log.
    Log,
    /// An error or a stack trace.
    Error,
}

impl ToolKind {
    /// Returns the end of the output to keep.
    pub fn keep(self) -> Keep {
        match self {
            ToolKind::Code | ToolKind::Config | ToolKind::Search => Keep::Head,
            ToolKind::Log | ToolKind::Error => Keep::Tail,
        }
    }
}

/// A permission rule of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRule {
    /// A pattern for permissions.
    pub permission: String,
    /// A pattern for uses of the permission.
    pub pattern: String,
    /// `allow`, `ask` or `deny`.
    pub action: String,
}

/// Tells whether an agent with these rules may hand work to a sub-agent.
///
/// The last rule that matches decides. If no rule matches, the agent asks the user, so the answer
/// is yes. Without a list of rules the answer is no.
pub fn can_delegate(rules: Option<&[PermissionRule]>) -> bool {
    let Some(rules) = rules else { return false };
    let decides = |rule: &&PermissionRule| {
        matches_wildcard("task", &rule.permission) && matches_wildcard("*", &rule.pattern)
    };
    rules.iter().rev().find(decides).is_none_or(|rule| rule.action != "deny")
}

/// Tells whether the whole `text` matches `pattern`. `*` matches any characters and `?` any one
/// character. A final ` *` is optional. Other characters match themselves.
pub fn matches_wildcard(text: &str, pattern: &str) -> bool {
    let optional = pattern.strip_suffix(" *").is_some_and(|start| matches(text, start));
    optional || matches(text, pattern)
}

fn matches(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) =
        (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut next) = (0, 0);
    // The place of the last star in the pattern, and the end of its match in the text so far.
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(next) {
            Some('*') => {
                star = Some((next, at));
                next += 1;
            }
            Some(&char) if char == '?' || char == text[at] => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((stands, ends)) = star else { return false };
                star = Some((stands, ends + 1));
                at = ends + 1;
                next = stands + 1;
            }
        }
    }
    pattern[next..].iter().all(|&char| char == '*')
}
