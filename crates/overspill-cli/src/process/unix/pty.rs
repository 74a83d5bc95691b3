//! The terminal that a command is given.

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

/// The size of the command's terminal if we have none.
const USUAL: Winsize = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };

/// A new terminal.
#[derive(Debug)]
pub(super) struct Pty {
    pub(super) ours: OwnedFd,
    /// The command's end, until the command is started. BSD forgets the modes of a terminal
    /// after the last process has closed it.
    pub(super) theirs: Option<OwnedFd>,
    /// The path of the command's end.
    #[allow(dead_code, reason = "only the Linux code opens it again")]
    pub(super) path: CString,
    /// The modes of our own terminal, if its keys go to the command.
    before: Option<Termios>,
    kind: CommandTerminal,
}

impl Pty {
    /// Opens a terminal of the size of ours.
    pub(super) fn new(kind: CommandTerminal) -> io::Result<Pty> {
        let ours = extra::open_terminal()?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let path = ptsname(&ours, Vec::new())?;
        let theirs = extra::open_peer(&ours, &path)?;
        let mut modes = tcgetattr(&theirs)?;
        match tcgetattr(rustix::stdio::stdin()) {
            Ok(own) if kind == CommandTerminal::LikeOurs => modes = own,
            // The output is saved as the command wrote it, without a carriage return before line feeds.
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

    /// Gives the command's terminal the size of ours.
    pub(super) fn resize(&self) {
        let three = [rustix::stdio::stdout(), rustix::stdio::stderr(), rustix::stdio::stdin()];
        let size = three.into_iter().find_map(|fd| tcgetwinsize(fd).ok());
        let _ = tcsetwinsize(&self.ours, size.unwrap_or(USUAL));
    }

    /// Sets our terminal to pass each key to the command. Returns `false` if we have no terminal.
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
            // What the command prints has plain line feeds, and is still shown line by line.
            modes.output_modes = output_modes;
        }
        modes.local_modes.remove(local | LocalModes::ECHO);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        let taken = tcsetattr(stdin, OptionalActions::Drain, &modes).is_ok();
        self.before = taken.then_some(before);
        taken
    }

    /// Gives our terminal its modes back, as long as the command is stopped.
    pub(super) fn leave_keys(&mut self) {
        if let Some(before) = self.before.take() {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Drain, &before);
        }
    }

    /// Leaves our terminal as the shell has set it.
    pub(super) fn forget_keys(&mut self) {
        self.before = None;
    }

    /// Tells whether a process of ours leads the session, so that the command can be stopped by a key.
    pub(super) fn has_job_control(&self) -> bool {
        self.kind == CommandTerminal::LikeOurs
    }

    /// Returns the group in the foreground of the command's terminal.
    pub(super) fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.ours).ok()
    }

    /// Returns another descriptor for our end, if what is written later belongs on our terminal.
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
