//! The way in which a host itself cuts the output of a command, for `stats`. Records keep it beside
//! each output.

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
    /// Returns the way of a host that shows at most `limits` of every output.
    pub(super) const fn to(limits: Limits, keep: Keep) -> OwnCut {
        OwnCut::over(limits, limits, keep)
    }

    /// Returns the way of a host that shows only `shows` of an output larger than `over`. Such
    /// hosts save the whole output in a file.
    pub(super) const fn over(over: Limits, shows: Limits, keep: Keep) -> OwnCut {
        OwnCut { usual: HostCut { over, shows, keep }, if_failed: None }
    }

    /// Returns this way, with `other` for the output of a failed command.
    pub(super) const fn if_failed(self, other: OwnCut) -> OwnCut {
        OwnCut { if_failed: Some(other.usual), ..self }
    }
}

impl Host {
    /// Returns the entry for records of this host.
    pub(crate) fn of_calls(&self) -> CallHost {
        CallHost {
            name: self.name.to_owned(),
            cut: self.own_cut.map(|own| own.usual),
            if_failed: self.own_cut.and_then(|own| own.if_failed),
        }
    }

    /// Returns the entry for records of this host's tool results. Only its cut of command outputs
    /// is known, not its cut of other results.
    pub(crate) fn of_results(&self, of_command: bool) -> CallHost {
        let host = self.of_calls();
        if of_command { host } else { CallHost { cut: None, if_failed: None, ..host } }
    }

    /// Returns the entry for records of the host of this process. Returns `None` if this process
    /// has several hosts.
    pub(crate) fn of_calls_around(env: &Env) -> Option<CallHost> {
        let mut around = Host::around(env);
        around.next().filter(|_| around.next().is_none()).map(Host::of_calls)
    }
}
