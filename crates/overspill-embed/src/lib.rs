//! The code that the packages for Python and Node share. A package only converts values.
//!
//! - Options come in as JSON, in snake or camel case: [`Setup`], [`CallRequest`].
//! - Stores and strategies can be written in the other language: [`CallbackStore`], [`PrecomputedStore`], [`PrecomputedChoice`].
//! - Answers go out as JSON: [`read`], [`grep`], [`list`], [`sweep`], [`cleanup`], [`event`].
//!
//! ```
//! use overspill_embed::{CallRequest, Setup};
//! use serde_json::json;
//!
//! let setup = Setup::from_json(&json!({"profile": "overspill", "store": "memory", "maxLines": 5}))?;
//! let overspill = setup.overspill(&|_| None, "/".into());
//! let asked = CallRequest::from_json(&json!({"tool": "make", "keep": "tail"}))?;
//! let outcome = asked.process(&overspill, b"1\n2\n3\n4\n5\n6\n7\n8\n9\n");
//! assert!(outcome.bytes().ends_with(b"\n8\n9\n"));
//!
//! let misuse = Setup::from_json(&json!({"max_lines": -1})).err().unwrap();
//! assert_eq!(misuse.to_string(), "max_lines: -1 is not a whole number, 0 or more, or \"none\"");
//! # Ok::<(), overspill_embed::Misuse>(())
//! ```

#![forbid(unsafe_code)]

mod answers;
mod apply;
mod batch;
mod call_request;
mod callback_store;
mod choice;
mod heard;
mod keys;
mod precomputed_store;
mod setup;

pub use answers::{Question, cleanup, grep, list, read, sweep};
pub use apply::{apply, text};
pub use batch::batch;
pub use call_request::CallRequest;
pub use callback_store::{CallbackStore, StoreObject};
pub use choice::{PrecomputedChoice, choice, policy};
pub use heard::event;
pub use keys::{Misuse, camel_keys};
pub use precomputed_store::PrecomputedStore;
pub use setup::{Setup, StoreChoice};
