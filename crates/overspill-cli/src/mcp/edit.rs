//! Changes JSON where it stands, and leaves all other bytes as they are.

use std::ops::Range;

/// A change of one place.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) place: Range<usize>,
    pub(super) change: EditChange,
}

/// The change of a place.
#[derive(Debug)]
pub(super) enum EditChange {
    /// This takes its place.
    Put(Vec<u8>),
    /// The value, or the field, goes, with the comma that set it apart.
    Remove,
    /// This is one more value at the end of a list, or one more field of an object.
    Add(Vec<u8>),
}

impl Edit {
    pub(super) fn remove(place: Range<usize>) -> Edit {
        Edit { place, change: EditChange::Remove }
    }
}

/// Returns `text` as a string of JSON.
pub(super) fn json_string(text: &str) -> Vec<u8> {
    serde_json::to_vec(text).unwrap_or_else(|_| b"\"\"".to_vec())
}

/// Makes all changes. Where two are of the same place, the last one counts; what lies within a
/// place that is changed is gone with it.
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

/// Returns where what follows the next comma begins, if a comma is next.
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
    fn what_is_removed_takes_its_comma_along() {
        assert_eq!(removed("[1, 2, 3]", &["1"]), "[ 2, 3]");
        assert_eq!(removed("[1, 2, 3]", &["3"]), "[1, 2]");
        assert_eq!(removed("[1, 2, 3]", &["2", "3"]), "[1]");
        assert_eq!(removed("[1, 2, 3]", &["1", "2", "3"]), "[  ]");
        assert_eq!(removed(r#"{"a":1 ,"b":2}"#, &[r#""b":2"#]), r#"{"a":1 }"#);
        assert_eq!(removed(r#"{"a":1,"b":2}"#, &[r#""a":1"#]), r#"{"b":2}"#);
    }

    #[test]
    fn what_is_added_follows_what_is_left() {
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
    fn what_lies_within_a_change_is_gone_with_it() {
        let put =
            |place: Range<usize>, with: &str| Edit { place, change: EditChange::Put(with.into()) };
        let out = edited(b"[{\"a\":1}]", vec![put(6..7, "2"), put(1..8, "3")]);
        assert_eq!(out, b"[3]");
    }
}
