//! Items for the program, the packages and the benchmarks. Any version may change them: see
//! `docs/stability.md`.

pub use crate::engine::record_as_unshown;
pub use crate::error::without_number;
pub use crate::host::{CallHost, HostCut};
pub use crate::live_spill::LiveSpill;

/// The words about a saved output.
pub mod notice {
    pub use crate::notice::{ToolNames, defused, kind_word, mark_line, wording};
}

/// The parts of a profile.
pub mod profile {
    pub use crate::profile::{
        Accounting, Directory, Errors, NoticeStyle, OnSaveError, OwnSettings, PartKinds,
        ResultField, ResultLayout, Sweeps, ToolDefaults, Unmarked, project_directories,
        project_root,
    };
}

/// Masks secrets in streams.
pub mod redact {
    pub use crate::redact::{JsonMask, Redactor};
}

/// Answers questions about a saved output, in any store.
pub mod retrieve {
    pub use crate::retrieve::answer::{lines_not_searched, outputs_not_searched};
    #[cfg(feature = "diff")]
    pub use crate::retrieve::diff::{DiffError, Differences, diff, previous_run};
    #[cfg(feature = "grep")]
    pub use crate::retrieve::grep::{BadPattern, GrepLine, GrepMatches, Highlighter, count, grep};
    pub use crate::retrieve::json::{
        BadJson, BadPath, FromValue, JsonError, JsonPath, Values, values,
    };
    pub use crate::retrieve::page::{binary_label, read};
    pub use crate::retrieve::partial::{MissingLines, missing_lines};
    pub use crate::retrieve::seen::{SeenPart, SeenText, seen};
    #[cfg(feature = "diff")]
    pub use crate::retrieve::test_report::{TestChanges, test_changes};
    pub use crate::retrieve::usage::{Usage, usage};
}

/// The formats of the five source systems.
pub mod seeds {
    pub use crate::seeds::json_settings::{takumi_enabled, takumi_set};
    pub use crate::seeds::opencode::{ToolKind, matches_wildcard};
    pub use crate::seeds::words::WalkWords;
    pub use crate::seeds::{
        PermissionRule, Preset, ServiceEvent, ServiceResult, TruncationResult, TruncationUiExtra,
        can_delegate, envelope,
    };
}

/// The table of settings, and the source of each value.
pub mod settings {
    pub use crate::settings::{
        CallField, CallKind, CallSetting, CallValue, Effective, HttpAddress, KEEPS, Origin,
        ProjectRule, RefusedSetting, Setting, Warning, entries_of,
    };
}

/// Further abilities of a store: records, expiry, lookup.
pub mod store {
    pub use crate::store::catalog::Catalog;
    pub use crate::store::conformance::partial_conformance;
    pub use crate::store::disk::{Access, PathStyle};
    pub use crate::store::entry::{
        Availability, ExpiredOutput, Integrity, PipelineStatus, Record, StageStatus,
    };
    pub use crate::store::expiry::Expiry;
    pub use crate::store::kept::{KeptRange, KeptRanges};
    pub use crate::store::lookup::{IdMatches, Lookup};
    pub use crate::store::name::{Also, Missing, NamePart, NameStyle};
    pub use crate::store::nowhere::Nowhere;
    pub use crate::store::preview_record::PreviewRecord;
    pub use crate::store::recent::{RecentOrder, RecentOutputs, RecentQuery};
    pub use crate::store::sent_text::SentText;

    /// Checks of a bucket, and its uploads.
    #[cfg(feature = "bucket")]
    pub mod bucket {
        pub use crate::store::bucket::address::Provider;
        pub use crate::store::bucket::check::{Check, Finding};
        #[cfg(feature = "fuzz")]
        pub use crate::store::bucket::fuzz;
        pub use crate::store::bucket::remote::Traffic;
        pub use crate::store::bucket::upload::Pushed;
    }
}

/// Decides which outputs have expired.
pub mod sweep {
    pub use crate::sweep::{SweepBudget, expired, sweep, sweep_watched};
}

/// Tool results that stream by.
pub mod tool {
    pub use crate::tool::any::shorten_any;
    pub use crate::tool::media::{MediaDraft, SavedMedia};
    pub use crate::tool::multi_text::MultiText;
    pub use crate::tool::schema::is_checkable;

    /// The rules for each kind of content.
    pub mod walk {
        pub use crate::tool::walk::{
            PartField, PartRoom, ResultChange, ResultRules, ResultWalk, Structured,
            StructuredChange, StructuredJson, is_removed_without_text,
        };
    }
}
