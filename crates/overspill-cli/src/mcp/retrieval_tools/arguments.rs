//! Reads the arguments that a model sends to the retrieval tools.
//!
//! Unknown or invalid arguments are errors: a model would take silence for success.

use overspill::Part;
use overspill::internal::retrieve::FromValue;
use overspill::retrieve::Query;
use overspill::store::OutputId;
use serde_json::{Map, Value, json};

use crate::ui;

/// The arguments of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arguments<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Arguments<'a> {
    /// Refuses an argument that the tool does not have. The error names the known arguments, the
    /// most similar first.
    pub(super) fn check(self, tool: &str, known: &Map<String, Value>) -> Result<(), String> {
        let is_unknown = |(name, value): &(&String, &Value)| {
            !known.contains_key(name.as_str()) && !value.is_null()
        };
        let Some((name, _)) = self.0.iter().find(is_unknown) else { return Ok(()) };
        let alike = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), known);
        let mut known: Vec<&str> = known.keys().map(String::as_str).collect();
        known.sort_by(|a, b| alike(b).total_cmp(&alike(a)));
        let known = match known.is_empty() {
            true => "it takes no arguments".to_owned(),
            false => format!("it takes {}", known.join(", ")),
        };
        Err(format!("{tool} has no argument {:?}; {known}", ui::short(name, 100)))
    }

    /// Returns an argument unless it is null.
    pub(super) fn get(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(self, key: &str) -> Result<Option<&'a str>, String> {
        let text = |value: &'a Value| value.as_str().ok_or_else(|| format!("{key} is a text"));
        self.get(key).map(text).transpose()
    }

    /// Returns a whole number. Models also send numbers as text.
    pub(super) fn number(self, key: &str) -> Result<Option<u64>, String> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as u64);
        let number = match value {
            Value::String(text) => text.trim().parse().ok(),
            value => value.as_u64().or_else(|| whole(value.as_f64()?)),
        };
        number.map(Some).ok_or_else(|| format!("{key} is a whole number, 0 or more"))
    }

    /// Returns a switch. Models also send switches as text.
    pub(super) fn flag(self, key: &str) -> Result<bool, String> {
        match self.get(key) {
            None => Ok(false),
            Some(Value::Bool(on)) => Ok(*on),
            Some(Value::String(text)) if text == "true" => Ok(true),
            Some(Value::String(text)) if text == "false" => Ok(false),
            Some(_) => Err(format!("{key} is true or false")),
        }
    }

    /// Returns the name of the argument that is given, and refuses more than one of `keys`.
    pub(super) fn one_of<'k>(self, keys: &[&'k str]) -> Result<Option<&'k str>, String> {
        let given: Vec<&'k str> =
            keys.iter().copied().filter(|key| self.get(key).is_some()).collect();
        match given.len() {
            0 | 1 => Ok(given.first().copied()),
            _ => Err(format!("{} cannot be used together", given.join(" and "))),
        }
    }

    /// Returns the part of the output to read; without arguments, the first page.
    pub(super) fn part(self) -> Result<Part, String> {
        if self.get("from").is_some() {
            return Err("from needs json: it is the number of a value".into());
        }
        if let Some(part) = self.range("lines", Part::of_lines)? {
            return Ok(part);
        }
        if let Some(part) = self.range("bytes", Part::of_bytes)? {
            return Ok(part);
        }
        Ok(self.number("tail")?.map_or(Part::Lines(1, u64::MAX), Part::Tail))
    }

    fn range(self, key: &str, read: impl Fn(&str) -> Option<Part>) -> Result<Option<Part>, String> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let part = value.as_str().and_then(read);
        part.map(Some).ok_or_else(|| {
            format!("{key} is two numbers such as \"181-380\", the smaller one first")
        })
    }

    /// Returns the search that the arguments ask for.
    pub(super) fn query(self) -> Result<Query, String> {
        let context = self.number("context")?.unwrap_or(0).min(1_000) as usize;
        Ok(Query {
            pattern: self.text("pattern")?.ok_or("pattern is missing")?.to_owned(),
            ignore_case: self.flag("ignore_case")?,
            fixed: self.flag("fixed")?,
            before: context,
            after: context,
            most: match self.number("limit")? {
                Some(0) => return Err("limit is a whole number, 1 or more".into()),
                most => most,
            },
            from_line: self.number("from_line")?.unwrap_or(1),
            ..Query::default()
        })
    }

    /// Returns the number of the value to begin with.
    pub(super) fn from(self) -> Result<FromValue, String> {
        let text = match self.get("from") {
            None => return Ok(FromValue::START),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let (value, byte) = text.split_once(':').unwrap_or((&text, "0"));
        match (value.parse(), byte.parse()) {
            (Ok(value), Ok(byte)) => Ok(FromValue { value, byte }),
            _ => Err("from is a number such as 51, or two such as \"51:2000\"".into()),
        }
    }
}

/// Returns the arguments that ask for this search.
pub(super) fn of_search(id: &OutputId, query: &Query) -> Value {
    let mut arguments = json!({ "id": id.short_id(), "pattern": query.pattern });
    let lines = query.before.max(query.after);
    for (key, value, is_set) in [
        ("context", Value::from(lines), lines > 0),
        ("limit", query.most.into(), query.most.is_some()),
        ("ignore_case", true.into(), query.ignore_case),
        ("fixed", true.into(), query.fixed),
        ("from_line", query.from_line.into(), query.from_line > 1),
    ] {
        if is_set {
            arguments[key] = value;
        }
    }
    arguments
}
