//! Targeting rules, and rules of segments.

use std::collections::HashSet;

use burgee_eval::flag::{Rule, Variation};
use burgee_eval::segment::SegmentRule;

use super::condition::{self, is_on_segments};
use super::{Checked, rollout, segments, text};
use crate::change::{Draft, Place};
use crate::command::input::{ConditionInput, RuleInput, SegmentRuleInput};
use crate::fault::{Fault, shown};
use crate::limits::{MAX_PROPERTY, MAX_RULES};

/// Checks a targeting rule: all but what it refers to.
pub(crate) fn check(input: &RuleInput, at: &str) -> Checked<()> {
    rollout::check(input.variations.as_deref(), input.variation.as_deref(), at)?;
    dispatch_key(input.dispatch_key.as_deref(), &format!("{at}/dispatchKey"))?;
    named(input.id.as_deref(), input.name.as_deref(), at)?;
    condition::check(&input.conditions, &format!("{at}/conditions"))
}

/// Checks all rules of a flag, as [`check`] does.
pub(crate) fn check_all(inputs: &[RuleInput], at: &str) -> Checked<()> {
    count(inputs.len(), at)?;
    unique(inputs.iter().map(|rule| rule.id.as_deref()), at)?;
    let mut inputs = inputs.iter().enumerate();
    inputs.try_for_each(|(index, input)| check(input, &format!("{at}/{index}")))
}

/// Checks all rules of a segment. A segment inside a segment never matches, so it is refused.
pub(crate) fn check_segment_rules(inputs: &[SegmentRuleInput], at: &str) -> Checked<()> {
    count(inputs.len(), at)?;
    unique(inputs.iter().map(|rule| rule.id.as_deref()), at)?;
    for (index, input) in inputs.iter().enumerate() {
        let at = format!("{at}/{index}");
        named(input.id.as_deref(), input.name.as_deref(), &at)?;
        let conditions_at = format!("{at}/conditions");
        condition::check(&input.conditions, &conditions_at)?;
        let nested = |it: &ConditionInput| is_on_segments(&it.property);
        if let Some(bad) = input.conditions.iter().position(nested) {
            let message =
                "a segment's rule cannot refer to segments: SDKs do not agree on what that means";
            let at = format!("{conditions_at}/{bad}/property");
            return Err(Fault::new(at, "segmentInSegment", message));
        }
    }
    Ok(())
}

/// A targeting rule at a place, as it is kept, after [`check`]. `number` is its place in the list,
/// for its name.
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
    segments::check(&conditions, draft, place, &format!("{at}/conditions"))?;
    let name = given.or(kept_name);
    Ok(Rule {
        id: input.id.clone().unwrap_or_else(|| (draft.new_id)()),
        name: name.unwrap_or_else(|| format!("Rule {number}")),
        dispatch_key: dispatch_key(input.dispatch_key.as_deref(), &format!("{at}/dispatchKey"))?,
        included_in_expt: input.included_in_expt.unwrap_or(false),
        conditions,
        variations,
    })
}

/// All rules of a flag at a place, after [`check_all`].
pub(crate) fn rules(
    inputs: &[RuleInput],
    draft: &mut Draft<'_>,
    place: &Place,
    at: &str,
) -> Checked<Vec<Rule>> {
    let inputs = inputs.iter().enumerate();
    inputs
        .map(|(index, input)| rule(input, draft, place, index + 1, &format!("{at}/{index}")))
        .collect()
}

/// All rules of a segment, after [`check_segment_rules`].
pub(crate) fn segment_rules(
    inputs: &[SegmentRuleInput],
    kept: &[SegmentRule],
    draft: &mut Draft<'_>,
    at: &str,
) -> Checked<Vec<SegmentRule>> {
    let mut rules = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let at = format!("{at}/{index}");
        let conditions = condition::list(&input.conditions, draft, &format!("{at}/conditions"))?;
        let id = input.id.clone().unwrap_or_else(|| (draft.new_id)());
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

fn named(id: Option<&str>, name: Option<&str>, at: &str) -> Checked<()> {
    id.map(|id| text::id(id, &format!("{at}/id"))).transpose()?;
    text::optional_name(name, &format!("{at}/name")).map(drop)
}

/// Refuses two rules of one id; those without get ids of their own.
fn unique<'i>(ids: impl Iterator<Item = Option<&'i str>>, at: &str) -> Checked<()> {
    let mut seen = HashSet::new();
    for (index, id) in ids.enumerate() {
        if let Some(id) = id.filter(|id| !seen.insert(*id)) {
            let message = format!("two rules have the id '{}'", shown(id));
            let at = format!("{at}/{index}/id");
            return Err(Fault::new(at, "duplicateId", message));
        }
    }
    Ok(())
}
