//! What a change set may read and edit: loaded by the store for just the objects that the
//! commands refer to (`command::references`), edited in memory by the domain.

mod advance;

use std::collections::{BTreeMap, BTreeSet};

use burgee_eval::flag::Prerequisite;
use burgee_eval::time::Millis;

use crate::check::segments;
use crate::id::Id;
use crate::model::{Environment, Flag, Life, Organization, Project, Segment, Targeting};

/// A flag with its targeting wherever it is released.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagState {
    /// The definition.
    pub flag: Flag,
    /// By environment; absent where the flag is not released.
    pub targetings: BTreeMap<Id<Environment>, Targeting>,
}

impl FlagState {
    /// The ids of the segments that its rules name, in all environments.
    pub fn segment_ids(&self) -> BTreeSet<Id<Segment>> {
        let rules = self.targetings.values().flat_map(|it| &it.rules);
        rules.flat_map(segments::ids).map(Id::new).collect()
    }
}

/// A segment with its stamp in every environment that it is served in.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentState {
    /// The segment.
    pub segment: Segment,
    /// The stamp of its last change, by environment.
    pub stamps: BTreeMap<Id<Environment>, Millis>,
}

/// A project with all its environments and the flags that were asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectState {
    /// The project.
    pub project: Project,
    /// All of them, by folded key.
    pub environments: BTreeMap<String, Environment>,
    /// By folded key: those asked for that are live or archived (deleted ones are not here).
    pub flags: BTreeMap<String, FlagState>,
    /// What each live flag needs of others, by environment and folded key: of all flags, also those
    /// that were not asked for. Flags that need nothing are not in it.
    pub prerequisites: BTreeMap<Id<Environment>, BTreeMap<String, Vec<Prerequisite>>>,
}

impl ProjectState {
    /// What live flags need of others in an environment, by folded key: of those in [`Self::flags`]
    /// what they say there.
    pub fn needs(&self, environment: &Id<Environment>) -> BTreeMap<String, Vec<Prerequisite>> {
        let stored = self.prerequisites.get(environment).into_iter().flatten();
        let stored = stored.filter(|(flag, _)| !self.flags.contains_key(*flag));
        let stored = stored.map(|(flag, needs)| (flag.clone(), needs.clone()));
        let live = self.flags.iter();
        let live = live.filter(|(_, state)| state.flag.life == Life::Live);
        let loaded = live.filter_map(|(flag, state)| {
            let needs = &state.targetings.get(environment)?.prerequisites;
            (!needs.is_empty()).then(|| (flag.clone(), needs.clone()))
        });
        stored.chain(loaded).collect()
    }
}

/// Everything that a change set needs, and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Workspace {
    /// Whose it is.
    pub organization: Organization,
    /// By folded key: those asked for; where an organization's segment is edited, all of them.
    pub projects: BTreeMap<String, ProjectState>,
    /// By id: those asked for by key, and those that the commands' conditions name. Deleted ones
    /// are not here.
    pub segments: BTreeMap<Id<Segment>, SegmentState>,
    /// For each segment that would be archived or deleted: where it is used, as
    /// `project/environment/flag` in words.
    pub segment_uses: BTreeMap<Id<Segment>, Vec<String>>,
}
