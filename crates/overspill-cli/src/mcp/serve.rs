//! A server with only the retrieval tools, for `overspill mcp` without a server behind it.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::answers::{answer, error};
use super::frames::{Frames, Read1};
use super::probe::{Message, peek};
use super::retrieval_tools::RetrievalTools;
use super::settings::McpSettings;
use super::stdio::{our_input, our_output};
use overspill::Overspill;

/// The newest protocol revision with a handshake. It is the answer to an unknown revision.
const NEWEST: &str = "2025-11-25";
/// The protocol revisions that overspill supports.
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", NEWEST, "2026-07-28"];

const PARSE_ERROR: i32 = -32_700;
const INVALID_PARAMS: i32 = -32_602;

/// A server with only the retrieval tools.
#[derive(Debug)]
pub(super) struct Serve {
    engine: Overspill,
    ours: RetrievalTools,
}

impl Serve {
    pub(super) fn new(settings: McpSettings) -> Serve {
        let (names, list) = RetrievalTools::names(&settings.prefix, &[]);
        let limits = settings.engine.policy(&Default::default(), &Default::default()).limits;
        let ours = RetrievalTools { names, list, scope: settings.scope, limits };
        Serve { engine: settings.engine, ours }
    }

    /// Answers requests until the client closes its stream.
    pub(super) fn run(&self) -> io::Result<()> {
        let mut frames = Frames::new(our_input());
        let mut out = our_output();
        while let Some(read) = frames.next()? {
            let answers = match read {
                Read1::Whole(frame) => self.frame(frame),
                Read1::Long(_) => {
                    while frames.more()?.is_some() {}
                    error(None, PARSE_ERROR, "the message is longer than 256 KiB")
                }
            };
            out.write_all(&answers)?;
            out.flush()?;
        }
        Ok(())
    }

    /// Answers a frame.
    pub(super) fn frame(&self, frame: &[u8]) -> Vec<u8> {
        if frame.trim_ascii().is_empty() {
            return Vec::new();
        }
        let Ok(found) = peek(frame) else {
            return error(None, PARSE_ERROR, "the message is not valid JSON");
        };
        let answers = found.messages.iter().filter_map(|message| {
            let bytes = &frame[message.place.clone()];
            self.message(message, &serde_json::from_slice(bytes).unwrap_or_default())
        });
        let answers: Vec<Vec<u8>> = answers.collect();
        if !found.is_list || answers.is_empty() {
            return answers.concat();
        }
        let inner: Vec<&[u8]> = answers.iter().map(|answer| answer.trim_ascii_end()).collect();
        [b"[", &inner.join(&b","[..])[..], b"]\n"].concat()
    }

    fn message(&self, message: &Message, whole: &Value) -> Option<Vec<u8>> {
        let (Some(method), Some(id)) = (&message.method, &message.id) else { return None };
        let (store, params) = (&*self.engine.shown_store(), &whole["params"]);
        let result = match method.as_str() {
            "initialize" => Ok(self.hello(params)),
            "server/discover" => Ok(json!({
                "supportedVersions": REVISIONS,
                "capabilities": capabilities(),
                "serverInfo": info(),
            })),
            "ping" => Ok(json!({})),
            // A client without a server behind the proxy learns ids only from this list.
            "tools/list" => Ok(json!({"tools": self.ours.all()})),
            "tools/call" => match &message.name {
                Some(tool) if self.ours.has(tool) => {
                    Ok(self.ours.call(store, tool, &params["arguments"]))
                }
                tool => {
                    let tool = crate::ui::short(tool.as_deref().unwrap_or_default(), 100);
                    Err((INVALID_PARAMS, format!("there is no tool {tool:?}")))
                }
            },
            method => {
                let uri = message.uri.as_deref().unwrap_or_default();
                self.ours.about_resources(store, method, uri)
            }
        };
        Some(match result {
            Ok(result) => answer(Some(id), result, message.is_stateless),
            Err((code, reason)) => error(Some(id), code, &reason),
        })
    }

    fn hello(&self, params: &Value) -> Value {
        let asked = params["protocolVersion"].as_str().unwrap_or_default();
        let version = REVISIONS.into_iter().find(|known| *known == asked).unwrap_or(NEWEST);
        json!({"protocolVersion": version, "capabilities": capabilities(), "serverInfo": info()})
    }
}

fn capabilities() -> Value {
    json!({"tools": {}, "resources": {}})
}

fn info() -> Value {
    json!({"name": "overspill", "version": env!("CARGO_PKG_VERSION")})
}
