//! Looks up the settings that apply to a call.

use overspill_core::{Keep, Policy};

use super::{CallOptions, Overspill};
use crate::command_kind::likely_kind;
use crate::{Call, Profile};

/// The policy of one call.
pub(crate) struct Plan {
    /// When the output is cut, and how. If shortening is off, only the ceiling triggers.
    pub(crate) policy: Policy,
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

    /// Looks up the policy of a call.
    pub(crate) fn plan(&self, call: &Call, options: &CallOptions) -> Plan {
        let (tool, declared) = (call.tool.as_deref(), options.declared.as_ref());
        let effective = self.settings.effective(&self.profile, tool, declared, &options.settings);
        let mut policy = effective.policy(&self.profile).below(&self.profile.ceiling);
        policy.hint.likely = likely_kind(call);
        let enabled = effective.is_enabled();
        let policy = match &options.share {
            _ if !enabled => Policy { trigger: self.profile.ceiling, ..policy },
            None => policy,
            Some(share) => Policy {
                trigger: policy.trigger.tightened(share),
                limits: policy.limits.tightened(share),
                ..policy
            },
        };
        Plan { policy, enabled, delegate: options.delegate }
    }

    /// Returns the policy of the simple cut: as much of the start as would not have been cut.
    pub(crate) fn simple(&self, policy: &Policy) -> Policy {
        Policy { limits: policy.trigger, keep: Keep::Head, ..policy.clone() }
    }

    /// Tells whether an output is within the limits that no setting can lift.
    pub(crate) fn is_below_ceiling(&self, output: &[u8]) -> bool {
        let Profile { ceiling, policy, .. } = &self.profile;
        ceiling.exceeded_by(output, policy.lines, &policy.tokens).is_none()
    }
}
