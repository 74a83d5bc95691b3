//! `overspill config get`, `list` and `path`

use std::path::PathBuf;

use anyhow::Context;
use serde_json::json;

use super::ConfigArgs;
use crate::env::Env;
use crate::settings::SettingRow;
use crate::ui;

pub(super) fn get(args: &ConfigArgs, key: &str, env: &Env) -> anyhow::Result<()> {
    let address = args.address(key)?;
    let in_force = args.in_force(env);
    let written = if args.project {
        in_force.sources.project.get(&address).map(|found| found.written.clone())
    } else {
        let rows = in_force.rows(address.tool.as_deref());
        rows.into_iter().find(|row| row.address == address).map(|row| row.written)
    };
    let written = written.with_context(|| format!("the project does not set {address}"))?;
    ui::answer(&format!("{written}\n"))
}

pub(super) fn list(args: &ConfigArgs, json: bool, env: &Env) -> anyhow::Result<()> {
    let in_force = args.in_force(env);
    let mut rows = in_force.rows(args.tool.as_deref());
    if args.project {
        let file = in_force.sources.project_file.as_deref().map(|path| path.display().to_string());
        rows.retain(|row| Some(&row.place) == file.as_ref());
    }
    let text = if json {
        format!("{:#}\n", ui::versioned(rows.iter().map(SettingRow::json).collect()))
    } else {
        table(&rows)
    };
    ui::answer(&text)
}

fn table(rows: &[SettingRow]) -> String {
    let mut table =
        ui::Table::new(&["SETTING", "VALUE", "ORIGIN", "WHERE"]).optional(&["WHERE", "ORIGIN"]);
    for row in rows {
        let value = ui::escaped(&row.written, 60);
        table.row(vec![row.address.to_string(), value, row.origin.clone(), row.whence()]);
    }
    // Only a terminal is narrow.
    table.text(if ui::is_seen() { ui::width() } else { usize::MAX })
}

pub(super) fn path(args: &ConfigArgs, json: bool, env: &Env) -> anyhow::Result<()> {
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    if !args.project {
        files.push(("user", args.file(env)?));
    }
    match args.project_file(env) {
        Ok(path) => files.push(("project", path)),
        Err(error) if args.project => return Err(error),
        Err(_) => {}
    }
    let text = if json {
        let file = |(whose, path): &(&str, PathBuf)| json!({ "whose": whose, "path": path.to_string_lossy(), "exists": path.exists() });
        format!("{:#}\n", ui::versioned(files.iter().map(file).collect()))
    } else {
        let line = |(whose, path): &(&str, PathBuf)| {
            let there = if path.exists() { "" } else { " (not there)" };
            format!("{whose:7}  {}{there}\n", path.display())
        };
        files.iter().map(line).collect()
    };
    ui::answer(&text)
}
