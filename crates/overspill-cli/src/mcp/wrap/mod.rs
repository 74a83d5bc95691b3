//! `overspill mcp wrap` and `unwrap`: puts the proxy in front of the servers of a client.
//!
//! Only the command of each server is changed, in place. All other bytes stay, so unwrapping
//! restores the same file and keeps later edits.

mod backup;
mod json;
mod toml;
mod yaml;

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::env::Env;
use crate::settings::checked_file::{self, CheckedFile, Refused};
use crate::ui;
use backup::Backup;

/// Puts overspill in front of the servers in a client's file.
///
/// `wrap` knows the files of Claude Code, Cursor, Windsurf, Gemini CLI, Qwen Code, Copilot CLI, VS Code, opencode, Kilo,
/// Codex, goose and Continue. Servers that are wrapped already, and servers with a URL, stay as they are. A copy of the
/// original file is kept beside it, with `.before-overspill` at the end of its name.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill mcp wrap .mcp.json --dry-run
  overspill mcp wrap ~/.codex/config.toml
  overspill mcp unwrap ~/.codex/config.toml")]
pub(crate) struct WrapArgs {
    /// The client's file, such as `.mcp.json`.
    file: PathBuf,
    /// Show the changes, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// The task for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To<'a> {
    Wrap,
    Unwrap,
    /// Unwraps only the servers whose proxy is this program.
    UnwrapOf(&'a str),
}

/// A server in a file, and the positions of its command.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    words: Words,
}

/// The byte ranges of a command and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Words {
    /// The program is one value, and its arguments are a list that may be missing.
    Apart { program: Range<usize>, arguments: Option<List> },
    /// The program and its arguments are one list.
    Together(List),
    /// The server has no command.
    None,
}

/// A list of words: the range of the list, and the range of each word.
#[derive(Debug, Clone, PartialEq, Eq)]
struct List {
    place: Range<usize>,
    words: Vec<Range<usize>>,
    /// Tells whether each word stands on its own line, after a dash.
    dashes: bool,
}

/// A change of a byte range in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Splice {
    place: Range<usize>,
    with: String,
}

/// A file format of clients.
trait Language {
    /// Finds the servers.
    fn entries(&self, text: &str) -> Result<Vec<Entry>, String>;
    /// Returns a word in the notation of the format.
    fn word(&self, word: &str) -> String;
    /// Returns the word that the notation stands for.
    fn read(&self, written: &str) -> Option<String>;
    /// Returns the change that adds arguments after the program at `program`.
    fn new_arguments(&self, text: &str, program: &Range<usize>, words: &[String]) -> Splice;
    /// Returns the text that [`Language::new_arguments`] puts between the program and the list,
    /// without blanks.
    fn before_arguments(&self) -> &'static [&'static str];
}

pub(crate) fn run(args: &WrapArgs, to: To<'_>, env: &Env) -> anyhow::Result<()> {
    let shown = ui::path(&args.file);
    let refused = |why: Refused| refused(&args.file, &why, to);
    let path = checked_file::absolute(&args.file, env).map_err(refused)?;
    let file = CheckedFile::named(&path, env).map_err(refused)?;
    let (text, mode) = file.read().and_then(|it| it.ok_or(Refused::Missing)).map_err(refused)?;
    let text = String::from_utf8(text).map_err(|_| anyhow::anyhow!("{shown}: is not UTF-8"))?;
    let program = env.executable().context("cannot find the path of this program")?;
    let program = program.to_string_lossy().into_owned();
    let backup = Backup::of(&path, env)?;
    let changed = changed(&text, &path, to, &program, backup.text.as_deref())
        .map_err(|why| anyhow::anyhow!("{shown}: {why}"))?;
    for line in &changed.said {
        ui::answer(&format!("{line}\n"))?;
    }
    if changed.text == text {
        return ui::answer(&format!("{shown}: nothing to change\n"));
    }
    if args.dry_run {
        return ui::answer(&format!("{shown}: not changed, as this was a dry run\n"));
    }
    if to == To::Wrap {
        backup.keep(&text, mode, changed.had_ours)?;
    }
    file.write_as(&changed.text, mode).map_err(refused)?;
    ui::answer(&format!("{shown}: changed\n"))
}

fn refused(file: &Path, why: &Refused, to: To<'_>) -> anyhow::Error {
    let action = if to == To::Wrap { "wrap" } else { "unwrap" };
    let hint = match why {
        Refused::LeadsOut(real) => {
            let real = ui::shell_word(&ui::short(&real.to_string_lossy(), 200));
            format!("\n\nhint: if you mean that file, name it: `overspill mcp {action} {real}`")
        }
        Refused::LeadsNowhere | Refused::Link => why.hint().to_owned(),
        Refused::TooLarge => "\n\nhint: check that this is a client's settings file".into(),
        Refused::NotRegular | Refused::Missing | Refused::Io(_) => {
            format!(
                "\n\nhint: name the settings file of an MCP client; `overspill mcp {action} --help` has examples"
            )
        }
    };
    anyhow::anyhow!("{}: {why}{hint}", ui::path(file))
}

