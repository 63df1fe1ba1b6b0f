//! Finding things in a draft, by the keys as commands give them.

use super::draft::Draft;
use crate::command::Target;
use crate::fault::{Fault, shown};
use crate::id::Id;
use crate::key::fold;
use crate::model::{Environment, Life, Segment, SegmentScope};
use crate::workspace::{FlagState, ProjectState};

impl Draft<'_> {
    pub(crate) fn project(&self, key: &str) -> Result<&ProjectState, Fault> {
        let found = self.state.projects.get(&fold(key));
        found.ok_or_else(|| not_found("/project", "projectNotFound", "project", key))
    }

    pub(crate) fn project_mut(&mut self, key: &str) -> Result<&mut ProjectState, Fault> {
        let found = self.state.projects.get_mut(&fold(key));
        found.ok_or_else(|| not_found("/project", "projectNotFound", "project", key))
    }

    pub(crate) fn environment(&self, project: &str, key: &str) -> Result<&Environment, Fault> {
        let found = self.project(project)?.environments.get(&fold(key));
        found.ok_or_else(|| not_found("/environment", "environmentNotFound", "environment", key))
    }

    /// A flag that is live or archived.
    pub(crate) fn flag_mut(&mut self, project: &str, key: &str) -> Result<&mut FlagState, Fault> {
        let found = self.project_mut(project)?.flags.get_mut(&fold(key));
        found
            .filter(|state| state.flag.life != Life::Deleted)
            .ok_or_else(|| not_found("/flag", "flagNotFound", "flag", key))
    }

    /// A flag that is live.
    pub(crate) fn live_flag_mut(
        &mut self,
        project: &str,
        key: &str,
    ) -> Result<&mut FlagState, Fault> {
        let state = self.flag_mut(project, key)?;
        if state.flag.life == Life::Archived {
            let message = format!("the flag '{key}' is archived; restore it first");
            return Err(Fault::new("/flag", "flagArchived", message));
        }
        Ok(state)
    }

    /// The id of a segment that is live or archived, by key in its scope.
    pub(crate) fn segment_id(&self, target: Target<'_>) -> Result<Id<Segment>, Fault> {
        let (scope, key) = self.segment_scope(target)?;
        self.segment_in(&scope, key)
            .map(|segment| segment.id.clone())
            .ok_or_else(|| not_found("/segment", "segmentNotFound", "segment", key))
    }

    /// A segment that is live or archived.
    pub(crate) fn segment_mut(&mut self, target: Target<'_>) -> Result<&mut Segment, Fault> {
        let id = self.segment_id(target)?;
        let found = self.state.segments.get_mut(&id);
        found
            .map(|state| &mut state.segment)
            .ok_or_else(|| not_found("/segment", "segmentNotFound", "segment", id.as_str()))
    }

    /// A segment that is live.
    pub(crate) fn live_segment_mut(&mut self, target: Target<'_>) -> Result<&mut Segment, Fault> {
        let segment = self.segment_mut(target)?;
        if segment.life == Life::Archived {
            let message = format!(
                "the segment '{}' is archived; restore it first",
                segment.key
            );
            return Err(Fault::new("/segment", "segmentArchived", message));
        }
        Ok(segment)
    }

    /// The scope that a segment command names, and the key.
    pub(crate) fn segment_scope<'t>(
        &self,
        target: Target<'t>,
    ) -> Result<(SegmentScope, &'t str), Fault> {
        let Target::Segment {
            project,
            environment,
            segment,
        } = target
        else {
            return Err(Fault::new(
                "",
                "targetInvalid",
                "the command names no segment",
            ));
        };
        let scope = match (project, environment) {
            (None, _) => SegmentScope::Organization,
            (Some(project), None) => {
                SegmentScope::Project(self.project(project)?.project.id.clone())
            }
            (Some(key), Some(environment)) => {
                let environment = self.environment(key, environment)?.id.clone();
                SegmentScope::Environment(self.project(key)?.project.id.clone(), environment)
            }
        };
        Ok((scope, segment))
    }

    /// A segment that is live or archived, by scope and key.
    pub(crate) fn segment_in(&self, scope: &SegmentScope, key: &str) -> Option<&Segment> {
        let folded = fold(key);
        let mut segments = self.state.segments.values().map(|state| &state.segment);
        segments.find(|segment| {
            segment.life != Life::Deleted
                && segment.scope == *scope
                && segment.key.folded() == folded
        })
    }

    /// As [`Self::segment_id`], but also right after its deletion.
    pub(super) fn touched_segment(&self, target: Target<'_>) -> Result<Id<Segment>, Fault> {
        let (scope, key) = self.segment_scope(target)?;
        let mut segments = self.state.segments.values().map(|state| &state.segment);
        segments
            .find(|segment| segment.scope == scope && segment.key.folded() == fold(key))
            .map(|segment| segment.id.clone())
            .ok_or_else(|| not_found("/segment", "segmentNotFound", "segment", key))
    }
}

pub(super) fn not_found(pointer: &str, code: &'static str, what: &str, key: &str) -> Fault {
    let key = shown(key);
    Fault::new(
        pointer,
        code,
        format!("there is no {what} with the key '{key}'"),
    )
}
