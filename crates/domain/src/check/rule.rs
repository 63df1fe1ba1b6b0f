//! Targeting rules, and rules of segments.

use std::collections::HashSet;

use burgee_eval::flag::{Condition, Rule, Variation};
use burgee_eval::segment::SegmentRule;

use super::condition::{self, is_on_segments, segment_ids};
use super::{Checked, rollout, text};
use crate::change::{Draft, Place};
use crate::command::input::{RuleInput, SegmentRuleInput};
use crate::fault::{Fault, shown};
use crate::id::Id;
use crate::limits::{MAX_PROPERTY, MAX_RULES};
use crate::model::{Life, SegmentScope};

/// A targeting rule at a place, as it is kept. `number` is its place in the list, for its name;
/// `kept` is the rule that it replaces.
pub(crate) fn rule(
    input: &RuleInput,
    draft: &mut Draft<'_>,
    place: &Place,
    number: usize,
    at: &str,
) -> Checked<Rule> {
    let (flag, targeting) = draft.at(place)?;
    let variations = rules_variations(input, &flag.variations, at)?;
    let kept = targeting
        .rules
        .iter()
        .find(|rule| Some(&rule.id) == input.id.as_ref());
    let kept_name = kept.map(|rule| rule.name.clone());
    let given = text::optional_name(input.name.as_deref(), &format!("{at}/name"))?;
    let conditions = condition::list(&input.conditions, draft, &format!("{at}/conditions"))?;
    check_segments(&conditions, draft, place, &format!("{at}/conditions"))?;
    let name = given.or(kept_name);
    Ok(Rule {
        id: id(input.id.as_deref(), draft, at)?,
        name: name.unwrap_or_else(|| format!("Rule {number}")),
        dispatch_key: dispatch_key(input.dispatch_key.as_deref(), &format!("{at}/dispatchKey"))?,
        included_in_expt: input.included_in_expt.unwrap_or(false),
        conditions,
        variations,
    })
}

/// All rules of a flag at a place.
pub(crate) fn rules(
    inputs: &[RuleInput],
    draft: &mut Draft<'_>,
    place: &Place,
    at: &str,
) -> Checked<Vec<Rule>> {
    count(inputs.len(), at)?;
    let mut seen = HashSet::new();
    let mut rules = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let at = format!("{at}/{index}");
        let rule = rule(input, draft, place, index + 1, &at)?;
        unique(&mut seen, &rule.id, &at)?;
        rules.push(rule);
    }
    Ok(rules)
}

/// All rules of a segment. A segment inside a segment never matches, so it is refused.
pub(crate) fn segment_rules(
    inputs: &[SegmentRuleInput],
    kept: &[SegmentRule],
    draft: &mut Draft<'_>,
    at: &str,
) -> Checked<Vec<SegmentRule>> {
    count(inputs.len(), at)?;
    let mut seen = HashSet::new();
    let mut rules = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let at = format!("{at}/{index}");
        let conditions_at = format!("{at}/conditions");
        let conditions = condition::list(&input.conditions, draft, &conditions_at)?;
        let nested = |it: &Condition| is_on_segments(&it.property);
        if let Some(bad) = conditions.iter().position(nested) {
            let message =
                "a segment's rule cannot refer to segments: SDKs do not agree on what that means";
            let at = format!("{conditions_at}/{bad}/property");
            return Err(Fault::new(at, "segmentInSegment", message));
        }
        let id = id(input.id.as_deref(), draft, &at)?;
        unique(&mut seen, &id, &at)?;
        let given = text::optional_name(input.name.as_deref(), &format!("{at}/name"))?;
        let kept = kept
            .iter()
            .find(|rule| rule.id == id)
            .map(|rule| rule.name.clone());
        let name = given
            .or(kept)
            .unwrap_or_else(|| format!("Rule {}", index + 1));
        rules.push(SegmentRule {
            id,
            name,
            conditions,
        });
    }
    Ok(rules)
}

/// The property that a rollout is split by; blank is none.
pub(crate) fn dispatch_key(text: Option<&str>, at: &str) -> Checked<Option<String>> {
    match text.map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => text::plain(text, at, "a dispatch key", MAX_PROPERTY).map(Some),
    }
}

/// Refuses more rules than there may be.
pub(crate) fn count(count: usize, at: &str) -> Checked<()> {
    if count > MAX_RULES {
        let message = format!("there would be {count} rules; the limit is {MAX_RULES}");
        return Err(Fault::new(at, "tooManyRules", message));
    }
    Ok(())
}

fn rules_variations(
    input: &RuleInput,
    variations: &[Variation],
    at: &str,
) -> Checked<Vec<burgee_eval::flag::RolloutVariation>> {
    let parts = input.variations.as_deref();
    rollout::rollout(parts, input.variation.as_deref(), variations, at)
}

fn id(given: Option<&str>, draft: &mut Draft<'_>, at: &str) -> Checked<String> {
    match given {
        Some(id) => text::id(id, &format!("{at}/id")),
        None => Ok((draft.new_id)()),
    }
}

fn unique(seen: &mut HashSet<String>, id: &str, at: &str) -> Checked<()> {
    if seen.insert(id.to_owned()) {
        return Ok(());
    }
    let message = format!("two rules have the id '{id}'");
    Err(Fault::new(format!("{at}/id"), "duplicateId", message))
}

/// Segments must exist and be visible where the rule is; an archived one gets a warning.
fn check_segments(
    conditions: &[Condition],
    draft: &mut Draft<'_>,
    place: &Place,
    at: &str,
) -> Checked<()> {
    for (index, condition) in conditions.iter().enumerate() {
        for id in segment_ids(&condition.property, condition.value.as_deref()) {
            check_segment(&id, draft, place, &format!("{at}/{index}/value"))?;
        }
    }
    Ok(())
}

fn check_segment(id: &str, draft: &mut Draft<'_>, place: &Place, at: &str) -> Checked<()> {
    let project = draft.project(&place.project)?.project.id.clone();
    let visible = |scope: &SegmentScope| match scope {
        SegmentScope::Organization => true,
        SegmentScope::Project(id) => *id == project,
        SegmentScope::Environment(_, id) => *id == place.environment,
    };
    let segments = &draft.state.segments;
    let segment = segments.get(&Id::new(id)).map(|state| &state.segment);
    let found = segment.filter(|it| it.life != Life::Deleted && visible(&it.scope));
    let Some(segment) = found else {
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
        draft.warn("segmentArchived", message);
    }
    Ok(())
}
