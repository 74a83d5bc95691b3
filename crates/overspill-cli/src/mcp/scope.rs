//! Decides which outputs an MCP client can reach, and finds them by name.

use std::path::{Path, PathBuf};

use overspill::internal::store::Record;
use overspill::store::{Entry, OutputId, Store};

/// The beginning of the address of an output.
pub(super) const SCHEME: &str = "overspill://";

/// The outputs that the client can reach.
#[derive(Debug, Clone)]
pub(super) struct OutputScope {
    /// The session whose outputs the client can reach.
    pub(super) session: String,
    /// The directory of the project: outputs of commands that ran in it or below.
    pub(super) project: Option<PathBuf>,
    /// Tells whether the client can reach all saved outputs.
    pub(super) all: bool,
}

/// Returns `root` unless it contains the home directory or is the root of the file system: a server
/// that was started there would reach the outputs of every project.
pub(super) fn project(root: PathBuf, home: Option<&Path>) -> Option<PathBuf> {
    // The working directory contains no links, but the path of the home directory may.
    let real_home = home.and_then(|home| home.canonicalize().ok());
    let mut homes = home.into_iter().chain(real_home.as_deref());
    let is_project = root.parent().is_some() && !homes.any(|home| home.starts_with(&root));
    is_project.then_some(root)
}

impl OutputScope {
    /// Tells whether the client can reach an output with this record.
    fn has(&self, record: Option<&Record>) -> bool {
        let is_ours = |record: &Record| {
            let directory = record.call.directory.as_deref().map(Path::new);
            let is_in = |(directory, project): (&Path, &Path)| directory.starts_with(project);
            // The same path on another machine, or of another user, is another project.
            let is_in_project = !record.saved_elsewhere
                && directory.zip(self.project.as_deref()).is_some_and(is_in);
            record.call.session.as_deref() == Some(&*self.session) || is_in_project
        };
        self.all || record.is_some_and(is_ours)
    }

    /// Returns the outputs that the client can reach, the newest first.
    pub(super) fn entries(&self, store: &dyn Store) -> Result<Vec<(Entry, Record)>, String> {
        let mut entries = store.list().map_err(|error| error.to_string())?;
        entries.sort_by(|a, b| b.name.cmp(&a.name));
        let known = entries.into_iter().filter_map(|entry| {
            let record = store.record(&entry.name).ok().flatten();
            self.has(record.as_ref()).then(|| (entry, record.unwrap_or_default()))
        });
        Ok(known.collect())
    }

    /// Finds an output by its id, by the beginning or end of its id, by its path or by its address.
    pub(super) fn find(&self, store: &dyn Store, typed: &str) -> Result<OutputId, String> {
        let stem = typed.strip_prefix(SCHEME).unwrap_or(typed);
        let stem = Path::new(stem).file_name().map(|name| name.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        let stem = stem.strip_suffix(".txt").unwrap_or(&stem);
        let shown = crate::ui::short(typed, 100);
        let mut matches = store.matching(stem).map_err(|error| error.to_string())?;
        matches.ids.retain(|id| self.has(store.record(id).ok().flatten().as_ref()));
        match &matches.ids[..] {
            [id] => Ok(id.clone()),
            [] => Err(format!("there is no output {shown} in this session and project")),
            several => {
                let ids: Vec<&str> = several.iter().take(5).map(OutputId::as_str).collect();
                let (part, count) = (matches.part, several.len());
                Err(format!("{shown} is the {part} of {count} outputs: {}", ids.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_is_no_directory_that_contains_the_home_directory() {
        let found =
            |root: &str, home: Option<&str>| project(root.into(), home.map(Path::new)).is_some();
        assert!(found("/home/me/work", Some("/home/me")));
        assert!(found("/srv/build", Some("/home/me")) && found("/srv/build", None));
        for root in ["/", "/home", "/home/me"] {
            assert!(!found(root, Some("/home/me")), "{root}");
        }
        assert!(!found("/", None));
    }

    #[test]
    fn scope_has_outputs_of_the_session_and_of_this_machines_project() {
        let scope =
            OutputScope { session: "mine".into(), project: Some("/srv/a".into()), all: false };
        let has = |session: &str, directory: &str, saved_elsewhere: bool| {
            let (session, directory) = (Some(session.into()), Some(directory.into()));
            let call = overspill::Call { session, directory, ..Default::default() };
            scope.has(Some(&Record { call, saved_elsewhere, ..Record::default() }))
        };
        assert!(has("mine", "/elsewhere", false) && has("other", "/srv/a/b", false));
        assert!(!has("other", "/srv/ab", false));
        assert!(!has("other", "/srv/a/b", true), "the same path on another machine");
    }
}
