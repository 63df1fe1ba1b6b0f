//! A segment.

use super::users::{self, Change};
use super::{Steps, rules};
use crate::command::segment::create::CreateSegment;
use crate::command::segment::life::{ArchiveSegment, DeleteSegment, RestoreSegment};
use crate::command::segment::members::{
    AddExcluded, AddIncluded, RemoveExcluded, RemoveIncluded, SetExcluded, SetIncluded,
};
use crate::command::segment::metadata::{DescribeSegment, RenameSegment, SetSegmentTags};
use crate::command::segment::rules::SetSegmentRules;
use crate::model::{Life, Segment};

/// What a segment is, and what it shall be; none: it is not there, or was deleted.
#[derive(Clone, Copy, Debug)]
pub struct SegmentPlan<'a> {
    /// The project's key; none for a segment of the organization.
    pub project: Option<&'a str>,
    /// The environment's key; none for a segment of a project or the organization.
    pub environment: Option<&'a str>,
    /// As it is.
    pub now: Option<&'a Segment>,
    /// As it shall be.
    pub then: Option<&'a Segment>,
}

/// Makes a command on a segment: its address, and the fields given.
macro_rules! on {
    ($at:expr, $name:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {
        $name {
            project: $at.0.clone(),
            environment: $at.1.clone(),
            segment: $at.2.clone(),
            $($field $(: $value)?,)*
        }
    };
}

type Address = (Option<String>, Option<String>, String);

/// The commands that lead a segment from one state to another.
pub fn segment(plan: &SegmentPlan<'_>) -> Steps {
    let there = |segment: &&Segment| segment.life != Life::Deleted;
    let (now, then) = (plan.now.filter(there), plan.then.filter(there));
    let mut steps = Steps::default();
    let Some(key) = now.or(then).map(|segment| segment.key.to_string()) else {
        return steps;
    };
    let owned = |key: Option<&str>| key.map(str::to_owned);
    let at: Address = (owned(plan.project), owned(plan.environment), key);
    match (now, then) {
        (Some(now), None) => {
            if now.life == Life::Live {
                steps.push(on!(at, ArchiveSegment {}));
            }
            steps.push(on!(at, DeleteSegment {}));
        }
        (None, Some(then)) => {
            steps.push(create(&at, then));
            if then.life == Life::Archived {
                steps.push(on!(at, ArchiveSegment {}));
            }
        }
        (Some(now), Some(then)) => edit(&at, now, then, &mut steps),
        (None, None) => {}
    }
    steps
}

fn create(at: &Address, then: &Segment) -> CreateSegment {
    on!(
        at,
        CreateSegment {
            id: Some(then.id.to_string()),
            name: Some(then.name.clone()),
            description: Some(then.description.clone()),
            tags: then.tags.clone(),
            included: then.included.clone(),
            excluded: then.excluded.clone(),
            rules: then.rules.iter().map(rules::segment_rule).collect(),
        }
    )
}

fn edit(at: &Address, now: &Segment, then: &Segment, steps: &mut Steps) {
    metadata(at, now, then, steps);
    let mut inside = Steps::default();
    members(at, now, then, &mut inside);
    let edits = !inside.commands.is_empty();
    let restored = now.life == Life::Archived && (edits || then.life == Life::Live);
    if restored {
        steps.push(on!(at, RestoreSegment {}));
    }
    steps.extend(inside);
    if then.life == Life::Archived && (restored || now.life == Life::Live) {
        steps.push(on!(at, ArchiveSegment {}));
    }
}

fn metadata(at: &Address, now: &Segment, then: &Segment, steps: &mut Steps) {
    if now.name != then.name {
        let name = then.name.clone();
        steps.push(on!(at, RenameSegment { name }));
    }
    if now.description != then.description {
        let description = then.description.clone();
        steps.push(on!(at, DescribeSegment { description }));
    }
    if now.tags != then.tags {
        let tags = then.tags.clone();
        steps.push(on!(at, SetSegmentTags { tags }));
    }
}

/// Who goes first: the lists have a limit together.
fn members(at: &Address, now: &Segment, then: &Segment, steps: &mut Steps) {
    let mut others = Steps::default();
    match users::change(&now.included, &then.included) {
        Change::None => {}
        Change::Set => others.push(on!(
            at,
            SetIncluded {
                keys: then.included.clone()
            }
        )),
        Change::Edit { removed, added } => {
            if !removed.is_empty() {
                steps.push(on!(at, RemoveIncluded { keys: removed }));
            }
            if !added.is_empty() {
                others.push(on!(at, AddIncluded { keys: added }));
            }
        }
    }
    match users::change(&now.excluded, &then.excluded) {
        Change::None => {}
        Change::Set => others.push(on!(
            at,
            SetExcluded {
                keys: then.excluded.clone()
            }
        )),
        Change::Edit { removed, added } => {
            if !removed.is_empty() {
                steps.push(on!(at, RemoveExcluded { keys: removed }));
            }
            if !added.is_empty() {
                others.push(on!(at, AddExcluded { keys: added }));
            }
        }
    }
    steps.extend(others);
    if now.rules != then.rules {
        let rules = then.rules.iter().map(rules::segment_rule).collect();
        steps.push(on!(at, SetSegmentRules { rules }));
    }
}
