//! Edits JSON at given byte ranges, and leaves all other bytes unchanged.

use std::ops::Range;

/// A change of one byte range.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) place: Range<usize>,
    pub(super) change: EditChange,
}

/// The kind of change.
#[derive(Debug)]
pub(super) enum EditChange {
    /// Replaces the range by these bytes.
    Put(Vec<u8>),
    /// Removes the value or the field, and the comma that separates it from its neighbour.
    Remove,
    /// Adds these bytes as the last value of a list, or as the last field of an object.
    Add(Vec<u8>),
}

impl Edit {
    pub(super) fn remove(place: Range<usize>) -> Edit {
        Edit { place, change: EditChange::Remove }
    }
}

/// Returns `text` as a JSON string.
pub(super) fn json_string(text: &str) -> Vec<u8> {
    serde_json::to_vec(text).unwrap_or_else(|_| b"\"\"".to_vec())
}

/// Applies all changes. If two changes have the same range, the last one wins. A change within the
/// range of another change is dropped.
pub(super) fn edited(json: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.reverse();
    edits.sort_by_key(|edit| (edit.place.start, std::cmp::Reverse(edit.place.end)));
    let mut out = Vec::with_capacity(json.len());
    let mut at = 0;
    for Edit { place, change } in edits {
        if place.start < at {
            continue;
        }
        out.extend_from_slice(&json[at..place.start]);
        at = place.end;
        match change {
            EditChange::Put(value) => out.extend_from_slice(&value),
            EditChange::Remove => match after_comma(json, at) {
                Some(after) => at = after,
                None => drop_comma(&mut out),
            },
            EditChange::Add(value) => {
                let is_first = last_of(&out).is_none_or(|at| matches!(out[at], b'[' | b'{'));
                if !is_first {
                    out.push(b',');
                }
                out.extend_from_slice(&value);
            }
        }
    }
    out.extend_from_slice(&json[at.min(json.len())..]);
    out
}

/// Returns the position after the next comma, if a comma is next.
fn after_comma(json: &[u8], at: usize) -> Option<usize> {
    let next = json[at..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    (json[at + next] == b',').then_some(at + next + 1)
}

fn last_of(out: &[u8]) -> Option<usize> {
    out.iter().rposition(|byte| !byte.is_ascii_whitespace())
}

fn drop_comma(out: &mut Vec<u8>) {
    if let Some(last) = last_of(out)
        && out[last] == b','
    {
        out.truncate(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(json: &str, what: &[&str]) -> String {
        let edits = what.iter().map(|what| {
            let at = json.find(what).unwrap();
            Edit::remove(at..at + what.len())
        });
        String::from_utf8(edited(json.as_bytes(), edits.collect())).unwrap()
    }

    #[test]
    fn removed_value_takes_its_comma_along() {
        assert_eq!(removed("[1, 2, 3]", &["1"]), "[ 2, 3]");
        assert_eq!(removed("[1, 2, 3]", &["3"]), "[1, 2]");
        assert_eq!(removed("[1, 2, 3]", &["2", "3"]), "[1]");
        assert_eq!(removed("[1, 2, 3]", &["1", "2", "3"]), "[  ]");
        assert_eq!(removed(r#"{"a":1 ,"b":2}"#, &[r#""b":2"#]), r#"{"a":1 }"#);
        assert_eq!(removed(r#"{"a":1,"b":2}"#, &[r#""a":1"#]), r#"{"b":2}"#);
    }

    #[test]
    fn added_value_follows_the_remaining_values() {
        let add = |json: &str, edits: Vec<Edit>| {
            let end = json.len() - 1;
            let add = Edit { place: end..end, change: EditChange::Add(b"9".to_vec()) };
            let all = edits.into_iter().chain([add]).collect();
            String::from_utf8(edited(json.as_bytes(), all)).unwrap()
        };
        assert_eq!(add("[1]", vec![]), "[1,9]");
        assert_eq!(add("[ ]", vec![]), "[ 9]");
        assert_eq!(add("[1]", vec![Edit::remove(1..2)]), "[9]");
    }

    #[test]
    fn change_within_another_change_is_dropped() {
        let put =
            |place: Range<usize>, with: &str| Edit { place, change: EditChange::Put(with.into()) };
        let out = edited(b"[{\"a\":1}]", vec![put(6..7, "2"), put(1..8, "3")]);
        assert_eq!(out, b"[3]");
    }
}
