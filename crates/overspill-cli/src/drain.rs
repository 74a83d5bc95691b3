//! Reads an input to its end.

use std::io::{self, Read};

use overspill::Spill;

use crate::buffer::Buffer;

/// Feeds everything there is to read to `spill`. `widen` is asked for more room once it is worth
/// it: where a pipe holds more, its writer and we wait for each other less often.
pub(crate) fn drain(
    from: &mut impl Read,
    spill: &mut Spill,
    mut widen: impl FnMut(),
) -> io::Result<()> {
    let mut buffer = Buffer::new();
    let mut wide = false;
    loop {
        match from.read(buffer.space()) {
            Ok(0) => return Ok(()),
            Ok(len) => {
                spill.push(&buffer.space()[..len]);
                if len == Buffer::PIPE && !std::mem::replace(&mut wide, true) {
                    widen();
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Lets standard input hold more bytes if it is a pipe.
pub(crate) fn widen_stdin() {
    crate::process::widen(io::stdin());
}
