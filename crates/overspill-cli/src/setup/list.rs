//! `overspill init` without a host: lists the hosts on this machine.

use serde_json::json;

use super::found;
use super::receipt::Receipt;
use crate::env::Env;
use crate::hosts::HOSTS;
use crate::ui;

/// Prints the hosts on this machine, and the names of the others.
pub(super) fn list(is_json: bool, env: &Env) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for host in HOSTS {
        let place = found(host, env);
        rows.push((host, place, Receipt::exists(host, env)));
    }
    if is_json {
        let all = rows.iter().map(|(host, place, is_set_up)| {
            json!({"host": host.name, "title": host.title, "found": place, "set_up": is_set_up, "how": host.how})
        });
        return ui::answer(&ui::json_line(all.collect()));
    }
    let mut table = ui::Table::new(&["AGENT", "SET UP", "HOW", "FOUND"]).optional(&["HOW"]);
    for (host, place, is_set_up) in
        rows.iter().filter(|(_, place, set_up)| place.is_some() || *set_up)
    {
        let place = place.as_deref().map_or_else(|| "not found".into(), |path| env.shown(path));
        let set_up = if *is_set_up { "yes" } else { "no" };
        table.row(vec![host.name.into(), set_up.into(), host.how.into(), place]);
    }
    let here = table.text(ui::width());
    let others: Vec<&str> = rows
        .iter()
        .filter(|(_, place, set_up)| place.is_none() && !set_up)
        .map(|(host, ..)| host.name)
        .collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("not found: {}\n", others.join(", ")),
    };
    let example = rows.iter().find(|(_, place, set_up)| place.is_some() && !set_up);
    let hint = match example {
        Some((host, ..)) => {
            let options = if host.steps.is_empty() { " --mcp --rules" } else { "" };
            format!("`overspill init {}{options}` sets up an agent", host.name)
        }
        None => format!(
            "`overspill init {} --force` sets up an agent that is not installed yet",
            HOSTS[0].name
        ),
    };
    let text = format!("{others}\nhint: {hint}\n");
    ui::answer(&format!("{here}{}", ui::wrapped(&text, 2)))
}
