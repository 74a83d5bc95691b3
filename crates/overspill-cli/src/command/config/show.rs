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
    let cells: Vec<[String; 4]> = rows
        .iter()
        .map(|row| {
            let setting = ui::escaped(&row.address.to_string(), 100);
            let (value, place) = (ui::escaped(&row.written, 60), ui::escaped(&row.whence(), 1_000));
            [setting, value, row.origin.clone(), place]
        })
        .collect();
    let header = ["SETTING", "VALUE", "ORIGIN", "WHERE"].map(String::from);
    let width = |column: usize| {
        let all = cells.iter().chain([&header]);
        all.map(|cells| cells[column].chars().count()).max().unwrap_or(0)
    };
    let (first, second, third) = (width(0), width(1), width(2));
    let line = |[a, b, c, d]: &[String; 4]| format!("{a:first$}  {b:second$}  {c:third$}  {d}\n");
    [&header].into_iter().chain(&cells).map(line).collect()
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
