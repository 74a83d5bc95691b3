//! overspill for Python.
