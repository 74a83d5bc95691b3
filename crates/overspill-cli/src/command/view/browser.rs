//! Opens the page in the user's browser.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use overspill::Places;

use crate::env::Env;

/// Returns the path of a private HTML file that redirects the browser to the page.
///
/// The browser gets this file as its argument, and not the address with the token: other users see
/// the arguments of processes.
pub(super) fn redirect_file(env: &Env) -> PathBuf {
    Places::below(env.places().state.clone(), "overspill").join("view.html")
}

/// Writes the redirect file and opens it in a browser.
pub(super) fn open(address: &str, file: &Path, env: &Env) -> io::Result<()> {
    write(address, file)?;
    let own = env.variable("BROWSER").into_iter();
    let usual = ["xdg-open", "open", "wslview", "gio"].map(Into::into);
    for program in own.chain(usual) {
        let mut command = Command::new(&program);
        if program == "gio" {
            command.arg("open");
        }
        command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
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
