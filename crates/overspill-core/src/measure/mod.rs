//! Measures an output: how large it is, and how large it may be.

pub(crate) mod limits;
pub(crate) mod size;
pub(crate) mod tokens;
