//! Builds an engine from its parts.

use std::path::PathBuf;
use std::sync::Arc;

use overspill_core::{Keep, Strategy};

use super::Overspill;
use crate::host::CallHost;
use crate::notice::ReaderAbilities;
use crate::profile::Places;
use crate::redact::Redact;

use crate::store::{Disk, Nowhere, Store};
use crate::sweep::Retention;
use crate::{Clock, Event, Limit, Profile, Settings};

/// Builds an [`Overspill`]. [`Overspill::builder`] returns one.
///
/// Call one of [`directory`](Self::directory), [`places`](Self::places) and [`store`](Self::store).
/// The last call counts. Without any of them nothing is saved, and the notice says so.
#[derive(Debug, Clone)]
#[must_use]
pub struct OverspillBuilder {
    overspill: Overspill,
    files: Option<Files>,
}

/// The place for the files of outputs.
#[derive(Debug, Clone)]
enum Files {
    /// Into this directory.
    In(PathBuf),
    /// The profile's usual directory among these.
    OfProfile(Places),
}

impl OverspillBuilder {
    pub(super) fn of(overspill: Overspill) -> OverspillBuilder {
        OverspillBuilder { overspill, files: None }
    }

    /// Saves outputs as files in this directory. overspill creates it before the first save.
    ///
    /// The profile decides about file names and access rights. With [`Profile::OWN`] a directory
    /// that exists already must be private (mode 0700). Otherwise nothing is saved, and the notice
    /// says why.
    pub fn directory(self, path: impl Into<PathBuf>) -> OverspillBuilder {
        OverspillBuilder { files: Some(Files::In(path.into())), ..self }
    }

    /// Saves outputs as files in the usual directory of the profile, such as
    /// `~/.local/state/overspill`.
    ///
    /// The library reads no environment variables. [`Places::from_env`] takes a function that does.
    pub fn places(self, places: Places) -> OverspillBuilder {
        OverspillBuilder { files: Some(Files::OfProfile(places)), ..self }
    }

    /// Saves outputs in this store.
    pub fn store(self, store: impl Store + 'static) -> OverspillBuilder {
        self.shared_store(Arc::new(store))
    }

    /// Saves outputs in a store that your program also uses elsewhere.
    pub fn shared_store(self, store: Arc<dyn Store>) -> OverspillBuilder {
        self.map(|it| Overspill { store, ..it }).without_files()
    }

    /// Shortens outputs by the rules of this profile. The default is [`Profile::OWN`].
    pub fn profile(self, profile: Profile) -> OverspillBuilder {
        self.map(|it| Overspill { profile, ..it })
    }

    /// Replaces all settings between the profile and the call, also limits that were set before.
    ///
    /// `settings` is a [`Layer`](crate::Layer) or [`Settings`].
    pub fn settings(self, settings: impl Into<Settings>) -> OverspillBuilder {
        let settings = settings.into();
        self.map(|it| Overspill { settings, ..it })
    }

    /// Sets the limit on lines, notice included.
    pub fn max_lines(mut self, limit: impl Into<Limit>) -> OverspillBuilder {
        self.overspill.settings.user.max_lines = Some(limit.into());
        self
    }

    /// Sets the limit on bytes, notice included.
    pub fn max_bytes(mut self, limit: impl Into<Limit>) -> OverspillBuilder {
        self.overspill.settings.user.max_bytes = Some(limit.into());
        self
    }

    /// Sets the limit on estimated tokens, notice included.
    pub fn max_tokens(mut self, limit: impl Into<Limit>) -> OverspillBuilder {
        self.overspill.settings.user.max_tokens = Some(limit.into());
        self
    }

    /// Sets the part of an output that is shown.
    pub fn keep(mut self, keep: Keep) -> OverspillBuilder {
        self.overspill.settings.user.keep = Some(keep);
        self
    }

    /// Chooses the shown parts with a strategy of your own.
    pub fn strategy(self, strategy: impl Strategy + 'static) -> OverspillBuilder {
        self.map(|it| Overspill { strategy: Some(Arc::new(strategy)), ..it })
    }

    /// Masks secrets. With [`Redact::All`] a strategy of your own gets masked text too.
    pub fn redact(self, redact: Redact) -> OverspillBuilder {
        self.map(|it| Overspill { redact, ..it })
    }

    /// Sets how long saved outputs are kept. The default is the profile's.
    pub fn retention(self, retention: Retention) -> OverspillBuilder {
        self.map(|it| Overspill { retention: Some(retention), ..it })
    }

    /// Sets the abilities of the reader of a preview. By default the reader can open files.
    pub fn reader(self, reader: ReaderAbilities) -> OverspillBuilder {
        self.map(|it| Overspill { reader, ..it })
    }

    /// Names the host agent around this engine. Records contain the name, and the number of bytes
    /// that the host itself would have shown.
    ///
    /// overspill calls `find` only for an output that is too large.
    pub fn host(
        self,
        find: impl Fn() -> Option<CallHost> + Send + Sync + 'static,
    ) -> OverspillBuilder {
        self.map(|it| Overspill { host: Some(Arc::new(find)), ..it })
    }

    /// Names the program that reads saved outputs, in place of [`ReaderAbilities::program`].
    ///
    /// overspill calls `find` only for an output that is too large.
    pub fn program(self, find: impl Fn() -> String + Send + Sync + 'static) -> OverspillBuilder {
        self.map(|it| Overspill { program: Some(Arc::new(find)), ..it })
    }

    /// Sets the function that gets an event for every call.
    pub fn observer(self, observer: impl Fn(&Event) + Send + Sync + 'static) -> OverspillBuilder {
        self.map(|it| Overspill { observer: Some(Arc::new(observer)), ..it })
    }

    /// Removes the observer.
    pub fn no_observer(self) -> OverspillBuilder {
        self.map(|it| Overspill { observer: None, ..it })
    }

    /// Sets the clock, also for files of [`directory`](Self::directory) and
    /// [`places`](Self::places).
    pub fn clock(self, clock: Clock) -> OverspillBuilder {
        self.map(|it| Overspill { clock, ..it })
    }

    /// Returns the engine.
    #[must_use]
    pub fn build(self) -> Overspill {
        let OverspillBuilder { overspill, files } = self;
        let clock = overspill.clock.clone();
        let store: Arc<dyn Store> = match files {
            None => return overspill,
            Some(Files::In(path)) => {
                Arc::new(Disk::new(path, overspill.profile.disk_options(None, clock)))
            }
            Some(Files::OfProfile(places)) => {
                let path = overspill.profile.directory.within(&places);
                if path.is_absolute() {
                    let options = overspill.profile.disk_options(Some(&places), clock);
                    Arc::new(Disk::new(path, options))
                } else {
                    Arc::new(Nowhere::because("there is no home directory"))
                }
            }
        };
        Overspill { store, ..overspill }
    }

    fn map(self, change: impl FnOnce(Overspill) -> Overspill) -> OverspillBuilder {
        OverspillBuilder { overspill: change(self.overspill), ..self }
    }

    fn without_files(self) -> OverspillBuilder {
        OverspillBuilder { files: None, ..self }
    }
}
