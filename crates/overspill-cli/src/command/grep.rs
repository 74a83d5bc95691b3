//! `overspill grep`

use std::process::ExitCode;

use anyhow::Context;
use overspill::core::{Limits, Policy};
use overspill::retrieve::{self, GrepError};
use overspill::store::{Disk, Name};

use crate::args::GrepArgs;
use crate::{find, home, ui};

/// What the lines around the matches may take: headings, and the command for the next page.
const FRAME_BYTES: u64 = 600;
const FRAME_LINES: u64 = 4;

/// Words that we do not understand, a pattern among them.
const USAGE: u8 = 2;

pub(crate) fn grep(args: &GrepArgs) -> ExitCode {
    match try_grep(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            ui::complain(&error);
            let pattern = matches!(error.downcast_ref(), Some(GrepError::Pattern(_)));
            ExitCode::from(if pattern { USAGE } else { 1 })
        }
    }
}

/// Tells whether anything matched.
fn try_grep(args: &GrepArgs) -> anyhow::Result<bool> {
    let outputs = outputs(args)?;
    let several = outputs.len() > 1;
    let query = args.query();
    let mut room = Limits {
        bytes: Policy::LIMITS.bytes.map(|most| most - FRAME_BYTES),
        lines: Policy::LIMITS.lines.map(|most| most - FRAME_LINES),
        ..Policy::LIMITS
    };
    let (mut text, mut any) = (String::new(), false);
    for (index, (disk, name)) in outputs.iter().enumerate() {
        if args.count {
            let count = retrieve::count(disk, name, &query)?;
            any |= count > 0;
            let line = if several { format!("{name}:{count}\n") } else { format!("{count}\n") };
            text.push_str(&line);
            continue;
        }
        let found = retrieve::grep(disk, name, &query, &room)?;
        if found.matches == 0 {
            continue;
        }
        any = true;
        if several {
            text.push_str(&format!("{name}\n"));
        }
        text.push_str(&found.text);
        if let Some(line) = found.next_line {
            let rest = outputs.len() - index - 1;
            text.push_str(&footer(args, name, line, rest));
            break;
        }
        room = less(&room, &found.text, several);
    }
    ui::print(text.as_bytes()).context("standard output")?;
    Ok(any)
}

/// The outputs that are meant, the last used first if none is named.
fn outputs(args: &GrepArgs) -> anyhow::Result<Vec<(Disk, Name)>> {
    if !args.ids.is_empty() {
        return find::all(&args.ids);
    }
    let disk = home::disk().map_err(anyhow::Error::msg)?;
    let entries = find::newest_first(&disk)?;
    Ok(entries.into_iter().map(|entry| (disk.clone(), entry.name)).collect())
}

fn less(room: &Limits, text: &str, heading: bool) -> Limits {
    let heading = u64::from(heading);
    let (bytes, lines) = (text.len() as u64 + 40 * heading, text.lines().count() as u64 + heading);
    Limits {
        bytes: room.bytes.map(|most| most.saturating_sub(bytes)),
        lines: room.lines.map(|most| most.saturating_sub(lines)),
        ..*room
    }
}

/// Says that there is more, and the command for it.
fn footer(args: &GrepArgs, name: &Name, line: u64, outputs_left: usize) -> String {
    let mut flags = String::new();
    for (flag, given) in [
        ("-i", args.ignore_case),
        ("-F", args.fixed_strings),
        ("-w", args.word_regexp),
        ("-v", args.invert_match),
    ] {
        if given {
            flags.push_str(&format!(" {flag}"));
        }
    }
    let query = args.query();
    for (flag, lines) in [("-B", query.before), ("-A", query.after)] {
        if lines > 0 {
            flags.push_str(&format!(" {flag} {lines}"));
        }
    }
    let rest = match outputs_left {
        0 => String::new(),
        n => format!("; {n} more outputs not searched"),
    };
    let (program, pattern) = (home::program(), home::quoted(&args.pattern));
    let token = name.token();
    format!(
        "[overspill {token}: more from line {line}{rest}; next: {program} grep{flags} {pattern} {name} --from {line}]\n"
    )
}
