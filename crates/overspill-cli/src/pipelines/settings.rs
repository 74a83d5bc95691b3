//! Reads the setting `pipelines`.

use std::path::PathBuf;

use overspill::Profile;
use overspill::store::DiskOptions;

use crate::settings::SettingSources;
use crate::settings::keys::Key;

/// The number of bytes that a capture always leaves free on the disk, because the line itself may
/// write a file.
const MARGIN: u64 = 64 << 20;

/// The way to treat pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PipelineMode {
    /// Do nothing.
    Off,
    /// Report hidden failures.
    Status,
    /// Also save the output of the first stage.
    Full,
}

impl PipelineMode {
    fn named(name: &str) -> Option<PipelineMode> {
        Some(match name {
            "off" => PipelineMode::Off,
            "status" => PipelineMode::Status,
            "full" => PipelineMode::Full,
            _ => return None,
        })
    }
}

/// The settings that apply to pipelines.
#[derive(Debug, Clone)]
pub(crate) struct PipelineSettings {
    /// The mode, if the user has set one.
    pub(crate) mode: Option<PipelineMode>,
    /// The directory of the store.
    pub(crate) store: Option<PathBuf>,
    /// The largest number of bytes of one output that are captured.
    pub(crate) most: u64,
    /// The number of bytes of the disk that stay free, if the user has set it.
    keep_free: Option<u64>,
}

impl PipelineSettings {
    pub(crate) fn of(sources: &SettingSources, profile: &Profile) -> PipelineSettings {
        let set = sources.choice(Key::Pipelines).and_then(PipelineMode::named);
        let mode = set.or((!profile.reports_pipelines).then_some(PipelineMode::Off));
        let most =
            sources.limit(Key::StoreMaxOutput).map(|limit| Option::from(limit).unwrap_or(u64::MAX));
        let keep_free = sources.limit(Key::StoreKeepFree);
        PipelineSettings {
            mode,
            keep_free: keep_free.map(|limit| Option::from(limit).unwrap_or(0)),
            store: sources.directory(profile).ok(),
            most: most.unwrap_or(profile.max_output),
        }
    }
    /// Returns the number of bytes that must be free on the disk for a capture. It is computed only
    /// for lines with a pipe.
    pub(crate) fn floor(&self) -> u64 {
        self.keep_free.unwrap_or_else(|| DiskOptions::default().keep_free).max(MARGIN)
    }
}
