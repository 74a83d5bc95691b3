//! The steps after a preview is made: the record, the event and the sweep.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::catch_panic::catch_panic;
use super::{EndedCall, Output, Overspill};
use crate::profile::Sweeps;
use crate::settings::CallValue;
use crate::store::{PreviewRecord, Record, SentText};
use crate::sweep::{SweepBudget, sweep};
use crate::{Call, CallEnd, Error, Event, EventKind, Outcome, Spilled};

impl Overspill {
    /// Writes the record of an output, reports the call, and sweeps if the profile says so.
    pub(super) fn after(&self, spilled: &Spilled, ended: &EndedCall) {
        self.record(spilled, ended);
        let what = match (&ended.failure, &spilled.saved) {
            (Some(error), _) => EventKind::Failed { error },
            (None, Ok(saved)) => EventKind::Spilled { path: Some(&saved.path) },
            (None, Err(Error::NotAsked)) => EventKind::Spilled { path: None },
            (None, Err(error)) => EventKind::Failed { error },
        };
        self.report(ended.call, spilled.total.bytes as usize, spilled.text.len(), what);
        if self.profile.sweeps == Sweeps::AfterAnswer {
            let now = self.clock.now().timestamp();
            let little = SweepBudget::LITTLE;
            let _ = catch_panic(|| sweep(&*self.store, &self.retention(), little, now));
        }
    }

    fn record(&self, spilled: &Spilled, ended: &EndedCall) {
        let Ok(saved) = &spilled.saved else { return };
        let CallEnd { exit, signal, interrupted, on_terminal, sent_before, took } = ended.end;
        let has_failed = signal.is_some() || exit.is_some_and(|code| code != 0);
        // A notice without room in the text is returned beside it.
        let beside = if spilled.is_silent() { spilled.notice.len() } else { 0 };
        // An outline and a text of a strategy show no part of the output unchanged.
        let spans = || spilled.cut.iter().flat_map(|cut| cut.spans());
        let preview = PreviewRecord {
            limits: spilled.limits,
            keep: CallValue::Keep(spilled.keep).to_string(),
            kind: spilled.kind.to_owned(),
            fill: spilled.fill,
            is_kind_forced: spilled.is_kind_forced,
            lines: spans().map(|span| (span.first_line, span.last_line)).collect(),
            file_tool: self.reader_of(ended, &spilled.total).file_tool,
            sent_text: SentText::of(spilled, sent_before),
        };
        let host = self.host.as_ref().and_then(|find| find());
        let record = Record {
            call: self.masked_call(ended.call).into_owned(),
            created: self.clock.now().timestamp(),
            exit,
            signal,
            interrupted,
            took_ms: took.map(|took| took.as_millis().try_into().unwrap_or(u64::MAX)),
            shown: spans().map(|span| span.bytes.clone()).collect(),
            kept: Some(saved.kept),
            sent: Some(sent_before + (spilled.text.len() + beside) as u64),
            on_terminal,
            baseline: host.as_ref().and_then(|host| host.baseline(&spilled.total, has_failed)),
            host: host.map(|host| host.name),
            cut_failures: spilled.cut_failures.clone(),
            preview: Some(preview),
            ..Record::default()
        };
        // A record is a convenience, so its failure is ignored. The output itself is safe.
        let record = record.with_size(spilled.total);
        let _ = catch_panic(|| self.store.describe(&saved.id, &record));
    }

    /// Returns a short output in which `masked` secrets are masked.
    pub(crate) fn whole<'a>(&self, output: Cow<'a, [u8]>, call: &Call, masked: u64) -> Outcome<'a> {
        self.report(call, output.len(), output.len(), EventKind::Skipped);
        Outcome::of(output, masked)
    }

    /// Returns an output unchanged because of an error.
    pub(super) fn unchanged<'a>(
        &self,
        output: &Output<'a>,
        error: &Error,
        ended: &EndedCall,
    ) -> Outcome<'a> {
        let len = output.stored.len();
        self.report(ended.call, len, len, EventKind::Failed { error });
        Outcome::of(Cow::Borrowed(output.measured), ended.masked)
    }

    /// Reports an event. A panic of the observer has no effect.
    fn report(&self, call: &Call, original: usize, shown: usize, what: EventKind) {
        if let Some(observer) = &self.observer {
            let (original_bytes, shown_bytes) = (original as u64, shown as u64);
            let time = self.clock.now().timestamp();
            let event = Event { call, time, original_bytes, shown_bytes, what };
            let _ = catch_unwind(AssertUnwindSafe(|| observer(&event)));
        }
    }
}
