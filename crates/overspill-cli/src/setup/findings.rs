//! The findings of `doctor`: collects them, and prints them as lines or as JSON.

use serde_json::json;

use crate::ui;

/// The largest number of characters that a line of a finding can have.
const LONGEST_LINE: usize = 1_000;

/// A finding about one part of the installation.
struct Seen {
    what: String,
    how: How,
    said: String,
    /// The command or the change that repairs the problem.
    fix: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Well,
    /// A fact that the user should know, but no problem.
    Note,
    Wrong,
}

#[derive(Default)]
pub(super) struct Findings(Vec<Seen>);

impl Findings {
    pub(super) fn add(&mut self, what: &str, how: How, said: impl Into<String>) {
        self.0.push(Seen { what: what.to_owned(), how, said: said.into(), fix: None });
    }

    /// Adds a fix to the last finding, if that finding is a problem without a fix.
    pub(super) fn fix(&mut self, fix: &str) {
        if let Some(seen) = self.0.last_mut().filter(|seen| seen.how == How::Wrong) {
            seen.fix.get_or_insert_with(|| fix.to_owned());
        }
    }

    pub(super) fn judge(&mut self, what: &str, result: Result<String, String>) {
        match result {
            Ok(said) => self.add(what, How::Well, said),
            Err(said) => self.add(what, How::Wrong, said),
        }
    }

    /// Tells whether no finding is a problem.
    pub(super) fn is_well(&self) -> bool {
        !self.0.iter().any(|seen| seen.how == How::Wrong)
    }

    pub(super) fn as_lines(&self, colors: ui::Colors) -> String {
        let line = |seen: &Seen| {
            let (mark, tone) = match seen.how {
                How::Well => ("✓", ui::Tone::Success),
                How::Note => ("!", ui::Tone::Caution),
                How::Wrong => ("✗", ui::Tone::Failure),
            };
            let escaped = |line: &str| ui::escaped(line, LONGEST_LINE);
            // A reason may have several lines. Only the first line gets the mark of a finding.
            let text = format!("{}: {}", seen.what, seen.said);
            let lines: Vec<String> = text.lines().map(escaped).collect();
            let fix = seen.fix.as_ref().map_or_else(String::new, |fix| {
                let line = ui::wrapped(&format!("    fix: {}\n", escaped(fix)), 9);
                line.replacen("fix:", &colors.paint(ui::Tone::Heading, "fix:"), 1)
            });
            let line = ui::wrapped(&format!("{mark} {}\n", lines.join("\n    ")), 4);
            format!("{}{fix}", line.replacen(mark, &colors.paint(tone, mark), 1))
        };
        self.0.iter().map(line).collect()
    }

    pub(super) fn as_json(&self) -> String {
        let row = |seen: &Seen| {
            let how = match seen.how {
                How::Well => "ok",
                How::Note => "note",
                How::Wrong => "wrong",
            };
            json!({"check": seen.what, "state": how, "message": seen.said, "fix": seen.fix})
        };
        ui::json_line(self.0.iter().map(row).collect())
    }
}
