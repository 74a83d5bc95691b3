//! The service of `agent-v2`: built from its JSON configuration, with settings that can change
//! later.

use std::path::PathBuf;

use jiff::SignedDuration;
use overspill_core::Strategy;
use serde_json::{Map, Value};

use super::json_settings::warning;
use super::{ServiceEvent, ServiceResult};
use crate::profile::{Directory, Profile};
use crate::settings::Warning;
use crate::store::Store;
use crate::sweep::Retention;
use crate::{Call, CallOptions, Error, Layer, Overspill};

/// Shortens outputs as the document of `agent-v2` describes it.
///
/// ```
/// use overspill::Layer;
/// use overspill::seeds::{Service, ServiceContext, ServiceResult};
/// use serde_json::json;
///
/// # let directory = std::env::temp_dir().join("overspill-doc-service");
/// let config = json!({
///     "global": {"maxLines": 100, "storageDir": "outputs", "retentionDays": 3},
///     "tools": {"bash": {"direction": "tail", "maxLines": 50}},
/// });
/// // `directory` is the working directory of the agent.
/// let mut service = Service::from_json(&config, directory)
///     .on_event(|event| println!("[Truncation] {}: {}", event.r#type, event.tool_name));
/// assert!(service.warnings().is_empty());
///
/// match service.output(&"a line\n".repeat(500), ServiceContext::new("bash").session("s1")) {
///     ServiceResult::Whole { .. } => unreachable!("500 lines are too many"),
///     ServiceResult::Cut { content, removed_lines, .. } => {
///         assert!(content.starts_with("...451 lines truncated..."));
///         assert_eq!(removed_lines, Some(451));
///     }
/// }
/// service.update(&Layer::new().enabled(false));
/// service.set_tool("bash", Layer::new());
/// assert!(!service.output(&"a line\n".repeat(500), "bash").is_cut());
/// service.cleanup()?;
/// # Ok::<(), overspill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Service {
    overspill: Overspill,
    warnings: Vec<Warning>,
}

/// The call that an output comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use]
pub struct ServiceContext {
    /// The name of the tool.
    pub tool: String,
    /// The name of the session.
    pub session: Option<String>,
    /// The name of the message.
    pub message: Option<String>,
    /// Whether the caller can hand work to a sub-agent.
    pub delegate: bool,
    /// Settings of this call alone.
    pub options: Layer,
}

impl Service {
    /// Reads `{global, tools}`, or the settings of `global` with `tools` among them, or `true` or
    /// `false`.
    ///
    /// `global` has `maxLines`, `maxBytes`, `direction`, `enabled`, `storageDir` and `retentionDays`. An entry of
    /// `tools` has the first four. Outputs are saved in `storageDir`, or in `data/truncation`, both below
    /// `working`. An invalid value is left out, and [`Service::warnings`] names it.
    pub fn from_json(config: &Value, working: impl Into<PathBuf>) -> Service {
        let config = Config::of(config);
        let directory = match (config.storage, Profile::AGENT_V2.directory) {
            (None, Directory::Working(path)) => working.into().join(&*path),
            (storage, _) => working.into().join(storage.unwrap_or_default()),
        };
        let overspill = Overspill::builder()
            .profile(Profile::AGENT_V2)
            .directory(directory)
            .settings(with_tool_table(config.layer))
            .retention(config.retention.unwrap_or(Profile::AGENT_V2.retention))
            .build();
        Service { overspill, warnings: config.warnings }
    }

    /// Makes a service of an engine, for example one with a store and a strategy of your own.
    pub fn new(overspill: Overspill) -> Service {
        Service { overspill, warnings: Vec::new() }
    }

    /// Reports every call to this function. A panic of the function changes no result.
    #[must_use]
    pub fn on_event(self, listener: impl Fn(&ServiceEvent) + Send + Sync + 'static) -> Service {
        let observer = move |event: &crate::Event<'_>| listener(&ServiceEvent::of(event));
        Service { overspill: self.overspill.to_builder().observer(observer).build(), ..self }
    }

    /// Chooses the shown parts with a strategy of your own.
    #[must_use]
    pub fn strategy(self, strategy: impl Strategy + 'static) -> Service {
        Service { overspill: self.overspill.to_builder().strategy(strategy).build(), ..self }
    }

    /// Saves outputs in a store of your own.
    #[must_use]
    pub fn storage(self, store: impl Store + 'static) -> Service {
        Service { overspill: self.overspill.to_builder().store(store).build(), ..self }
    }

    /// Shortens an output. `context` is a [`ServiceContext`], or the name of the tool.
    pub fn output(&self, text: &str, context: impl Into<ServiceContext>) -> ServiceResult {
        let (call, options) = context.into().parts();
        ServiceResult::of(&self.overspill.process_with(text.as_bytes(), &call, &options))
    }

    /// Like [`Service::output`], on a thread of its own. The caller can await it in any runtime.
    ///
    /// If the thread cannot be started, the work runs where the future is polled. A strategy or a
    /// store that never answers blocks the thread and not the caller. You can drop the future after
    /// a timeout and still use the text.
    #[cfg(feature = "async")]
    pub fn output_async(
        &self,
        text: String,
        context: ServiceContext,
    ) -> impl Future<Output = ServiceResult> + Send + use<> {
        let service = self.clone();
        crate::blocking::unblock(move || service.output(&text, context))
    }

    /// Adds settings to the general ones. Values that `settings` does not have stay.
    pub fn update(&mut self, settings: &Layer) {
        self.overspill.settings.user = self.overspill.settings.user.updated(settings);
    }