/// Returns a client's file with `program` as the proxy in front of all servers that have none. A
/// file without servers is unchanged.
pub(crate) fn with_proxy(text: &str, path: &Path, program: &str) -> Result<String, String> {
    if language(path).entries(text)?.is_empty() {
        return Ok(text.to_owned());
    }
    changed(text, path, To::Wrap, program, None).map(|changed| changed.text)
}

/// Tells whether `program` is the proxy of a server, and was not in the file `before`.
pub(crate) fn has_proxy(text: &str, path: &Path, program: &str, before: Option<&str>) -> bool {
    let language = language(path);
    let by_hand = before.map_or_else(Vec::new, |before| wrapped_in(before, language, program));
    let is_new = |server: &(String, Vec<String>)| {
        server.1.first().is_some_and(|first| first == program) && !by_hand.contains(server)
    };
    wrapped_in(text, language, program).iter().any(is_new)
}

/// Returns a client's file without the proxies that are `program` and were not in the file
/// `before`. All other proxies stay.
pub(crate) fn without_proxy(
    text: &str,
    path: &Path,
    program: &str,
    before: Option<&str>,
) -> Result<String, String> {
    if language(path).entries(text)?.is_empty() {
        return Ok(text.to_owned());
    }
    changed(text, path, To::UnwrapOf(program), program, before).map(|changed| changed.text)
}

/// The new text of a file, and the lines to print about it.
#[derive(Debug)]
struct Changed {
    text: String,
    said: Vec<String>,
    /// Tells whether the file already contained a proxy that overspill had put there.
    had_ours: bool,
}

fn language(path: &Path) -> &'static dyn Language {
    match path.extension().and_then(|name| name.to_str()) {
        Some("toml") => &toml::Toml,
        Some("yaml" | "yml") => &yaml::Yaml,
        _ => &json::Json,
    }
}

fn changed(
    text: &str,
    path: &Path,
    to: To<'_>,
    program: &str,
    before: Option<&str>,
) -> Result<Changed, String> {
    let language = language(path);
    let entries = language.entries(text)?;
    if entries.is_empty() {
        return Err("no MCP servers found".into());
    }
    let by_hand = before.map_or_else(Vec::new, |before| wrapped_in(before, language, program));
    let (mut splices, mut said) = (Vec::new(), Vec::new());
    let (mut had_ours, mut stay) = (false, Vec::new());
    for entry in &entries {
        let name = ui::short(&entry.name, 60);
        let words = entry.all_words(text, language);
        let Some(words) = words else {
            said.push(format!("{name}: skipped, it is a remote server (URL)"));
            continue;
        };
        let is_wrapped = is_ours(&words, program);
        let is_other = matches!(to, To::UnwrapOf(program) if words[0] != program);
        let is_by_hand =
            is_wrapped && (is_other || by_hand.contains(&(entry.name.clone(), words.clone())));
        had_ours |= is_wrapped && !is_by_hand;
        match (to, is_wrapped) {
            (To::Unwrap | To::UnwrapOf(_), true) if is_by_hand => {
                said.push(format!("{name}: left unchanged, it was wrapped before `wrap`"));
                stay.push((entry.name.clone(), words));
            }
            (To::Wrap, true) => said.push(format!("{name}: already wrapped")),
            (To::Unwrap | To::UnwrapOf(_), false) => said.push(format!("{name}: not wrapped")),
            (To::Wrap, false) => {
                said.push(format!("{name}: {program} mcp -- {}", ui::short(&words.join(" "), 200)));
                splices.extend(entry.wrapped(text, language, program));
            }
            (To::Unwrap | To::UnwrapOf(_), true) => {
                let own = words.iter().skip_while(|word| *word != "--").skip(1);
                let own: Vec<&str> = own.map(String::as_str).collect();
                said.push(format!("{name}: {}", ui::short(&own.join(" "), 200)));
                splices.extend(entry.unwrapped(text, language));
            }
        }
    }
    splices.sort_by_key(|splice| std::cmp::Reverse(splice.place.start));
    let mut new = text.to_owned();
    for Splice { place, with } in splices {
        new.replace_range(place, &with);
    }
    // overspill does not write a file that lacks the requested change.
    let after = language.entries(&new)?;
    let is_right = after.len() == entries.len()
        && after.iter().all(|entry| match entry.all_words(&new, language) {
            Some(words) if to != To::Wrap => {
                !is_ours(&words, program) || stay.contains(&(entry.name.clone(), words))
            }
            Some(words) => is_ours(&words, program),
            None => true,
        });
    if is_right {
        Ok(Changed { text: new, said, had_ours })
    } else {
        Err("overspill cannot change a file of this form".into())
    }
}

/// Returns the servers that have the proxy in front of them: their names and commands.
fn wrapped_in(text: &str, language: &dyn Language, program: &str) -> Vec<(String, Vec<String>)> {
    let entries = language.entries(text).unwrap_or_default();
    let wrapped = |entry: Entry| {
        let words = entry.all_words(text, language).filter(|words| is_ours(words, program))?;
        Some((entry.name, words))
    };
    entries.into_iter().filter_map(wrapped).collect()
}

