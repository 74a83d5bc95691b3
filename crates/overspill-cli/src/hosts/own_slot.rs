//! The user's own shell or prefix in the shell slot of a host. overspill takes the slot, and calls
//! the user's program.
//!
//! `init` makes a directory `OWN/HASH` for each value. The directory has a file with the value. It
//! also has a link to overspill with the name of the user's program, because hosts look at that
//! name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::open::open_regular;
use crate::settings::text;

/// The directory of all these values, beside our links.
const OWN: &str = "own";
/// The file with the kind on its first line, and the user's value after it.
const VALUE: &str = "value";
/// The word after the kind, if the value was not in the file that `init` changed.
const ELSEWHERE: &str = " elsewhere";

/// The kind of program that a setting of a host names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlotKind {
    /// A shell, which gets `-c` and the command.
    Shell,
    /// A program with options, which gets the whole command line as one argument.
    Prefix,
}

impl SlotKind {
    const ALL: [(SlotKind, &'static str); 2] =
        [(SlotKind::Shell, "shell"), (SlotKind::Prefix, "prefix")];
}

/// The user's own shell or prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnSlot {
    pub(crate) kind: SlotKind,
    pub(crate) value: String,
    /// Whether another file or the environment has the value. It stays there, and ours overrides
    /// it.
    pub(crate) is_elsewhere: bool,
}

impl OwnSlot {
    /// Reads a value of the user. Returns `None` if it is empty or leads to overspill.
    pub(crate) fn of(kind: SlotKind, value: &str, env: &Env) -> Option<OwnSlot> {
        let own = OwnSlot { kind, value: value.to_owned(), is_elsewhere: false };
        let is_ours = |path: &Path| {
            path.starts_with(env.links())
                || path
                    .canonicalize()
                    .is_ok_and(|file| file.file_stem() == Some(OsStr::new("overspill")))
        };
        let is_one_line = !value.trim().is_empty() && !value.contains(['\n', '\r', '\0']);
        (is_one_line && !is_ours(own.program())).then_some(own)
    }

    /// Returns the user's shell or prefix that a link of ours replaces.
    pub(crate) fn at(link: &Path) -> Option<OwnSlot> {
        let directory = link.parent()?;
        if !link.is_absolute() || directory.parent()?.file_name()? != OWN {
            return None;
        }
        let (file, _) = open_regular(&directory.join(VALUE)).ok()?;
        let text = text::read_open(file).ok()?;
        let (name, value) = text.split_once('\n')?;
        let is_elsewhere = name.ends_with(ELSEWHERE);
        let name = name.strip_suffix(ELSEWHERE).unwrap_or(name);
        let (kind, _) = SlotKind::ALL.into_iter().find(|(_, known)| *known == name)?;
        Some(OwnSlot { kind, value: value.strip_suffix('\n')?.to_owned(), is_elsewhere })
    }

    /// Returns the path of the link that replaces the user's program.
    pub(crate) fn link(&self, env: &Env) -> PathBuf {
        let name = self.program().file_name().unwrap_or(OsStr::new("bash"));
        self.directory(env).join(name)
    }

    /// Returns the path of the file with the value, and the text of the file.
    pub(crate) fn file(&self, env: &Env) -> (PathBuf, String) {
        (self.directory(env).join(VALUE), format!("{}\n", self.text()))
    }

    /// Returns the program without its options. Claude Code begins the options at the last ` -`.
    pub(crate) fn program(&self) -> &Path {
        Path::new(self.parts().0)
    }

    /// Returns the line of a shell that calls the prefix with the first argument of that shell.
    pub(crate) fn prefix_line(&self) -> String {
        let (program, options) = self.parts();
        format!("exec {} {options} \"$1\"", crate::ui::shell_word(program))
    }

    fn parts(&self) -> (&str, &str) {
        let at = self.value.rfind(" -").filter(|at| *at > 0 && self.kind == SlotKind::Prefix);
        at.map_or((self.value.as_str(), ""), |at| (&self.value[..at], &self.value[at + 1..]))
    }

    fn directory(&self, env: &Env) -> PathBuf {
        // FNV-1a: two values must not share a directory, and the name must stay the same.
        let hash = self.text().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        env.links().join(OWN).join(format!("{hash:016x}"))
    }

    fn text(&self) -> String {
        let name = SlotKind::ALL.into_iter().find(|(kind, _)| *kind == self.kind);
        let name = name.map_or("", |(_, name)| name);
        let elsewhere = if self.is_elsewhere { ELSEWHERE } else { "" };
        format!("{name}{elsewhere}\n{}", self.value)
    }
}
