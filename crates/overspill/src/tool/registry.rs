//! Runs tools: checks their arguments, runs calls in parallel and shortens their results.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "async")]
use std::pin::Pin;
use std::sync::Arc;
use std::thread;

#[cfg(feature = "async")]
use futures_util::future::{FutureExt, join_all};
use overspill_core::internal::share_limits;
use overspill_core::{Limits, Size};
use serde_json::{Value, json};

use super::{Gates, ShortenedResult};
use crate::seeds::{PermissionRule, can_delegate};
use crate::{Call, CallOptions, Layer, Overspill};

/// Runs a tool with its arguments. Returns a result with the layout of the profile, or an error
/// message.
type Execute = dyn Fn(&Value) -> Result<Value, String> + Send + Sync;

/// Starts an async tool with its arguments.
#[cfg(feature = "async")]
type Start =
    dyn Fn(Value) -> Pin<Box<dyn Future<Output = Result<Value, String>> + Send>> + Send + Sync;

/// The code of a tool.
enum Code {
    Blocking(Box<Execute>),
    #[cfg(feature = "async")]
    Async(Box<Start>),
}

/// A tool of the registry.
pub struct Tool {
    name: String,
    schema: Option<jsonschema::Validator>,
    settings: Option<Layer>,
    code: Code,
}

/// The details of all calls of one turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use]
pub struct TurnContext {
    /// The session. Without it, the session of the registry applies.
    pub session: Option<String>,
    /// The agent can hand work to a sub-agent, so notices may offer that.
    pub delegate: bool,
}

impl TurnContext {
    /// Returns a context without any detail.
    pub fn new() -> TurnContext {
        TurnContext::default()
    }

    /// Names the session.
    pub fn session(self, session: impl Into<String>) -> TurnContext {
        TurnContext { session: Some(session.into()), ..self }
    }

    /// Sets whether the agent can hand work to a sub-agent.
    pub fn delegate(self, delegate: bool) -> TurnContext {
        TurnContext { delegate, ..self }
    }

    /// Sets from permission rules whether the agent can hand work on: see [`can_delegate`].
    pub fn permission(self, rules: &[PermissionRule]) -> TurnContext {
        self.delegate(can_delegate(Some(rules)))
    }
}

/// A call that a model makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
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
#[derive(Clone)]
pub struct Registry {
    tools: HashMap<String, Arc<Tool>>,
    overspill: Option<(Overspill, Gates)>,
    budget: Option<Limits>,
    session: Option<String>,
}

/// The message of a tool that panicked.
const PANICKED: &str = "the tool panicked";

/// The reason why a tool cannot be registered.
#[derive(Debug, thiserror::Error)]
#[error("the schema of {tool} is no JSON Schema: {reason}")]
pub struct BadSchema {
    /// The name of the tool.
    pub tool: String,
    /// The reason.
    pub reason: String,
}

impl Tool {
    /// Makes a tool that accepts any arguments.
    pub fn new(
        name: impl Into<String>,
        execute: impl Fn(&Value) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Tool {
        let code = Code::Blocking(Box::new(execute));
        Tool { name: name.into(), schema: None, settings: None, code }
    }

    /// Makes an async tool that accepts any arguments. [`Registry::execute_async`] runs it.
    #[cfg(feature = "async")]
    pub fn new_async<F>(
        name: impl Into<String>,
        execute: impl Fn(Value) -> F + Send + Sync + 'static,
    ) -> Tool
    where
        F: Future<Output = Result<Value, String>> + Send + 'static,
    {
        let code = Code::Async(Box::new(move |arguments| Box::pin(execute(arguments))));
        Tool { name: name.into(), schema: None, settings: None, code }
    }

    /// Checks arguments against a JSON Schema before the tool runs.
    pub fn with_schema(self, schema: &Value) -> Result<Tool, BadSchema> {
        match jsonschema::validator_for(schema) {
            Ok(schema) => Ok(Tool { schema: Some(schema), ..self }),
            Err(error) => Err(BadSchema { tool: self.name, reason: error.to_string() }),
        }
    }

    /// Declares settings for this tool's results. The user's settings override them.
    #[must_use]
    pub fn with_settings(self, settings: Layer) -> Tool {
        Tool { settings: Some(settings), ..self }
    }
}

impl Registry {
    /// Makes a registry without tools, which leaves results unchanged.
    pub fn new() -> Registry {
        Registry { tools: HashMap::new(), overspill: None, budget: None, session: None }
    }

    /// Shortens every result with this engine.
    #[must_use]
    pub fn shortened_by(self, overspill: Overspill, gates: Gates) -> Registry {
        Registry { overspill: Some((overspill, gates)), ..self }
    }

    /// Shortens the results of one turn together: small results stay whole, large ones share the
    /// rest of the budget.
    ///
    /// The budget counts the shown part of outputs that are cut. Results that pass a gate do not
    /// count, and the notices of the source profiles do not count.
    #[must_use]
    pub fn with_budget(self, budget: Limits) -> Registry {
        Registry { budget: Some(budget), ..self }
    }

    /// Sets the session of all calls.
    #[must_use]
    pub fn in_session(self, session: impl Into<String>) -> Registry {
        Registry { session: Some(session.into()), ..self }
    }

    /// Adds a tool. It replaces a tool of the same name.
    pub fn register(&mut self, tool: Tool) {
        self.tools.insert(tool.name.clone(), Arc::new(tool));
    }

    /// Runs all calls in parallel and returns their results in the order of the calls.
    ///
    /// A call that cannot be run, fails or panics has an error as its result. The other calls still
    /// run.
    pub fn execute(&self, calls: &[ToolCall]) -> Vec<Executed> {
        self.execute_in(calls, &TurnContext::new())
    }

