//! Measures an output, and compares its size with limits.

pub(crate) mod limits;
pub(crate) mod size;
pub(crate) mod tokens;
