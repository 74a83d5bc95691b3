//! A store written in another language.

use std::fmt::Debug;
use std::ops::Range;
use std::time::Duration;

use jiff::Timestamp;
use overspill::store::{Draft, Entry, Expiry, Kept, OutputId, SpillRef, Store};
use overspill::{Call, Error};
use serde_json::Value;

/// An object that keeps outputs. Values go in and out as JSON, so that whatever it answers is
/// checked in one place; what it says when it fails becomes the reason why nothing was saved.
pub trait StoreObject: Debug + Send + Sync {
    /// Keeps an output, and says where: its path or address as text, or `{id, path}`.
    fn save(&self, bytes: Vec<u8>, call: &Call) -> Result<Value, Error>;

    /// Reads a part of an output.
    fn read(&self, id: &str, range: Range<u64>) -> Result<Vec<u8>, Error>;

    /// Says of an output `{bytes, used}`, `used` in seconds since 1970; null if it is not there.
    fn info(&self, id: &str) -> Result<Value, Error>;

    /// Lists `{id, bytes, used}` of all outputs.
    fn list(&self) -> Result<Value, Error>;

    /// Removes an output.
    fn delete(&self, id: &str) -> Result<(), Error>;
}

/// Makes a store of such an object. Nothing is kept of it here.
#[derive(Debug)]
pub struct CallbackStore<T>(std::sync::Arc<T>);

impl<T: StoreObject + 'static> CallbackStore<T> {
    /// Keeps outputs in `object`.
    pub fn new(object: T) -> CallbackStore<T> {
        CallbackStore(std::sync::Arc::new(object))
    }
}

impl<T: StoreObject + 'static> Store for CallbackStore<T> {
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error> {
        let (object, call) = (self.0.clone(), call.clone());
        Ok(Box::new(ForeignDraft { object, call, bytes: Vec::new() }))
    }

    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        let (start, end) = (at(range.start), at(range.end));
        let mut bytes = self.0.read(name.as_str(), range)?;
        // More than was asked for is all there is: it did not look at the range.
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
        let all = all.as_array().ok_or_else(|| nonsense("list", &all))?;
        all.iter().map(entry_of).collect()
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        self.0.delete(name.as_str())
    }

    fn touch(&self, _: &OutputId) -> Result<(), Error> {
        // When it was last used is for the object to know.
        Ok(())
    }

    fn expiry(&self) -> Option<&dyn Expiry> {
        Some(self)
    }
}

impl<T: StoreObject + 'static> Expiry for CallbackStore<T> {
    fn due(&self, _: Duration, _: Duration) -> Result<Option<Vec<Entry>>, Error> {
        // Listing may be slow, so a call never sweeps. A user can.
        Ok(None)
    }
}

#[derive(Debug)]
struct ForeignDraft<T> {
    object: std::sync::Arc<T>,
    call: Call,
    bytes: Vec<u8>,
}

impl<T: StoreObject> Draft for ForeignDraft<T> {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        let saved = self.object.save(self.bytes, &self.call)?;
        saved_as(&saved)
    }
}

/// Reads what `save` has answered.
pub(super) fn saved_as(saved: &Value) -> Result<SpillRef, Error> {
    let field = |key: &str| saved.get(key).and_then(Value::as_str);
    let path = saved.as_str().or_else(|| field("path")).or_else(|| field("id"));
    let path = path.filter(|path| !path.is_empty()).ok_or_else(|| nonsense("save", saved))?;
    // Of an address the last part will do, unless it says otherwise.
    let last = path.trim_end_matches('/').rsplit(['/', '\\']).next();
    let name = field("id").or(last).and_then(OutputId::parse);
    let name = name.ok_or_else(|| nonsense("save", saved))?;
    Ok(SpillRef::new(name, path.to_owned(), Kept::Whole))
}

/// Reads one of what `list` has answered.
pub(super) fn entry_of(one: &Value) -> Result<Entry, Error> {
    let name = one.get("id").and_then(Value::as_str).and_then(OutputId::parse);
    entry(name.ok_or_else(|| nonsense("list", one))?, one)
}

fn entry(name: OutputId, info: &Value) -> Result<Entry, Error> {
    let bytes = info.get("bytes").and_then(Value::as_u64).ok_or_else(|| nonsense("info", info))?;
    let seconds = info.get("used").and_then(Value::as_f64);
    let used = seconds.and_then(|seconds| Timestamp::from_millisecond((seconds * 1e3) as i64).ok());
    // What has no time was used just now, as far as anybody knows: it is not swept.
    let used = used.unwrap_or(Timestamp::MAX);
    let pinned = info.get("pinned").and_then(Value::as_bool).unwrap_or_default();
    Ok(Entry { name, bytes, used, pinned })
}

fn nonsense(verb: &str, answer: &Value) -> Error {
    let answer: String = answer.to_string().chars().take(80).collect();
    Error::Other(format!("the store answered {answer} to {verb}").into())
}
