//! The ways of cutting that an audit compares: the host, head, tail, both ends, and overspill.

use std::collections::HashMap;

use overspill::core::{Keep, Limits, Policy};
use overspill::internal::HostCut;
use overspill::store::{Draft, Entry, Kept, OutputId, SpillRef, Store};
use overspill::{Call, CallEnd, CallOptions, Error, Outcome, Overspill, Profile};

use crate::hosts::Host;

/// A way of cutting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The cut of the host itself.
    Host,
    /// The first characters.
    Head,
    /// The last characters.
    Tail,
    /// The first and the last characters, half of the room each.
    Ends,
    /// The preview of overspill.
    Overspill,
}

/// All ways, with the names that reports use.
pub(super) const WAYS: [(Way, &str); 5] = [
    (Way::Host, "host"),
    (Way::Head, "head"),
    (Way::Tail, "tail"),
    (Way::Ends, "ends"),
    (Way::Overspill, "overspill"),
];

/// The size that every way may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Room {
    /// The limit of overspill in this host.
    OfHost,
    /// A number of characters.
    Chars(u64),
}

/// The rooms that are compared.
pub(super) const ROOMS: [Room; 3] = [Room::OfHost, Room::Chars(9_500), Room::Chars(2_000)];

impl Room {
    /// Returns the name that reports use.
    pub(super) fn name(self) -> String {
        match self {
            Room::OfHost => "host limit".into(),
            Room::Chars(chars) => format!("{chars} chars"),
        }
    }
}

/// An output to cut.
pub(super) struct AuditedOutput<'a> {
    pub(super) text: &'a str,
    pub(super) tool: &'a str,
    pub(super) command: Option<&'a str>,
    pub(super) failed: bool,
}

/// Cuts outputs in every way.
#[derive(Default)]
pub(super) struct Cutter {
    engines: HashMap<(&'static str, Room), Overspill>,
}

impl Cutter {
    /// Returns the text that a way shows of an output, or `None` if it shows the whole output.
    pub(super) fn shown(
        &mut self,
        way: Way,
        room: Room,
        host: &'static Host,
        output: &AuditedOutput<'_>,
    ) -> Option<String> {
        let text = output.text;
        match way {
            Way::Overspill => self.by_overspill(room, host, output),
            Way::Host => {
                let own = host.own_cut?;
                let cut = own.if_failed.filter(|_| output.failed).unwrap_or(own.usual);
                by_host(&cut, text)
            }
            Way::Head | Way::Tail | Way::Ends => {
                let room = chars_of(room, host, output.failed);
                if is_short(text, room) {
                    return None;
                }
                Some(match way {
                    Way::Head => first_chars(text, room).to_owned(),
                    Way::Tail => last_chars(text, room).to_owned(),
                    _ => {
                        let half = room.saturating_sub(1) / 2;
                        format!("{}\n{}", first_chars(text, half), last_chars(text, half))
                    }
                })
            }
        }
    }

    fn by_overspill(
        &mut self,
        room: Room,
        host: &'static Host,
        output: &AuditedOutput<'_>,
    ) -> Option<String> {
        let limits = match room {
            Room::OfHost => host.ceiling.if_failed.filter(|_| output.failed),
            Room::Chars(chars) => Some(Limits::NONE.chars(chars)),
        };
        if is_within(output.text, &limits.unwrap_or(host.ceiling.limits)) {
            return None;
        }
        let engine =
            self.engines.entry((host.name, room)).or_insert_with(|| engine(room, host, Discard));
        let call = Call { command: output.command.map(str::to_owned), ..Call::new(output.tool) };
        match replayed(engine, room, host, output, &call) {
            Outcome::Spilled(spilled) => Some(spilled.text),
            Outcome::Whole(_) | Outcome::Masked(_) => None,
        }
    }
}

/// Replays an output with an engine for this room.
pub(super) fn replayed<'a>(
    engine: &Overspill,
    room: Room,
    host: &Host,
    output: &AuditedOutput<'a>,
    call: &Call,
) -> Outcome<'a> {
    let if_failed = host.ceiling.if_failed.filter(|_| room == Room::OfHost);
    let options = CallOptions { if_failed, ..CallOptions::default() };
    let end = CallEnd::exited(i32::from(output.failed));
    engine.process_ended(output.text.as_bytes(), call, &options, end)
}