    /// Like [`Registry::execute`], with a context for these calls.
    pub fn execute_in(&self, calls: &[ToolCall], context: &TurnContext) -> Vec<Executed> {
        let results: Vec<Value> = thread::scope(|scope| {
            let running: Vec<_> = calls.iter().map(|call| scope.spawn(|| self.run(call))).collect();
            let panicked = |_| self.failure(PANICKED);
            running.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
        });
        self.executed(calls, results, context)
    }

    /// Like [`Registry::execute_in`], for an async program in any runtime.
    ///
    /// Async tools run in the task of the caller. Other tools, and all work with files, run on
    /// threads of their own.
    #[cfg(feature = "async")]
    pub async fn execute_async(&self, calls: &[ToolCall], context: &TurnContext) -> Vec<Executed> {
        let results = join_all(calls.iter().map(|call| self.run_async(call.clone()))).await;
        let (registry, calls, context) = (self.clone(), calls.to_vec(), context.clone());
        crate::blocking::unblock(move || registry.executed(&calls, results, &context)).await
    }

    /// Shortens the results of one turn.
    fn executed(
        &self,
        calls: &[ToolCall],
        results: Vec<Value>,
        context: &TurnContext,
    ) -> Vec<Executed> {
        let shares = self.shares(&results);
        let shortened = |((call, result), share)| {
            let result = self.shorten(call, result, share, context);
            Executed { call: call.clone(), result }
        };
        calls.iter().zip(results).zip(shares).map(shortened).collect()
    }

    /// Runs one call, if its arguments are valid.
    fn run(&self, call: &ToolCall) -> Value {
        let (tool, arguments) = match self.checked(call) {
            Ok(checked) => checked,
            Err(message) => return self.failure(&message),
        };
        #[allow(
            clippy::infallible_destructuring_match,
            reason = "the feature `async` adds a variant"
        )]
        let execute = match &tool.code {
            Code::Blocking(execute) => execute,
            #[cfg(feature = "async")]
            Code::Async(_) => return self.failure("the tool is async: use `execute_async`"),
        };
        match catch_unwind(AssertUnwindSafe(|| execute(&arguments))) {
            Ok(Ok(result)) => result,
            Ok(Err(message)) => self.failure(&message),
            Err(_) => self.failure(PANICKED),
        }
    }

    #[cfg(feature = "async")]
    async fn run_async(&self, call: ToolCall) -> Value {
        // A blocking tool checks its arguments on its own thread.
        let (tool, arguments) = match self.tools.get(&call.name).map(|tool| &tool.code) {
            Some(Code::Async(_)) => match self.checked(&call) {
                Ok(checked) => checked,
                Err(message) => return self.failure(&message),
            },
            Some(Code::Blocking(_)) | None => {
                let registry = self.clone();
                return crate::blocking::unblock(move || registry.run(&call)).await;
            }
        };
        let Code::Async(start) = &tool.code else { return self.failure(PANICKED) };
        let started = catch_unwind(AssertUnwindSafe(|| start(arguments)));
        let outcome = match started {
            Ok(running) => AssertUnwindSafe(running).catch_unwind().await,
            Err(panic) => Err(panic),
        };
        match outcome {
            Ok(Ok(result)) => result,
            Ok(Err(message)) => self.failure(&message),
            Err(_) => self.failure(PANICKED),
        }
    }

    /// Finds the tool of a call and checks its arguments. Returns a message if the call cannot be
    /// run.
    fn checked(&self, call: &ToolCall) -> Result<(&Arc<Tool>, Value), String> {
        let tool = self.tools.get(&call.name);
        let tool = tool.ok_or_else(|| format!("there is no tool {}", call.name))?;
        let text = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
        let arguments: Value = serde_json::from_str(text)
            .map_err(|error| format!("the arguments are not JSON: {error}"))?;
        if let Some(error) = tool.schema.as_ref().and_then(|s| s.iter_errors(&arguments).next()) {
            let at = error.instance_path().to_string();
            let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
            return Err(format!("invalid arguments{at}: {error}"));
        }
        Ok((tool, arguments))
    }

    /// Returns the result of a call that failed, in the profile's shape.
    fn failure(&self, message: &str) -> Value {
        /// The length in characters to which error messages are cut. They are not outputs, so they
        /// are not saved.
        const LONGEST: usize = 2000;
        let message: String = message.chars().take(LONGEST).collect();
        let text = self.overspill.as_ref().map_or("output", |(o, _)| o.profile.shape.text);
        json!({"success": false, "isError": true, text: message, "error": message})
    }

    /// Shares the budget among the results.
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

    /// Shortens one result. If that panics, an error replaces the result, which may be too long or
    /// have secrets.
    fn shorten(
        &self,
        call: &ToolCall,
        result: Value,
        share: Option<Limits>,
        context: &TurnContext,
    ) -> Value {
        let Some((overspill, gates)) = &self.overspill else { return result };
        let about = Call {
            tool: Some(call.name.clone()),
            id: Some(call.id.clone()),
            session: context.session.clone().or_else(|| self.session.clone()),
            ..Call::default()
        };
        let declared = self.tools.get(&call.name).and_then(|tool| tool.settings.clone());
        let delegate = context.delegate;
        let options = CallOptions { declared, share, delegate, ..CallOptions::default() };
        let shortened = || overspill.shorten_result(&result, &about, &options, gates);
        match catch_unwind(AssertUnwindSafe(shortened)) {
            Ok(ShortenedResult::Changed(shortened)) => shortened,
            Ok(ShortenedResult::Unchanged) => result,
            Err(_) => self.failure("the result could not be shortened"),
        }
    }
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::new()
    }
}
