//! Builds the JSON-RPC results and errors that overspill sends itself.

use overspill::internal::without_number;
use serde_json::Value;

use super::probe::Id;

/// The JSON-RPC error code for an answer of the server that overspill cannot use.
pub(super) const INTERNAL_ERROR: i32 = -32_603;

/// Returns the error for a result with too much data besides its text.
pub(super) fn too_much(shown: &str) -> String {
    format!(
        "overspill refused the server's answer: beside its text it has more than 16 MiB or 65,536 parts. \
         The text:\n{shown}"
    )
}

/// The JSON-RPC error code for a server that has ended.
pub(super) const SERVER_GONE: i32 = -32_000;

/// Returns the answer to a request.
pub(super) fn answer(id: Option<&Id>, mut result: Value, is_stateless: bool) -> Vec<u8> {
    if is_stateless {
        result["resultType"] = "complete".into();
    }
    let id = id.map_or("null", |id| &id.0);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").into_bytes()
}

/// Returns the answer to a request that failed.
pub(super) fn error(id: Option<&Id>, code: i32, message: &str) -> Vec<u8> {
    let id = id.map_or("null", |id| &id.0);
    let message = Value::from(without_number(message));
    let error = format!("{{\"code\":{code},\"message\":{message}}}");
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n").into_bytes()
}
