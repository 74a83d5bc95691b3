//! Reads and searches saved outputs for a model.

use overspill_core::{Limits, Policy};

use super::{CallOptions, Overspill};
use crate::retrieve::page;
#[cfg(feature = "grep")]
use crate::retrieve::{Answer, GrepError, Query, grep};
use crate::{Call, Error, Page, Part};

impl Overspill {
    /// Reads a part of a saved output, up to the limits.
    ///
    /// `id` is the id of an output, or the path in its notice. With
    /// [`Redact::All`](crate::Redact::All) secrets are masked. [`Page::next`] is the part to read
    /// next.
    pub fn read(&self, id: impl AsRef<str>, part: Part) -> Result<Page, Error> {
        let store = self.shown_store();
        let id = store.find(id.as_ref())?;
        let page = page::read(&*store, &id, &part, &self.page_limits())?;
        // The page is returned even if the store cannot record that it was read.
        let _ = store.retrieved(&id, page.text.len() as u64, std::slice::from_ref(&page.bytes));
        Ok(page)
    }

    /// Searches a saved output, until the matches reach the limits. `id` is an id or a path, as in
    /// [`Overspill::read`].
    #[cfg(feature = "grep")]
    pub fn grep(&self, id: impl AsRef<str>, query: &Query) -> Result<Answer, GrepError> {
        let store = self.shown_store();
        let id = store.find(id.as_ref())?;
        let matches = grep::grep(&*store, &id, query, &self.page_limits())?;
        let answer = matches.answer(&id, query);
        // The answer is returned even if the store cannot record that it was read.
        let _ = store.retrieved(&id, answer.text.len() as u64, &answer.parts);
        Ok(answer)
    }

    fn page_limits(&self) -> Limits {
        let limits = self.policy(&Call::default(), &CallOptions::default()).limits;
        // Some profiles limit only characters, but a page counts lines and bytes.
        Limits { bytes: limits.bytes.or(Policy::LIMITS.bytes), ..limits }
    }
}
