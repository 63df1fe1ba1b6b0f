//! Making a segment.

use std::collections::BTreeMap;

use crate::change::Draft;
use crate::check::{rule, text, users};
use crate::command::edit::{Edit, segment_command};
use crate::command::input::SegmentRuleInput;
use crate::command::{References, Target};
use crate::fault::Fault;
use crate::id::Id;
use crate::limits::MAX_SEGMENT_TARGETS;
use crate::model::{Life, Segment, SegmentScope};
use crate::workspace::SegmentState;

segment_command! {
    /// Makes a segment. Repeating it with the same `id` does nothing.
    CreateSegment {
        /// The new segment's id; made where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The display name; the key where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// A text for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// For filters and policies.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
        /// Members by key.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        included: Vec<String>,
        /// Not members, whatever else says so.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        excluded: Vec<String>,
        /// Any rule that holds makes a member.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rules: Vec<SegmentRuleInput>,
    }
}

impl Edit for CreateSegment {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn new_tags(&self) -> Option<&[String]> {
        Some(&self.tags)
    }

    fn permission(&self) -> &'static str {
        "segment.create"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        text::key(&self.segment, "/segment")?;
        if let Some(id) = &self.id {
            text::id(id, "/id")?;
        }
        text::optional_name(self.name.as_deref(), "/name")?;
        text::description(self.description.as_deref().unwrap_or(""), "/description")?;
        text::new_tags(&self.tags, &[], "/tags")?;
        let included = users::keys(&self.included, "/included")?.len();
        let excluded = users::keys(&self.excluded, "/excluded")?.len();
        let count = included + excluded;
        users::within(
            count,
            MAX_SEGMENT_TARGETS,
            "/included",
            "users of the segment",
        )?;
        rule::check_segment_rules(&self.rules, "/rules")
    }

    fn refer(&self, references: &mut References) {
        references.segment_ids.extend(self.id.clone());
        references.add_segment_rules(&self.rules);
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let key = text::key(&self.segment, "/segment")?;
        let (scope, _) = draft.segment_scope(self.target())?;
        if let Some(existing) = draft.segment_in(&scope, key.as_str()).cloned() {
            let wanted = self.segment(scope, Some(&existing), draft)?;
            let same = self.id.as_deref() == Some(existing.id.as_str());
            if same && wanted == existing {
                return Ok(false);
            }
            let message = format!("there is a segment with the key '{}'", existing.key);
            return Err(Fault::new("/segment", "segmentExists", message));
        }
        let segment = self.segment(scope, None, draft)?;
        if draft.state.segments.contains_key(&segment.id) {
            let message = format!("another segment has the id '{}'", segment.id);
            return Err(Fault::new("/id", "duplicateId", message));
        }
        let state = SegmentState {
            segment,
            stamps: BTreeMap::new(),
        };
        draft.state.segments.insert(state.segment.id.clone(), state);
        Ok(true)
    }
}

impl CreateSegment {
    fn segment(
        &self,
        scope: SegmentScope,
        like: Option<&Segment>,
        draft: &mut Draft<'_>,
    ) -> Result<Segment, Fault> {
        let key = text::key(&self.segment, "/segment")?;
        let name = text::optional_name(self.name.as_deref(), "/name")?;
        let included = users::keys(&self.included, "/included")?;
        let excluded = users::keys(&self.excluded, "/excluded")?;
        let kept = like.map(|like| like.rules.as_slice()).unwrap_or_default();
        Ok(Segment {
            id: match (&self.id, like) {
                (Some(id), _) => Id::new(id),
                (None, Some(like)) => like.id.clone(),
                (None, None) => Id::new((draft.new_id)()),
            },
            scope,
            name: name.unwrap_or_else(|| key.to_string()),
            key: like.map_or(key, |like| like.key.clone()),
            description: text::description(
                self.description.as_deref().unwrap_or(""),
                "/description",
            )?,
            tags: text::new_tags(&self.tags, &[], "/tags")?,
            included,
            excluded,
            rules: rule::segment_rules(&self.rules, kept, draft, "/rules")?,
            life: Life::Live,
            created_at: like.map_or(draft.now, |like| like.created_at),
        })
    }
}
