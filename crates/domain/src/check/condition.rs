//! Conditions of rules: what could throw, or never match, in an SDK is refused; where SDKs differ
//! the author is told.

use burgee_eval::compile::check_condition;
use burgee_eval::condition::{IN_SEGMENT, NOT_IN_SEGMENT};
use burgee_eval::flag::Condition;
use burgee_eval::operator::{self, Group, Operator, SELF_EVALUATING_SDKS};

use super::{Checked, text};
use crate::change::Draft;
use crate::command::input::ConditionInput;
use crate::fault::Fault;
use crate::limits::{MAX_CONDITIONS, MAX_PROPERTY, MAX_VALUE};

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

/// The conditions of one rule, as they are kept.
pub(crate) fn list(
    inputs: &[ConditionInput],
    draft: &mut Draft<'_>,
    at: &str,
) -> Checked<Vec<Condition>> {
    if inputs.len() > MAX_CONDITIONS {
        let message = format!("a rule has at most {MAX_CONDITIONS} conditions");
        return Err(Fault::new(at, "tooManyConditions", message));
    }
    if inputs.is_empty() {
        draft.warn(
            "ruleMatchesEverybody",
            "a rule without conditions holds for everybody",
        );
    }
    let inputs = inputs.iter().enumerate();
    inputs
        .map(|(index, input)| one(input, draft, &format!("{at}/{index}")))
        .collect()
}

fn one(input: &ConditionInput, draft: &mut Draft<'_>, at: &str) -> Checked<Condition> {
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
    let condition = Condition {
        value: value(input, operator, &format!("{at}/value"))?,
        property,
        op,
    };
    compiles(&condition, at)?;
    if let Some(operator) = operator {
        warn_of_differences(operator, &condition, draft);
    }
    Ok(condition)
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
    text::no_nul(value, at)?;
    if value.len() > MAX_VALUE {
        let message = format!(
            "a value has at most {MAX_VALUE} bytes; this one has {}",
            value.len()
        );
        return Err(Fault::new(at, "valueTooLong", message));
    }
    Ok(Some(value.clone()))
}

/// Refuses what the evaluator cannot compile, with the evaluator's own words.
fn compiles(condition: &Condition, at: &str) -> Checked<()> {
    check_condition(condition).map_err(|why| {
        let pointer = format!("{at}{}", why.pointer);
        Fault::new(pointer, camel(why.code.as_str()), why.message)
    })?;
    let ids = segment_ids(&condition.property, condition.value.as_deref());
    if is_on_segments(&condition.property) && ids.is_empty() {
        let message = "the list names no segment";
        return Err(Fault::new(format!("{at}/value"), "listEmpty", message));
    }
    Ok(())
}

/// Tells where SDKs that evaluate by themselves take a condition otherwise than we do
/// (`docs/evaluation.md`).
fn warn_of_differences(operator: &Operator, condition: &Condition, draft: &mut Draft<'_>) {
    let name = operator.name;
    let property = condition.property.as_str();
    if !operator.sdks_know {
        let message = format!(
            "{name} is evaluated by Burgee alone: {SELF_EVALUATING_SDKS} take it as no match"
        );
        draft.warn("operatorUnknownToSdks", message);
    }
    if operator.group == Group::Pattern {
        let message = format!(
            "{name}: the Node.js server SDK takes the user's value as the pattern, and the Java \
             server SDK wants the pattern to match the whole value"
        );
        draft.warn("regexDiffers", message);
    }
    let value = condition.value.as_deref().unwrap_or_default();
    if operator.group == Group::Number && !value.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!(
            "{name} with '{value}': the Java server SDK reads digits only, and never matches"
        );
        draft.warn("numberUnreadByJava", message);
    }
    let reserved = |name: &&str| name.eq_ignore_ascii_case(property);
    let exact = ["keyId", "name"].contains(&property);
    if !exact && ["key", "keyId", "name"].iter().any(reserved) {
        let message = format!(
            "the property '{property}': the Python, Go and Java server SDKs take it as the user's \
             own key or name"
        );
        draft.warn("propertyReserved", message);
    }
}

/// `not-a-list` as `notAList`: codes are written alike throughout the API.
fn camel(kebab: &str) -> String {
    let mut words = kebab.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut all, word| {
        let mut letters = word.chars();
        all.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        all.push_str(letters.as_str());
        all
    })
}
