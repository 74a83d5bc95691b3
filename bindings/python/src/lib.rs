//! overspill for Python: converts values and calls the library, which makes all decisions.

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
