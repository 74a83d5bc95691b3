//! The keys of the objects in a bucket.
//!
//! ```text
//! PREFIX/TENANT/v1/outputs/DAY/SESSION/TOOL/ID.txt   the bytes of an output
//! PREFIX/TENANT/v1/records/ID                        its record and its seal
//! PREFIX/TENANT/v1/pins/ID                           the output is pinned
//! PREFIX/TENANT/v1/used/ID                           the time of the last read, if days later
//! PREFIX/TENANT/v1/gone/ID-ID-RANDOM                 a list of a few dozen expired outputs
//! ```
//!
//! A later layout gets another number. The meaning of a number never changes.

use object_store::path::Path;

use crate::Call;
use crate::store::name::{component, is_component};
use crate::store::{NameStyle, OutputId};

/// The number of the layout that this version writes. Layout 1 is the only one so far.
pub(super) const FORMAT: u32 = 1;
/// The number of characters of a day in a key.
const DAY: usize = "2026-01-13".len();

/// The folder of one tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    root: String,
}

/// The parts of an output's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) session: String,
    pub(super) tool: String,
    pub(super) name: OutputId,
}

/// A mark on an output: an empty object with the id of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Pin,
    Used,
}

impl Mark {
    fn folder(self) -> &'static str {
        match self {
            Mark::Pin => "pins",
            Mark::Used => "used",
        }
    }
}

impl Layout {
    pub(super) fn new(prefix: &str, tenant: &str) -> Layout {
        let tenant = component(Some(tenant));
        let prefix = prefix.trim_matches('/');
        let slash = if prefix.is_empty() { "" } else { "/" };
        Layout { root: format!("{prefix}{slash}{tenant}/v{FORMAT}") }
    }

    /// Returns the key of an object below the tenant's folder.
    pub(super) fn at(&self, below: &str) -> Path {
        Path::from(format!("{}/{below}", self.root))
    }

    /// Returns the key of an output.
    pub(super) fn output(&self, name: &OutputId, call: &Call) -> Path {
        let (session, tool) = (component(call.session.as_deref()), component(call.tool.as_deref()));
        let file = NameStyle::OWN.file_of(name);
        self.at(&format!("outputs/{}/{session}/{tool}/{file}", day_of(name)))
    }

    /// Returns the folder of all outputs.
    pub(super) fn outputs(&self) -> Path {
        self.at("outputs")
    }

    /// Returns the folder for the outputs of a day, or of one session on that day.
    pub(super) fn day(&self, day: &str, session: Option<&str>) -> Path {
        match session {
            None => self.at(&format!("outputs/{day}")),
            Some(session) => self.at(&format!("outputs/{day}/{}", component(Some(session)))),
        }
    }

    pub(super) fn note(&self, name: &OutputId) -> Path {
        self.at(&format!("records/{name}"))
    }

    pub(super) fn notes(&self) -> Path {
        self.at("records")
    }

    pub(super) fn mark(&self, mark: Mark, name: &OutputId) -> Path {
        self.at(&format!("{}/{name}", mark.folder()))
    }

    pub(super) fn marks(&self, mark: Mark) -> Path {
        self.at(mark.folder())
    }

    pub(super) fn gone(&self) -> Path {
        self.at("gone")
    }

    /// Returns the parts of the key of an output, or `None` for a key of another form.
    pub(super) fn key(&self, path: &Path) -> Option<Key> {
        let below = path.as_ref().strip_prefix(self.root.as_str())?.strip_prefix("/outputs/")?;
        let mut parts = below.split('/');
        let (day, session, tool, file) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let name = NameStyle::OWN.name_of(file)?;
        let sound = parts.next().is_none()
            && day == day_of(&name)
            && is_component(session)
            && is_component(tool);
        sound.then(|| Key { session: session.into(), tool: tool.into(), name })
    }

