//! How a host itself cuts the output of a command, and what records say about it.

use overspill::core::{Keep, Limits};
use overspill::internal::{CallHost, HostCut};

use super::Host;
use crate::env::Env;

/// The way in which a host itself cuts the output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnCut {
    pub(crate) usual: HostCut,
    /// The way for a command that failed, if it differs.
    pub(crate) if_failed: Option<HostCut>,
}

impl OwnCut {
    /// It shows so much of every long output.
    pub(super) const fn to(limits: Limits, keep: Keep) -> OwnCut {
        OwnCut::over(limits, limits, keep)
    }

    /// It shows so much of an output that is larger than `over`. Such hosts save the whole output in a file.
    pub(super) const fn over(over: Limits, shows: Limits, keep: Keep) -> OwnCut {
        OwnCut { usual: HostCut { over, shows, keep }, if_failed: None }
    }

    /// It cuts the output of a command that failed in another way.
    pub(super) const fn if_failed(self, other: OwnCut) -> OwnCut {
        OwnCut { if_failed: Some(other.usual), ..self }
    }
}

impl Host {
    /// Returns what records say about this host.
    pub(crate) fn of_calls(&self) -> CallHost {
        CallHost {
            name: self.name.to_owned(),
            cut: self.own_cut.map(|own| own.usual),
            if_failed: self.own_cut.and_then(|own| own.if_failed),
        }
    }

    /// Returns what records say about this host for the result of a tool. It is known how a host cuts the outputs of
    /// commands, but not how it cuts other results.
    pub(crate) fn of_results(&self, of_command: bool) -> CallHost {
        let host = self.of_calls();
        if of_command { host } else { CallHost { cut: None, if_failed: None, ..host } }
    }

    /// Returns what records say about the host around us. `None` if several hosts are around us.
    pub(crate) fn of_calls_around(env: &Env) -> Option<CallHost> {
        let mut around = Host::around(env);
        around.next().filter(|_| around.next().is_none()).map(Host::of_calls)
    }
}
