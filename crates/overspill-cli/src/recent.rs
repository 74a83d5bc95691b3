//! Names of the newest outputs: `last`, `last~2`, `failed`, `failed~1`.

use overspill::internal::store::{NameStyle, RecentQuery};
use overspill::store::{OutputId, Store};

use crate::env::Env;

/// The name of an output by its place among the newest outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecentName {
    pub(crate) is_failed: bool,
    /// The number of newer outputs that are skipped.
    skipped: usize,
}

impl RecentName {
    /// Reads `last`, `last~N`, `failed` or `failed~N`. No id begins like these words.
    pub(crate) fn parse(typed: &str) -> Option<RecentName> {
        let (word, skipped) = typed.split_once('~').unwrap_or((typed, "0"));
        let is_failed = match word {
            "last" => false,
            "failed" => true,
            _ => return None,
        };
        Some(RecentName { is_failed, skipped: skipped.parse().ok()? })
    }

    /// Returns the output of this directory; `None` if the directory has too few outputs.
    pub(crate) fn find(
        self,
        store: &dyn Store,
        names: NameStyle,
        env: &Env,
    ) -> Result<Option<OutputId>, overspill::Error> {
        // The stores of other systems have no records, so the directory of an output is unknown.
        let is_ours = names == NameStyle::OWN;
        let directory = env.recorded_directory().filter(|_| is_ours);
        let most = self.skipped.saturating_add(1);
        let query =
            RecentQuery { directory, most, failed: self.is_failed, ..RecentQuery::default() };
        let newest = store.newest(&query)?;
        Ok(newest.entries.into_iter().nth(self.skipped).map(|(entry, _)| entry.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_newest_outputs_are_read() {
        let name = |is_failed, skipped| Some(RecentName { is_failed, skipped });
        assert_eq!(RecentName::parse("last"), name(false, 0));
        assert_eq!(RecentName::parse("last~2"), name(false, 2));
        assert_eq!(RecentName::parse("failed~1"), name(true, 1));
        for other in ["", "las", "last~", "last~x", "last~-1", "01KA", "~1"] {
            assert_eq!(RecentName::parse(other), None, "{other}");
        }
    }
}
