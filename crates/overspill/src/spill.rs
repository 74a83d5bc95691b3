//! An output as it is being written.

use std::io;

use overspill_core::{Copy, Finished, Notice, Saved, Window};

use crate::store::{Draft, Id, SpillRef};
use crate::{Error, Outcome, Overspill, Spilled};

/// Takes an output chunk by chunk: measures it, and once it is too large saves every byte.
///
/// Writing never fails; what became of saving is said by the [`Outcome`].
#[derive(Debug)]
pub struct Spill<'a> {
    overspill: &'a Overspill,
    window: Window,
    /// Begun when the output turns out to be too large.
    save: Option<Save>,
}

#[derive(Debug)]
struct Save {
    /// Marks this output's own notice, saved or not.
    token: String,
    draft: Result<Draft, Error>,
}

impl<'a> Spill<'a> {
    pub(crate) fn new(overspill: &'a Overspill) -> Spill<'a> {
        Spill { overspill, window: Window::new(overspill.policy.clone()), save: None }
    }

    /// Takes the next chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        if let Some(before) = self.window.push(chunk) {
            self.save = Some(Save::begin(self.overspill, &before));
        }
        if let Some(save) = &mut self.save {
            save.append(chunk);
        }
    }

    /// Says that the output is complete.
    pub fn finish(mut self) -> Outcome {
        if let Some(all) = self.window.settle() {
            self.save = Some(Save::begin(self.overspill, &all));
        }
        let over = match self.window.finish() {
            Finished::Whole(bytes) => return Outcome::Whole(bytes),
            Finished::Over(over) => over,
        };
        let (token, saved) =
            self.save.map_or_else(|| (String::new(), Err(Error::NotBegun)), Save::end);
        let notice = Notice {
            token,
            saved: match &saved {
                Ok(SpillRef { id, path }) => {
                    let path = Some(path.to_string_lossy().into_owned());
                    Saved::Whole(Copy { id: id.to_string(), path })
                }
                Err(error) => Saved::Failed(error.to_string()),
            },
            reach: self.overspill.reach.clone(),
        };
        let answer = notice.answer(&over, &self.overspill.policy);
        let for_person = notice.for_person(&answer.cut);
        Outcome::Spilled(Box::new(Spilled {
            text: answer.text,
            cut: answer.cut,
            saved,
            for_person,
        }))
    }
}

impl Save {
    /// Opens a draft and adds what came before it was needed.
    fn begin(overspill: &Overspill, before: &[u8]) -> Save {
        let mut save = match Id::draw() {
            Ok(id) => Save { token: id.token(), draft: overspill.store.draft(id) },
            Err(error) => Save { token: String::new(), draft: Err(error) },
        };
        save.append(before);
        save
    }

    fn append(&mut self, bytes: &[u8]) {
        if let Ok(draft) = &mut self.draft
            && let Err(error) = draft.append(bytes)
        {
            self.draft = Err(error);
        }
    }

    fn end(self) -> (String, Result<SpillRef, Error>) {
        (self.token, self.draft.and_then(Draft::publish))
    }
}

impl io::Write for Spill<'_> {
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        self.push(chunk);
        Ok(chunk.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