    /// Replaces all settings of a tool.
    pub fn set_tool(&mut self, tool: impl Into<String>, settings: Layer) {
        self.overspill.settings.user.tools.insert(tool.into(), settings);
    }

    /// Sets the number of days after which an unused output expires.
    pub fn set_retention_days(&mut self, days: u32) {
        let builder = self.overspill.to_builder();
        self.overspill = builder.retention(Retention::days(days)).build();
    }

    /// Removes expired outputs and returns their number.
    pub fn cleanup(&self) -> Result<u64, Error> {
        self.overspill.sweep().map(|swept| swept.removed)
    }

    /// Returns the mistakes in the configuration.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the engine, for a registry of tools or to read saved outputs.
    pub fn overspill(&self) -> &Overspill {
        &self.overspill
    }
}

impl ServiceContext {
    /// Returns the context of a call of `tool`, without any other detail.
    pub fn new(tool: impl Into<String>) -> ServiceContext {
        ServiceContext { tool: tool.into(), ..ServiceContext::default() }
    }

    /// Names the session.
    pub fn session(self, session: impl Into<String>) -> ServiceContext {
        ServiceContext { session: Some(session.into()), ..self }
    }

    /// Names the message.
    pub fn message(self, message: impl Into<String>) -> ServiceContext {
        ServiceContext { message: Some(message.into()), ..self }
    }

    /// Says whether the caller can hand work to a sub-agent.
    pub fn delegate(self, delegate: bool) -> ServiceContext {
        ServiceContext { delegate, ..self }
    }

    /// Sets settings for this call alone.
    pub fn options(self, options: Layer) -> ServiceContext {
        ServiceContext { options, ..self }
    }

    fn parts(self) -> (Call, CallOptions) {
        let ServiceContext { tool, session, message, delegate, options } = self;
        let call = Call { session, id: message, ..Call::new(tool) };
        (call, CallOptions { settings: options, delegate, ..CallOptions::default() })
    }
}

impl From<&str> for ServiceContext {
    fn from(tool: &str) -> ServiceContext {
        ServiceContext::new(tool)
    }
}

/// Adds the table of tools in the document to the settings of a service. The service of the
/// document has this table in `tools`, so an entry of the table overrides `global`.
fn with_tool_table(mut layer: Layer) -> Layer {
    let profile = Profile::AGENT_V2;
    for name in profile.tools.iter().map(|defaults| defaults.tool) {
        if let (false, Some(entry)) = (layer.tools.contains_key(name), profile.tool(name)) {
            layer.tools.insert(name.to_owned(), entry);
        }
    }
    layer
}

/// A configuration in JSON.
#[derive(Default)]
struct Config {
    layer: Layer,
    storage: Option<PathBuf>,
    retention: Option<Retention>,
    warnings: Vec<Warning>,
}

impl Config {
    fn of(json: &Value) -> Config {
        let Value::Object(fields) = json else {
            let (layer, warnings) = Layer::from_json(json);
            return Config { layer, warnings, ..Config::default() };
        };
        let Some(global) = fields.get("global") else { return Config::of_general(fields) };
        let mut config = match global {
            Value::Object(general) => Config::of_general(general),
            global => {
                let (layer, warnings) = Layer::from_json(global);
                Config { layer, warnings, ..Config::default() }
            }
        };
        for (key, value) in fields.iter().filter(|(key, _)| *key != "global") {
            match key.as_str() {
                "tools" => {
                    let more = Config::of_general(&Map::from_iter([(key.clone(), value.clone())]));
                    config.layer = config.layer.updated(&more.layer);
                    config.warnings.extend(more.warnings);
                }
                _ => config.warnings.push(warning(key, value, "a setting of the service")),
            }
        }
        config
    }

    /// Reads general settings, which may have `tools` among them.
    fn of_general(fields: &Map<String, Value>) -> Config {
        let (layer, mut warnings) = Layer::from_json(&Value::Object(fields.clone()));
        let mut warn = |key: &str, value: &Value, allowed: &str| {
            warnings.push(warning(key, value, allowed));
        };
        let storage = match fields.get("storageDir") {
            None | Some(Value::Null) => None,
            Some(Value::String(path)) if !path.is_empty() => Some(PathBuf::from(path)),
            Some(value) => {
                warn("storageDir", value, "a directory");
                None
            }
        };
        let retention = match fields.get("retentionDays") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let days = value.as_f64().filter(|days| *days >= 0.0);
                if days.is_none() {
                    warn("retentionDays", value, "a number of days, 0 or more");
                }
                days.map(after_days)
            }
        };
        for (tool, entry) in fields.get("tools").and_then(Value::as_object).into_iter().flatten() {
            for key in ["storageDir", "retentionDays"] {
                if let Some(value) = entry.get(key) {
                    let place = format!("tools.{tool}.{key}");
                    warn(&place, value, "a setting of one tool; set it in `global`");
                }
            }
        }
        Config { layer, storage, retention, warnings }
    }
}

/// Returns the retention of this number of days. Fractions of a day count.
fn after_days(days: f64) -> Retention {
    // A hundred thousand years, which fits into a duration.
    const MOST_SECONDS: f64 = 1e5 * 366.0 * 86_400.0;
    let seconds = (days * 86_400.0).min(MOST_SECONDS) as i64;
    Retention { unused_for: Some(SignedDuration::from_secs(seconds)), ..Retention::FOREVER }
}
