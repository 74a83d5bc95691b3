//! Offers saved outputs as resources.

use overspill::store::Store;
use serde_json::{Map, Value, json};

use super::super::scope::SCHEME;
use super::RetrievalTools;
use super::arguments::Arguments;
use crate::ui;

const METHOD_NOT_FOUND: i32 = -32_601;
const RESOURCE_NOT_FOUND: i32 = -32_002;

impl RetrievalTools {
    /// Answers a request about resources; fails with an error code and a message.
    pub(in super::super) fn about_resources(
        &self,
        store: &dyn Store,
        method: &str,
        uri: &str,
    ) -> Result<Value, (i32, String)> {
        match method {
            "resources/list" => Ok(json!({"resources": self.resources(store)})),
            "resources/templates/list" => {
                Ok(json!({"resourceTemplates": [RetrievalTools::template()]}))
            }
            "resources/read" => {
                self.resource(store, uri).map_err(|reason| (RESOURCE_NOT_FOUND, reason))
            }
            _ => Err((METHOD_NOT_FOUND, format!("there is no method {}", ui::short(method, 100)))),
        }
    }

    /// Returns the template for addresses of lines.
    pub(in super::super) fn template() -> Value {
        json!({
            "uriTemplate": "overspill://{id}?lines={lines}",
            "name": "overspill output",
            "description": "Lines A:B of a saved output.",
            "mimeType": "text/plain",
        })
    }

    /// Returns the page at an address, `overspill://ID?lines=A:B`.
    fn resource(&self, store: &dyn Store, uri: &str) -> Result<Value, String> {
        let (address, query) = uri.split_once('?').unwrap_or((uri, ""));
        let mut arguments = Map::new();
        arguments.insert("id".into(), address.into());
        for pair in query.split('&') {
            if let Some((name, value)) = pair.split_once('=') {
                arguments.insert(name.to_owned(), value.into());
            }
        }
        let arguments = Arguments(&arguments);
        self.check(&self.names.read, arguments)?;
        let text = self.read(store, arguments)?;
        Ok(json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}))
    }

    /// Returns the outputs as resources.
    pub(in super::super) fn resources(&self, store: &dyn Store) -> Vec<Value> {
        const MOST: usize = 100;
        let entries = self.scope.entries(store).unwrap_or_default();
        let entries = entries.into_iter().take(MOST);
        let resource = entries.map(|(entry, record)| {
            let what = record.call.command.or(record.call.tool).unwrap_or_default();
            json!({
                "uri": format!("{SCHEME}{}", entry.name),
                "name": entry.name.as_str(),
                "description": format!("{} of {}", ui::size(entry.bytes), ui::short(&what, 80)),
                "mimeType": "text/plain",
                "size": entry.bytes,
            })
        });
        resource.collect()
    }
}
