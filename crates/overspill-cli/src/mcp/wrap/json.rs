//! Finds the servers in JSON files, also with comments and trailing commas.

use std::ops::Range;

use super::{Entry, Language, List, Splice, Words};
use crate::jsonc::{Jsonc, JsoncKind, JsoncNode, Member};

pub(super) struct Json;

impl Language for Json {
    fn entries(&self, text: &str) -> Result<Vec<Entry>, String> {
        let json = Jsonc::parse(text)?;
        let members = |path: &[&str]| json.get(path).map_or(&[][..], members);
        // Servers stand in their own table, in a table of the client's settings, or in one of a
        // project.
        let own = [&["mcpServers"][..], &["servers"], &["mcp", "servers"], &["amp.mcpServers"]]
            .into_iter();
        let own = own.flat_map(members);
        let of_client = members(&["mcp"]).iter().filter(|member| member.name != "servers");
        let of_projects = members(&["projects"]).iter();
        let of_projects = of_projects.filter_map(|project| project.value.member("mcpServers"));
        let of_projects = of_projects.flat_map(|servers| self::members(&servers.value));
        let servers = own.chain(of_client).chain(of_projects);
        let mut servers: Vec<&Member> = servers.filter(|server| server.value.is_object()).collect();
        servers.sort_by_key(|server| server.value.place.start);
        Ok(servers.into_iter().map(|server| entry(text, server)).collect())
    }

    fn word(&self, word: &str) -> String {
        serde_json::Value::from(word).to_string()
    }

    fn read(&self, written: &str) -> Option<String> {
        serde_json::from_str(written).ok()
    }

    fn new_arguments(&self, _: &str, program: &Range<usize>, words: &[String]) -> Splice {
        let with = format!(", \"args\": [{}]", words.join(", "));
        Splice { place: program.end..program.end, with }
    }

    fn before_arguments(&self) -> &'static [&'static str] {
        &[",\"args\":"]
    }
}

fn members(node: &JsoncNode) -> &[Member] {
    match &node.kind {
        JsoncKind::Object(members) => members,
        JsoncKind::List(_) | JsoncKind::Plain => &[],
    }
}

fn entry(text: &str, server: &Member) -> Entry {
    let field = |name: &str| server.value.member(name).map(|field| &field.value);
    let list = |name: &str| field(name).and_then(|node| list(text, node));
    let words = match (field("command"), list("command"), list("args")) {
        (Some(_), Some(list), _) => Words::Together(list),
        (Some(program), None, arguments) => {
            Words::Apart { program: program.place.clone(), arguments }
        }
        (None, ..) => Words::None,
    };
    Entry { name: server.name.clone(), words }
}

/// Returns a list of strings, or `None` if not all values are strings.
fn list(text: &str, node: &JsoncNode) -> Option<List> {
    let JsoncKind::List(items) = &node.kind else { return None };
    let are_strings = items.iter().all(|item| text[item.place.clone()].starts_with('"'));
    let words = items.iter().map(|item| item.place.clone()).collect();
    are_strings.then(|| List { place: node.place.clone(), words, dashes: false })
}
