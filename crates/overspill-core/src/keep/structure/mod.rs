//! Shows what has a structure by its structure.
//!
//! The start of an output tells what it is ([`detect`]). JSON becomes shorter JSON ([`json`]).
//! Of anything else lines are shown: they are read as what they are ([`reader`]), held by how near
//! they are to what one looks at first ([`rows`]), and chosen from at the end ([`pick`]).

mod columns;
mod detect;
mod diff;
mod field_roles;
pub(crate) mod json;
mod markup;
mod novelty;
mod pick;
mod reader;
mod rows;
mod table;
mod tap;

pub(crate) use detect::{Format, detect};
pub(crate) use json::Outline;
pub(crate) use rows::StructuredLines;

use crate::{Grain, LineRule, Policy};

/// How much of an output's start is looked at to find out what it is.
pub(crate) const SAMPLE: usize = 64 * 1024;

/// Tells whether an output's structure is asked for.
pub(crate) fn applies(policy: &Policy) -> bool {
    policy.keep.reads_structure()
        && policy.grain == Grain::Line
        && policy.lines == LineRule::Terminated
}
