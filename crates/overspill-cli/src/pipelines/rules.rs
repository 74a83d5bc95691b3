//! Decides which failures of a line are hidden.
//!
//! In: the line, the reports of the shell and of the capturing stages. Out: the failures to report.
//! A false alarm is worse than silence: if the rules are not sure, they report nothing.

use overspill::internal::store::{PipelineStatus, StageStatus};

use super::report::{CaptureReport, PipelineReport};
use super::scan::{self, Place};
use super::stage::{Stage, squeezed};

/// A failure that the exit code of its pipeline hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HiddenFailure {
    /// The command that failed, if it is certain.
    pub(super) command: Option<String>,
    pub(super) code: i32,
    /// The command that the exit code 0 of the pipeline comes from, if it is certain.
    pub(super) last: Option<String>,
    /// The place whose capture is the output of the command.
    pub(super) place: Option<usize>,
}

/// The line as the shell ran it.
pub(super) struct Line<'a> {
    /// The text, with the stages of overspill.
    pub(super) text: &'a str,
    /// The pipelines that are captured.
    pub(super) places: &'a [PlaceText],
    /// The words with which the stages of overspill begin.
    pub(super) our_stage: &'a str,
    pub(super) events: Events,
}

/// The parts of a line that the shell numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Events {
    /// bash numbers simple commands: a pipeline has an event for each stage.
    OfCommands,
    /// zsh numbers lists: a pipeline has one event.
    OfLists,
}

/// The text of a captured pipeline.
pub(super) struct PlaceText {
    /// The first stage, as the user wrote it.
    pub(super) first: String,
    /// Tells whether `|| true` or the like follows the pipeline.
    expects_failure: bool,
}

impl PlaceText {
    pub(super) fn of(line: &str, place: &Place) -> PlaceText {
        let after = line[place.end..].trim_start().strip_prefix("||").map(str::trim_start);
        let is_end = |char: char| char.is_whitespace() || ";&|)}".contains(char);
        let next = after.and_then(|after| after.split(is_end).next());
        PlaceText {
            first: line[place.stage.clone()].replace("\\\n", " ").trim().to_owned(),
            expects_failure: next.is_some_and(|word| EXPECTS_FAILURE.contains(&word)),
        }
    }
}

impl Line<'_> {
    /// Tells whether the line throws all error messages away.
    fn hides_errors(&self) -> bool {
        let mut commands = self.text.split([';', '\n']).map(str::trim_start);
        commands.any(|command| command.starts_with("exec ") && Stage::of(command).hides_errors)
    }

    /// Tells whether this exit code may be an answer of a stage whose text is not certain.
    fn may_answer(&self, code: i32) -> bool {
        let is_letter = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let has = |names: &[&str]| {
            self.text.split(|char| !is_letter(char)).any(|word| names.contains(&word))
        };
        match code {
            1 => true,
            2 | 123 => has(&["grep", "egrep", "fgrep", "rg"]),
            124 | 137 | 143 => has(&["timeout"]),
            _ => false,
        }
    }
}

/// The exit code of a writer that SIGPIPE ended, because its reader was gone.
const SIGPIPE: i32 = 141;
/// The exit codes of the shell for a command that it could not run.
const COULD_NOT_RUN: [i32; 2] = [126, 127];
/// The exit codes of commands that a signal other than SIGHUP ended. `git` and `ssh` have their own
/// codes around these.
const ENDED_BY_SIGNAL: std::ops::RangeInclusive<i32> = 130..=165;
/// The commands after `||` that show that the author of the pipeline expects a failure.
const EXPECTS_FAILURE: [&str; 4] = ["true", ":", "echo", "printf"];

/// The words that begin a compound command.
const COMPOUND_STARTS: [&str; 9] =
    ["(", "{", "for", "while", "until", "if", "case", "[[", "select"];

