//! What a change touched, for whoever has to tell clients.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::compile::CompiledFlag;
use crate::flag::Flag;
use crate::segment::Segment;

use super::Snapshot;
use super::order::Touched;

/// Why a flag was compiled again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It was edited itself: its own stamp moved.
    Edited,
    /// A segment that it refers to was.
    Segment,
    /// A flag that it needs was compiled again.
    Prerequisite,
}

/// What it means to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The same answer as before for everybody (only texts for people, or its stamp, changed).
    None,
    /// Somebody may get another answer, or see other variations.
    Result,
    /// It is served for the first time, or again.
    Appeared,
    /// It was served and is archived now: only a full answer makes clients forget it.
    Gone,
}

/// A flag that was compiled again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffectedFlag {
    /// Its position among the new snapshot's flags.
    pub index: usize,
    /// Why.
    pub cause: Cause,
    /// What it means to users.
    pub effect: Effect,
}

/// What a change touched. Both lists are in the new snapshot's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affected {
    /// The flags that were compiled again.
    pub flags: Vec<AffectedFlag>,
    /// The positions of the segments that were put in, among the new snapshot's.
    pub segments: Vec<usize>,
}

impl Affected {
    /// `compiled`: what was compiled again, each flag after those that it needs.
    pub(super) fn between(
        old: &Snapshot,
        new: &Snapshot,
        compiled: &[Arc<CompiledFlag>],
        touched: &Touched,
        edited_segments: &BTreeSet<String>,
    ) -> Self {
        let edited_segments = edited_segments.iter().map(String::as_str);
        let moved: BTreeSet<&str> = edited_segments
            .clone()
            .filter(|id| segment_moved(old, new, id))
            .collect();
        // By key, which is the order of the snapshot.
        let mut effects: BTreeMap<&str, Effect> = BTreeMap::new();
        for flag in compiled {
            let key = flag.flag.key.as_str();
            let before = old.flag(key).map(AsRef::as_ref);
            let others = |key: &str| effects.get(key).is_some_and(|it| *it != Effect::None);
            let by_others =
                flag.needs().any(others) || flag.segment_ids().any(|id| moved.contains(id));
            effects.insert(key, effect(before, flag, by_others));
        }
        let flags = effects.into_iter().filter_map(|(key, effect)| {
            Some(AffectedFlag {
                index: new.flag_index(key)?,
                cause: touched.cause(key),
                effect,
            })
        });
        Self {
            flags: flags.collect(),
            segments: edited_segments
                .filter_map(|id| new.segments.index(id))
                .collect(),
        }
    }

    /// The flags that are served and whose answer may differ from before for somebody.
    pub fn results(&self) -> impl Iterator<Item = usize> {
        let differ =
            |flag: &&AffectedFlag| matches!(flag.effect, Effect::Result | Effect::Appeared);
        self.flags.iter().filter(differ).map(|flag| flag.index)
    }

    /// Whether a flag that was served is archived now.
    pub fn any_gone(&self) -> bool {
        self.flags.iter().any(|flag| flag.effect == Effect::Gone)
    }
}

/// `by_others`: whether something that it refers to may be another thing than before.
fn effect(before: Option<&CompiledFlag>, after: &CompiledFlag, by_others: bool) -> Effect {
    let served = before.filter(|flag| !flag.flag.is_archived);
    match (served, after.flag.is_archived) {
        (None, true) => Effect::None,
        (Some(_), true) => Effect::Gone,
        (None, false) => Effect::Appeared,
        (Some(before), false) => {
            let turned = before.is_circular() != after.is_circular();
            match by_others || turned || differs(&before.flag, &after.flag) {
                true => Effect::Result,
                false => Effect::None,
            }
        }
    }
}

/// Whether two states of a flag can answer differently. Taken apart field by field, so that whoever
/// adds one has to decide; and compared in place, since a flag may have 100,000 targets.
fn differs(before: &Flag, after: &Flag) -> bool {
    let Flag {
        id: _,
        created_at: _,
        updated_at: _,
        env_id: _,
        name: _,
        description: _,
        tags: _,
        tracked: _,
        key,
        variation_type,
        variations,
        prerequisites,
        target_users,
        rules,
        is_enabled,
        disabled_variation_id,
        fallthrough,
        expt_include_all_targets,
        is_archived,
    } = before;
    *key != after.key
        || *variation_type != after.variation_type
        || *is_enabled != after.is_enabled
        || *is_archived != after.is_archived
        || *expt_include_all_targets != after.expt_include_all_targets
        || *disabled_variation_id != after.disabled_variation_id
        || *fallthrough != after.fallthrough
        || *variations != after.variations
        || *prerequisites != after.prerequisites
        || *rules != after.rules
        || *target_users != after.target_users
}

/// Whether a segment may have other members than before.
fn segment_moved(old: &Snapshot, new: &Snapshot, id: &str) -> bool {
    let (Some(before), Some(after)) = (old.segment(id), new.segment(id)) else {
        return true;
    };
    let after = after.segment();
    let Segment {
        id: _,
        created_at: _,
        updated_at: _,
        env_id: _,
        name: _,
        description: _,
        included,
        excluded,
        rules,
        is_archived,
    } = before.segment().as_ref();
    *is_archived != after.is_archived
        || *rules != after.rules
        || *excluded != after.excluded
        || *included != after.included
}
