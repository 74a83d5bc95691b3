//! The errors of a store.

use std::io;
use std::path::PathBuf;

use crate::store::OutputId;

/// The reason why a store failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store has no such output.
    #[error("there is no output {}", shown(name))]
    NotFound {
        /// The name of the output.
        name: OutputId,
    },
    /// The text is neither the id nor the path of an output.
    #[error("{text:?} is neither the id nor the path of an output")]
    BadId {
        /// The text.
        text: String,
    },
    /// The path leads to a file that is not in the store.
    #[error("{path:?} is not in the store, which is {store}")]
    OutsideStore {
        /// The path.
        path: String,
        /// The directory of the store.
        store: String,
    },
    /// The short id belongs to several outputs.
    #[error("{text} is the short id of several outputs: {}", listed(names))]
    Ambiguous {
        /// The short id.
        text: String,
        /// The ids.
        names: Vec<OutputId>,
    },
    /// The record of an output is damaged, and the store has no output of that name.
    #[error("the record of {} is damaged: {reason}", shown(name))]
    Damaged {
        /// The name of the output.
        name: OutputId,
        /// The damage in the record.
        reason: String,
    },
    /// A file or directory could not be used.
    #[error("{}: {}", path.display(), without_number(&source.to_string()))]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The directory of the store belongs to another user, or other users have access to it.
    #[error("{}: {reason}, so nothing is saved there", path.display())]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// The problem with the directory.
        reason: String,
    },
    /// The directory has no room.
    #[error("{}: {reason}", path.display())]
    Full {
        /// The directory.
        path: PathBuf,
        /// The limit that was reached.
        reason: String,
    },
    /// A bucket could not be used.
    #[error("{address}: {reason}")]
    Bucket {
        /// The bucket.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The profile saves nothing.
    #[error("nothing is saved")]
    NotAsked,
    /// The store does not support an ability.
    #[error("this store does not support {what}")]
    Unsupported {
        /// The ability that the store lacks.
        what: &'static str,
    },
    /// The system provided no random numbers for a name.
    #[error("no name for the output: {0}")]
    Random(getrandom::Error),
    /// A store of your own failed.
    #[error("{0}")]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

/// Returns the text without the numbers of system errors, such as ` (os error 13)`.
pub fn without_number(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                left.push_str(rest);
            }
            _ => {
                left.push_str(" (os error ");
                left.push_str(part);
            }
        }
    }
    left
}

/// Returns the short id, or the whole name of an output of another system.
fn shown(name: &OutputId) -> String {
    if name.time().is_some() { name.short_id() } else { name.to_string() }
}

fn listed(names: &[OutputId]) -> String {
    const MOST: usize = 5;
    let shown: Vec<&str> = names.iter().take(MOST).map(OutputId::as_str).collect();
    let more = if names.len() > MOST { ", …" } else { "" };
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_names_an_output_by_its_short_id() {
        let name = |text| OutputId::parse(text).unwrap();
        let missing = |text| Error::NotFound { name: name(text) }.to_string();
        assert_eq!(missing("01M7P882RRS4ZNATHWDEZYNMS7"), "there is no output zynms7");
        assert_eq!(missing("tool_call_17"), "there is no output tool_call_17");
        let reason = "no JSON".to_owned();
        let damaged = Error::Damaged { name: name("01M7P882RRS4ZNATHWDEZYNMS7"), reason };
        assert_eq!(damaged.to_string(), "the record of zynms7 is damaged: no JSON");
    }

    #[test]
    fn error_of_the_system_has_no_number() {
        let source = io::Error::from_raw_os_error(2);
        let error = Error::Io { path: "/x".into(), source };
        assert_eq!(error.to_string(), "/x: No such file or directory");
        assert_eq!(without_number("a (os error 2): b (os error x)"), "a: b (os error x)");
    }
}