/// Reads a report of zsh, which names the whole list of commands with the pipeline. Returns `None`
/// if the pipeline is not certain: it may be in a function that the user has defined elsewhere.
pub(super) fn of_chain(report: PipelineReport, line: &Line) -> Option<PipelineReport> {
    let stages = scan::stages_of(report.commands.last()?, report.codes.len())?;
    let joined = stages.iter().map(|stage| squeezed(stage)).collect::<Vec<_>>().join("|");
    let commands = stages.into_iter().map(str::to_owned).collect();
    has_pipeline(&squeezed(line.text), &joined).then_some(PipelineReport { commands, ..report })
}

/// Returns the failures that the line hides, each once.
pub(super) fn hidden_failures(
    line: &Line,
    reports: &[PipelineReport],
    captures: &[CaptureReport],
) -> Vec<HiddenFailure> {
    let mut found: Vec<HiddenFailure> = Vec::new();
    let mut before: Option<&PipelineReport> = None;
    let mut first_event = 0;
    for report in reports {
        // The shell keeps the codes of a pipeline until the next pipeline ends. It reports them
        // again whenever it starts a stage of the next pipeline.
        let is_same = before
            .is_some_and(|before| before.event + 1 == report.event && before.codes == report.codes);
        before = Some(report);
        // If all stages of the next pipeline have an event, it has ended with the same codes.
        let stages = match line.events {
            Events::OfCommands => report.codes.len() as u64,
            Events::OfLists => 1,
        };
        let is_next = report.event >= first_event + stages && is_whole_pipeline(report, line);
        if is_same && !is_next {
            continue;
        }
        first_event = report.event;
        if let Some(failure) =
            Pipeline::of(report, line).and_then(|pipeline| pipeline.hidden(line, captures))
            && !found.contains(&failure)
        {
            found.push(failure);
        }
    }
    found
}

/// Returns the exit codes of a pipeline, with the commands that are certain.
pub(super) fn status(report: &PipelineReport, line: &Line) -> PipelineStatus {
    let Pipeline { stages, codes, .. } = Pipeline::stages(report, line);
    let commands = stages.into_iter().map(|stage| stage.map(|stage| stage.text));
    let stages = commands.zip(codes).map(|(command, exit)| StageStatus { command, exit });
    PipelineStatus { stages: stages.collect() }
}

/// One run of a pipeline, without the stage of overspill.
struct Pipeline {
    /// The stages; `None` for a stage whose text is not certain.
    stages: Vec<Option<Stage>>,
    codes: Vec<i32>,
    place: Option<usize>,
    /// Tells whether the stage of overspill failed.
    is_broken: bool,
    /// The names of shell functions among its words.
    functions: Vec<String>,
}

impl Pipeline {
    /// Returns a pipeline if it has the exit code of its last stage. With another exit code, the
    /// author of the line uses `!` or `pipefail`, and knows about the failure.
    fn of(report: &PipelineReport, line: &Line) -> Option<Pipeline> {
        (report.codes.last() == Some(&report.status)).then(|| Pipeline::stages(report, line))
    }

    /// Combines the codes and the commands.
    fn stages(report: &PipelineReport, line: &Line) -> Pipeline {
        let first = report.commands.len().saturating_sub(report.codes.len());
        let commands = &report.commands[first..];
        Pipeline::with_our_stage(report, commands, line).unwrap_or_else(|| {
            let stages = known_stages(commands, report.codes.len(), line);
            let (codes, functions) = (report.codes.clone(), report.functions.clone());
            Pipeline { stages, codes, place: None, is_broken: false, functions }
        })
    }

