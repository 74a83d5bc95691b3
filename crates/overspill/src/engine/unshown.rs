//! Corrects the record of an output whose preview could not be written.

use super::EndedCall;
use crate::{Call, CallEnd, Overspill, Spilled};

/// Records that no part of an output was shown. Returns one line for the person at the terminal.
pub fn record_as_unshown(engine: &Overspill, spilled: &Spilled) -> String {
    if let Ok(saved) = &spilled.saved
        && let Ok(Some(mut record)) = engine.store.record(&saved.id)
    {
        (record.shown, record.sent) = (Vec::new(), Some(0));
        if let Some(preview) = &mut record.preview {
            preview.lines.clear();
        }
        // A failed write is ignored: only the record is wrong then. The output itself is saved.
        let _ = engine.store.describe(&saved.id, &record);
    }
    let (call, end) = (&Call::default(), CallEnd::default());
    let ended = EndedCall { call, end, delegate: false, masked: 0, failure: None };
    engine.notice(&spilled.saved, &ended, &spilled.total).for_person_of_unshown(&spilled.total)
}
