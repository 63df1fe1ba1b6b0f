//! What an environment asks of a change set before it changes what is served there: a comment,
//! approvals by others.
//!
//! Permissions say what somebody may do; the rules of an environment say what nobody does alone.
//! Like permissions they follow the effect: every environment whose served state a change set
//! changes is asked ([`asks`]), whether or not a command names it. Names, descriptions and tags
//! change nobody's answer, and are not asked for. It makes no difference by which way a change set
//! comes, nor who brings it: the operator at the command line and a revert are asked like all
//! others. What remains for an emergency is an override: a permission of its own, with a reason
//! that the history shows.

mod ask;
mod rules;
mod tally;

pub use ask::{Ask, Place, asks, places};
pub use rules::{Approvals, CommentRule, EnvironmentRules, Exempt, MAX_APPROVALS, Reviewers};
pub use tally::{EnvironmentNeeds, Verdict, Voice, standing, together, vouched};
