//! `overspill audit --json`: prints the sums of an audit as JSON.

use serde_json::{Value, json};

use super::tally::{Example, HostSum, SIZES, Tally, Volume};
use super::ways::{ROOMS, WAYS};
use crate::command::stats::BYTES_PER_TOKEN;
use crate::env::Env;
use crate::ui;

/// Returns the report as one line of JSON.
pub(super) fn json_line(tally: &Tally, env: &Env) -> String {
    ui::json_line(json(tally, env))
}

fn json(tally: &Tally, env: &Env) -> Value {
    let mut json = host_json(&tally.all());
    json["bytes_read"] = tally.bytes_read.into();
    json["bad_lines"] = tally.bad_lines.into();
    json["by_host"] =
        tally.hosts.iter().map(|(name, sum)| named("host", name, host_json(sum))).collect();
    let sizes = SIZES.iter().zip(&tally.sizes);
    json["by_size"] =
        sizes.map(|((_, name), volume)| named("size", name, volume_json(volume))).collect();
    let tools = tally.tools.iter();
    json["by_tool"] =
        tools.map(|(name, volume)| named("tool", name, volume_json(volume))).collect();
    json["used"] = json!({ "outputs": tally.used_outputs, "words": tally.used_words });
    let Volume { outputs: over, .. } = tally.all().replayed;
    json["replayed"] = json!({
        "is_sample": tally.is_sample(),
        "used_outputs": tally.compared_outputs,
        "outputs_over_limit": over,
        "outputs_over_limit_not_replayed": tally.all().not_replayed.outputs,
    });
    let rooms = ROOMS.into_iter().enumerate().map(|(place, room)| {
        let ways = WAYS.into_iter().zip(&tally.recalls[place]);
        let ways = ways.map(|((_, name), recall)| {
            json!({ "way": name, "outputs": recall.outputs, "kept": recall.mean() })
        });
        json!({
            "room": room.name(),
            "lossy_outputs": tally.lossy_outputs[place],
            "ways": ways.collect::<Value>(),
        })
    });
    json["kept"] = rooms.collect();
    let losses = tally.named_losses().iter().map(|loss| {
        let mut json = example_json(&loss.example);
        json["room"] = loss.room.name().into();
        json["view"] = loss.example.place.view_command(loss.room, env).into();
        json["used_words"] = loss.used.into();
        json["lost"] = loss.lost.clone().into();
        json["kept_by_best_other"] = loss.best_other.into();
        json
    });
    json["losses"] = losses.collect();
    json["repeated"] = examples(tally.repeated, &tally.repeated_examples);
    json["hidden_failures"] = examples(tally.hidden_failures, &tally.hidden_examples);
    let not_read = tally.not_read.iter();
    let not_read =
        not_read.map(|it| json!({ "path": it.place.to_string_lossy(), "reason": it.reason }));
    json["not_read"] =
        json!({ "files": tally.not_read_files, "examples": not_read.collect::<Value>() });
    json
}

fn named(key: &str, name: &str, mut json: Value) -> Value {
    json[key] = name.into();
    json
}

fn host_json(sum: &HostSum) -> Value {
    json!({
        "sessions": sum.sessions,
        "outputs": sum.outputs,
        "output_bytes": sum.bytes,
        "cut_by_host": sum.cut,
        "not_recorded": sum.not_recorded,
        "shown_bytes": sum.bytes_without_overspill,
        "with_overspill_bytes": sum.bytes_with_overspill(),
        "estimated_tokens": {
            "shown": sum.bytes_without_overspill / BYTES_PER_TOKEN,
            "with_overspill": sum.bytes_with_overspill() / BYTES_PER_TOKEN,
        },
    })
}

fn volume_json(volume: &Volume) -> Value {
    json!({ "outputs": volume.outputs, "bytes": volume.bytes })
}

fn examples(count: u64, examples: &[Example]) -> Value {
    json!({ "commands": count, "examples": examples.iter().map(example_json).collect::<Value>() })
}

fn example_json(example: &Example) -> Value {
    json!({
        "path": example.place.file.to_string_lossy(),
        "line": example.place.line,
        "host": example.host,
        "tool": example.tool,
        "command": example.command,
        "bytes": example.bytes,
    })
}
