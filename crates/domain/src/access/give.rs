//! Who may give policies to others.
//!
//! Nobody gives what they may not do themselves, by whatever way: to a member, a group, somebody
//! invited, a token, or by writing it into a policy that others have. What a statement denies is
//! given by taking that statement away. Whoever may `policy.give` on a policy gives it all the
//! same: people who hire need not be able to deploy. What makes an owner, only owners give and
//! take.
//!
//! Whether one set of resources is within another is decided by their patterns alone, one against
//! one, and in doubt it is not: `project/*` is within `*`, but not within `project/a*` and
//! `project/b*` together.

use std::sync::Arc;

use super::action::{ACTIONS, ActionPattern, OWN};
use super::builtin::OWNER;
use super::decide::{Decision, Rights};
use super::pattern::Pattern;
use super::policy::{Effect, Policy, Statement};
use super::resource::{Kind, Resource};

/// To give a policy although one may not do all that it allows.
pub const GIVE: &str = "policy.give";

/// So many patterns are compared at most. More than anybody writes; the largest policies that there
/// can be would keep everybody waiting.
const MOST_COMPARED: usize = 100_000;

/// Why something may not be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MayNotGive {
    /// The policy's key.
    pub policy: String,
    /// What it would let somebody do that the giver may not: an action's name and a pattern.
    pub what: Option<(&'static str, String)>,
    /// The permission that the giver lacks: to own, or to give.
    pub action: &'static str,
    /// On what.
    pub resource: Resource,
    /// Why it is lacking.
    pub decision: Decision,
}

/// Whether somebody may make a change after which others have `given` and no longer `taken`.
///
/// # Errors
/// [`MayNotGive`] of the first policy that they may not give or take.
pub fn may_give(
    rights: &Rights,
    given: &[Arc<Policy>],
    taken: &[Arc<Policy>],
) -> Result<(), Box<MayNotGive>> {
    let given = given.iter().map(|policy| (policy, Effect::Allow));
    let taken = taken.iter().map(|policy| (policy, Effect::Deny));
    for (policy, gives) in given.chain(taken) {
        if policy.makes_owners() {
            has(rights, policy, OWN, Resource::organization(), None)?;
        }
        let exceeds = exceeds(rights, policy, gives);
        if exceeds.is_some() {
            let resource = Resource::new(Kind::Policy, policy.key.as_str());
            has(rights, policy, GIVE, resource, exceeds)?;
        }
    }
    Ok(())
}

fn has(
    rights: &Rights,
    policy: &Policy,
    action: &'static str,
    resource: Resource,
    what: Option<(&'static str, String)>,
) -> Result<(), Box<MayNotGive>> {
    match rights.decide(action, &resource) {
        Decision::Allowed(_) => Ok(()),
        decision => Err(Box::new(MayNotGive {
            policy: policy.key.clone(),
            what,
            action,
            resource,
            decision,
        })),
    }
}

impl Rights {
    /// Whether the action may be done to all that the pattern means, also to what is made later. In
    /// doubt it may not.
    pub fn allow_all(&self, action: &ActionPattern, resources: &Pattern) -> bool {
        let policy = Policy {
            key: String::new(),
            statements: vec![Statement {
                effect: Effect::Allow,
                actions: vec![action.clone()],
                resources: vec![resources.clone()],
            }],
        };
        exceeds(self, &policy, Effect::Allow).is_none()
    }
}

impl Policy {
    /// Whether whoever has it is an owner, as far as it goes.
    pub fn makes_owners(&self) -> bool {
        let organization = Resource::organization();
        self.statements.iter().any(|statement| {
            let mut actions = statement.actions.iter();
            let mut resources = statement.resources.iter();
            statement.effect == Effect::Allow
                && actions.any(|it| it.matches(OWN))
                && resources.any(|it| it.matches(&organization))
        })
    }
}

/// The first that the policy's statements of this effect name and that the rights do not allow.
fn exceeds(rights: &Rights, policy: &Policy, effect: Effect) -> Option<(&'static str, String)> {
    let statements = policy.statements.iter();
    let statements: Vec<&Statement> = statements.filter(|it| it.effect == effect).collect();
    let count: usize = statements.iter().map(|it| it.resources.len()).sum();
    rights.layers.iter().find_map(|layer| {
        if layer.iter().any(|policy| policy.key == OWNER) {
            return None;
        }
        let own = layer.iter().flat_map(|policy| &policy.statements);
        let own: Vec<&Statement> = own.collect();
        let compared: usize = own.iter().map(|it| it.resources.len()).sum();
        if count.saturating_mul(compared) > MOST_COMPARED {
            return Some(("*", "*".to_owned()));
        }
        statements.iter().find_map(|it| beyond(&own, it))
    })
}

/// The first action and resource of a statement that a layer's statements do not allow.
fn beyond(own: &[&Statement], statement: &Statement) -> Option<(&'static str, String)> {
    for resource in &statement.resources {
        let (allow, deny): (Vec<_>, Vec<_>) = own
            .iter()
            .filter(|it| {
                let mut resources = it.resources.iter();
                match it.effect {
                    Effect::Allow => resources.any(|own| own.covers(resource)),
                    Effect::Deny => resources.any(|own| own.meets(resource)),
                }
            })
            .partition(|it| it.effect == Effect::Allow);
        let names = |it: &&&Statement, action: &str| {
            let mut actions = it.actions.iter();
            actions.any(|own| own.matches(action))
        };
        let missing = ACTIONS.iter().find(|action| {
            statement.actions.iter().any(|it| it.matches(action.name))
                && (!allow.iter().any(|it| names(it, action.name))
                    || deny.iter().any(|it| names(it, action.name)))
        });
        if let Some(action) = missing {
            return Some((action.name, resource.as_str().to_owned()));
        }
    }
    None
}
