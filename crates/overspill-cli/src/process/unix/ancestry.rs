//! Finds the ancestors of a process.

use rustix::process::{Pid, getpid, getppid};

use super::extra::{Parents, name_of};

/// The largest number of ancestors that are followed. A table that changes while it is read must
/// not cause an endless loop.
const DEEPEST: usize = 64;

/// Tells whether `process` is `ancestor`, or `ancestor` started it directly or indirectly.
pub(super) fn descends(process: i32, ancestor: Pid) -> bool {
    let parents = Parents::new();
    let mut at = process;
    for _ in 0..DEEPEST {
        if at == ancestor.as_raw_nonzero().get() {
            return true;
        }
        match parents.of(at) {
            Some(parent) if parent > 1 => at = parent,
            _ => return false,
        }
    }
    false
}

/// Tells whether `process` started this process directly or indirectly.
pub(crate) fn is_below(process: i32) -> bool {
    let own = getpid().as_raw_nonzero().get();
    Pid::from_raw(process).is_some_and(|ancestor| descends(own, ancestor))
}

/// Returns the name of the process that started this process.
pub(crate) fn parent_name() -> Option<String> {
    name_of(getppid()?.as_raw_nonzero().get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_of_this_process_are_found() {
        let own = getpid().as_raw_nonzero().get();
        let parent = rustix::process::getppid().unwrap();
        assert_eq!(Parents::new().of(own), Some(parent.as_raw_nonzero().get()));
        assert!(is_below(own) && is_below(parent.as_raw_nonzero().get()));
        assert!(!descends(parent.as_raw_nonzero().get(), getpid()));
    }

    #[test]
    fn process_name_is_the_name_of_its_file() {
        let own = std::env::current_exe().unwrap();
        let own = own.file_name().unwrap().to_str().unwrap();
        let name = name_of(getpid().as_raw_nonzero().get()).unwrap();
        // Linux keeps the first 15 bytes.
        assert!(!name.is_empty() && own.starts_with(&name), "{name}");
        assert_eq!(name_of(i32::MAX), None);
    }
}