    /// Reads a pipeline whose second stage is that of overspill.
    fn with_our_stage(
        report: &PipelineReport,
        commands: &[String],
        line: &Line,
    ) -> Option<Pipeline> {
        let argument =
            |command: &String| Some(command.strip_prefix(line.our_stage)?.trim().to_owned());
        let at = commands.iter().rposition(|command| argument(command).is_some())?;
        let after = &commands[at + 1..];
        // Every pipeline of such a line has a stage of overspill. Stages that are not simple
        // commands have no event.
        let unknown = report.codes.len().checked_sub(after.len() + 2)?;
        let place: usize = argument(&commands[at])?.rsplit(':').next()?.parse().ok()?;
        let started =
            at.checked_sub(1).map(|before| Stage::of(without_document(&commands[before])));
        let first = Stage::of(&line.places.get(place)?.first).known_by(started);
        let readers: Vec<Option<Stage>> = match unknown {
            0 => after.iter().map(|text| Some(Stage::of(text))).collect(),
            _ => vec![None; report.codes.len() - 2],
        };
        let stages = std::iter::once(Some(first)).chain(readers);
        let mut codes = report.codes.clone();
        let is_broken = codes.remove(1) != 0;
        let functions = report.functions.clone();
        Some(Pipeline { stages: stages.collect(), codes, place: Some(place), is_broken, functions })
    }

    /// Returns the first failure that the exit code hides.
    fn hidden(&self, line: &Line, captures: &[CaptureReport]) -> Option<HiddenFailure> {
        let (last, before) = self.codes.split_last()?;
        // The exit code shows a failure, or the stage of overspill did not work.
        if *last != 0 || self.is_broken || self.is_expected(line) {
            return None;
        }
        let at = (0..before.len()).find(|at| self.is_hidden(*at, line, captures))?;
        Some(HiddenFailure {
            command: self.stages[at].as_ref().map(|stage| stage.text.clone()),
            code: before[at],
            last: self
                .stages
                .last()?
                .as_ref()
                .filter(|stage| stage.has_plain_name())
                .map(|stage| stage.name.clone()),
            place: self.place.filter(|_| at == 0),
        })
    }

    /// Tells whether `|| true` or the like follows the pipeline, or `!` stands before it.
    fn is_expected(&self, line: &Line) -> bool {
        if let Some(place) = self.place.and_then(|place| line.places.get(place)) {
            return place.expects_failure;
        }
        let text = squeezed(line.text);
        // The last stages that are certain. Without any, any `|| true` counts.
        let known = self.stages.iter().rev().map_while(Option::as_ref);
        let mut known: Vec<String> = known.map(|stage| squeezed(&stage.text)).collect();
        known.reverse();
        let known = known.join("|");
        // `$?` does not show the `!` of `if ! a | b`.
        let is_negated = if self.stages.iter().all(Option::is_some) {
            has_pipeline(&text, &format!("!{known}"))
        } else {
            let negated = line.text.split("! ").skip(1).map(str::trim_start);
            negated.into_iter().any(|rest| COMPOUND_STARTS.iter().any(|it| rest.starts_with(it)))
        };
        is_negated
            || EXPECTS_FAILURE.iter().any(|word| has_pipeline(&text, &format!("{known}||{word}")))
    }

    fn is_hidden(&self, at: usize, line: &Line, captures: &[CaptureReport]) -> bool {
        let code = self.codes[at];
        let could_not_run = COULD_NOT_RUN.contains(&code);
        if code == 0 || code == SIGPIPE || !could_not_run && self.reader_left(at, captures) {
            return false;
        }
        let is_grave = could_not_run || ENDED_BY_SIGNAL.contains(&code);
        match &self.stages[at] {
            // The errors may be thrown away, and 1 may be an answer.
            None => !line.may_answer(code) && (is_grave || !line.text.contains("/dev/null")),
            Some(stage) => {
                let runs_several = stage.is_compound || self.functions.contains(&stage.name);
                let hides_errors = stage.hides_errors || line.hides_errors();
                let is_silent = stage.answers_with(code)
                    || runs_several && line.may_answer(code)
                    || stage.writes_to_file
                    || hides_errors && !is_grave;
                !is_silent
            }
        }
    }

