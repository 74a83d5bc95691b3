//! Settings as values, and the level that each value comes from.
//!
//! Each level is a [`Layer`]. From the weakest to the strongest:
//! profile < the profile's tool < user < project < environment < tool < call.
//! This module reads no file and no environment variable: the program and the packages pass the
//! layers in.
//!
//! To add a setting, add a row in `fields.rs` and a field in `layer.rs`.

mod address;
mod fields;
pub(crate) mod layer;
pub(crate) mod resolved;

use std::borrow::Cow;
use std::fmt;

pub use self::address::HttpAddress;
pub use self::fields::{CallField, CallKind, CallSetting, CallValue, KEEPS, ProjectRule};
pub(crate) use self::layer::KindSetting;
use self::layer::{Layer, Limit};
pub use self::resolved::{Effective, RefusedSetting, Setting};

/// The level that a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The profile, which sets everything, or the profile's entry for the tool.
    Profile,
    /// The user's file.
    User,
    /// The project's file.
    Project,
    /// The environment.
    Environment,
    /// An entry for the tool, by the user or by the tool itself.
    Tool,
    /// The call itself.
    Call,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Profile => "profile",
            Origin::User => "user",
            Origin::Project => "project",
            Origin::Environment => "environment",
            Origin::Tool => "tool",
            Origin::Call => "call",
        })
    }
}

/// A setting with an invalid value. The level below decides instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The key, or the variable.
    pub key: String,
    /// The file and the line, if the setting is in a file.
    pub place: Option<String>,
    /// The mistake, and the values that are allowed.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}: {}", self.key, self.message)
    }
}

/// Returns the names under which a file can have settings of a tool, the most specific first: the
/// tool's own name, and `server/*` for a tool `server/tool`. The name of a server alone stands for
/// the server, too.
pub fn entries_of(tool: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let whole = (!tool.contains('/')).then_some(tool.len());
    let ends = tool.rmatch_indices('/').map(|(at, _)| at).chain(whole);
    std::iter::once(Cow::from(tool)).chain(ends.map(|at| format!("{}/*", &tool[..at]).into()))
}
