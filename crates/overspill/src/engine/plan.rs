//! Looks up the settings that apply to a call.

use overspill_core::{Keep, Limits, Policy};

use super::{CallOptions, Overspill};
use crate::Call;
use crate::command_kind::likely_kind;

/// The policy of one call.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The policy: when the output is cut, and how. If shortening is off, only the ceiling
    /// triggers.
    pub(crate) policy: Policy,
    /// An output over this size is always cut.
    pub(crate) ceiling: Limits,
    /// Shortening is on.
    pub(crate) enabled: bool,
    /// The caller can hand work to a sub-agent.
    pub(crate) delegate: bool,
}

impl Overspill {
    /// Returns the policy that applies to a call.
    pub fn policy(&self, call: &Call, options: &CallOptions) -> Policy {
        self.plan(call, options).policy
    }

    /// Returns the size over which an output of a call is always cut. It is unlimited if the
    /// ceiling is switched off.
    pub fn ceiling(&self, call: &Call, options: &CallOptions) -> Limits {
        self.plan(call, options).ceiling
    }

    /// Looks up the policy of a call.
    pub(crate) fn plan(&self, call: &Call, options: &CallOptions) -> Plan {
        let (tool, declared) = (call.tool.as_deref(), options.declared.as_ref());
        let effective = self.settings.effective(&self.profile, tool, declared, &options.settings);
        let ceiling = effective.ceiling(&self.profile);
        let mut policy = effective.policy(&self.profile).below(&ceiling);
        policy.hint.likely = likely_kind(call);
        let enabled = effective.is_enabled();
        let policy = match &options.share {
            _ if !enabled => Policy { trigger: ceiling, ..policy },
            None => policy,
            Some(share) => Policy {
                trigger: policy.trigger.tightened(share),
                limits: policy.limits.tightened(share),
                ..policy
            },
        };
        Plan { policy, ceiling, enabled, delegate: options.delegate }
    }

    /// Returns the policy of the simple cut: the start of the output, up to the trigger limit.
    pub(crate) fn simple(&self, policy: &Policy) -> Policy {
        Policy { limits: policy.trigger, keep: Keep::Head, ..policy.clone() }
    }
}

impl Plan {
    /// Tells whether the ceiling lets an output pass uncut. Larger outputs are always cut.
    pub(crate) fn is_below_ceiling(&self, output: &[u8]) -> bool {
        let Policy { lines, tokens, .. } = &self.policy;
        self.ceiling.exceeded_by(output, *lines, tokens).is_none()
    }
}