    /// Tells whether the reader may have left before all input had arrived. The code may come from
    /// that.
    fn reader_left(&self, at: usize, captures: &[CaptureReport]) -> bool {
        let captured = captures.iter().find(|capture| Some(capture.place) == self.place);
        match captured.filter(|_| at == 0) {
            Some(capture) => capture.reader_left,
            None => {
                // Code 1 of a script may be a broken pipe, and another script may read any part of
                // it.
                let is_script = self.stages[at].as_ref().is_some_and(Stage::is_interpreter);
                let may_be_broken = is_script && self.codes[at] == 1;
                let may_leave =
                    |stage: &Stage| stage.leaves_early() || may_be_broken && stage.is_interpreter();
                self.stages[at + 1..].iter().any(|stage| stage.as_ref().is_none_or(may_leave))
            }
        }
    }
}

/// Tells whether the last commands of a report are all stages of a pipeline of the line.
fn is_whole_pipeline(report: &PipelineReport, line: &Line) -> bool {
    let Some(first) = report.commands.len().checked_sub(report.codes.len()) else { return false };
    let stages: Vec<String> =
        report.commands[first..].iter().map(|it| squeezed(without_document(it))).collect();
    let (text, pipeline) = (squeezed(line.text), stages.join("|"));
    // bash writes `|&` as `2>&1 |`.
    let spellings = [pipeline.clone(), pipeline.replace("2>&1|", "|&")];
    let places = spellings.iter().flat_map(|one| {
        text.match_indices(one.as_str()).map(|(at, found)| (&text[..at], &text[at + found.len()..]))
    });
    let continues = |(before, after): (&str, &str)| {
        before.ends_with('|') && !before.ends_with("||")
            || after.starts_with('|') && !after.starts_with("||")
            || after.starts_with('&') && !after.starts_with("&&")
    };
    // If the same text is also part of a longer pipeline, or runs in the background, the match is
    // not certain.
    let places: Vec<(&str, &str)> = places.collect();
    !places.is_empty() && !places.into_iter().any(continues)
}

/// Tells whether a text contains this pipeline. bash writes `|&` as `2>&1 |`.
fn has_pipeline(text: &str, pipeline: &str) -> bool {
    text.contains(pipeline) || text.contains(&pipeline.replace("2>&1|", "|&"))
}

/// Tells whether a squeezed text may contain a pipeline with two adjacent compound stages: `(a) | {
/// b; }`.
fn has_compound_pipeline(text: &str) -> bool {
    const ENDS: [&str; 6] = [")", "}", "done", "fi", "esac", "]]"];
    text.match_indices('|').any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let after = after.strip_prefix('&').unwrap_or(after);
        ENDS.iter().any(|end| before.ends_with(end))
            && COMPOUND_STARTS.iter().any(|it| after.starts_with(it))
    })
}

/// Returns a command without the text of its here-documents. In the line, that text follows the
/// pipeline.
fn without_document(command: &str) -> &str {
    match command.split_once('\n') {
        Some((first, _)) if first.contains("<<") => first,
        _ => command,
    }
}

/// Returns the stages whose text is certain, because the line contains the same text.
fn known_stages(commands: &[String], count: usize, line: &Line) -> Vec<Option<Stage>> {
    let text = squeezed(line.text);
    let squeezed_commands: Vec<String> =
        commands.iter().map(|command| squeezed(without_document(command))).collect();
    let joined = squeezed_commands.join("|");
    // A pipeline of compound commands has no event, so the last commands may belong to the pipeline
    // before it.
    if has_compound_pipeline(&text) {
        return vec![None; count];
    }
    if commands.len() == count && has_pipeline(&text, &joined) {
        return commands.iter().map(|command| Some(Stage::of(without_document(command)))).collect();
    }
    // One stage is not a simple command. The stages after it can be certain.
    let mut stages = vec![None; count];
    let most = commands.len().min(count.saturating_sub(1));
    let is_found = |known: &usize| {
        let joined = squeezed_commands[commands.len() - known..].join("|");
        *known > 0
            && (text.contains(&format!("|{joined}")) || text.contains(&format!("|&{joined}")))
    };
    if let Some(known) = (1..=most).rev().find(is_found) {
        for (stage, command) in
            stages[count - known..].iter_mut().zip(&commands[commands.len() - known..])
        {
            *stage = Some(Stage::of(without_document(command)));
        }
    }
    stages
}
