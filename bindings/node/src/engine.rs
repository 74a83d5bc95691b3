//! The object that a JavaScript program creates: it shortens, saves and reads outputs.

use std::sync::{Arc, Mutex, PoisonError};

use napi::Either;
use napi::bindgen_prelude::{AsyncTask, Uint8Array};
use napi_derive::napi;
use overspill::core::LineRule;
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Call, Event, Overspill};
use overspill_embed::{CallRequest, Setup, camel_keys};
use serde_json::Value;

use crate::precomputed::PrecomputedAnswers;
use crate::report::{Spilled, failed, misuse, question, spilled, store};
use crate::spill::NativeSpill;
use crate::tasks::{Promise, Work};

/// The result of shortening: null if the output is short, true if a store written in JavaScript
/// must save the output first.
type Answer = Either<Spilled, bool>;

/// Shortens outputs by the rules of a profile. Options, calls, and answers that JavaScript gave in
/// advance are JSON text.
#[napi]
pub struct Engine {
    inner: Inner,
    directory: Option<String>,
    warnings: Vec<String>,
}

#[derive(Clone)]
struct Inner {
    overspill: Overspill,
    gates: Gates,
    lines: LineRule,
    heard: Arc<Mutex<Vec<Value>>>,
}

#[napi]
impl Engine {
    /// Reads the options. With `listens`, events of every call are collected for an observer.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String, listens: bool) -> napi::Result<Engine> {
        let setup = Setup::from_json(&json(&options)?).map_err(misuse)?;
        let working = std::env::current_dir().unwrap_or_default();
        let variable = |name: &str| std::env::var_os(name);
        let directory = setup.directory(&variable, working.clone());
        let directory = directory.and_then(|path| path.into_os_string().into_string().ok());
        let warnings = setup.warnings(&variable);
        let mut overspill = setup.overspill(&variable, working);
        let heard: Arc<Mutex<Vec<Value>>> = Arc::default();
        if listens {
            let heard = heard.clone();
            let observer = move |event: &Event| {
                let event = camel_keys(overspill_embed::event(event));
                heard.lock().unwrap_or_else(PoisonError::into_inner).push(event);
            };
            overspill = overspill.to_builder().observer(observer).build();
        }
        let lines = setup.profile.policy.lines;
        let inner = Inner { overspill, gates: setup.gates, lines, heard };
        Ok(Engine { inner, directory, warnings })
    }

    /// The directory in which outputs are saved, if any.
    #[napi(getter)]
    pub fn directory(&self) -> Option<String> {
        self.directory.clone()
    }

    /// Whether results are envelopes, which are saved as JSON text.
    #[napi(getter)]
    pub fn in_envelope(&self) -> bool {
        self.inner.overspill.profile().envelope
    }

    /// A sentence about each variable of the profile with an invalid value.
    #[napi(getter)]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Shortens an output. Names of the call are separate arguments, because most calls have no
    /// other options.
    #[napi(catch_unwind, ts_return_type = "Spilled | boolean | null")]
    pub fn process_sync(
        &self,
        output: Either<String, &[u8]>,
        tool: Option<String>,
        call_id: Option<String>,
        session: Option<String>,
        call: Option<String>,
        given: Option<String>,
    ) -> napi::Result<Option<Answer>> {
        let asked = asked(tool, call_id, session, call.as_deref())?;
        let given = PrecomputedAnswers::parse(given.as_deref())?;
        match output {
            Either::A(text) => self.inner.process(text.as_bytes(), &asked, &given),
            Either::B(bytes) => self.inner.process(bytes, &asked, &given),
        }
    }

    /// Shortens bytes of a call without any options: the fastest way.
    #[napi(catch_unwind)]
    pub fn process_bytes(&self, output: &[u8]) -> Option<Spilled> {
        let Inner { overspill, lines, .. } = &self.inner;
        spilled(overspill.process(output, &Call::default()), *lines)
    }

    /// Shortens an output. If it must be saved, another thread saves it.
    #[napi(ts_return_type = "Promise<Spilled | boolean | null>")]
    pub fn process(
        &self,
        output: Either<String, Uint8Array>,
        call: Option<String>,
        given: Option<String>,
    ) -> napi::Result<Promise<Option<Answer>>> {
        let (inner, asked) = (self.inner.clone(), asked(None, None, None, call.as_deref())?);
        let given = PrecomputedAnswers::parse(given.as_deref())?;
        let work = move || match output {
            Either::A(text) => inner.process(text.as_bytes(), &asked, &given),
            Either::B(bytes) => inner.process(&bytes, &asked, &given),
        };
        Ok(AsyncTask::new(Work::new(work, |answer| answer)))
    }

    /// Processes an output if it is short. Returns false for a long output.
    #[napi(catch_unwind)]
    pub fn fits(
        &self,
        output: Either<String, &[u8]>,
        tool: Option<String>,
        call_id: Option<String>,
        session: Option<String>,
        call: Option<String>,
    ) -> napi::Result<bool> {
        let asked = asked(tool, call_id, session, call.as_deref())?;
        let bytes = match &output {
            Either::A(text) => text.as_bytes(),
            Either::B(bytes) => bytes,
        };
        let overspill = &self.inner.overspill;
        if overspill.policy(&asked.call, &asked.options).fired_by(bytes).is_some() {
            return Ok(false);
        }
        asked.process(overspill, bytes);
        Ok(true)
    }

    /// Returns an output with its secrets masked, for showing or for saving. Null if the settings
    /// mask no secrets there.
    #[napi(catch_unwind)]
    pub fn masked(
        &self,
        output: Either<String, &[u8]>,
        is_saved: bool,
    ) -> Option<crate::report::MaskedOutput> {
        let redact = self.inner.overspill.redaction();
        let rules = if is_saved { redact.rules() } else { redact.shown() }?;
        let (output, count) = match output {
            Either::A(text) => {
                let (masked, count) = rules.text(&text);
                (Either::A(masked.into_owned()), count)
            }
            Either::B(bytes) => {
                let (masked, count) = rules.bytes(bytes);
                (Either::B(Uint8Array::new(masked.into_owned())), count)
            }
        };
        Some(crate::report::MaskedOutput { output, count: count as i64 })
    }

    /// Returns the size of an output.
    #[napi]
    pub fn size(&self, output: Either<String, &[u8]>) -> crate::report::Size {
        let bytes = match &output {
            Either::A(text) => text.as_bytes(),
            Either::B(bytes) => bytes,
        };
        overspill::core::Size::of(bytes, self.inner.lines).into()
    }

    /// Shortens a result, which is JSON. Returns null if it stays unchanged, `true` if its text
    /// must be saved first.
    #[napi(catch_unwind)]
    pub fn apply_sync(
        &self,
        result: String,
        call: Option<String>,
        given: Option<String>,
    ) -> napi::Result<Option<String>> {
        let asked = asked(None, None, None, call.as_deref())?;
        self.inner.apply(&result, &asked, &PrecomputedAnswers::parse(given.as_deref())?)
    }

    /// Shortens a result on another thread.
    #[napi(ts_return_type = "Promise<string | null>")]
    pub fn apply(
        &self,
        result: String,
        call: Option<String>,
        given: Option<String>,
    ) -> napi::Result<Promise<Option<String>>> {
        let (inner, asked) = (self.inner.clone(), asked(None, None, None, call.as_deref())?);
        let given = PrecomputedAnswers::parse(given.as_deref())?;
        let work = move || inner.apply(&result, &asked, &given);
        Ok(AsyncTask::new(Work::new(work, |answer| answer)))
    }

    /// Tells whether the predicate has to decide about a result, which is JSON.
    #[napi(catch_unwind)]
    pub fn asks_predicate(&self, result: String, call: Option<String>) -> napi::Result<bool> {
        let asked = asked(None, None, None, call.as_deref())?;
        let Inner { overspill, gates, .. } = &self.inner;
        Ok(crate::precomputed::asks_predicate(overspill, gates, &json(&result)?, &asked))
    }

    /// Returns the text of a result, which is JSON, as it would be saved.
    #[napi(catch_unwind)]
    pub fn text(&self, result: String) -> napi::Result<Option<String>> {
        Ok(overspill_embed::text(&self.inner.overspill, &json(&result)?))
    }

    /// Shortens several outputs under one budget.
    #[napi(ts_return_type = "Promise<Array<Spilled | null>>")]
    pub fn batch(
        &self,
        outputs: Vec<Either<String, Uint8Array>>,
        calls: String,
        budget: String,
    ) -> napi::Result<Promise<Vec<Option<Spilled>>>> {
        let (inner, budget) = (self.inner.clone(), json(&budget)?);
        let Value::Array(calls) = json(&calls)? else { return Err(failed("Misuse", "calls")) };
        let asked = calls.iter().map(|call| CallRequest::from_json(call).map_err(misuse));
        let asked = asked.collect::<napi::Result<Vec<CallRequest>>>()?;
        let work = move || {
            let bytes = outputs.iter().map(|output| match output {
                Either::A(text) => text.as_bytes(),
                Either::B(bytes) => bytes,
            });
            let outputs: Vec<(&[u8], CallRequest)> = bytes.zip(asked.iter().cloned()).collect();
            let done =
                overspill_embed::batch(&inner.overspill, &outputs, &budget).map_err(misuse)?;
            Ok(done.into_iter().map(|done| spilled(done, inner.lines)).collect())
        };
        Ok(AsyncTask::new(Work::new(work, |answer| answer)))
    }

    /// Opens an output that arrives piece by piece.
    #[napi(catch_unwind)]
    pub fn spill(&self, call: Option<String>) -> napi::Result<NativeSpill> {
        let CallRequest { call, options, end } = asked(None, None, None, call.as_deref())?;
        let spill = self.inner.overspill.clone().into_spill(call, options);
        Ok(NativeSpill::new(spill, end, self.inner.lines))
    }

    /// Answers a question about saved outputs: `read`, `grep`, `list`, `sweep` or `cleanup`. If the
    /// store is written in JavaScript, `given` and `bytes` are its answers. Options and answers are
    /// JSON.
    #[napi(ts_return_type = "Promise<string>")]
    pub fn ask(
        &self,
        question: String,
        id: String,
        pattern: String,
        options: String,
        given: Option<String>,
        bytes: Option<Uint8Array>,
    ) -> napi::Result<Promise<String>> {
        let (inner, options) = (self.inner.clone(), json(&options)?);
        let given = PrecomputedAnswers::parse(given.as_deref())?;
        let work = move || inner.ask(&question, &id, &pattern, &options, &given, bytes);
        Ok(AsyncTask::new(Work::new(work, |answer| answer)))
    }

    /// Returns the limits for a strategy, as JSON.
    #[napi(catch_unwind)]
    pub fn limits(&self, call: Option<String>) -> napi::Result<String> {
        let CallRequest { call, options, .. } = asked(None, None, None, call.as_deref())?;
        let policy = self.inner.overspill.policy(&call, &options);
        Ok(camel_keys(overspill_embed::policy(&policy)).to_string())
    }

    /// Returns the events since the last call, as JSON.
    #[napi]
    pub fn heard(&self) -> String {
        let mut heard = self.inner.heard.lock().unwrap_or_else(PoisonError::into_inner);
        Value::Array(std::mem::take(&mut *heard)).to_string()
    }
}

