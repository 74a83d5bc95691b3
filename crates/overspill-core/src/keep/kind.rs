//! The kinds of outputs, and the hint with which a caller names the kind of an output.

/// The kind of an output. It decides which parts of the output are shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Kind {
    /// A log that says what failed: the failure first.
    FailingLog,
    /// A test run in which nothing failed.
    TestRun,
    /// Source code or a file with numbered lines.
    Source,
    /// A list of files: `ls`, `find`, `tree`, `git ls-files`.
    Listing,
    /// Matches with their files: `grep -rn`, `rg`.
    Search,
    /// Text for people: manual pages, Markdown, help.
    Prose,
    /// Values between delimiters.
    Table,
    /// Values in aligned columns.
    Columns,
    /// A unified diff, or commits.
    Diff,
    /// XML and HTML, test reports among them.
    Markup,
    /// A test report in the Test Anything Protocol.
    Tap,
    /// One JSON text.
    Json,
    /// A JSON text on each line.
    JsonLines,
    /// A few lines that are very long.
    LongLines,
    /// Bytes that are not text.
    Binary,
    /// Any other text.
    #[default]
    Plain,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; Kind::Plain as usize + 1] = [
        Kind::FailingLog,
        Kind::TestRun,
        Kind::Source,
        Kind::Listing,
        Kind::Search,
        Kind::Prose,
        Kind::Table,
        Kind::Columns,
        Kind::Diff,
        Kind::Markup,
        Kind::Tap,
        Kind::Json,
        Kind::JsonLines,
        Kind::LongLines,
        Kind::Binary,
        Kind::Plain,
    ];

    /// Returns the name that notices, records and settings use.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::FailingLog => "failing-log",
            Kind::TestRun => "test-run",
            Kind::Source => "source",
            Kind::Listing => "listing",
            Kind::Search => "search",
            Kind::Prose => "prose",
            Kind::Table => "table",
            Kind::Columns => "columns",
            Kind::Diff => "diff",
            Kind::Markup => "markup",
            Kind::Tap => "tap",
            Kind::Json => "json",
            Kind::JsonLines => "json-lines",
            Kind::LongLines => "long-lines",
            Kind::Binary => "binary",
            Kind::Plain => "plain",
        }
    }

    /// Returns the kind with this name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Tells whether a failure word in an output of this kind means that something failed.
    ///
    /// In source, listings, searches and prose, failure words are ordinary words.
    pub const fn tells_failures(self) -> bool {
        matches!(self, Kind::FailingLog | Kind::TestRun | Kind::Tap | Kind::Plain)
    }

    /// Tells whether [`structure`](crate::keep::structure) chooses the lines of this kind.
    pub(crate) const fn is_structured(self) -> bool {
        matches!(
            self,
            Kind::Table
                | Kind::Columns
                | Kind::Diff
                | Kind::Markup
                | Kind::Tap
                | Kind::Json
                | Kind::JsonLines
        )
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A hint from the caller about the kind of an output.
///
/// A likely kind decides only if the text is ambiguous, so a wrong likely kind does no harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct KindHint {
    /// The kind of the output, even if its text looks like another kind.
    pub forced: Option<Kind>,
    /// The kind that the command usually prints.
    pub likely: Option<Kind>,
    /// Whether the command exited with 0, if it has ended. After success, only clear signs of a
    /// failure count. After another exit code, the output may be a failing log that quotes source.
    pub succeeded: Option<bool>,
}

impl KindHint {
    /// The hint of a caller that knows nothing about the output.
    pub const NONE: KindHint = KindHint { forced: None, likely: None, succeeded: None };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_is_found_by_its_name() {
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.name()), Some(kind));
        }
        assert_eq!(Kind::named("novel"), None);
    }
}
