//! Calls a store that is written in another language.

use std::fmt::Debug;
use std::ops::Range;
use std::time::Duration;

use jiff::Timestamp;
use overspill::internal::store::Expiry;
use overspill::store::{Draft, Entry, Kept, OutputId, SpillRef, Store};
use overspill::{Call, Error};
use serde_json::Value;

/// An object of another language that saves outputs. Values go in and out as JSON, so that one
/// place checks the answers. An error of the object becomes the reason why the output was not
/// saved.
pub trait StoreObject: Debug + Send + Sync {
    /// Saves an output, and returns its path or address as text, or `{id, path}`.
    fn save(&self, bytes: Vec<u8>, call: &Call) -> Result<Value, Error>;

    /// Reads a part of an output.
    fn read(&self, id: &str, range: Range<u64>) -> Result<Vec<u8>, Error>;

    /// Returns `{bytes, used}` of an output, or null if the store does not have it. `used` is in
    /// seconds since 1970.
    fn info(&self, id: &str) -> Result<Value, Error>;

    /// Lists `{id, bytes, used}` of all outputs.
    fn list(&self) -> Result<Value, Error>;

    /// Removes an output.
    fn delete(&self, id: &str) -> Result<(), Error>;
}

/// A store that calls a [`StoreObject`].
#[derive(Debug)]
pub struct CallbackStore<T>(std::sync::Arc<T>);

impl<T: StoreObject + 'static> CallbackStore<T> {
    /// Saves outputs with `object`.
    pub fn new(object: T) -> CallbackStore<T> {
        CallbackStore(std::sync::Arc::new(object))
    }
}

impl<T: StoreObject + 'static> Store for CallbackStore<T> {
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error> {
        let (object, call) = (self.0.clone(), call.clone());
        Ok(Box::new(CallbackDraft { object, call, bytes: Vec::new() }))
    }

    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        let (start, end) = (at(range.start), at(range.end));
        let mut bytes = self.0.read(name.as_str(), range)?;
        // A longer answer is the whole output: the object ignores the range.
        if bytes.len() > end.saturating_sub(start) {
            bytes.truncate(end);
            bytes.drain(..start.min(bytes.len()));
        }
        Ok(bytes)
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        let info = self.0.info(name.as_str())?;
        if info.is_null() {
            return Err(Error::NotFound { name: name.clone() });
        }
        entry(name.clone(), &info)
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        let all = self.0.list()?;
        let all = all.as_array().ok_or_else(|| invalid_answer("list", &all))?;
        all.iter().map(entry_of).collect()
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        self.0.delete(name.as_str())
    }

    fn touch(&self, _: &OutputId) -> Result<(), Error> {
        // The object records the time of last use itself.
        Ok(())
    }

    fn expiry(&self) -> Option<&dyn Expiry> {
        Some(self)
    }
}

impl<T: StoreObject + 'static> Expiry for CallbackStore<T> {
    fn due(&self, _: Duration, _: Duration) -> Result<Option<Vec<Entry>>, Error> {
        // Listing may be slow, so a call never sweeps. Users can call `sweep`.
        Ok(None)
    }
}

#[derive(Debug)]
struct CallbackDraft<T> {
    object: std::sync::Arc<T>,
    call: Call,
    bytes: Vec<u8>,
}

impl<T: StoreObject> Draft for CallbackDraft<T> {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        let saved = self.object.save(self.bytes, &self.call)?;
        saved_as(&saved)
    }
}

/// The longest path that is accepted, in bytes: the limit of Linux.
const LONGEST_PATH: usize = 4096;

/// Reads the answer of `save`.
pub(super) fn saved_as(saved: &Value) -> Result<SpillRef, Error> {
    let field = |key: &str| saved.get(key).and_then(Value::as_str);
    let path = saved.as_str().or_else(|| field("path")).or_else(|| field("id"));
    // A path is shown in the notice, so its length counts.
    let path = path.filter(|path| !path.is_empty() && path.len() <= LONGEST_PATH);
    let path = path.ok_or_else(|| invalid_answer("save", saved))?;
    // Without an id, the last part of the address is the id.
    let last = path.trim_end_matches('/').rsplit(['/', '\\']).next();
    let name = field("id").or(last).and_then(OutputId::parse);
    let name = name.ok_or_else(|| invalid_answer("save", saved))?;
    Ok(SpillRef::new(name, path.to_owned(), Kept::Whole))
}

/// Reads one item of the answer of `list`.
pub(super) fn entry_of(one: &Value) -> Result<Entry, Error> {
    let name = one.get("id").and_then(Value::as_str).and_then(OutputId::parse);
    entry(name.ok_or_else(|| invalid_answer("list", one))?, one)
}

fn entry(name: OutputId, info: &Value) -> Result<Entry, Error> {
    let bytes =
        info.get("bytes").and_then(Value::as_u64).ok_or_else(|| invalid_answer("info", info))?;
    let seconds = info.get("used").and_then(Value::as_f64);
    let used = seconds.and_then(|seconds| Timestamp::from_millisecond((seconds * 1e3) as i64).ok());
    // An output without a time counts as just used, so it is not swept.
    let used = used.unwrap_or(Timestamp::MAX);
    let pinned = info.get("pinned").and_then(Value::as_bool).unwrap_or_default();
    Ok(Entry { name, bytes, used, pinned })
}

fn invalid_answer(verb: &str, answer: &Value) -> Error {
    let answer: String = answer.to_string().chars().take(80).collect();
    Error::Other(format!("the store answered {answer} to {verb}").into())
}
