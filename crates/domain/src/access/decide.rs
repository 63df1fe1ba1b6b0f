//! The decision, and which statement made it.

use std::sync::Arc;

use super::builtin::{OWNER, builtin};
use super::pattern::Pattern;
use super::policy::{Effect, Policy, Statement};
use super::resource::Resource;

/// What a caller may do: layers of policies, each of which must allow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rights {
    pub(super) layers: Vec<Vec<Arc<Policy>>>,
}

/// The statement that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// The policy's key.
    pub policy: String,
    /// The statement's index in it.
    pub statement: usize,
}

/// Whether it may be done, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may; by this statement (of the last layer).
    Allowed(By),
    /// A statement forbids it.
    Denied(By),
    /// No statement allows it.
    Unmentioned,
}

impl Decision {
    /// Whether it may be done.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed(_))
    }
}

impl Rights {
    /// The rights that these policies give together.
    pub fn new(policies: Vec<Arc<Policy>>) -> Self {
        Self {
            layers: vec![policies],
        }
    }

    /// The rights to do everything: of the operator, and of Burgee itself.
    pub fn everything() -> Self {
        Self::new(builtin(OWNER).into_iter().collect())
    }

    /// The rights that both give: a service token has what its own statements and its maker allow.
    #[must_use]
    pub fn within(mut self, bound: Self) -> Self {
        self.layers.extend(bound.layers);
        self
    }

    /// The rights of somebody who has this policy, in place of one of its key.
    #[must_use]
    pub fn with(mut self, policy: Arc<Policy>) -> Self {
        if let Some(own) = self.layers.first_mut() {
            own.retain(|it| !it.key.eq_ignore_ascii_case(&policy.key));
            own.push(policy);
        }
        self
    }

    /// Whether what they allow or deny depends on the tags of anything.
    pub fn depend_on_tags(&self) -> bool {
        let policies = self.layers.iter().flatten();
        let mut statements = policies.flat_map(|policy| &policy.statements);
        statements.any(|statement| statement.resources.iter().any(Pattern::has_tags))
    }

    /// Decides. The first layer that does not allow it says no.
    pub fn decide(&self, action: &str, resource: &Resource) -> Decision {
        let mut decision = Decision::Unmentioned;
        for layer in &self.layers {
            decision = decide(layer, action, resource);
            if !decision.is_allowed() {
                break;
            }
        }
        decision
    }

    /// Whether the action may be done to the resource.
    pub fn allow(&self, action: &str, resource: &Resource) -> bool {
        self.decide(action, resource).is_allowed()
    }
}

fn decide(policies: &[Arc<Policy>], action: &str, resource: &Resource) -> Decision {
    let mut decision = Decision::Unmentioned;
    // Nobody can deny an owner what they need to undo it.
    if let Some(owner) = policies.iter().find(|policy| policy.key == OWNER) {
        return Decision::Allowed(By {
            policy: owner.key.clone(),
            statement: 0,
        });
    }
    for policy in policies {
        for (index, statement) in policy.statements.iter().enumerate() {
            if !concerns(statement, action, resource) {
                continue;
            }
            let by = || By {
                policy: policy.key.clone(),
                statement: index,
            };
            match statement.effect {
                Effect::Deny => return Decision::Denied(by()),
                Effect::Allow if decision.is_allowed() => {}
                Effect::Allow => decision = Decision::Allowed(by()),
            }
        }
    }
    decision
}

fn concerns(statement: &Statement, action: &str, resource: &Resource) -> bool {
    let mut actions = statement.actions.iter();
    let mut resources = statement.resources.iter();
    actions.any(|pattern| pattern.matches(action))
        && resources.any(|it| match statement.effect {
            Effect::Allow => it.matches(resource),
            // In doubt it is denied.
            Effect::Deny => it.may_match(resource),
        })
}
