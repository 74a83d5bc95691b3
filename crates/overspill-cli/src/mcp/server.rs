//! Starts the process of an MCP server.

use std::ffi::OsString;
use std::fs::File;
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::process::{Unstartable, restore_signals};
use crate::settings::variables;

pub(super) use crate::process::{
    Ask, end_group as end, is_reader_gone as is_unread, take_end_signals as take_signals, widen,
};

#[cfg(unix)]
use std::os::fd::OwnedFd as Owned;
#[cfg(windows)]
use std::os::windows::io::OwnedHandle as Owned;

/// The process of the server, and its two pipes.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) child: Child,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: File,
}

impl Server {
    /// Starts the server with the stderr of this process. The server does not get the token that
    /// clients of the proxy must send.
    pub(super) fn start(words: &[OsString]) -> Result<Server, Unstartable> {
        let failed =
            |source| Unstartable { program: words[0].to_string_lossy().into_owned(), source };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env_remove(variables::MCP_TOKEN);
        // The server gets its own process group, so that a signal also ends the processes that it
        // starts.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        restore_signals(&mut command);
        let mut child = command.spawn().map_err(failed)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => {
                let stdout = File::from(Owned::from(stdout));
                Ok(Server { child, stdin, stdout })
            }
            _ => Err(failed(std::io::ErrorKind::BrokenPipe.into())),
        }
    }
}
