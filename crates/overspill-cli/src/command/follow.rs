//! `overspill read --follow`: prints an output while its command runs.

use std::ffi::OsStr;
use std::time::Duration;

use overspill::internal::redact::Redactor;
use overspill::internal::retrieve;
use overspill::store::{Kept, OutputId, Store};

use crate::stores::StoreAccess;
use crate::{find, ui};

/// The time between two looks for new output.
const PAUSE: Duration = Duration::from_millis(200);
/// The number of bytes that are read at a time.
const CHUNK: u64 = 256 << 10;

/// Prints the output so far, and new output until the command ends. With `tail`, it begins with the
/// last lines of the output so far.
pub(super) fn follow(
    typed: &OsStr,
    tail: Option<u64>,
    access: &StoreAccess<'_>,
) -> anyhow::Result<()> {
    let (store, name, redact) = find::find_with_redaction(typed, access)?;
    let mut at = 0;
    let mut shown = Shown {
        skip: tail.map_or(Ok(0), |lines| tail_start(&*store, &name, lines))?,
        redactor: redact.shown().cloned().map(Redactor::new),
    };
    let _ = store.touch(&name);
    loop {
        // The record comes before the bytes: after the end of a command, its output does not grow.
        let record = store.record(&name)?.unwrap_or_default();
        if !record.running && at > 0 && matches!(record.kept, Some(Kept::Ends { .. })) {
            let missing = retrieve::missing_lines(&*store, &name)?;
            let missing = missing.map_or_else(String::new, |missing| format!(": {missing}"));
            ui::warn_line(&format!("{}{missing} (`store.max_output`)", name.short_id()));
            return shown.finish();
        }
        loop {
            let chunk = store.read(&name, at..at + CHUNK)?;
            if chunk.is_empty() {
                break;
            }
            at += chunk.len() as u64;
            shown.push(&chunk)?;
        }
        if !record.running {
            if record.cut_short {
                ui::warn_line(&format!(
                    "{}: cut short, the process that saved it was killed",
                    name.short_id()
                ));
            }
            return shown.finish();
        }
        std::thread::sleep(PAUSE);
    }
}

/// The printer of the output: it skips the start and masks secrets.
struct Shown {
    /// The number of bytes at the start that are not printed.
    skip: u64,
    /// Masks secrets. It also reads the skipped bytes: a secret is recognized by the text before
    /// it.
    redactor: Option<Redactor>,
}

impl Shown {
    fn push(&mut self, chunk: &[u8]) -> anyhow::Result<()> {
        let Some(mut redactor) = self.redactor.take() else { return self.print(chunk) };
        let mut masked = Vec::new();
        redactor.push(chunk, |text| masked.extend_from_slice(text));
        self.redactor = Some(redactor);
        self.print(&masked)
    }

    fn finish(mut self) -> anyhow::Result<()> {
        let Some(mut redactor) = self.redactor.take() else { return Ok(()) };
        let mut masked = Vec::new();
        redactor.finish(|text| masked.extend_from_slice(text));
        self.print(&masked)
    }

    fn print(&mut self, text: &[u8]) -> anyhow::Result<()> {
        let skipped = self.skip.min(text.len() as u64);
        self.skip -= skipped;
        let text = &text[skipped as usize..];
        if text.is_empty() { Ok(()) } else { ui::answer_bytes(text) }
    }
}

/// Returns the offset at which the last `lines` lines begin, in bytes.
fn tail_start(store: &dyn Store, name: &OutputId, lines: u64) -> anyhow::Result<u64> {
    let mut end = store.entry(name)?.bytes;
    // No line begins after the line feed of the last line.
    let (mut left, mut is_last) = (lines, true);
    while end > 0 && left > 0 {
        let start = end.saturating_sub(CHUNK);
        let chunk = store.read(name, start..end)?;
        for at in memchr::memrchr_iter(b'\n', &chunk) {
            if std::mem::take(&mut is_last) && at + 1 == chunk.len() {
                continue;
            }
            left -= 1;
            if left == 0 {
                return Ok(start + at as u64 + 1);
            }
        }
        end = start;
    }
    Ok(if lines == 0 { end } else { 0 })
}
