//! The receipt: a JSON file with the changes of `init` for one host, so that `uninstall` can
//! restore each file exactly.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::piece_json::{as_json, piece_of};
use super::plan::LayeredPiece;
use crate::env::Env;
use crate::hosts::Host;
use crate::open::open_regular;
use crate::settings::text;
use crate::settings::write::write;
use crate::ui;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the version of the program that wrote a receipt, if it is later than this one. Only the
/// first two numbers count: patch versions do not change the form of a receipt.
fn later_version(receipt: &str) -> Option<String> {
    let numbers = |version: &str| -> Option<(u64, u64)> {
        let mut parts = version.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    };
    let value: Value = serde_json::from_str(receipt).ok()?;
    let version = value.get("version")?.as_str()?;
    (numbers(version)? > numbers(VERSION)?).then(|| ui::escaped(version, 40))
}

/// A file that `init` has changed, with its texts before and after.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wrote {
    pub(super) path: PathBuf,
    /// The text before `init`; `None` if the file did not exist.
    pub(super) before: Option<String>,
    pub(super) after: String,
    /// Our pieces in the file. `None` in a receipt of version 0.1.0, which does not list them.
    pub(super) pieces: Option<Vec<LayeredPiece>>,
}

/// The changes of `init` for a host.
#[derive(Debug, Default)]
pub(super) struct Receipt {
    pub(super) files: Vec<Wrote>,
    /// The directories that `init` made for these files and for our links.
    pub(super) made: Vec<PathBuf>,
}

impl Receipt {
    /// Returns the directory of all receipts.
    pub(super) fn directory(env: &Env) -> PathBuf {
        env.config_directory().join("hosts")
    }

    pub(super) fn path(host: &Host, env: &Env) -> PathBuf {
        Receipt::directory(env).join(format!("{}.json", host.name))
    }

    pub(super) fn exists(host: &Host, env: &Env) -> bool {
        Receipt::path(host, env).symlink_metadata().is_ok()
    }

    /// Reads the receipt of a host. Returns an empty receipt if the file does not exist.
    pub(super) fn read(host: &Host, env: &Env) -> anyhow::Result<Receipt> {
        let path = Receipt::path(host, env);
        let text = match open_regular(&path) {
            Ok((file, _)) => text::read_open(file),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Receipt::default()),
            Err(_) if path.is_symlink() => Err("it is a link".to_owned()),
            Err(error) => Err(ui::reason(&error)),
        };
        if let Some(later) = text.as_deref().ok().and_then(later_version) {
            anyhow::bail!(
                "{}: overspill {later} wrote the receipt of `init`, and this is the older version {VERSION}\n\nhint: \
                 update this program, or run version {later}; no file has changed",
                env.shown(&path)
            );
        }
        text.and_then(|text| Receipt::of_json(&text)).map_err(|why| {
            anyhow::anyhow!(
                "{}: the receipt of `init` cannot be used: {why}\n\nhint: remove it and run \
                 `overspill init {host}` again, then `overspill uninstall {host}`",
                env.shown(&path),
                host = host.name
            )
        })
    }

    fn of_json(text: &str) -> Result<Receipt, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let text = |file: &Value, name: &str| file.get(name)?.as_str().map(str::to_owned);
        let wrote = |file: &Value| {
            Some(Wrote {
                path: text(file, "path")?.into(),
                before: text(file, "before"),
                after: text(file, "after")?,
                pieces: match file.get("pieces") {
                    Some(pieces) => {
                        Some(pieces.as_array()?.iter().map(piece_of).collect::<Option<_>>()?)
                    }
                    None => None,
                },
            })
        };
        let files = value.get("files").and_then(Value::as_array);
        let files = files.and_then(|files| files.iter().map(wrote).collect());
        // Receipts of version 0.1.0 do not list directories.
        let made = value.get("made").and_then(Value::as_array).into_iter().flatten();
        let made = made.filter_map(|path| path.as_str().map(PathBuf::from)).collect();
        files.map(|files| Receipt { files, made }).ok_or_else(|| "it has no list of files".into())
    }

    pub(super) fn of(&self, path: &Path) -> Option<&Wrote> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Adds a file to the receipt, or replaces its entry. A file without a piece of ours is not
    /// added.
    pub(super) fn note(&mut self, wrote: Wrote) {
        self.files.retain(|file| file.path != wrote.path);
        if wrote.pieces.as_ref().is_none_or(|pieces| !pieces.is_empty()) {
            self.files.push(wrote);
        }
    }

    /// Adds the directories above a file that do not exist yet.
    pub(super) fn note_missing_above(&mut self, path: &Path) {
        let above = path.ancestors().skip(1);
        let missing = above.take_while(|directory| directory.symlink_metadata().is_err());
        for directory in missing {
            if !self.made.iter().any(|made| made == directory) {
                self.made.push(directory.to_owned());
            }
        }
    }

    /// Removes the directories that `init` made, if they are empty and above our files.
    pub(super) fn remove_made(&self, env: &Env) {
        let links = env.links();
        let is_above = |made: &Path| {
            links.starts_with(made) || self.files.iter().any(|file| file.path.starts_with(made))
        };
        // A link in a checkout may lead anywhere.
        let is_plain = |made: &Path| !made.ancestors().any(Path::is_symlink);
        let made = self.made.iter().filter(|made| made.is_absolute());
        let mut made: Vec<&PathBuf> =
            made.filter(|made| is_above(made) && is_plain(made)).collect();
        made.sort_by_key(|made| std::cmp::Reverse(made.components().count()));
        for directory in made {
            let _ = fs::remove_dir(directory);
        }
    }

    /// Writes the receipt. Only the user can read it, because settings may contain secrets.
    pub(super) fn write(&self, host: &Host, env: &Env) -> anyhow::Result<()> {
        let path = Receipt::path(host, env);
        let shown = ui::path(&path);
        let files = self.files.iter().map(|file| {
            let pieces = file.pieces.as_ref();
            let pieces = pieces.map(|all| all.iter().map(as_json).collect::<Vec<_>>());
            json!({
                "path": file.path.to_string_lossy(), "before": file.before, "after": file.after,
                "pieces": pieces.unwrap_or_default(),
            })
        });
        let files: Vec<Value> = files.collect();
        let made: Vec<String> =
            self.made.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let value = json!({"version": VERSION, "files": files, "made": made});
        let text = serde_json::to_string_pretty(&value).unwrap_or_default() + "\n";
        if text.len() as u64 > text::MOST {
            anyhow::bail!(
                "{shown}: the settings of {} are too large for a receipt of 1 MiB, so nothing was \
                 changed\n\nhint: `overspill mcp wrap FILE` puts the proxy into a file of servers",
                host.title
            );
        }
        let directory = Receipt::directory(env);
        fs::create_dir_all(&directory).with_context(|| ui::path(&directory))?;
        super::system::make_private(&path).with_context(|| shown.clone())?;
        write(&path, &text).with_context(|| shown)
    }

    /// Removes the receipt. With the last receipt, it also removes the directory, and our links if
    /// no file names them.
    pub(super) fn remove(host: &Host, keeps_links: bool, env: &Env) {
        let _ = fs::remove_file(Receipt::path(host, env));
        let _ = fs::remove_dir(Receipt::directory(env));
        if Receipt::directory(env).symlink_metadata().is_err() && !keeps_links {
            let _ = fs::remove_dir_all(env.links());
            // A directory with other files stays.
            let _ = fs::remove_dir(env.config_directory());
        }
    }
}