impl Inner {
    fn process(
        &self,
        output: &[u8],
        asked: &CallRequest,
        given: &PrecomputedAnswers,
    ) -> napi::Result<Option<Answer>> {
        if given.is_empty() {
            let done = asked.process(&self.overspill, output);
            return Ok(spilled(done, self.lines).map(Either::A));
        }
        let (told, store) = given.told(&self.overspill, output, asked)?;
        if let Some(store) = store {
            // This is only a trial, so no observer gets an event.
            asked.process(&told.to_builder().no_observer().build(), output);
            if store.is_asked() {
                return Ok(Some(Either::B(true)));
            }
        }
        Ok(spilled(asked.process(&told, output), self.lines).map(Either::A))
    }

    fn apply(
        &self,
        result: &str,
        asked: &CallRequest,
        given: &PrecomputedAnswers,
    ) -> napi::Result<Option<String>> {
        let result = json(result)?;
        let text = match given.is_empty() {
            true => None,
            false => overspill_embed::text(&self.overspill, &result),
        };
        let text = text.unwrap_or_default();
        let (told, store) = given.told(&self.overspill, text.as_bytes(), asked)?;
        let gates = given.gates(&self.gates)?;
        if let Some(store) = store {
            overspill_embed::apply(
                &told.to_builder().no_observer().build(),
                &result,
                asked,
                &gates,
            );
            if store.is_asked() {
                return Ok(Some("true".into()));
            }
        }
        Ok(match overspill_embed::apply(&told, &result, asked, &gates) {
            ShortenedResult::Unchanged => None,
            ShortenedResult::Changed(changed) => Some(changed.to_string()),
        })
    }

