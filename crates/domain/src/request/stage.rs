//! Where a request is, and what can be done with it there.

use serde::{Deserialize, Serialize};

use crate::admission::Verdict;

/// Where a request is. Whether it is approved is not said here: that is counted when it is asked
/// for, since rules and rights change while it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// It waits.
    Open,
    /// It was applied, all its steps.
    Applied,
    /// Its authors took it back.
    Withdrawn,
    /// It could not be applied when it was due, or named somebody who was forgotten.
    Stopped,
}

/// What is done with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A new revision.
    Revise,
    /// Approving or declining.
    Review,
    /// A comment.
    Discuss,
    /// Taking it back.
    Withdraw,
    /// Applying a step that is not the last.
    Advance,
    /// Applying it, or its last step.
    Apply,
    /// Giving up, because it cannot be applied as it was agreed to.
    Stop,
}

/// Where a request is, as people are shown it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// Approvals are missing.
    Waiting,
    /// Nothing is missing: it can be applied.
    Approved,
    /// A reviewer declined it: it waits for another revision, or for them to change their mind.
    Declined,
    /// It was applied, all its steps.
    Applied,
    /// Its authors took it back.
    Withdrawn,
    /// It could not be applied when it was due, or an end user whom it named was forgotten; a new
    /// revision opens it again.
    Stopped,
}

/// This cannot be done with a request that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this cannot be done with a request that is {0:?}")]
pub struct Closed(pub Stage);

impl Stage {
    /// Where a request is after an act.
    ///
    /// # Errors
    /// [`Closed`], where the act cannot be done.
    pub fn after(self, act: Act) -> Result<Self, Closed> {
        match (self, act) {
            (stage, Act::Discuss) => Ok(stage),
            (Self::Open, Act::Review | Act::Advance)
            | (Self::Open | Self::Stopped, Act::Revise) => Ok(Self::Open),
            (Self::Open | Self::Stopped, Act::Withdraw) => Ok(Self::Withdrawn),
            (Self::Open, Act::Apply) => Ok(Self::Applied),
            (Self::Open, Act::Stop) => Ok(Self::Stopped),
            (stage, _) => Err(Closed(stage)),
        }
    }

    /// What people are shown, given how its reviewers stand.
    pub fn shown(self, standing: Option<Verdict>) -> State {
        match (self, standing) {
            (Self::Open, None) => State::Waiting,
            (Self::Open, Some(Verdict::Approve)) => State::Approved,
            (Self::Open, Some(Verdict::Decline)) => State::Declined,
            (Self::Applied, _) => State::Applied,
            (Self::Withdrawn, _) => State::Withdrawn,
            (Self::Stopped, _) => State::Stopped,
        }
    }

    /// The name that it is stored by, as serde writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Applied => "applied",
            Self::Withdrawn => "withdrawn",
            Self::Stopped => "stopped",
        }
    }
}
