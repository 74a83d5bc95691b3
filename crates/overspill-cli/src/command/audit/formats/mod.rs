//! The formats of transcripts, one module for each host.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod pi;
mod qwen;

use super::event::TranscriptFormat;

/// All formats. The first format that recognises a file reads it.
pub(super) const FORMATS: [&TranscriptFormat; 7] = [
    &codex::FORMAT,
    &copilot::FORMAT,
    &pi::FORMAT,
    &gemini::FORMAT,
    &qwen::FORMAT,
    &opencode::FORMAT,
    &claude_code::FORMAT,
];
