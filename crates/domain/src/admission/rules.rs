//! The rules of an environment.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::check::text;
use crate::fault::{Fault, Rejected};

/// The most approvals that an environment can ask for: people who look at one change. More of them
/// look less.
pub const MAX_APPROVALS: u8 = 10;

/// The most members, and the most groups, that are named as reviewers; more are a group.
const MAX_REVIEWERS: usize = 100;

/// What an environment asks of every change set that changes what it serves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct EnvironmentRules {
    /// Whether a change set must say why.
    pub comment: CommentRule,
    /// Whether others must have agreed.
    pub approvals: Approvals,
}

/// Whether a change set must say why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum CommentRule {
    /// It may.
    #[default]
    Optional,
    /// It must.
    Required,
}

/// Who must have agreed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Approvals {
    /// How many people besides the author, 0 to 10.
    #[cfg_attr(feature = "schema", schema(maximum = 10))]
    pub required: u8,
    /// Who they may be.
    pub reviewers: Reviewers,
    /// What goes without: a change set whose commands here are all of these.
    pub exempt: BTreeSet<Exempt>,
}

/// Who may approve: anybody who may `change.review` where nobody is named, else of these who may.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Reviewers {
    /// Members, by their ids.
    pub members: BTreeSet<String>,
    /// All members of these groups, by key.
    pub groups: BTreeSet<String>,
}

/// A command that goes without approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Exempt {
    /// Turning a flag off, which must never wait for anybody.
    TurnOff,
}

impl Exempt {
    /// The permission of the command.
    fn action(self) -> &'static str {
        match self {
            Self::TurnOff => "flag.turnOff",
        }
    }
}

impl Approvals {
    /// Whether the command of this permission goes without.
    pub(super) fn exempts(&self, action: &str) -> bool {
        self.exempt.iter().any(|it| it.action() == action)
    }
}

impl Reviewers {
    /// Whether nobody is named: everybody with the permission is meant.
    pub fn is_anybody(&self) -> bool {
        self.members.is_empty() && self.groups.is_empty()
    }

    /// Whether somebody is meant, by account and the groups that they are in.
    pub(super) fn names(&self, account: Option<&str>, groups: &[String]) -> bool {
        self.is_anybody()
            || account.is_some_and(|it| self.members.contains(it))
            || groups.iter().any(|it| self.groups.contains(it))
    }

    /// Whether these may be somebody whom `others` may not.
    fn exceed(&self, others: &Self) -> bool {
        if others.is_anybody() {
            return false;
        }
        self.is_anybody()
            || !self.members.is_subset(&others.members)
            || !self.groups.is_subset(&others.groups)
    }
}

impl EnvironmentRules {
    /// The rules as they are kept: groups in lower case.
    ///
    /// # Errors
    /// With a pointer from the rules on; the index of the command means nothing.
    pub fn checked(&self) -> Result<Self, Rejected> {
        self.check().map_err(|fault| fault.of_command(0))?;
        let mut kept = self.clone();
        let groups = &mut kept.approvals.reviewers.groups;
        *groups = groups.iter().map(|it| it.to_ascii_lowercase()).collect();
        Ok(kept)
    }

    fn check(&self) -> Result<(), Fault> {
        let required = self.approvals.required;
        if required > MAX_APPROVALS {
            let message = format!("at most {MAX_APPROVALS} approvals can be asked for");
            return Err(Fault::new("/approvals/required", "range", message));
        }
        let Reviewers { members, groups } = &self.approvals.reviewers;
        for (name, list) in [("members", members), ("groups", groups)] {
            let at = format!("/approvals/reviewers/{name}");
            if list.len() > MAX_REVIEWERS {
                let message = format!("there are {}; the limit is {MAX_REVIEWERS}", list.len());
                return Err(Fault::new(at, "listTooLong", message));
            }
            for (index, it) in list.iter().enumerate() {
                text::id(it, &format!("{at}/{index}"))?;
            }
        }
        if groups.is_empty() && !members.is_empty() && members.len() < usize::from(required) {
            let message = format!(
                "{required} approvals are asked for, of {} members",
                members.len()
            );
            return Err(Fault::new(
                "/approvals/required",
                "tooFewReviewers",
                message,
            ));
        }
        Ok(())
    }

    /// Whether approvals are asked for, and an account or one of these groups (in lower case) is
    /// named as who may give them.
    pub fn name_reviewer(&self, account: Option<&str>, groups: &[String]) -> bool {
        let named = &self.approvals.reviewers;
        self.approvals.required > 0 && !named.is_anybody() && named.names(account, groups)
    }

    /// Whether these let something through that `before` would have held: less to be said, fewer
    /// approvals, more people who may approve, more that is exempt. Who reviews, and what is
    /// exempt, matters only where approvals were asked for.
    pub fn are_looser_than(&self, before: &Self) -> bool {
        let (then, now) = (&before.approvals, &self.approvals);
        let approvals = then.required > 0
            && (now.required < then.required
                || now.reviewers.exceed(&then.reviewers)
                || !now.exempt.is_subset(&then.exempt));
        let comment = before.comment == CommentRule::Required && self.comment != before.comment;
        comment || approvals
    }
}
