//! Decides which failures of a line nobody can see.
//!
//! In: the line, the reports of the shell and of the capturing stages. Out: the failures to report.
//! A false alarm is worse than silence: where the rules are not sure, they say nothing.

use overspill::internal::store::{PipelineStatus, StageStatus};

use super::report::{CaptureReport, PipelineReport};
use super::stage::{Stage, squeezed};

/// A failure that the exit code of its pipeline hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HiddenFailure {
    /// The command that failed, if it is certain.
    pub(super) command: Option<String>,
    pub(super) code: i32,
    /// The exit code of the pipeline.
    pub(super) shown_code: i32,
    /// The command that this exit code comes from, if it is certain.
    pub(super) last: Option<String>,
    /// The place whose capture is the output of the command.
    pub(super) place: Option<usize>,
}

/// The line as the shell ran it.
pub(super) struct Line<'a> {
    /// Its text, with our stages.
    pub(super) text: &'a str,
    /// The first stages of the places, as the user wrote them.
    pub(super) first_stages: &'a [String],
    /// The words that our stages begin with.
    pub(super) our_stage: &'a str,
}

/// A signal ended the writer because its reader was gone.
const SIGPIPE: i32 = 141;
/// From this code on the shell could not run the command, or a signal ended it.
const COULD_NOT_RUN: i32 = 126;

/// Returns the failures that the line hides, each once.
pub(super) fn hidden_failures(
    line: &Line,
    reports: &[PipelineReport],
    captures: &[CaptureReport],
) -> Vec<HiddenFailure> {
    let mut found: Vec<HiddenFailure> = Vec::new();
    let mut before: Option<&PipelineReport> = None;
    for report in reports {
        // The shell keeps the codes of a pipeline until the next one ends, and reports them again.
        let is_again = before
            .is_some_and(|before| before.event + 1 == report.event && before.codes == report.codes);
        before = Some(report);
        if is_again {
            continue;
        }
        if let Some(failure) =
            Pipeline::of(report, line).and_then(|pipeline| pipeline.hidden(captures))
            && !found.contains(&failure)
        {
            found.push(failure);
        }
    }
    found
}

/// Returns the exit codes of a pipeline with what is known of its stages.
pub(super) fn status(report: &PipelineReport, line: &Line) -> PipelineStatus {
    let Pipeline { stages, codes, .. } = Pipeline::stages(report, line);
    let commands = stages.into_iter().map(|stage| stage.map(|stage| stage.text));
    let stages = commands.zip(codes).map(|(command, exit)| StageStatus { command, exit });
    PipelineStatus { stages: stages.collect() }
}

/// One run of a pipeline, without our own stage.
struct Pipeline {
    /// What is known of the stages; `None` for a stage whose text is not certain.
    stages: Vec<Option<Stage>>,
    codes: Vec<i32>,
    place: Option<usize>,
}

impl Pipeline {
    /// Returns a pipeline whose exit code is that of its last stage. Otherwise `!` or `pipefail` is at work,
    /// and the author of the line has thought of it.
    fn of(report: &PipelineReport, line: &Line) -> Option<Pipeline> {
        (report.codes.last() == Some(&report.status)).then(|| Pipeline::stages(report, line))
    }

    /// Puts the codes and the commands together.
    fn stages(report: &PipelineReport, line: &Line) -> Pipeline {
        let first = report.commands.len().saturating_sub(report.codes.len());
        let commands = &report.commands[first..];
        Pipeline::with_our_stage(report, commands, line).unwrap_or_else(|| {
            let stages = known_stages(commands, report.codes.len(), line);
            Pipeline { stages, codes: report.codes.clone(), place: None }
        })
    }

    /// Reads a pipeline whose second stage is ours. If every stage after it is a simple command, all is certain.
    fn with_our_stage(
        report: &PipelineReport,
        commands: &[String],
        line: &Line,
    ) -> Option<Pipeline> {
        let argument =
            |command: &String| Some(command.strip_prefix(line.our_stage)?.trim().to_owned());
        let at = commands.iter().rposition(|command| argument(command).is_some())?;
        let after = &commands[at + 1..];
        if after.len() + 2 != report.codes.len() {
            return None;
        }
        let place = argument(&commands[at])?.rsplit(':').next()?.parse().ok()?;
        let first: &String = line.first_stages.get(place)?;
        let stages = std::iter::once(first).chain(after).map(|text| Some(Stage::of(text)));
        let mut codes = report.codes.clone();
        codes.remove(1);
        Some(Pipeline { stages: stages.collect(), codes, place: Some(place) })
    }

    /// Returns the first failure that the exit code hides.
    fn hidden(&self, captures: &[CaptureReport]) -> Option<HiddenFailure> {
        let capture = captures.iter().find(|capture| Some(capture.place) == self.place);
        let (last, before) = self.codes.split_last()?;
        let at = (0..before.len()).find(|at| self.is_hidden(*at, capture))?;
        Some(HiddenFailure {
            command: self.stages[at].as_ref().map(|stage| stage.text.clone()),
            code: before[at],
            shown_code: *last,
            last: self.stages.last()?.as_ref().map(|stage| stage.name.clone()),
            place: self.place.filter(|_| at == 0),
        })
    }

    fn is_hidden(&self, at: usize, capture: Option<&CaptureReport>) -> bool {
        let code = self.codes[at];
        if code == 0 || code == SIGPIPE {
            return false;
        }
        // A reader that leaves early may be the cause. The capture of the first stage tells.
        let arrived = at == 0 && capture.is_some_and(|capture| !capture.reader_left);
        let mut readers = self.stages[at + 1..].iter().flatten();
        if !arrived && readers.any(Stage::leaves_early) {
            return false;
        }
        match &self.stages[at] {
            None => code != 1,
            Some(stage) => {
                !(stage.answers_with(code)
                    || stage.writes_to_file
                    || stage.hides_errors && code < COULD_NOT_RUN)
            }
        }
    }
}

/// Returns the stages whose text is certain, because the line has the same text.
fn known_stages(commands: &[String], count: usize, line: &Line) -> Vec<Option<Stage>> {
    let text = squeezed(line.text);
    let squeezed_commands: Vec<String> = commands.iter().map(|command| squeezed(command)).collect();
    let joined = squeezed_commands.join("|");
    if commands.len() == count
        && (text.contains(&joined) || text.contains(&joined.replace("2>&1|", "|&")))
    {
        return commands.iter().map(|command| Some(Stage::of(command))).collect();
    }
    // A stage is no simple command. Only the last one can be certain.
    let mut stages = vec![None; count];
    if let (Some(last), Some(command), Some(squeezed)) =
        (stages.last_mut(), commands.last(), squeezed_commands.last())
        && (text.contains(&format!("|{squeezed}")) || text.contains(&format!("|&{squeezed}")))
    {
        *last = Some(Stage::of(command));
    }
    stages
}
