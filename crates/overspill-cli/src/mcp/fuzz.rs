//! The fuzz target for MCP messages.

use std::sync::{Arc, LazyLock};

use overspill::core::{Limits, Policy};
use overspill::internal::tool::walk::{ResultRules, Structured};
use overspill::store::Memory;
use overspill::{Call, Overspill, Profile, Redaction};
use serde_json::Value;

use super::frames::{Frames, Read1};
use super::mask::Mask;
use super::probe::peek;
use super::rewrite::{Done, ResultRewriter};
use crate::env::Env;

/// Reads frames, masks each frame, and shortens it like the result of a call.
pub(crate) fn frames(data: &[u8]) {
    let (size, data) = data.split_first().map_or((1, data), |(size, data)| (*size, data));
    let size = usize::from(size).max(1);
    let mut frames = Frames::new(data);
    while let Ok(Some(Read1::Whole(frame) | Read1::Long(frame))) = frames.next() {
        let _ = peek(frame);
        masked(frame, size);
        shortened(frame, size);
    }
}

/// Checks that masking in chunks gives the same bytes as masking at once.
fn masked(frame: &[u8], size: usize) {
    // Building the rules takes longer than masking a frame.
    static RULES: LazyLock<Arc<Redaction>> =
        LazyLock::new(|| Arc::new(Redaction::new(None).expect("no pattern")));
    let (whole, _) = Mask::whole(&RULES, frame);
    let (mut mask, mut out) = (Mask::new(&RULES), Vec::new());
    frame.chunks(size).for_each(|chunk| out.extend_from_slice(mask.push(chunk)));
    out.extend_from_slice(mask.end());
    assert!(out == *whole, "chunks are masked differently");
}

/// Checks that a shortened result is valid JSON.
fn shortened(frame: &[u8], size: usize) {
    let limits = Limits::NONE.bytes(600).lines(20).chars(600);
    let policy = Policy { trigger: limits, limits, ..Profile::OWN.policy };
    let engine = Overspill::new(Profile { policy, ..Profile::OWN }, Memory::default());
    let rules = ResultRules { structured: Structured::Drop, schema: None, max_media: 600 };
    let mut rewriter =
        ResultRewriter::new(&engine, Call::new("t"), rules, None, &Env::of_process());
    if frame.chunks(size).any(|chunk| rewriter.push(chunk).is_err()) || !rewriter.is_done() {
        return;
    }
    if let Done::Changed(changed) = rewriter.finish() {
        // serde_json refuses deeply nested JSON and lone surrogates.
        if serde_json::from_slice::<Value>(frame).is_ok() {
            serde_json::from_slice::<Value>(&changed).expect("the changed result is JSON");
        }
    }
}
