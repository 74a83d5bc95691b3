//! Opens the page in the user's browser.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use overspill::Places;

use crate::env::Env;

/// Returns the path of a private HTML file that redirects the browser to the page, or `None`
/// without a home directory: `view.html` in the working directory is a file of the user.
///
/// The browser gets this file as its argument, and not the address with the token: other users see
/// the arguments of processes.
pub(super) fn redirect_file(env: &Env) -> Option<PathBuf> {
    let file = Places::below(env.places().state.clone(), "overspill").join("view.html");
    file.is_absolute().then_some(file)
}

/// Removes the redirect file, if there is one.
pub(super) fn remove(file: Option<&Path>) {
    if let Some(file) = file {
        let _ = fs::remove_file(file);
    }
}

/// Writes the redirect file and opens it in a browser.
pub(super) fn open(address: &str, file: Option<&Path>, env: &Env) -> io::Result<()> {
    let none = || io::Error::new(io::ErrorKind::NotFound, "there is no home directory");
    let file = file.ok_or_else(none)?;
    write(address, file)?;
    let own = env.variable("BROWSER").map(|typed| commands(&typed, file)).unwrap_or_default();
    let usual = [&["xdg-open"][..], &["open"], &["wslview"], &["gio", "open"]];
    let usual = usual.into_iter().map(|words| with_file(words.iter().map(OsString::from), file));
    for words in own.into_iter().chain(usual) {
        let Some((program, arguments)) = words.split_first() else { continue };
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(mut child) => {
                // The browser may stay open for hours, so a thread waits for it.
                std::thread::spawn(move || drop(child.wait()));
                return Ok(());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::NotFound, "no browser is installed"))
}

/// Returns the commands in `$BROWSER`, each as a program and its arguments. Colons separate
/// commands, and `%s` stands for the page. The name of an existing file is one program.
fn commands(typed: &OsStr, file: &Path) -> Vec<Vec<OsString>> {
    let Some(text) = typed.to_str().filter(|_| !Path::new(typed).exists()) else {
        return vec![with_file([typed.to_owned()], file)];
    };
    let commands = split(text, if cfg!(windows) { ';' } else { ':' });
    let commands = commands.into_iter().filter(|words| !words.is_empty());
    commands.map(|words| with_file(words.into_iter().map(OsString::from), file)).collect()
}

/// Splits a text into commands and their words. Quotes and backslashes work as in a shell.
fn split(text: &str, separator: char) -> Vec<Vec<String>> {
    let (mut commands, mut words) = (Vec::new(), Vec::new());
    let (mut word, mut quote): (Option<String>, Option<char>) = (None, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) if !cfg!(windows) => {
                word.get_or_insert_default().extend(chars.next());
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) if c == separator => {
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    commands.push(words);
    commands
}

/// Puts the file in the place of `%s`, or after the other words.
fn with_file(words: impl IntoIterator<Item = OsString>, file: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let mut is_placed = false;
    for word in &mut words {
        if let Some(text) = word.to_str().filter(|text| text.contains("%s")) {
            let (before, after) = text.split_once("%s").unwrap_or_default();
            let mut full = OsString::from(before);
            full.push(file);
            full.push(after);
            (*word, is_placed) = (full, true);
        }
    }
    if !is_placed {
        words.push(file.into());
    }
    words
}

fn write(address: &str, file: &Path) -> io::Result<()> {
    let mut folders = DirBuilder::new();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    folders.recursive(true).create(file.parent().unwrap_or(Path::new("/")))?;
    let _ = fs::remove_file(file);
    let address = address.replace('&', "&amp;");
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>overspill</title>\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">"
    );
    options.open(file)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn browser_variable_has_commands_with_arguments() {
        let words = |typed: &str| -> Vec<String> {
            let commands = commands(OsStr::new(typed), Path::new("/v.html"));
            commands
                .iter()
                .map(|words| words.join(OsStr::new("|")).into_string().unwrap())
                .collect()
        };
        for (typed, expected) in [
            ("firefox", &["firefox|/v.html"][..]),
            ("firefox --private-window", &["firefox|--private-window|/v.html"]),
            ("w3m %s -o x=1:links", &["w3m|/v.html|-o|x=1", "links|/v.html"]),
            ("my\\ browser --url=%s", &["my browser|--url=/v.html"]),
            ("'my browser' \"a:b\" ''", &["my browser|a:b||/v.html"]),
            (":lynx: ", &["lynx|/v.html"]),
            ("", &[]),
            // An existing file, whatever is in its name.
            ("/usr/bin", &["/usr/bin|/v.html"]),
        ] {
            assert_eq!(words(typed), expected, "{typed}");
        }
    }
}
