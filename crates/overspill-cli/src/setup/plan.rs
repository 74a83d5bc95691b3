//! The plan of `init` for a host: the files, and the pieces for each file, with all paths filled
//! in.

use std::path::PathBuf;

use serde_json::Value;

use super::piece::{JsonNeed, SetupPiece};
use crate::env::Env;
use crate::hosts::{Host, HostFile, SetupStep, below_home};
use crate::settings::SettingSources;
use crate::ui;

/// The settings that are changed: those of the user or of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetupScope {
    User,
    Project,
}

/// A group of pieces that one option asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetupLayer {
    /// The pieces that `init` always writes.
    Base,
    Hooks,
    Servers,
    Rules,
    /// Rules to read saved outputs without asking.
    Reading,
}

impl SetupLayer {
    /// The layers with their names in a receipt.
    pub(super) const ALL: [(SetupLayer, &str); 5] = [
        (SetupLayer::Base, "base"),
        (SetupLayer::Hooks, "hooks"),
        (SetupLayer::Servers, "mcp"),
        (SetupLayer::Rules, "rules"),
        (SetupLayer::Reading, "allow-read"),
    ];
}

/// A piece, and the layer that it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LayeredPiece {
    pub(super) layer: SetupLayer,
    pub(super) piece: SetupPiece,
}

/// A file, and the pieces for it.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) path: PathBuf,
    pub(super) pieces: Vec<LayeredPiece>,
}

/// The files, links and scripts that `init` writes.
#[derive(Debug, Default)]
pub(super) struct SetupPlan {
    pub(super) targets: Vec<Target>,
    /// The names of links in the directory of our links.
    pub(super) links: Vec<&'static str>,
    /// Files in the directory of our links: the name and the text. `@BEFORE@` in the text is not
    /// filled in yet.
    pub(super) scripts: Vec<(&'static str, String)>,
}

/// The paragraph about overspill for the rules file of a host.
const RULES: &str = include_str!("../hosts/files/rules.md");

impl SetupPlan {
    /// Returns the plan for these layers.
    pub(super) fn of(
        host: &Host,
        scope: SetupScope,
        layers: &[SetupLayer],
        env: &Env,
    ) -> SetupPlan {
        let mut plan = SetupPlan { links: vec!["overspill"], ..SetupPlan::default() };
        for layer in layers {
            plan.add_layer(host, *layer, scope, env);
        }
        plan
    }

    /// Returns the plan with all layers: everything that `init` may have written for a host.
    pub(super) fn all(host: &Host, scope: SetupScope, env: &Env) -> SetupPlan {
        SetupPlan::of(host, scope, &SetupLayer::ALL.map(|(layer, _)| layer), env)
    }

    fn add_layer(&mut self, host: &Host, layer: SetupLayer, scope: SetupScope, env: &Env) {
        let path = |place: Option<HostFile>| place.and_then(|place| path_of(place, scope, env));
        let steps = match layer {
            SetupLayer::Base => host.steps,
            SetupLayer::Hooks => host.second,
            SetupLayer::Reading => host.reading,
            SetupLayer::Servers => {
                if let Some(path) = path(host.servers).filter(|path| path.exists()) {
                    let program = env.links().join("overspill").to_string_lossy().into_owned();
                    self.put(path, layer, SetupPiece::Servers { program });
                }
                return;
            }
            SetupLayer::Rules => {
                if let Some(path) = path(host.rules) {
                    self.put(path, layer, SetupPiece::Paragraph(rules(host, scope, env)));
                }
                return;
            }
        };
        for step in steps {
            self.add(host, step, layer, scope, env);
        }
    }