    fn ask(
        &self,
        asked: &str,
        id: &str,
        pattern: &str,
        options: &Value,
        given: &PrecomputedAnswers,
        bytes: Option<Uint8Array>,
    ) -> napi::Result<String> {
        let mut overspill = self.overspill.clone();
        let mut theirs = None;
        if !given.is_empty() {
            let store =
                Arc::new(given.store(bytes.map(|bytes| bytes.to_vec()).unwrap_or_default())?);
            overspill = overspill.to_builder().shared_store(store.clone()).build();
            theirs = Some(store);
        }
        let answer = match asked {
            "read" => overspill_embed::read(&overspill, id, options).map_err(question)?,
            "grep" => overspill_embed::grep(&overspill, id, pattern, options).map_err(question)?,
            "list" => overspill_embed::list(&overspill).map_err(store)?,
            "cleanup" => overspill_embed::cleanup(&overspill).map_err(store)?,
            _ => overspill_embed::sweep(&overspill).map_err(store)?,
        };
        let mut answer = camel_keys(answer);
        if let (Some(theirs), Value::Object(fields)) = (theirs, &mut answer)
            && matches!(asked, "sweep" | "cleanup")
        {
            fields.insert("expired".into(), theirs.deleted().into());
        }
        Ok(answer.to_string())
    }
}

fn asked(
    tool: Option<String>,
    call_id: Option<String>,
    session: Option<String>,
    call: Option<&str>,
) -> napi::Result<CallRequest> {
    let mut asked = match call {
        None => CallRequest::default(),
        Some(call) => CallRequest::from_json(&json(call)?).map_err(misuse)?,
    };
    asked.call.tool = tool.or(asked.call.tool);
    asked.call.id = call_id.or(asked.call.id);
    asked.call.session = session.or(asked.call.session);
    Ok(asked)
}

fn json(text: &str) -> napi::Result<Value> {
    serde_json::from_str(text).map_err(|error| failed("Misuse", error))
}
