//! Runs tools: checks their arguments, runs calls in parallel and shortens their results.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use overspill_core::internal::share_limits;
use overspill_core::{Limits, Size};
use serde_json::{Value, json};

use super::{Bounded, Gates};
use crate::{Call, CallOptions, Layer, Overspill};

/// Runs a tool with its arguments. Returns a result with the layout of the profile, or an error message.
type Execute = dyn Fn(&Value) -> Result<Value, String> + Send + Sync;

/// A tool of the registry.
pub struct Tool {
    name: String,
    schema: Option<jsonschema::Validator>,
    settings: Option<Layer>,
    execute: Box<Execute>,
}

/// A call that a model makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments, as JSON text.
    pub arguments: String,
}

/// A call and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// The call.
    pub call: ToolCall,
    /// The shortened result.
    pub result: Value,
}

/// Tools by name, with the engine that shortens their results.
pub struct Registry {
    tools: HashMap<String, Tool>,
    overspill: Option<(Overspill, Gates)>,
    budget: Option<Limits>,
    session: Option<String>,
}

/// Why a tool cannot be registered.
#[derive(Debug, thiserror::Error)]
#[error("the schema of {tool} is no JSON Schema: {reason}")]
pub struct BadSchema {
    /// The tool.
    pub tool: String,
    /// The reason.
    pub reason: String,
}

impl Tool {
    /// Makes a tool that takes any arguments.
    pub fn new(
        name: impl Into<String>,
        execute: impl Fn(&Value) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Tool {
        Tool { name: name.into(), schema: None, settings: None, execute: Box::new(execute) }
    }

    /// Checks arguments against a JSON Schema before the tool runs.
    pub fn with_schema(self, schema: &Value) -> Result<Tool, BadSchema> {
        match jsonschema::validator_for(schema) {
            Ok(schema) => Ok(Tool { schema: Some(schema), ..self }),
            Err(error) => Err(BadSchema { tool: self.name, reason: error.to_string() }),
        }
    }

    /// Declares settings for this tool's results. The user's settings come first.
    #[must_use]
    pub fn with_settings(self, settings: Layer) -> Tool {
        Tool { settings: Some(settings), ..self }
    }
}

impl Registry {
    /// Starts without tools. Results pass as they are.
    pub fn new() -> Registry {
        Registry { tools: HashMap::new(), overspill: None, budget: None, session: None }
    }

    /// Shortens every result.
    #[must_use]
    pub fn bounded_by(self, overspill: Overspill, gates: Gates) -> Registry {
        Registry { overspill: Some((overspill, gates)), ..self }
    }

    /// Shortens the results of one turn together: small ones stay whole, large ones give way.
    ///
    /// The budget counts the shown part of outputs that are cut. Results that pass a gate do not take
    /// part, and the notices of the source profiles are not counted.
    #[must_use]
    pub fn with_budget(self, budget: Limits) -> Registry {
        Registry { budget: Some(budget), ..self }
    }

    /// Sets the session of all calls.
    #[must_use]
    pub fn in_session(self, session: impl Into<String>) -> Registry {
        Registry { session: Some(session.into()), ..self }
    }

    /// Adds a tool; one of the same name is replaced.
    pub fn register(&mut self, tool: Tool) {
        self.tools.insert(tool.name.clone(), tool);
    }

    /// Runs all calls at once and returns their results in the order of the calls.
    ///
    /// A call that cannot be run, fails or panics has an error as its result. The other calls still run.
    pub fn execute(&self, calls: &[ToolCall]) -> Vec<Executed> {
        let results: Vec<Value> = thread::scope(|scope| {
            let running: Vec<_> = calls.iter().map(|call| scope.spawn(|| self.run(call))).collect();
            let panicked = |_| self.failure("the tool panicked");
            running.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
        });
        let shares = self.shares(&results);
        let bounded = |((call, result), share)| {
            let result = self.bound(call, result, share);
            Executed { call: call.clone(), result }
        };
        calls.iter().zip(results).zip(shares).map(bounded).collect()
    }

    /// Runs one call, if its arguments are valid.
    fn run(&self, call: &ToolCall) -> Value {
        let Some(tool) = self.tools.get(&call.name) else {
            return self.failure(&format!("there is no tool {}", call.name));
        };
        let text = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
        let arguments: Value = match serde_json::from_str(text) {
            Ok(arguments) => arguments,
            Err(error) => return self.failure(&format!("the arguments are not JSON: {error}")),
        };
        if let Some(error) = tool.schema.as_ref().and_then(|s| s.iter_errors(&arguments).next()) {
            let at = error.instance_path().to_string();
            let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
            return self.failure(&format!("invalid arguments{at}: {error}"));
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| (tool.execute)(&arguments)));
        match outcome {
            Ok(Ok(result)) => result,
            Ok(Err(message)) => self.failure(&message),
            Err(_) => self.failure("the tool panicked"),
        }
    }

    /// Returns the result of a call that failed, in the profile's shape.
    fn failure(&self, message: &str) -> Value {
        /// An error message is no output, so it is cut without being saved.
        const LONGEST: usize = 2000;
        let message: String = message.chars().take(LONGEST).collect();
        let text = self.overspill.as_ref().map_or("output", |(o, _)| o.profile.shape.text);
        json!({"success": false, "isError": true, text: message, "error": message})
    }

    /// Shares the budget out among the results.
    fn shares(&self, results: &[Value]) -> Vec<Option<Limits>> {
        let (Some(budget), Some((overspill, _))) = (&self.budget, &self.overspill) else {
            return vec![None; results.len()];
        };
        let profile = &overspill.profile;
        let size = |result: &Value| {
            let text = profile.shape.text_of(result).unwrap_or_default();
            Size::of(text.as_bytes(), profile.policy.lines)
        };
        let sizes: Vec<Size> = results.iter().map(size).collect();
        share_limits(&sizes, budget).into_iter().map(Some).collect()
    }

    /// Shortens one result. If that panics, an error takes its place: the result may be too long, or have
    /// secrets.
    fn bound(&self, call: &ToolCall, result: Value, share: Option<Limits>) -> Value {
        let Some((overspill, gates)) = &self.overspill else { return result };
        let about = Call {
            tool: Some(call.name.clone()),
            id: Some(call.id.clone()),
            session: self.session.clone(),
            ..Call::default()
        };
        let declared = self.tools.get(&call.name).and_then(|tool| tool.settings.clone());
        let options = CallOptions { declared, share, ..CallOptions::default() };
        let bounded = || overspill.bound_result(&result, &about, &options, gates);
        match catch_unwind(AssertUnwindSafe(bounded)) {
            Ok(Bounded::Changed(bounded)) => bounded,
            Ok(Bounded::Unchanged) => result,
            Err(_) => self.failure("the result could not be shortened"),
        }
    }
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::new()
    }
}
