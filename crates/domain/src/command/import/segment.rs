//! A segment of FeatBit's, taken over into one environment, with its id: flags refer to it.

use burgee_eval::segment::{self as wire, SegmentRule};
use burgee_eval::time::Millis;

use super::wire::{each_once, life, made_at, rule_ids, storable};
use crate::change::Draft;
use crate::check::{Checked, text, users};
use crate::command::edit::{Edit, segment_command};
use crate::command::{References, Target};
use crate::fault::Fault;
use crate::id::Id;
use crate::key::Key;
use crate::limits::MAX_SEGMENT_TARGETS;
use crate::model::{Segment, SegmentScope};
use crate::workspace::SegmentState;

segment_command! {
    /// Takes a segment of FeatBit's over into an environment. Repeating it changes nothing.
    ImportSegment {
        /// The segment as FeatBit serves it.
        #[cfg_attr(feature = "schema", schema(value_type = Object))]
        source: Box<wire::Segment>,
    }
}

impl Edit for ImportSegment {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.import"
    }

    fn refer(&self, references: &mut References) {
        references.segment_ids.insert(self.source.id.clone());
    }

    /// Checks come first: a refusal leaves the draft as it was, so that an import can go on.
    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let key = text::key(&self.segment, "/segment")?;
        let (scope, _) = draft.segment_scope(self.target())?;
        let id = Id::new(self.source.id.clone());
        let existing = draft
            .state
            .segments
            .get(&id)
            .map(|state| state.segment.clone());
        self.check(&key, &scope, existing.as_ref(), draft)?;
        if let (Some(project), Some(environment)) = (&self.project, &self.environment) {
            let environment = draft.environment(project, environment)?.id.clone();
            draft.raise_stamps(&environment, self.source.updated_at);
        }
        let wanted = self.wanted(key, scope, existing.as_ref(), draft.now);
        if existing.as_ref() == Some(&wanted) {
            return Ok(false);
        }
        let state = draft
            .state
            .segments
            .entry(id)
            .or_insert_with(|| SegmentState {
                segment: wanted.clone(),
                stamps: Default::default(),
            });
        state.segment = wanted;
        Ok(true)
    }
}

impl ImportSegment {
    fn check(
        &self,
        key: &Key,
        scope: &SegmentScope,
        existing: Option<&Segment>,
        draft: &Draft<'_>,
    ) -> Checked<()> {
        let source = &self.source;
        storable(source)?;
        if source.id.trim().is_empty() {
            let message = "the segment has no id, so no flag can refer to it";
            return Err(Fault::new("/source/id", "idMissing", message));
        }
        match existing {
            Some(existing) if existing.scope != *scope => {
                let message = format!(
                    "the segment '{}' with this id is shared with other environments: edit it there",
                    existing.key
                );
                return Err(Fault::new("/source/id", "segmentShared", message));
            }
            None if draft.segment_in(scope, key.as_str()).is_some() => {
                let message = format!("there is a segment with the key '{key}'");
                return Err(Fault::new("/segment", "segmentExists", message));
            }
            _ => {}
        }
        let count = source.included.len() + source.excluded.len();
        users::within(
            count,
            MAX_SEGMENT_TARGETS,
            "/source/included",
            "users of the segment",
        )
    }

    /// What the segment is to be: what the file says, where `existing` has its place.
    fn wanted(
        &self,
        key: Key,
        scope: SegmentScope,
        existing: Option<&Segment>,
        now: Millis,
    ) -> Segment {
        let source = &self.source;
        let ids = rule_ids(source.rules.iter().map(|rule| rule.id.as_str()));
        let rules = source
            .rules
            .iter()
            .zip(ids)
            .map(|(rule, id)| SegmentRule { id, ..rule.clone() });
        let made = made_at(source.created_at, now);
        Segment {
            id: Id::new(source.id.clone()),
            scope,
            name: match source.name.trim() {
                "" => key.to_string(),
                name => name.to_owned(),
            },
            key: existing.map_or(key, |it| it.key.clone()),
            description: source.description.clone(),
            tags: existing.map(|it| it.tags.clone()).unwrap_or_default(),
            included: each_once(&source.included),
            excluded: each_once(&source.excluded),
            rules: rules.collect(),
            life: life(source.is_archived),
            created_at: existing.map_or(made, |it| it.created_at),
        }
    }
}
