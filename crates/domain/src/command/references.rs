//! What a change set must find loaded.

use std::collections::BTreeSet;

use super::input::{ConditionInput, RuleInput, SegmentRuleInput};
use super::{Command, Target};
use crate::check::condition::segment_ids;
use crate::key::fold;

/// A segment by key, in its scope. Keys are folded ([`crate::key::Key::folded`]).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentRef {
    /// The project's key; none for a segment of the organization.
    pub project: Option<String>,
    /// The environment's key; none for a segment of a project or of the organization.
    pub environment: Option<String>,
    /// The segment's key.
    pub segment: String,
}

/// What the store loads into the [`crate::workspace::Workspace`]. Keys are folded; what does not
/// exist is left out, and refused by the command that wants it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Projects, each with all its environments.
    pub projects: BTreeSet<String>,
    /// Flags as (project, flag), each with its targeting everywhere.
    pub flags: BTreeSet<(String, String)>,
    /// Flags by (project, id): those whose id a new flag asks for.
    pub flag_ids: BTreeSet<(String, String)>,
    /// Flags as in `flags`, whose rules' segments are needed too, and the flags that they need: those
    /// that are served again.
    pub rules_of: BTreeSet<(String, String)>,
    /// Segments by key, each with its stamps everywhere.
    pub segments: BTreeSet<SegmentRef>,
    /// Segments by id: those that conditions name, and ids that new segments ask for.
    pub segment_ids: BTreeSet<String>,
    /// Whether a segment of the organization is edited: then all its projects are needed.
    pub whole_organization: bool,
    /// Segments that would be archived or deleted: `Workspace::segment_uses` wants their uses.
    pub segment_uses: BTreeSet<SegmentRef>,
}

/// What the commands refer to.
pub fn references<'c>(commands: impl IntoIterator<Item = &'c Command>) -> References {
    let mut references = References::default();
    for command in commands {
        references.add_target(command.target());
        command.edit().refer(&mut references);
    }
    references
}

impl References {
    fn add_target(&mut self, target: Target<'_>) {
        match target {
            Target::Flag { project, flag } | Target::Targeting { project, flag, .. } => {
                self.projects.insert(fold(project));
                self.flags.insert((fold(project), fold(flag)));
            }
            Target::Segment { project, .. } => {
                self.projects.extend(project.map(fold));
                self.whole_organization |= project.is_none();
                self.segments.extend(SegmentRef::of(target));
            }
        }
    }

    pub(crate) fn add_rules(&mut self, rules: &[RuleInput]) {
        for rule in rules {
            self.add_conditions(&rule.conditions);
        }
    }

    pub(crate) fn add_segment_rules(&mut self, rules: &[SegmentRuleInput]) {
        for rule in rules {
            self.add_conditions(&rule.conditions);
        }
    }

    fn add_conditions(&mut self, conditions: &[ConditionInput]) {
        for condition in conditions {
            self.segment_ids
                .extend(segment_ids(&condition.property, condition.value.as_deref()));
        }
    }
}

impl SegmentRef {
    /// The segment that a command acts on, if it acts on one.
    pub(crate) fn of(target: Target<'_>) -> Option<Self> {
        match target {
            Target::Segment {
                project,
                environment,
                segment,
            } => Some(Self {
                project: project.map(fold),
                environment: environment.map(fold),
                segment: fold(segment),
            }),
            Target::Flag { .. } | Target::Targeting { .. } => None,
        }
    }
}