    /// Tells whether this layout makes exactly this key for an output of this id.
    ///
    /// Any machine may have written a record. A key that fails this test may name any object of the
    /// bucket.
    pub(super) fn makes(&self, key: &str, name: &OutputId) -> bool {
        let path = Path::from(key);
        path.as_ref() == key && self.key(&path).is_some_and(|key| key.name == *name)
    }

    /// Returns the first and the last id that a list of expired outputs may contain, if its key has
    /// the form that overspill writes.
    pub(super) fn gone_range(&self, path: &Path) -> Option<(OutputId, OutputId)> {
        let file = path.filename()?;
        let parts: Vec<&str> = file.split('-').collect();
        let [first, last, end] = parts[..] else { return None };
        let name = |text: &str| {
            let name = NameStyle::OWN.name_of(&format!("{text}{}", NameStyle::OWN.ending));
            name.filter(|name| name.time().is_some())
        };
        let sound = is_component(end) && *path == self.at(&format!("gone/{file}"));
        if sound { Some((name(first)?, name(last)?)) } else { None }
    }

    /// Returns the id at the end of the key of a record or a mark.
    pub(super) fn named(path: &Path) -> Option<OutputId> {
        NameStyle::OWN.name_of(&format!("{}{}", path.filename()?, NameStyle::OWN.ending))
    }
}

/// Returns the day in the key of an output. The time in the id is enough to find it.
pub(super) fn day_of(name: &OutputId) -> String {
    name.time().unwrap_or_default().strftime("%Y-%m-%d").to_string()
}

/// Tells whether the name of a folder is a day.
pub(super) fn is_day(text: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == DAY && text.bytes().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_key_is_parsed_back() {
        let layout = Layout::new("/team/outputs/", "ada");
        let name = OutputId::parse("01KA3F9C2E01KA3F9C2E01KA3F").unwrap();
        let call = Call { session: Some("s/1".into()), ..Call::new("../bash") };
        let path = layout.output(&name, &call);
        let day = day_of(&name);
        let expected =
            format!("team/outputs/ada/v1/outputs/{day}/s_1/___bash/01KA3F9C2E01KA3F9C2E01KA3F.txt");
        assert_eq!(path.as_ref(), expected);
        let key = Key { session: "s_1".into(), tool: "___bash".into(), name: name.clone() };
        assert_eq!(layout.key(&path), Some(key));
        assert_eq!(Layout::named(&layout.note(&name)), Some(name));
        assert!(is_day(&day) && !is_day("2026-1-13x"));
        assert_eq!(Layout::new("", "a b").at("x").as_ref(), "a_b/v1/x");
    }

    #[test]
    fn list_of_expired_outputs_needs_names_with_a_time() {
        let layout = Layout::new("p", "all");
        let range = |first: &str, last: &str| {
            layout.gone_range(&Path::from(format!("p/all/v1/gone/{first}-{last}-abc"))).is_some()
        };
        let good = "01KA3F9C2E01KA3F9C2E01KA3F";
        assert!(range(good, good));
        assert!(!range(good, "01KI3F9C2E01KA3F9C2E01KA3F") && !range(&"Z".repeat(26), good));
    }

    #[test]
    fn foreign_key_is_not_an_output() {
        let layout = Layout::new("p", "all");
        for foreign in [
            "p/all/v1/outputs/2026-01-13/s/t/notes.txt",
            "p/all/v1/outputs/2020-01-13/s/t/01KA3F9C2E01KA3F9C2E01KA3F.txt",
            "p/all/v1/outputs/x.txt",
            "p/all/v2/outputs/2026-01-13/s/t/01KA3F9C2E01KA3F9C2E01KA3F.txt",
            "p/alls/v1/outputs/2026-01-13/s/t/01KA3F9C2E01KA3F9C2E01KA3F.txt",
            "elsewhere",
        ] {
            assert_eq!(layout.key(&Path::from(foreign)), None, "{foreign}");
        }
    }
}
