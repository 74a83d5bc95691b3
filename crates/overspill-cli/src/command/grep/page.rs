//! The pages of `grep`: the room for matches on a page, and the command for the next page.

use overspill::core::Limits;
use overspill::internal::retrieve;
use overspill::retrieve::{Answer, Query, Request};
use overspill::store::OutputId;

use super::super::request::{SearchWords, Targets, command_line};
use super::{GrepArgs, unsearched};
use crate::env::Env;
use crate::hosts;
use crate::stores::Outputs;

/// The largest number of bytes of a heading, or of the sentence about more matches.
pub(super) const HEADING_BYTES: u64 = 80;
/// The lines of a page that are not matches: a heading, the report about lines that were not
/// searched, and the command for the next page.
const FRAME_LINES: u64 = 3;
/// The largest number of lines of a page in JSON.
const JSON_LINES: u64 = 200;
/// The room for the names of the fields in a line of JSON, in bytes.
const JSON_LINE_BYTES: u64 = 100;

/// The arguments of the search, and the output to begin with.
pub(super) struct GrepRequest<'a> {
    pub(super) args: &'a GrepArgs,
    pub(super) env: &'a Env,
    pub(super) query: Query,
    /// Whether all outputs are searched.
    pub(super) all: bool,
    /// The output to begin with.
    pub(super) from: Option<OutputId>,
}

impl GrepRequest<'_> {
    /// Tells whether the answer lists outputs and not lines.
    pub(super) fn lists_outputs(&self) -> bool {
        self.args.count || self.args.files_with_matches
    }

    /// Returns the room for matches on a page, without headings and footers.
    pub(super) fn room(&self, outputs: &[(Outputs, OutputId)]) -> Limits {
        let beside = self.longest_command(outputs) + 2 * HEADING_BYTES + unsearched::BYTES;
        let page = hosts::page(self.env);
        let bytes = page.bytes.map(|bytes| bytes.saturating_sub(beside));
        if !self.args.json {
            return Limits { bytes, lines: page.lines.map(|lines| lines - FRAME_LINES), ..page };
        }
        // Each line has names of fields, and half of the room is for escapes in the text.
        let lines = JSON_LINES.min(page.bytes.unwrap_or(u64::MAX) / (2 * JSON_LINE_BYTES));
        let fields = lines * JSON_LINE_BYTES;
        let bytes = bytes.map(|bytes| bytes.saturating_sub(fields + beside) / 2);
        Limits { bytes, lines: Some(lines), ..page }
    }

    /// Returns the length of the longest command for a next page.
    pub(super) fn longest_command(&self, outputs: &[(Outputs, OutputId)]) -> u64 {
        let query = Query { from_line: u64::MAX, ..self.query.clone() };
        let words = SearchWords { query: &query, flags: &self.flags(), shown: u64::MAX };
        self.command_of(&words, outputs).len() as u64
    }

    /// Returns the command for the next page, which begins with the first output of `left`.
    pub(super) fn command(&self, next: &Request, left: &[(Outputs, OutputId)]) -> String {
        let Request::Search { query, .. } = next else {
            return command_line(next, self.env.program_name());
        };
        let alone = left.len() == 1 && !self.all;
        // `-m` limits the matches of each output, so `--shown` says how many matches of the first
        // output earlier pages have shown.
        let (most, shown) = match (self.query.most, query.most) {
            (Some(most), Some(rest)) if !alone => (Some(most), most - rest),
            (_, rest) => (rest, 0),
        };
        let query = Query { most, ..query.clone() };
        self.command_of(&SearchWords { query: &query, flags: &self.flags(), shown }, left)
    }

    fn command_of(&self, words: &SearchWords<'_>, outputs: &[(Outputs, OutputId)]) -> String {
        let ids: Vec<OutputId> = outputs.iter().map(|(_, id)| id.clone()).collect();
        let targets = match ids.first() {
            Some(first) if self.all => Targets::AllFrom(first),
            _ => Targets::Named(&ids),
        };
        words.command(&targets, self.env.program_name())
    }

    fn flags(&self) -> Vec<&'static str> {
        let GrepArgs { count, files_with_matches, json, .. } = self.args;
        let flags = [("-c", *count), ("-l", *files_with_matches), ("--json", *json)];
        let flags = flags.into_iter().filter_map(|(flag, is_set)| is_set.then_some(flag));
        flags.chain(self.args.store.words()).collect()
    }

    /// Returns the end of a page before the outputs of `left` were searched: their number, and the
    /// command that searches them.
    pub(super) fn end(&self, left: &[(Outputs, OutputId)]) -> String {
        let Some((_, id)) = left.first() else { return String::new() };
        let query = Query { from_line: 1, ..self.query.clone() };
        let answer = Answer {
            id: id.clone(),
            text: String::new(),
            what: retrieve::outputs_not_searched(left.len() as u64),
            next: Some(Request::Search { id: id.clone(), query }),
            parts: Vec::new(),
        };
        match self.args.json {
            true => self.json_footer(&answer, left),
            false => answer.footer(|next| self.command(next, left)),
        }
    }

    /// Returns the line of JSON with the command for the next page; an empty text if this is the
    /// last page.
    pub(super) fn json_footer(&self, answer: &Answer, left: &[(Outputs, OutputId)]) -> String {
        let Some(next) = &answer.next else { return String::new() };
        let json = serde_json::json!({ "next": self.command(next, left), "what": answer.what });
        crate::ui::json_line(json)
    }
}
