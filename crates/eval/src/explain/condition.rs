//! What a condition asked, what the user has, and whether it held.

use serde::Serialize;

use crate::compile::{CompiledSegment, RuleTest};
use crate::condition::{self, IN_SEGMENT, NOT_IN_SEGMENT};
use crate::flag::Condition;
use crate::snapshot::Snapshot;
use crate::user::User;
use crate::warning::Code;

/// A condition of a rule, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConditionStep {
    /// The property; `User is in segment` and `User is not in segment` ask for membership.
    pub property: String,
    /// The operator; null for membership.
    pub op: Option<String>,
    /// What was compared with.
    pub value: Option<String>,
    /// What the user has; null where they never sent it, which counts as the empty text.
    pub actual: Option<String>,
    /// Whether it held.
    pub holds: bool,
    /// Why it can hold for nobody, where its author made a mistake: a warning's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// The segments that were asked, of a condition of membership.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<SegmentStep>,
}

/// A segment that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SegmentStep {
    /// Its id.
    pub id: String,
    /// Its name; empty where there is no such segment.
    pub name: String,
    /// Whether the user is in it.
    pub member: bool,
    /// Why.
    pub why: Membership,
    /// The place (from 0) of the rule that took the user in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<usize>,
}

/// Why a user is in a segment or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Membership {
    /// There is no such segment here: nobody is in it.
    Unknown,
    /// It is archived: nobody is in it.
    Archived,
    /// Their key is excluded.
    Excluded,
    /// Their key is included.
    Included,
    /// A rule takes them.
    Rule,
    /// Neither a list nor a rule takes them.
    NoMatch,
    /// Whoever asked may not see the segment.
    Hidden,
}

impl ConditionStep {
    pub(super) fn new(
        written: &Condition,
        test: &RuleTest,
        holds: bool,
        snapshot: &Snapshot,
        user: &User<'_>,
    ) -> Self {
        let of_segments = matches!(written.property.as_str(), IN_SEGMENT | NOT_IN_SEGMENT);
        let ids = match of_segments {
            true => condition::segment_ids(written).unwrap_or_default(),
            false => Vec::new(),
        };
        let actual = user.property(&written.property).filter(|_| !of_segments);
        Self {
            property: written.property.clone(),
            op: written.op.clone().filter(|_| !of_segments),
            value: written.value.clone(),
            actual: actual.map(str::to_owned),
            holds,
            broken: test.is_never().then(|| broken(written)),
            segments: ids
                .into_iter()
                .map(|id| SegmentStep::new(id, snapshot, user))
                .collect(),
        }
    }
}

/// The code of what is wrong with a condition that does not compile. One that would by itself has a
/// pattern for which those before it left no room.
fn broken(written: &Condition) -> String {
    let code = condition::check(written).err().map(|warning| warning.code);
    code.unwrap_or(Code::NotAPattern).as_str().to_owned()
}

impl SegmentStep {
    fn new(id: String, snapshot: &Snapshot, user: &User<'_>) -> Self {
        let found = snapshot.segment(&id);
        let (why, rule) = found.map_or((Membership::Unknown, None), |it| it.membership(user));
        Self {
            name: found.map_or_else(String::new, |it| it.segment().name.clone()),
            id,
            member: matches!(why, Membership::Included | Membership::Rule),
            why,
            rule,
        }
    }
}

impl CompiledSegment {
    /// Whether the user is in it and why, with the place of the rule that took them.
    pub fn membership(&self, user: &User<'_>) -> (Membership, Option<usize>) {
        let segment = self.segment();
        if segment.is_archived {
            return (Membership::Archived, None);
        }
        let named = |keys: &[String]| keys.iter().any(|key| *key == user.key);
        if named(&segment.excluded) {
            return (Membership::Excluded, None);
        }
        if named(&segment.included) {
            return (Membership::Included, None);
        }
        match self.rule_of(user) {
            Some(rule) => (Membership::Rule, Some(rule)),
            None => (Membership::NoMatch, None),
        }
    }
}
