//! Opens and sets up the terminal of a command.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::process::Pid;
use rustix::pty::{grantpt, ptsname, unlockpt};
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, Winsize, isatty,
    tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr, tcsetwinsize,
};

use super::extra;
use crate::process::CommandTerminal;

/// The size of the command's terminal if overspill has no terminal.
const USUAL: Winsize = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };

/// A new terminal.
#[derive(Debug)]
pub(super) struct Pty {
    pub(super) ours: OwnedFd,
    /// The command's end, until the start of the command. BSD forgets the modes of a terminal after
    /// the last process has closed it.
    pub(super) theirs: Option<OwnedFd>,
    /// The path of the command's end.
    #[allow(dead_code, reason = "only the Linux code opens it again")]
    pub(super) path: CString,
    /// The original modes of our own terminal, if its keys go to the command.
    before: Option<Termios>,
    kind: CommandTerminal,
}

impl Pty {
    /// Opens a terminal of the same size as ours.
    pub(super) fn new(kind: CommandTerminal) -> io::Result<Pty> {
        let ours = extra::open_terminal()?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let path = ptsname(&ours, Vec::new())?;
        let theirs = extra::open_peer(&ours, &path)?;
        let mut modes = tcgetattr(&theirs)?;
        match tcgetattr(rustix::stdio::stdin()) {
            Ok(own) if kind == CommandTerminal::LikeOurs => modes = own,
            // The output is saved as the command wrote it, without a carriage return before line
            // feeds.
            _ => modes.output_modes.remove(OutputModes::ONLCR),
        }
        tcsetattr(&theirs, OptionalActions::Now, &modes)?;
        let pty = Pty { ours, theirs: Some(theirs), path, before: None, kind };
        pty.resize();
        Ok(pty)
    }

    /// Closes the command's end in this process.
    pub(super) fn hand_over(&mut self) {
        self.theirs = None;
    }

    /// Gives the command's terminal the same size as ours.
    pub(super) fn resize(&self) {
        let three = [rustix::stdio::stdout(), rustix::stdio::stderr(), rustix::stdio::stdin()];
        let size = three.into_iter().find_map(|fd| tcgetwinsize(fd).ok());
        let _ = tcsetwinsize(&self.ours, size.unwrap_or(USUAL));
    }

    /// Sets our terminal to pass each key to the command. Returns `false` if overspill has no
    /// terminal.
    pub(super) fn take_keys(&mut self) -> bool {
        let stdin = rustix::stdio::stdin();
        if !isatty(stdin) {
            return false;
        }
        let Ok(before) = tcgetattr(stdin) else { return false };
        let mut modes = before.clone();
        let (output_modes, local) = (modes.output_modes, LocalModes::ISIG | LocalModes::ICANON);
        modes.make_raw();
        if self.kind != CommandTerminal::LikeOurs {
            // The command's output has plain line feeds, and our terminal must still show it line
            // by line.
            modes.output_modes = output_modes;
        }
        modes.local_modes.remove(local | LocalModes::ECHO);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        let taken = tcsetattr(stdin, OptionalActions::Drain, &modes).is_ok();
        self.before = taken.then_some(before);
        taken
    }

    /// Restores the modes of our terminal while the command is stopped.
    pub(super) fn leave_keys(&mut self) {
        if let Some(before) = self.before.take() {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Drain, &before);
        }
    }

    /// Leaves the modes of our terminal as the shell has set them.
    pub(super) fn forget_keys(&mut self) {
        self.before = None;
    }

    /// Tells whether a leader process runs the session, so that a key can stop the command.
    pub(super) fn has_job_control(&self) -> bool {
        self.kind == CommandTerminal::LikeOurs
    }

    /// Returns the process group in the foreground of the command's terminal.
    pub(super) fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.ours).ok()
    }

    /// Returns another descriptor for our end, if later output belongs on our terminal.
    pub(super) fn copy_if_like_ours(&self) -> Option<OwnedFd> {
        self.has_job_control()
            .then(|| rustix::io::fcntl_dupfd_cloexec(&self.ours, 3).ok())
            .flatten()
    }

    /// Types the key that ends the input.
    pub(super) fn end_input(&self) {
        let key = tcgetattr(self.ours.as_fd())
            .map_or(4, |modes| modes.special_codes[SpecialCodeIndex::VEOF]);
        let _ = rustix::io::write(&self.ours, &[key]);
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        self.leave_keys();
    }
}
