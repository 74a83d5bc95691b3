//! `overspill config check`: tests the access to the bucket.

use crate::bucket::{self, Check, Finding};
use crate::env::Env;
use crate::ui;

/// Tries every right that overspill needs in the bucket, prints the results, and tells whether all
/// of them work.
pub(super) fn check(json: bool, env: &Env) -> anyhow::Result<bool> {
    let bucket = bucket::set(env)?;
    let progress = ui::Progress::of("asking the bucket");
    let rows = bucket.check_rights();
    drop(progress);
    let works = rows.iter().all(|check| matches!(check.finding, Finding::Works));
    let text = match json {
        true => rows.iter().map(|check| ui::json_line(row_json(check))).collect(),
        false => {
            let mut table = ui::Table::new(&["RIGHT", "FOUND", "NEEDED FOR"]);
            for check in &rows {
                let needed = check.needed_for.to_owned();
                table.row(vec![check.what.to_owned(), finding(check), needed]);
            }
            format!("{}\n{}", bucket.address(), table.text(ui::width()))
        }
    };
    ui::answer(&text)?;
    Ok(works)
}

fn finding(check: &Check) -> String {
    match &check.finding {
        Finding::Works => "works".into(),
        Finding::Fails(reason) => reason.clone(),
        Finding::NotTried => "not tried".into(),
    }
}

fn row_json(check: &Check) -> serde_json::Value {
    let works = match check.finding {
        Finding::Works => Some(true),
        Finding::Fails(_) => Some(false),
        Finding::NotTried => None,
    };
    serde_json::json!({
        "right": check.what, "works": works, "found": finding(check), "needed_for": check.needed_for,
    })
}
