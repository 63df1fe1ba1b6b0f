//! Whether the author may do what a change set takes.
//!
//! A dry run changes nothing, so it is not refused for what is lacking: it says so. It is refused
//! only to who may not even look at what it is about.

use burgee_domain::access::{Decision, Need, Rights};

use super::{ApplyError, PermissionFound};

/// Refuses what the author may not do; of a dry run, tells what it takes, each once.
pub(super) fn check(
    needs: Vec<Need>,
    rights: &Rights,
    dry_run: bool,
) -> Result<Vec<PermissionFound>, ApplyError> {
    let mut found: Vec<PermissionFound> = Vec::new();
    for need in needs {
        let decision = rights.decide(need.action, &need.resource);
        let allowed = decision.is_allowed();
        let told_instead = dry_run && need.may_be_seen(rights);
        if !allowed && !told_instead {
            return Err(ApplyError::Forbidden(Box::new(need), decision));
        }
        if dry_run {
            found.push(told(&need, &decision));
        }
    }
    found.sort_by(|one, other| {
        let key = |it: &PermissionFound| (it.allowed, it.command);
        key(one).cmp(&key(other))
    });
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|it| seen.insert((it.action.clone(), it.resource.clone())));
    Ok(found)
}

fn told(need: &Need, decision: &Decision) -> PermissionFound {
    let by = match decision {
        Decision::Allowed(by) | Decision::Denied(by) => Some(by),
        Decision::Unmentioned => None,
    };
    PermissionFound {
        command: need.command,
        action: need.action.to_owned(),
        resource: need.resource.to_string(),
        allowed: decision.is_allowed(),
        policy: by.map(|by| by.policy.clone()),
        statement: by.map(|by| by.statement),
    }
}
