//! What a package for another language needs, so that it holds no decision of its own: options as
//! JSON in, stores and strategies written in that language, answers as JSON out.
//!
//! ```
//! use overspill::embed::{Asked, Setup};
//! use overspill::{Call, Overspill};
//! use serde_json::json;
//!
//! let setup = Setup::from_json(&json!({"profile": "overspill", "store": "memory", "maxLines": 5}))?;
//! let overspill = setup.overspill(&|_| None, "/".into());
//! let asked = Asked::from_json(&json!({"tool": "make", "keep": "tail"}))?;
//! let outcome = overspill.process_with(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", &asked.call, &asked.options);
//! assert!(outcome.bytes().ends_with(b"\n8\n9\n"));
//!
//! let misuse = Setup::from_json(&json!({"max_lines": -1})).err().unwrap();
//! assert_eq!(misuse.to_string(), "max_lines: -1 is not a whole number, 0 or more, or \"none\"");
//! # Ok::<(), overspill::embed::Misuse>(())
//! ```

mod answers;
mod apply;
mod batch;
mod call_request;
mod callback_store;
mod choice;
mod given;
mod heard;
mod keys;
mod setup;

#[cfg(feature = "grep")]
pub use answers::grep;
pub use answers::{Question, list, read, sweep};
pub use apply::{apply, text};
pub use batch::batch;
pub use call_request::CallRequest;
pub use callback_store::{CallbackStore, StoreObject};
pub use choice::{Given, choice, policy};
pub use given::GivenStore;
pub use heard::event;
pub use keys::{Misuse, camel_keys};
pub use setup::{Setup, StoreChoice};