    fn add(
        &mut self,
        host: &Host,
        step: &'static SetupStep,
        layer: SetupLayer,
        scope: SetupScope,
        env: &Env,
    ) {
        let named =
            |path: &[&str]| path.iter().map(|name| filled(name, |word| word, env)).collect();
        let (place, piece) = match step {
            SetupStep::Link(name) => return self.links.push(name),
            SetupStep::ShellLink => return self.links.push(host.shell.link(env)),
            SetupStep::Script { name, text } => {
                return self.scripts.push((name, filled(text, |word| word, env)));
            }
            SetupStep::Json { place, path, value }
            | SetupStep::JsonDefault { place, path, value }
            | SetupStep::JsonMember { place, path, value } => {
                let need = match step {
                    SetupStep::JsonDefault { .. } => JsonNeed::NoValue,
                    SetupStep::JsonMember { .. } => JsonNeed::Object,
                    _ => JsonNeed::Nothing,
                };
                let value = json(&value.replace("@SHELL@", host.shell.link(env)), scope, env);
                (place, SetupPiece::Json { path: named(path), value, need })
            }
            SetupStep::JsonItem { place, path, value } => {
                (place, SetupPiece::Item { path: named(path), value: json(value, scope, env) })
            }
            SetupStep::Toml { place, path, value } => (
                place,
                SetupPiece::Toml { path: named(path), value: filled(value, |word| word, env) },
            ),
            SetupStep::Variable { place, name, value } => (
                place,
                SetupPiece::Variable {
                    name: (*name).to_owned(),
                    value: filled(value, |word| word, env),
                },
            ),
            SetupStep::File { place, text } => {
                (place, SetupPiece::Whole(filled(text, escaped, env)))
            }
        };
        if let Some(path) = path_of(*place, scope, env) {
            self.put(path, layer, piece);
        }
    }

    fn put(&mut self, path: PathBuf, layer: SetupLayer, piece: SetupPiece) {
        let piece = LayeredPiece { layer, piece };
        match self.targets.iter_mut().find(|target| target.path == path) {
            Some(target) => target.pieces.push(piece),
            None => self.targets.push(Target { path, pieces: vec![piece] }),
        }
    }
}

/// Returns the paragraph about overspill for a host. The rules of a project name no path, because
/// they are read on other machines, too.
fn rules(host: &Host, scope: SetupScope, env: &Env) -> String {
    if host.resets_path && scope == SetupScope::User {
        return RULES.replace("`overspill ", &filled("`@COMMAND@ ", |word| word, env));
    }
    RULES.into()
}

/// Returns the path of a file of a host; `None` if the host has no such file.
pub(super) fn path_of(place: HostFile, scope: SetupScope, env: &Env) -> Option<PathBuf> {
    let named = match scope {
        SetupScope::User => place.user,
        SetupScope::Project => place.project,
    };
    if named.is_empty() {
        return None;
    }
    let path = match (named.strip_prefix("~/"), named.strip_prefix("$config/")) {
        (Some(_), _) => below_home(named, env)?,
        (_, Some(below)) => env.config_home().join(below),
        (None, None) => {
            env.directory().ok()?;
            env.project_root().join(named)
        }
    };
    // Some hosts read `.json` and `.jsonc`. The file that exists counts.
    let with_comments = path.with_extension("jsonc");
    let is_other = path.extension().is_some_and(|kind| kind == "json") && !path.exists();
    Some(if is_other && with_comments.exists() { with_comments } else { path })
}

/// Fills in the words between `@` that depend on this machine.
pub(super) fn filled(text: &str, form: impl Fn(String) -> String, env: &Env) -> String {
    let program = env.links().join("overspill").to_string_lossy().into_owned();
    let words = [
        ("@BIN@", env.links().to_string_lossy().into_owned()),
        ("@COMMAND@", ui::shell_word(&program)),
        ("@PROGRAM@", program),
        ("@VERSION@", env!("CARGO_PKG_VERSION").into()),
    ];
    words.into_iter().fold(text.to_owned(), |text, (name, word)| text.replace(name, &form(word)))
}

/// Returns a text escaped for a string in JSON and JavaScript, without the quotes.
pub(super) fn escaped(word: String) -> String {
    let quoted = Value::from(word).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn json(value: &str, scope: SetupScope, env: &Env) -> Value {
    let value = value.replace("@OUTPUTS@", &escaped(outputs(scope, env)));
    serde_json::from_str(&filled(&value, escaped, env)).unwrap_or_default()
}

/// Returns the directory of the outputs that a host with these settings may read.
fn outputs(scope: SetupScope, env: &Env) -> String {
    let disk = SettingSources::of_user(env).disk(&overspill::Profile::OWN);
    let directory = disk.map(|disk| match scope {
        SetupScope::User => disk.path().to_owned(),
        SetupScope::Project => disk.folder(),
    });
    directory.unwrap_or_default().to_string_lossy().into_owned()
}
