//! Which outputs the client may reach through us, and how it names them.

use std::path::{Path, PathBuf};

use overspill::store::{Entry, OutputId, Record, Store};

/// How the address of an output begins.
pub(super) const SCHEME: &str = "overspill://";

/// Which outputs can be reached.
#[derive(Debug, Clone)]
pub(super) struct OutputScope {
    /// The session that this is.
    pub(super) session: String,
    /// The project that this is in.
    pub(super) project: PathBuf,
    /// All that are saved, whoever saved them.
    pub(super) all: bool,
}

impl OutputScope {
    /// Tells whether an output can be reached.
    fn has(&self, record: Option<&Record>) -> bool {
        let of_ours = |record: &Record| {
            let directory = record.call.directory.as_deref().map(Path::new);
            record.call.session.as_deref() == Some(&*self.session)
                || directory.is_some_and(|directory| directory.starts_with(&self.project))
        };
        self.all || record.is_some_and(of_ours)
    }

    /// Returns what can be reached, the last saved first.
    pub(super) fn entries(&self, store: &dyn Store) -> Result<Vec<(Entry, Record)>, String> {
        let mut entries = store.list().map_err(|error| error.to_string())?;
        entries.sort_by(|a, b| b.name.cmp(&a.name));
        let known = entries.into_iter().filter_map(|entry| {
            let record = store.record(&entry.name).ok().flatten();
            self.has(record.as_ref()).then(|| (entry, record.unwrap_or_default()))
        });
        Ok(known.collect())
    }

    /// Finds an output by its id, the beginning or the end of it, its path or its address.
    pub(super) fn find(&self, store: &dyn Store, typed: &str) -> Result<OutputId, String> {
        let stem = typed.strip_prefix(SCHEME).unwrap_or(typed);
        let stem = Path::new(stem).file_name().map(|name| name.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        let stem = stem.strip_suffix(".txt").unwrap_or(&stem).to_ascii_uppercase();
        let shown = crate::ui::short(typed, 100);
        let missing = || format!("there is no output {shown} in this session and project");
        if let Some(name) = OutputId::parse(&stem)
            && store.entry(&name).is_ok()
        {
            let record = store.record(&name).ok().flatten();
            return if self.has(record.as_ref()) { Ok(name) } else { Err(missing()) };
        }
        let mut alike = self.entries(store)?;
        let begins = |name: &OutputId| !stem.is_empty() && name.as_str().starts_with(&stem);
        // A notice begins with the end of an id.
        let any = alike.iter().any(|(entry, _)| begins(&entry.name));
        let fits = |name: &OutputId| if any { begins(name) } else { name.ends_like(&stem) };
        alike.retain(|(entry, _)| fits(&entry.name));
        let end = if any { "beginning" } else { "end" };
        match &alike[..] {
            [(entry, _)] => Ok(entry.name.clone()),
            [] => Err(missing()),
            _ => Err(format!("{shown} is the {end} of {} outputs", alike.len())),
        }
    }
}
