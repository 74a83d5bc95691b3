//! The text of a file of settings, as far as it can be trusted to be one.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use overspill::Warning;

use crate::{home, ui};

/// Nobody writes this much; whatever it is, it is not settings.
const MOST: u64 = 1 << 20;

/// Reads the user's file, which may be a link; nothing if there is none.
pub(crate) fn of_user(path: &Path, warnings: &mut Vec<Warning>) -> Option<String> {
    let text = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => Err(ui::reason(&error)),
        // Nothing to read, for those who want none.
        Ok(_) if path == Path::new("/dev/null") => return None,
        Ok(metadata) if !metadata.is_file() => Err("it is not a file".into()),
        Ok(_) => read(path),
    };
    text.map_err(|reason| warnings.push(unread(path, &reason))).ok()
}

/// Reads the nearest file of this name from `working` upwards, as far as the project reaches. Only
/// a regular file counts: a link in a checkout may lead anywhere.
pub(crate) fn of_project(
    name: &str,
    working: &Path,
    warnings: &mut Vec<Warning>,
) -> Option<(PathBuf, String)> {
    for directory in home::project_directories(working) {
        let path = directory.join(name);
        let text = match fs::symlink_metadata(&path) {
            Err(_) => continue,
            Ok(metadata) if !metadata.is_file() => Err("it is not a regular file".into()),
            Ok(_) => read(&path),
        };
        match text {
            Ok(text) => return Some((path, text)),
            Err(reason) => warnings.push(unread(&path, &reason)),
        }
    }
    None
}

/// Reads a file, if it can be one of settings; otherwise says why not.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    read_open(File::open(path).map_err(|error| ui::reason(&error))?)
}

/// Reads an open file, if it can be one of settings; otherwise says why not.
pub(crate) fn read_open(file: File) -> Result<String, String> {
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(|error| ui::reason(&error))?;
    if bytes.len() as u64 > MOST {
        return Err("it is larger than 1 MiB".into());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line} is not UTF-8")
    })
}

fn unread(path: &Path, reason: &str) -> Warning {
    let place = Some(path.display().to_string());
    Warning { key: "not read".into(), place, message: reason.to_owned() }
}
