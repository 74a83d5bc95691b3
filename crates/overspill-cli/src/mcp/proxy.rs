//! Decides about each message between a client and a server: pass on, change, or answer. Knows no
//! transport.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overspill::internal::tool::walk::ResultRules;
use overspill::{Call, CallOptions, Overspill, ReaderAbilities, Redaction};
use serde_json::Value;

use super::answers::{INTERNAL_ERROR, answer, error, too_much};
use super::edit::{Edit, EditChange, edited};
use super::listing::Listing;
use super::long;
use super::mask::Mask;
use super::pending::{Pending, PendingRequest};
use super::probe::{Frame, Id, Look, Message, peek};
use super::retrieval_tools::RetrievalTools;
use super::rewrite::{Done, ResultRewriter};
use super::scope::SCHEME;
use super::settings::McpSettings;
use super::walk::{JsonWalk, Key};
use crate::env::Env;
use overspill::core::internal::json::JsonToken;

/// The proxy between a client and a server.
#[derive(Debug)]
pub(super) struct Proxy {
    settings: McpSettings,
    pending: Mutex<Pending>,
    now: Mutex<Now>,
}

/// The state that changes when the server lists its tools or capabilities.
#[derive(Debug, Clone)]
struct Now {
    engine: Arc<Overspill>,
    ours: Arc<RetrievalTools>,
    /// The JSON schemas of the structured content, by tool.
    schemas: Arc<BTreeMap<String, Arc<Value>>>,
    /// Tells whether the server has resources.
    has_resources: bool,
}

/// A message of the client that the proxy answers itself.
#[derive(Debug)]
pub(super) struct Question {
    message: Message,
    bytes: Vec<u8>,
}

/// The outcome for a frame of the client.
#[derive(Debug)]
pub(super) struct FromClient<'a> {
    /// The bytes that the server gets.
    pub(super) forward: Cow<'a, [u8]>,
    /// The messages that the proxy answers itself.
    pub(super) questions: Vec<Question>,
}

