//! Conditions of rules: what could throw, or never match, in an SDK is refused; where SDKs differ
//! the author is told ([`differences`]).

use burgee_eval::compile::{Code, check_condition};
use burgee_eval::condition::{IN_SEGMENT, NOT_IN_SEGMENT};
use burgee_eval::flag::Condition;
use burgee_eval::operator::{self, Operator};

use super::{Checked, differences, text, variation};
use crate::change::Draft;
use crate::command::input::ConditionInput;
use crate::fault::Fault;
use crate::limits::{MAX_CONDITION_SEGMENTS, MAX_CONDITIONS, MAX_PROPERTY};

/// Whether a condition on this property tests membership in segments.
pub(crate) fn is_on_segments(property: &str) -> bool {
    [IN_SEGMENT, NOT_IN_SEGMENT].contains(&property)
}

/// The ids of the segments that a condition names; none for other conditions and bad lists.
pub(crate) fn segment_ids(property: &str, value: Option<&str>) -> Vec<String> {
    match is_on_segments(property) {
        true => value
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default(),
        false => Vec::new(),
    }
}

/// Checks the conditions of one rule: all but whether the segments that they name are there.
pub(crate) fn check(inputs: &[ConditionInput], at: &str) -> Checked<()> {
    if inputs.len() > MAX_CONDITIONS {
        let message = format!("a rule has at most {MAX_CONDITIONS} conditions");
        return Err(Fault::new(at, "tooManyConditions", message));
    }
    for (index, input) in inputs.iter().enumerate() {
        let at = format!("{at}/{index}");
        let condition = one(input, &at)?;
        compiles(&condition, &at)?;
        if is_on_segments(&condition.property) {
            segments(condition.value.as_deref(), &format!("{at}/value"))?;
        }
    }
    Ok(())
}

/// The conditions of one rule as they are kept, after [`check`]. The author is told what SDKs make
/// of them.
pub(crate) fn list(
    inputs: &[ConditionInput],
    draft: &mut Draft<'_>,
    at: &str,
) -> Checked<Vec<Condition>> {
    if inputs.is_empty() {
        draft.warn(differences::EVERYBODY, differences::EVERYBODY_WORDS);
    }
    let mut conditions = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let condition = one(input, &format!("{at}/{index}"))?;
        let operator = condition.op.as_deref().and_then(operator::find);
        if let Some(message) = operator.and_then(Operator::unknown_to_sdks) {
            draft.warn(Code::UnknownToSdks.as_str(), message);
        }
        for difference in differences::of(&condition) {
            draft.warn(difference.code, difference.message);
        }
        conditions.push(condition);
    }
    Ok(conditions)
}

fn one(input: &ConditionInput, at: &str) -> Checked<Condition> {
    let property_at = format!("{at}/property");
    let property = text::plain(&input.property, &property_at, "a property", MAX_PROPERTY)?;
    if property.trim().is_empty() {
        return Err(Fault::new(
            property_at,
            "propertyEmpty",
            "a condition names a property",
        ));
    }
    let op = operator_name(input, at)?;
    let operator = op.as_deref().and_then(operator::find);
    Ok(Condition {
        value: value(input, operator, &format!("{at}/value"))?,
        property,
        op,
    })
}

/// The operator; none on segments, where some SDKs would look at it instead of the property.
fn operator_name(input: &ConditionInput, at: &str) -> Checked<Option<String>> {
    let op = input.op.as_deref().unwrap_or_default();
    if !is_on_segments(&input.property) {
        return Ok(Some(op.to_owned()));
    }
    if op.is_empty() || is_on_segments(op) {
        return Ok(None);
    }
    let message = "a condition on segments has no operator: leave 'op' out";
    Err(Fault::new(
        format!("{at}/op"),
        "operatorUnexpected",
        message,
    ))
}

/// The value as text. Operators that do not look at it get one all the same, because to some SDKs
/// a condition without a value never holds.
fn value(input: &ConditionInput, operator: Option<&Operator>, at: &str) -> Checked<Option<String>> {
    let unread = operator.filter(|operator| !operator.takes_value());
    let value = match (&input.value, unread) {
        (Some(value), _) => value,
        (None, Some(operator)) => return Ok(Some(operator.name.to_owned())),
        (None, None) => {
            let message = "a condition has a value, which is a text: SDKs differ over null";
            return Err(Fault::new(at, "valueMissing", message));
        }
    };
    variation::check_value(value, at)?;
    Ok(Some(value.clone()))
}

/// Refuses what the evaluator cannot compile, with the evaluator's own words.
fn compiles(condition: &Condition, at: &str) -> Checked<()> {
    check_condition(condition).map_err(|why| {
        let pointer = format!("{at}{}", why.pointer);
        Fault::new(pointer, why.code.as_str(), why.message)
    })
}

/// Checks the list of a condition on segments: some ids, and not too many.
fn segments(value: Option<&str>, at: &str) -> Checked<()> {
    let ids = segment_ids(IN_SEGMENT, value);
    if ids.is_empty() {
        let message = "the list names no segment";
        return Err(Fault::new(at, "listEmpty", message));
    }
    if ids.len() > MAX_CONDITION_SEGMENTS {
        let message = format!(
            "a condition names at most {MAX_CONDITION_SEGMENTS} segments; this one names {}",
            ids.len()
        );
        return Err(Fault::new(at, "tooManySegments", message));
    }
    ids.iter().try_for_each(|id| text::id(id, at).map(drop))
}
