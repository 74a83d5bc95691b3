//! `overspill config get`, `list` and `path`: print values, their origins, and the paths of the
//! settings files.

use std::path::PathBuf;

use anyhow::Context;
use serde_json::json;

use super::ConfigArgs;
use crate::env::Env;
use crate::settings::SettingRow;
use crate::settings::keys::Area;
use crate::ui;

pub(super) fn get(args: &ConfigArgs, key: &str, env: &Env) -> anyhow::Result<()> {
    let address = args.address(key)?;
    let resolved = args.resolved(env);
    let rows = resolved.rows(address.tool.as_deref());
    let row = rows.into_iter().find(|row| row.address == address);
    let row = match args.project {
        true => resolved.project_row(&address),
        false => row,
    };
    let row = row.with_context(|| {
        format!(
            "the project does not set {address}\n\nhint: `overspill config get {address}` shows the value in use"
        )
    })?;
    ui::answer(&if args.json { ui::json_line(row.json()) } else { row.written + "\n" })
}

pub(super) fn list(args: &ConfigArgs, changed: bool, env: &Env) -> anyhow::Result<()> {
    let resolved = args.resolved(env);
    let mut rows = resolved.rows(args.tool.as_deref());
    if args.project {
        let file = resolved.sources.project_file.as_deref().map(|path| path.display().to_string());
        rows.retain(|row| Some(&row.place) == file.as_ref());
    }
    if changed {
        rows.retain(SettingRow::is_changed);
    }
    let text = match (args.json, rows.is_empty()) {
        (true, _) => ui::json_line(rows.iter().map(SettingRow::json).collect()),
        (false, false) => table(&rows, env),
        (false, true) => {
            let none = match (args.project, &args.tool) {
                (true, _) => "No value in use comes from the project file.",
                (false, Some(_)) => "No file and no variable sets a value for this tool.",
                (false, None) => "No file and no variable sets a value.",
            };
            ui::wrapped(&format!("{none} `overspill config list` shows all values.\n"), 0)
        }
    };
    ui::answer(&text)
}

/// Returns the settings by area. The table names a place for every value that is not a default.
fn table(rows: &[SettingRow], env: &Env) -> String {
    let mut table =
        ui::Table::new(&["SETTING", "VALUE", "ORIGIN", "WHERE"]).optional(&["WHERE", "ORIGIN"]);
    for area in Area::ALL {
        let mut of_area = rows.iter().filter(|row| area_of(row) == area).peekable();
        if of_area.peek().is_some() {
            table.heading(area.title());
        }
        for row in of_area {
            let (value, is_changed) = (ui::escaped(&row.written, 60), row.is_changed());
            let origin = if is_changed { row.origin.clone() } else { "default".into() };
            let place =
                if is_changed { ui::escaped(&row.place_text(), 1_000) } else { String::new() };
            table.row(vec![ui::escaped(&row.address.to_string(), 100), value, origin, place]);
            if !is_changed {
                for title in ["SETTING", "VALUE", "ORIGIN"] {
                    table.tone(title, ui::Tone::Faint);
                }
            }
        }
    }
    // The width is limited only on a terminal.
    table.painted(if ui::is_seen() { ui::width() } else { usize::MAX }, env.colors())
}

fn area_of(row: &SettingRow) -> Area {
    if row.address.tool.is_some() { Area::Tools } else { row.address.key.area() }
}

pub(super) fn path(args: &ConfigArgs, env: &Env) -> anyhow::Result<()> {
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    if !args.project {
        files.push(("user", args.file(env)?));
    }
    match args.project_file(env) {
        Ok(path) => files.push(("project", path)),
        Err(error) if args.project => return Err(error),
        Err(_) => {}
    }
    let text = if args.json {
        let file = |(owner, path): &(&str, PathBuf)| json!({ "whose": owner, "path": path.to_string_lossy(), "exists": path.exists() });
        ui::json_line(files.iter().map(file).collect())
    } else {
        let line = |(owner, path): &(&str, PathBuf)| {
            let there = if path.exists() { "" } else { " (does not exist)" };
            format!("{owner:7}  {}{there}\n", path.display())
        };
        files.iter().map(line).collect()
    };
    ui::answer(&text)
}