/// Locks the mutex. A thread that panicked with the lock has left the value unchanged.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Proxy {
    pub(super) fn new(settings: McpSettings) -> Proxy {
        let (names, list) = RetrievalTools::names(&settings.prefix, &[]);
        let limits = settings.engine.policy(&Call::default(), &CallOptions::default()).limits;
        let ours = RetrievalTools { names, list, scope: settings.scope.clone(), limits };
        let now = Now {
            engine: Arc::new(with_tools(&settings, &ours)),
            ours: Arc::new(ours),
            schemas: Arc::default(),
            has_resources: true,
        };
        Proxy { settings, pending: Mutex::default(), now: Mutex::new(now) }
    }

    fn now(&self) -> Now {
        locked(&self.now).clone()
    }

    /// Returns the requests that wait for the server.
    pub(super) fn pending(&self) -> MutexGuard<'_, Pending> {
        locked(&self.pending)
    }

    /// Takes a frame of the client.
    pub(super) fn client_says<'a>(&self, frame: &'a [u8]) -> FromClient<'a> {
        let Ok(found) = peek(frame) else {
            return FromClient { forward: Cow::Borrowed(frame), questions: Vec::new() };
        };
        let now = self.now();
        let all = found.messages.len();
        let (own, theirs): (Vec<Message>, Vec<Message>) =
            found.messages.into_iter().partition(|message| now.is_for_us(message));
        let mut pending = self.pending();
        theirs.iter().for_each(|message| pending.asked(message));
        drop(pending);
        let forward = match own.len() {
            0 => Cow::Borrowed(frame),
            n if n == all => Cow::Borrowed(&b""[..]),
            _ => {
                let edits = own.iter().map(|message| Edit::remove(message.place.clone()));
                Cow::Owned(edited(frame, edits.collect()))
            }
        };
        let question = |message: Message| {
            let bytes = frame[message.place.clone()].to_vec();
            Question { message, bytes }
        };
        FromClient { forward, questions: own.into_iter().map(question).collect() }
    }

    /// Answers a message in place of the server.
    pub(super) fn answer(&self, question: &Question) -> Vec<u8> {
        let Now { engine, ours, .. } = self.now();
        let Question { message, bytes } = question;
        let store = &*engine.shown_store();
        let whole: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let result = match (message.method.as_deref(), &message.name, &message.uri) {
            (Some("tools/call"), Some(tool), _) => {
                Ok(ours.call(store, tool, &whole["params"]["arguments"]))
            }
            (Some(method), _, uri) => {
                ours.about_resources(store, method, uri.as_deref().unwrap_or_default())
            }
            (None, ..) => return Vec::new(),
        };
        let id = message.id.as_ref();
        match result {
            Ok(result) => answer(id, result, message.is_stateless),
            Err((code, reason)) => error(id, code, &reason),
        }
    }

    /// Takes a whole frame of the server; returns the bytes that the client gets.
    pub(super) fn server_says<'a>(&self, frame: &'a [u8]) -> Cow<'a, [u8]> {
        let frame = without_mark(frame);
        match peek(frame) {
            Ok(Frame { is_list: true, .. }) => long::listed(self, frame),
            Ok(Frame { messages, .. }) => match &messages[..] {
                [message] => self.answered(frame, message),
                _ => long::unread(self, frame),
            },
            Err(_) => long::unread(self, frame),
        }
    }

    fn answered<'a>(&self, frame: &'a [u8], message: &Message) -> Cow<'a, [u8]> {
        let asked = match (&message.id, message.is_answer()) {
            (Some(id), true) => self.pending().answered(id),
            _ => None,
        };
        let (masked, count) = self.masked(frame);
        let frame: &[u8] = &masked;
        let changed = match asked {
            Some(PendingRequest::Call { tool }) => {
                self.shortened(frame, Some(&tool), message, count)
            }
            Some(PendingRequest::Result) => self.shortened(frame, None, message, count),
            // The client may take an ambiguous message for the result of any call.
            _ if message.is_ambiguous => self.shortened(frame, None, message, count),
            None if message.is_answer() || message.is_log() => {
                self.shortened(frame, None, message, count)
            }
            Some(PendingRequest::Tools) => self.listed(frame),
            Some(PendingRequest::Hello) => self.greeted(frame),
            Some(PendingRequest::Resources) => {
                let now = self.now();
                let ours = now.ours.resources(&*now.engine.shown_store());
                with_more(frame, Key::Resources, &ours)
            }
            Some(PendingRequest::Templates) => {
                with_more(frame, Key::Templates, &[RetrievalTools::template()])
            }
            Some(PendingRequest::Other) | None => None,
        };
        changed.map_or(masked, Cow::Owned)
    }

    /// Returns the rules for masking the messages of a server, if masking is on.
    pub(super) fn rules(&self) -> Option<&Arc<Redaction>> {
        self.settings.engine.redaction().shown()
    }

    /// Returns a message with its secrets masked, and the number of secrets.
    pub(super) fn masked<'a>(&self, frame: &'a [u8]) -> (Cow<'a, [u8]>, u64) {
        match self.rules() {
            None => (Cow::Borrowed(frame), 0),
            Some(rules) => Mask::whole(rules, frame),
        }
    }

    /// Returns the list of tools as the client gets it.
    pub(super) fn listed(&self, frame: &[u8]) -> Option<Vec<u8>> {
        let listing = Listing::read(frame)?;
        let mut now = self.now();
        let (names, list) = RetrievalTools::names(&self.settings.prefix, &listing.names());
        if names != now.ours.names || list != now.ours.list {
            let ours = RetrievalTools { names, list, ..RetrievalTools::clone(&now.ours) };
            now.engine = Arc::new(with_tools(&self.settings, &ours));
            now.ours = Arc::new(ours);
        }
        // Each page of a list has its own schemas.
        let mut schemas = BTreeMap::clone(&now.schemas);
        schemas.extend(listing.schemas());
        now.schemas = Arc::new(schemas);
        *locked(&self.now) = now.clone();
        let ours = now.ours.definitions(now.engine.store());
        let structured = |tool: &str| self.settings.rules(tool).structured;
        Some(listing.changed(ours, now.ours.limits.chars, structured))
    }

    /// Reads the capabilities of the server. If the server has no resources, the client is told
    /// that the proxy has.
    fn greeted(&self, frame: &[u8]) -> Option<Vec<u8>> {
        let answer: Value = serde_json::from_slice(frame).ok()?;
        let has_resources = answer["result"]["capabilities"].as_object()?.contains_key("resources");
        locked(&self.now).has_resources = has_resources;
        if has_resources {
            return None;
        }
        let end = end_of(frame, &[Key::Result, Key::Capabilities])?;
        let change = EditChange::Add(br#""resources":{}"#.to_vec());
        Some(edited(frame, vec![Edit { place: end..end, change }]))
    }

    /// Shortens the result or the error of a call.
    fn shortened(
        &self,
        frame: &[u8],
        tool: Option<&str>,
        message: &Message,
        masked: u64,
    ) -> Option<Vec<u8>> {
        let now = self.now();
        let call = self.call(tool, message.id.as_ref());
        let rules = self.rules_of(&now, tool);
        let (known, env) = (Some(message.clone()), &self.settings.env);
        let mut rewriter = ResultRewriter::new(&now.engine, call, rules, known, env);
        // A secret may span two texts of a short result.
        if rewriter.surely_fits(frame.len()) && self.rules().is_none() {
            return None;
        }
        rewriter.push(frame).ok()?;
        rewriter.add_masked(masked);
        if rewriter.is_too_much() {
            let shown = rewriter.break_off(|_| {});
            return Some(error(message.id.as_ref(), INTERNAL_ERROR, &too_much(&shown)));
        }
        match rewriter.finish() {
            Done::Same(_) => None,
            Done::Changed(frame) => Some(frame),
        }
    }

    /// Tells whether a line of this length is certainly within the limit.
    pub(super) fn surely_fits(&self, len: usize) -> bool {
        self.result_of(None, None).rewriter().surely_fits(len)
    }

    /// Tells whether an answer belongs to a request whose answers are not shortened.
    pub(super) fn passes(&self, answer: &Message) -> bool {
        let pending = self.pending();
        let asked = answer.id.as_ref().and_then(|id| pending.get(id));
        asked.is_some_and(|asked| !asked.is_shortened())
    }

    /// Returns the means to shorten a result that is too long for memory. Returns `None` if the
    /// start of the message does not look like a result.
    pub(super) fn long_result(&self, start: &[u8]) -> Option<LongResult> {
        let mut look = Look::default();
        look.push(start);
        let message = look.message();
        let pending = self.pending();
        let asked = message.id.as_ref().and_then(|id| pending.get(id));
        let tool = match asked {
            _ if message.is_log() => None,
            _ if message.is_call_or_note() => return None,
            Some(PendingRequest::Call { tool }) => Some(tool.clone()),
            Some(asked) if asked.is_shortened() => None,
            _ if !message.is_answer() => return None,
            Some(_) if !message.is_ambiguous => return None,
            // The id is still to come: the call is known only if a single call waits.
            None if message.id.is_none() => match &pending.calls()[..] {
                [tool] => tool.map(str::to_owned),
                _ => None,
            },
            _ => None,
        };
        drop(pending);
        Some(self.result_of(tool.as_deref(), message.id.as_ref()))
    }

    fn result_of(&self, tool: Option<&str>, id: Option<&Id>) -> LongResult {
        let now = self.now();
        let (call, rules) = (self.call(tool, id), self.rules_of(&now, tool));
        LongResult { engine: now.engine, call, rules, env: self.settings.env.clone() }
    }

    fn rules_of(&self, now: &Now, tool: Option<&str>) -> ResultRules {
        let tool = tool.unwrap_or_default();
        let schema = now.schemas.get(tool).cloned();
        ResultRules { schema, ..self.settings.rules(tool) }
    }

    fn call(&self, tool: Option<&str>, id: Option<&Id>) -> Call {
        let server = &self.settings.server;
        Call {
            tool: Some(tool.map_or_else(|| server.clone(), |tool| format!("{server}/{tool}"))),
            id: id.map(|id| id.0.clone()),
            session: Some(self.settings.scope.session.clone()),
            command: None,
            directory: self.settings.directory.clone(),
        }
    }
}

