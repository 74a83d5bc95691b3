//! Converts pieces, the changes that `init` makes in files, to the JSON of a receipt, and back.

use serde_json::{Value, json};

use super::piece::{JsonNeed, SetupPiece};
use super::plan::{LayeredPiece, SetupLayer};

const NEED_NAMES: [(JsonNeed, &str); 3] =
    [(JsonNeed::Nothing, "nothing"), (JsonNeed::NoValue, "no value"), (JsonNeed::Object, "object")];

pub(super) fn as_json(noted: &LayeredPiece) -> Value {
    let layer = SetupLayer::ALL.iter().find(|(layer, _)| *layer == noted.layer);
    let mut value = match &noted.piece {
        SetupPiece::Json { path, value, need } => {
            let need = NEED_NAMES.iter().find(|(known, _)| known == need).map(|(_, name)| name);
            json!({"kind": "json", "path": path, "value": value, "need": need})
        }
        SetupPiece::Item { path, value } => json!({"kind": "item", "path": path, "value": value}),
        SetupPiece::Toml { path, value } => json!({"kind": "toml", "path": path, "value": value}),
        SetupPiece::Variable { name, value } => {
            json!({"kind": "variable", "name": name, "value": value})
        }
        SetupPiece::Whole(text) => json!({"kind": "file", "value": text}),
        SetupPiece::Paragraph(text) => json!({"kind": "paragraph", "value": text}),
        SetupPiece::Servers { program } => json!({"kind": "servers", "value": program}),
    };
    value["layer"] = layer.map(|(_, name)| *name).into();
    value
}

/// Reads a piece from its JSON form. Returns `None` if the value has another form.
pub(super) fn piece_of(noted: &Value) -> Option<LayeredPiece> {
    let name = noted.get("layer")?.as_str()?;
    let (layer, _) = SetupLayer::ALL.into_iter().find(|(_, known)| *known == name)?;
    let path = || {
        let names = noted.get("path")?.as_array()?.iter();
        names.map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
    };
    let value = noted.get("value")?;
    let text = || value.as_str().map(str::to_owned);
    let piece = match noted.get("kind")?.as_str()? {
        "json" => SetupPiece::Json {
            path: path()?,
            value: value.clone(),
            need: {
                let name = noted.get("need")?.as_str()?;
                NEED_NAMES.into_iter().find(|(_, known)| *known == name)?.0
            },
        },
        "item" => SetupPiece::Item { path: path()?, value: value.clone() },
        "toml" => SetupPiece::Toml { path: path()?, value: text()? },
        "variable" => {
            SetupPiece::Variable { name: noted.get("name")?.as_str()?.to_owned(), value: text()? }
        }
        "file" => SetupPiece::Whole(text()?),
        "paragraph" => SetupPiece::Paragraph(text()?),
        "servers" => SetupPiece::Servers { program: text()? },
        _ => return None,
    };
    Some(LayeredPiece { layer, piece })
}