/// Returns the number of characters of a room.
pub(super) fn chars_of(room: Room, host: &Host, failed: bool) -> u64 {
    match room {
        Room::Chars(chars) => chars,
        Room::OfHost => {
            let limits = host.ceiling.if_failed.filter(|_| failed).unwrap_or(host.ceiling.limits);
            limits.chars.or(limits.bytes).unwrap_or(u64::MAX)
        }
    }
}

/// Returns an engine with the limits of a room.
pub(super) fn engine(room: Room, host: &'static Host, store: impl Store + 'static) -> Overspill {
    let profile = match room {
        Room::OfHost => host.ceiling.profile(),
        Room::Chars(chars) => {
            let limits = Limits::NONE.chars(chars);
            Profile {
                policy: Policy { trigger: limits, limits, ..Profile::OWN.policy },
                ..Profile::OWN
            }
        }
    };
    Overspill::builder()
        .profile(profile)
        .store(store)
        .host(|| Some(host.of_calls()))
        .program(|| "overspill".into())
        .build()
}

/// Cuts a text like its host, without the mark of the host. Returns `None` if the host shows all.
fn by_host(cut: &HostCut, text: &str) -> Option<String> {
    let HostCut { over, shows, keep } = *cut;
    let lines = || memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    let is_long = over.bytes.is_some_and(|most| text.len() as u64 > most)
        || over.chars.is_some_and(|most| !is_short(text, most))
        || over.lines.is_some_and(|most| lines() > most);
    if !is_long {
        return None;
    }
    // A limit in bytes counts as a limit in characters: this favours the host.
    let room = shows.chars.or(shows.bytes).unwrap_or(u64::MAX);
    let most_lines = shows.lines.and_then(|lines| usize::try_from(lines).ok());
    let most_lines = most_lines.unwrap_or(usize::MAX);
    Some(match keep {
        Keep::Head => first_chars(first_lines(text, most_lines), room).to_owned(),
        Keep::Tail => last_chars(last_lines(text, most_lines), room).to_owned(),
        Keep::Ends { head, tail } => {
            let (head, tail) = (u64::from(head), u64::from(tail));
            let first = room * head / (head + tail).max(1);
            format!("{}\n{}", first_chars(text, first), last_chars(text, room - first))
        }
        Keep::Signal | Keep::Structure | Keep::Auto => return None,
    })
}

/// Tells without a replay whether overspill shows the whole text under these limits. After `false`,
/// a replay may still show the whole text.
pub(super) fn is_within(text: &str, limits: &Limits) -> bool {
    let lines = || memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64 + 1;
    limits.bytes.is_none_or(|most| text.len() as u64 <= most)
        && limits.chars.is_none_or(|most| is_short(text, most))
        && limits.lines.is_none_or(|most| most >= text.len() as u64 || lines() <= most)
        && limits.tokens.is_none_or(|most| text.len() as u64 <= most)
}

/// Tells whether a text has at most this many characters.
pub(super) fn is_short(text: &str, chars: u64) -> bool {
    text.len() as u64 <= chars || first_chars(text, chars).len() == text.len()
}

pub(super) fn first_chars(text: &str, chars: u64) -> &str {
    let chars = usize::try_from(chars).unwrap_or(usize::MAX);
    text.char_indices().nth(chars).map_or(text, |(end, _)| &text[..end])
}

fn last_chars(text: &str, chars: u64) -> &str {
    let Some(before) = usize::try_from(chars).ok().and_then(|chars| chars.checked_sub(1)) else {
        return "";
    };
    text.char_indices().nth_back(before).map_or(text, |(start, _)| &text[start..])
}

fn first_lines(text: &str, lines: usize) -> &str {
    let end =
        lines.checked_sub(1).and_then(|at| memchr::memchr_iter(b'\n', text.as_bytes()).nth(at));
    end.map_or(text, |end| &text[..=end])
}