/// The means to shorten a result that is too long for memory.
#[derive(Debug)]
pub(super) struct LongResult {
    engine: Arc<Overspill>,
    call: Call,
    rules: ResultRules,
    env: Env,
}

impl LongResult {
    pub(super) fn rewriter(&self) -> ResultRewriter<'_> {
        let (call, rules) = (self.call.clone(), self.rules.clone());
        ResultRewriter::new(&self.engine, call, rules, None, &self.env)
    }
}

impl Now {
    /// Tells whether the proxy itself answers a message of the client.
    fn is_for_us(&self, message: &Message) -> bool {
        let (Some(method), Some(_)) = (message.method.as_deref(), &message.id) else {
            return false;
        };
        match method {
            "tools/call" => message.name.as_deref().is_some_and(|name| self.ours.has(name)),
            "resources/read" => {
                let is_ours = |uri: &str| uri.starts_with(SCHEME);
                !self.has_resources || message.uri.as_deref().is_some_and(is_ours)
            }
            "resources/list" | "resources/templates/list" => !self.has_resources,
            _ => false,
        }
    }
}

/// Returns a frame without the byte order mark that some servers write first.
pub(super) fn without_mark(frame: &[u8]) -> &[u8] {
    frame.strip_prefix("\u{feff}".as_bytes()).unwrap_or(frame)
}

/// Returns the last page of a list with more values at its end, or `None` for any other frame.
fn with_more(frame: &[u8], list: Key, more: &[Value]) -> Option<Vec<u8>> {
    let answer: Value = serde_json::from_slice(frame).ok()?;
    if !answer["result"]["nextCursor"].is_null() {
        return None;
    }
    let end = end_of(frame, &[Key::Result, list])?;
    let add = more.iter().rev().map(|value| Edit {
        place: end..end,
        change: EditChange::Add(value.to_string().into_bytes()),
    });
    Some(edited(frame, add.collect()))
}

/// Returns the position of the closing bracket of the list or object at `path`.
fn end_of(frame: &[u8], path: &[Key]) -> Option<usize> {
    let (mut walk, mut at) = (JsonWalk::default(), 0);
    while at < frame.len() {
        let step = walk.next(&frame[at..]).ok()?;
        if step.token == JsonToken::Close && step.path == path {
            return Some(at);
        }
        at += step.len;
    }
    None
}

/// Returns the engine, with notices that name the retrieval tools.
fn with_tools(settings: &McpSettings, ours: &RetrievalTools) -> Overspill {
    let tools = Some(ours.names.clone());
    let reach = ReaderAbilities { tools, ..settings.engine.reader().clone() };
    // The environment of the proxy says nothing about the shells of the client.
    let env = settings.env.clone();
    settings.engine.to_builder().reader(reach).program(move || env.program_path()).build()
}
