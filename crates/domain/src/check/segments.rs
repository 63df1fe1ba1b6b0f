//! Segments that rules of flags refer to: whether they are there, seen from where the rule is.

use burgee_eval::flag::{Condition, Rule};

use super::Checked;
use super::condition::segment_ids;
use crate::change::{Draft, Place};
use crate::fault::{Fault, shown};
use crate::id::Id;
use crate::key::fold;
use crate::model::{Environment, Life, Segment};

/// Segments that a new rule refers to must exist and be visible where the rule is; an archived one
/// gets a warning.
pub(super) fn check(
    conditions: &[Condition],
    draft: &mut Draft<'_>,
    place: &Place,
    at: &str,
) -> Checked<()> {
    for (index, condition) in conditions.iter().enumerate() {
        for id in segment_ids(&condition.property, condition.value.as_deref()) {
            check_one(&id, draft, place, &format!("{at}/{index}/value"))?;
        }
    }
    Ok(())
}

fn check_one(id: &str, draft: &mut Draft<'_>, place: &Place, at: &str) -> Checked<()> {
    let Some(segment) = find(id, draft, &place.project, &place.environment)? else {
        let message = format!(
            "there is no segment with the id '{}' in this environment",
            shown(id)
        );
        return Err(Fault::new(at, "segmentUnknown", message));
    };
    if segment.life == Life::Archived {
        let message = format!(
            "the segment '{}' is archived: it matches nobody",
            segment.key
        );
        let key = segment.key.to_string();
        draft.warn_of("segmentArchived", &[("segment", &key)], message);
    }
    Ok(())
}

/// Tells of segments that a flag's rules refer to, and that match nobody, where the flag is served
/// again. A missing one is no refusal as it is for a new rule: an archived flag's rules cannot be
/// edited, so it could never be restored.
pub(crate) fn warn(project: &str, flag: &str, draft: &mut Draft<'_>) -> Checked<()> {
    let state = draft.project(project)?;
    let mut warnings = Vec::new();
    for environment in state.environments.values() {
        let flag = state.flags.get(&fold(flag));
        let targeting = flag.and_then(|it| it.targetings.get(&environment.id));
        for rule in targeting.iter().flat_map(|it| &it.rules) {
            for id in ids(rule) {
                let found = find(&id, draft, project, &environment.id)?;
                warnings.extend(warning(rule, environment, &id, found));
            }
        }
    }
    for (code, message) in warnings {
        draft.warn(code, message);
    }
    Ok(())
}

/// The ids of the segments that a rule names.
pub(crate) fn ids(rule: &Rule) -> impl Iterator<Item = String> {
    let conditions = rule.conditions.iter();
    conditions.flat_map(|it| segment_ids(&it.property, it.value.as_deref()))
}

fn warning(
    rule: &Rule,
    environment: &Environment,
    id: &str,
    found: Option<&Segment>,
) -> Option<(&'static str, String)> {
    let place = format!("the rule '{}' in {}", rule.name, environment.key);
    match found {
        None => {
            let id = shown(id);
            let message = format!("{place} refers to a segment that is not there, '{id}'");
            Some(("segmentUnknown", message + ": it matches nobody"))
        }
        Some(segment) if segment.life == Life::Archived => {
            let key = &segment.key;
            let message = format!("{place} refers to the segment '{key}', which is archived");
            Some(("segmentArchived", message + ": it matches nobody"))
        }
        Some(_) => None,
    }
}

/// A segment that is live or archived, where it can be used in an environment.
fn find<'d>(
    id: &str,
    draft: &'d Draft<'_>,
    project: &str,
    environment: &Id<Environment>,
) -> Checked<Option<&'d Segment>> {
    let project = &draft.project(project)?.project.id;
    let segment = draft.state.segments.get(&Id::new(id));
    let segment = segment.map(|state| &state.segment);
    let usable = |it: &&Segment| it.life != Life::Deleted && it.scope.reaches(project, environment);
    Ok(segment.filter(usable))
}