/// Tells whether a command is the proxy with a server behind it. `ours` is the path of this
/// program, which may have another name.
fn is_ours(words: &[String], ours: &str) -> bool {
    let is_us = words.first().is_some_and(|program| {
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        name.strip_suffix(".exe").unwrap_or(name) == "overspill" || program == ours
    });
    is_us && words.get(1).is_some_and(|word| word == "mcp") && words.iter().any(|word| word == "--")
}

impl Entry {
    /// Returns the words of the command, or `None` if the server has no command or an unreadable
    /// one.
    fn all_words(&self, text: &str, language: &dyn Language) -> Option<Vec<String>> {
        let read = |place: &Range<usize>| language.read(&text[place.clone()]);
        match &self.words {
            Words::None => None,
            Words::Together(list) => list
                .words
                .iter()
                .map(read)
                .collect::<Option<Vec<_>>>()
                .filter(|all| !all.is_empty()),
            Words::Apart { program, arguments } => {
                let arguments = arguments.iter().flat_map(|list| &list.words).map(read);
                std::iter::once(read(program)).chain(arguments).collect()
            }
        }
    }

    fn wrapped(&self, text: &str, language: &dyn Language, program: &str) -> Vec<Splice> {
        let word = |word: &str| language.word(word);
        let before = [word("mcp"), word("--name"), word(&self.name), word("--")];
        match &self.words {
            Words::None => Vec::new(),
            Words::Together(list) => {
                let all: Vec<String> = std::iter::once(word(program)).chain(before).collect();
                list.with_first(text, &all).into_iter().collect()
            }
            Words::Apart { program: own, arguments } => {
                let put = Splice { place: own.clone(), with: word(program) };
                let old = text[own.clone()].to_owned();
                let add = match arguments {
                    Some(list) => list.with_first(text, &[&before[..], &[old]].concat()),
                    // One word instead of two marks a list that overspill added.
                    None => {
                        let name = word(&format!("--name={}", self.name));
                        let words = [word("mcp"), name, word("--"), old];
                        Some(language.new_arguments(text, own, &words))
                    }
                };
                std::iter::once(put).chain(add).collect()
            }
        }
    }

    fn unwrapped(&self, text: &str, language: &dyn Language) -> Vec<Splice> {
        let read = |place: &Range<usize>| language.read(&text[place.clone()]).unwrap_or_default();
        let end = |list: &List| list.words.iter().position(|word| read(word) == "--");
        match &self.words {
            Words::Together(list) => {
                end(list).and_then(|end| list.without_first(text, end + 1)).into_iter().collect()
            }
            Words::Apart { program, arguments: Some(list) } => {
                let Some(end) = end(list) else { return Vec::new() };
                let Some(old) = list.words.get(end + 1) else { return Vec::new() };
                let put = Splice { place: program.clone(), with: text[old.clone()].to_owned() };
                let is_added =
                    list.words.get(1).is_some_and(|word| read(word).starts_with("--name="));
                // If the user put something between the program and the list, the list stays.
                let between = text.get(program.end..list.place.start).unwrap_or_default();
                let between: String = between.split_whitespace().collect();
                let is_alone = language.before_arguments().contains(&&*between);
                let remove = if is_added && is_alone && list.words.len() == end + 2 {
                    Some(Splice { place: program.end..list.place.end, with: String::new() })
                } else {
                    list.without_first(text, end + 2)
                };
                std::iter::once(put).chain(remove).collect()
            }
            Words::Apart { .. } | Words::None => Vec::new(),
        }
    }
}

impl List {
    /// Returns the change that puts words before the first word.
    fn with_first(&self, text: &str, words: &[String]) -> Option<Splice> {
        match (self.words.first(), self.dashes) {
            (Some(first), true) => {
                // Each new word gets the dash and the indent of the first word.
                let line = text[..first.start].rfind('\n').map_or(0, |at| at + 1);
                let dash = &text[line..first.start];
                let with = words.iter().map(|word| format!("{word}\n{dash}")).collect();
                Some(Splice { place: first.start..first.start, with })
            }
            (None, true) => None,
            (Some(first), false) => {
                let with = words.iter().map(|word| format!("{word}, ")).collect();
                Some(Splice { place: first.start..first.start, with })
            }
            (None, false) => {
                let at = self.place.start + 1;
                Some(Splice { place: at..at, with: words.join(", ") })
            }
        }
    }

    /// Returns the change that removes the first `count` words and their separators.
    fn without_first(&self, _: &str, count: usize) -> Option<Splice> {
        let first = self.words.first()?;
        let end = match self.words.get(count) {
            Some(next) => next.start,
            None => self.words.get(count.checked_sub(1)?)?.end,
        };
        Some(Splice { place: first.start..end, with: String::new() })
    }
}

#[cfg(test)]
mod tests;
