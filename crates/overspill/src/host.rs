//! The host agent that makes calls, and the way in which it cuts outputs itself.

use overspill_core::{Keep, Limits, Size};

/// The way in which a host itself cuts a long output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostCut {
    /// The host cuts an output that is larger than this.
    pub over: Limits,
    /// The size of the part that the host shows of a cut output, without its own mark.
    pub shows: Limits,
    /// The part that the host shows.
    pub keep: Keep,
}

impl HostCut {
    /// Returns the number of bytes that the host shows of an output of this size. A limit in
    /// characters or lines is converted with the average bytes of a character or a line of this
    /// output.
    pub fn shown_bytes(&self, total: &Size) -> u64 {
        let exceeds = |limit: Option<u64>, size: u64| limit.is_some_and(|most| size > most);
        let HostCut { over, shows, .. } = self;
        let is_cut = exceeds(over.bytes, total.bytes)
            || exceeds(over.chars, total.chars)
            || exceeds(over.lines, total.lines);
        if !is_cut {
            return total.bytes;
        }
        let share = |limit: Option<u64>, size: u64| {
            let part = u128::from(total.bytes) * u128::from(limit?.min(size));
            Some((part / u128::from(size.max(1))) as u64)
        };
        let limits =
            [shows.bytes, share(shows.chars, total.chars), share(shows.lines, total.lines)];
        limits.into_iter().flatten().min().unwrap_or(total.bytes).min(total.bytes)
    }
}

/// The host agent around an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallHost {
    /// The name of the host, such as `claude-code`.
    pub name: String,
    /// The way in which the host cuts the output of a command, if that is known.
    pub cut: Option<HostCut>,
    /// The way in which the host cuts the output of a command that failed, if that differs.
    pub if_failed: Option<HostCut>,
}

impl CallHost {
    /// Returns the number of bytes that the host would show of an output, if that is known.
    pub(crate) fn baseline(&self, total: &Size, has_failed: bool) -> Option<u64> {
        let cut = self.if_failed.filter(|_| has_failed).or(self.cut)?;
        Some(cut.shown_bytes(total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_cut_counts_the_bytes_that_it_shows() {
        let cut = HostCut {
            over: Limits::NONE.chars(100).lines(10),
            shows: Limits::NONE.chars(20).lines(5),
            keep: Keep::Tail,
        };
        let size = |bytes, chars, lines| Size { bytes, chars, lines };
        assert_eq!(cut.shown_bytes(&size(100, 100, 10)), 100, "it fits");
        assert_eq!(cut.shown_bytes(&size(400, 200, 1)), 40, "two bytes a character");
        assert_eq!(cut.shown_bytes(&size(22, 22, 11)), 10, "two bytes a line");
        assert_eq!(cut.shown_bytes(&size(12, 12, 12)), 5);
    }
}
