//! overspill for Python: decode, ask the library, encode. What is decided is decided there.

mod ascii;
mod callbacks;
mod engine;
mod error;
mod input;
mod outcome;
mod spill;
mod values;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::outcome::{Size, Span, Spilled, Whole};
    #[pymodule_export]
    use crate::spill::Spill;
}