fn last_lines(text: &str, lines: usize) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let start =
        lines.checked_sub(1).and_then(|at| memchr::memrchr_iter(b'\n', body.as_bytes()).nth(at));
    start.map_or(text, |start| &text[start + 1..])
}

/// A store that keeps nothing. Its outputs get an id and a path, so that previews have their usual
/// length.
#[derive(Debug)]
struct Discard;

/// An output that is not saved.
#[derive(Debug)]
struct DiscardedDraft;

/// The id of every output in this store. It has the usual length.
const ID: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

impl Store for Discard {
    fn create(&self, _: &Call) -> Result<Box<dyn Draft>, Error> {
        Ok(Box::new(DiscardedDraft))
    }

    fn read(&self, _: &OutputId, _: std::ops::Range<u64>) -> Result<Vec<u8>, Error> {
        Err(nothing())
    }

    fn entry(&self, _: &OutputId) -> Result<Entry, Error> {
        Err(nothing())
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        Ok(Vec::new())
    }

    fn delete(&self, _: &OutputId) -> Result<(), Error> {
        Err(nothing())
    }

    fn touch(&self, _: &OutputId) -> Result<(), Error> {
        Err(nothing())
    }
}

impl Draft for DiscardedDraft {
    fn append(&mut self, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        let id = OutputId::parse(ID).ok_or_else(nothing)?;
        let path = format!("/home/ada/.local/state/overspill/project-3f9c2e1a/{ID}.txt");
        Ok(SpillRef::new(id, path, Kept::Whole))
    }
}

fn nothing() -> Error {
    Error::Other("the audit saves nothing".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_ways_cut_characters_and_lines() {
        assert_eq!((first_chars("äöü", 2), last_chars("äöü", 2)), ("äö", "öü"));
        assert_eq!((first_chars("ab", 9), last_chars("ab", 0)), ("ab", ""));
        assert_eq!((first_lines("a\nb\nc\n", 2), last_lines("a\nb\nc\n", 2)), ("a\nb\n", "b\nc\n"));
        assert!(is_short("äöü", 3) && !is_short("äöü", 2));
    }

    #[test]
    fn text_within_the_limits_of_a_host_is_shown_whole() {
        let text: String = (0..40_000).map(|at| format!("line {at} ü\n")).collect();
        for host in crate::hosts::HOSTS {
            for failed in [false, true] {
                let engine = engine(Room::OfHost, host, Discard);
                for len in (0..64_000).step_by(997) {
                    let text = first_chars(&text, len);
                    let output = AuditedOutput { text, tool: "sh", command: Some("make"), failed };
                    let limits = host.ceiling.if_failed.filter(|_| failed);
                    let is_within = is_within(text, &limits.unwrap_or(host.ceiling.limits));
                    let call = Call { command: Some("make".into()), ..Call::new("sh") };
                    let shown = replayed(&engine, Room::OfHost, host, &output, &call);
                    let is_whole = matches!(shown, Outcome::Whole(_));
                    assert!(is_whole || !is_within, "{} {failed} {len}", host.name);
                    // Few outputs that are shown whole need a replay.
                    assert!(!is_whole || is_within, "{} {failed} {len}", host.name);
                }
            }
        }
    }

    #[test]
    fn every_way_shows_a_part_of_a_long_output() {
        let text: String = (0..9_000).map(|at| format!("line {at} of the output\n")).collect();
        let host = Host::named("codex").unwrap();
        let output =
            AuditedOutput { text: &text, tool: "shell", command: Some("make"), failed: false };
        let mut cutter = Cutter::default();
        for (way, name) in WAYS {
            for room in ROOMS {
                let shown = cutter.shown(way, room, host, &output).expect(name);
                let most = if way == Way::Host { 10_001 } else { chars_of(room, host, false) };
                assert!(shown.chars().count() as u64 <= most, "{name} {room:?}");
            }
        }
        let short = AuditedOutput { text: "short\n", ..output };
        for (way, name) in WAYS {
            assert_eq!(cutter.shown(way, Room::OfHost, host, &short), None, "{name}");
        }
    }
}
