//! A terminal of the command's own.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, ptsname, unlockpt};
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, Winsize, isatty,
    tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize,
};

/// What a terminal measures if nobody says.
const USUAL: Winsize = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };

/// Our end of the command's terminal.
#[derive(Debug)]
pub(super) struct Pty {
    pub(super) ours: OwnedFd,
    /// Where the command opens its end.
    pub(super) path: CString,
    /// Our own terminal as it was, if what is typed there goes to the command.
    before: Option<Termios>,
}

impl Pty {
    /// Makes a terminal as large as ours.
    pub(super) fn new() -> io::Result<Pty> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = openpt(flags)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let path = ptsname(&ours, Vec::new())?;
        let theirs = ioctl_tiocgptpeer(&ours, flags)?;
        let mut modes = tcgetattr(&theirs)?;
        // What is saved is what the command wrote, without a return before each line feed.
        modes.output_modes.remove(OutputModes::ONLCR);
        tcsetattr(&theirs, OptionalActions::Now, &modes)?;
        let pty = Pty { ours, path, before: None };
        pty.resize();
        Ok(pty)
    }

    /// Makes the command's terminal as large as ours.
    pub(super) fn resize(&self) {
        let three = [rustix::stdio::stdout(), rustix::stdio::stderr(), rustix::stdio::stdin()];
        let size = three.into_iter().find_map(|fd| tcgetwinsize(fd).ok());
        let _ = tcsetwinsize(&self.ours, size.unwrap_or(USUAL));
    }

    /// Has what is typed at our terminal go to the command as it is, if we have one.
    pub(super) fn take_keys(&mut self) -> bool {
        let stdin = rustix::stdio::stdin();
        if !isatty(stdin) {
            return false;
        }
        let Ok(before) = tcgetattr(stdin) else { return false };
        let mut modes = before.clone();
        // Not the output: what the command prints is still shown line by line.
        let (output_modes, local) = (modes.output_modes, LocalModes::ISIG | LocalModes::ICANON);
        modes.make_raw();
        modes.output_modes = output_modes;
        modes.local_modes.remove(local | LocalModes::ECHO);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        let taken = tcsetattr(stdin, OptionalActions::Drain, &modes).is_ok();
        self.before = taken.then_some(before);
        taken
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
        if let Some(before) = &self.before {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Drain, before);
        }
    }
}
