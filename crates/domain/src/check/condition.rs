//! Conditions of rules: what could throw, or never match, in an SDK is refused.

use burgee_eval::flag::Condition;

use super::{Checked, text};
use crate::command::input::ConditionInput;
use crate::fault::Fault;
use crate::limits::{MAX_CONDITIONS, MAX_PROPERTY, MAX_VALUE};

/// The two properties that test membership in segments.
pub(crate) const SEGMENT_PROPERTIES: [&str; 2] = ["User is in segment", "User is not in segment"];

/// The ids of the segments that a condition names; none for other conditions and bad lists.
pub(crate) fn segment_ids(property: &str, value: Option<&str>) -> Vec<String> {
    match SEGMENT_PROPERTIES.contains(&property) {
        true => value.and_then(string_list).unwrap_or_default(),
        false => Vec::new(),
    }
}

/// The conditions of one rule, as they are kept.
pub(crate) fn list(inputs: &[ConditionInput], at: &str) -> Checked<Vec<Condition>> {
    if inputs.len() > MAX_CONDITIONS {
        let message = format!("a rule has at most {MAX_CONDITIONS} conditions");
        return Err(Fault::new(at, "tooManyConditions", message));
    }
    let inputs = inputs.iter().enumerate();
    inputs
        .map(|(index, input)| one(input, &format!("{at}/{index}")))
        .collect()
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
    let value_at = format!("{at}/value");
    let Some(value) = &input.value else {
        let message =
            "a condition has a value, and it is a text: SDKs do not agree on what null means";
        return Err(Fault::new(value_at, "valueMissing", message));
    };
    text::no_nul(value, &value_at)?;
    if value.len() > MAX_VALUE {
        let message = format!(
            "a value has at most {MAX_VALUE} bytes; this one has {}",
            value.len()
        );
        return Err(Fault::new(value_at, "valueTooLong", message));
    }
    let op = match SEGMENT_PROPERTIES.contains(&property.as_str()) {
        true => segment_operator(input, at)?,
        false => Some(operator(input, at)?),
    };
    Ok(Condition {
        property,
        op,
        value: Some(value.clone()),
    })
}

/// A condition on segments has no operator: some SDKs would look at it instead of the property.
fn segment_operator(input: &ConditionInput, at: &str) -> Checked<Option<String>> {
    let value = input.value.as_deref().unwrap_or_default();
    if string_list(value).is_none_or(|ids| ids.is_empty()) {
        let message = "the value is a JSON list of segment ids, such as [\"…\"]";
        return Err(Fault::new(format!("{at}/value"), "listInvalid", message));
    }
    match input.op.as_deref() {
        None | Some("") => Ok(None),
        Some(op) if SEGMENT_PROPERTIES.contains(&op) => Ok(None),
        Some(_) => {
            let message = "a condition on segments has no operator";
            Err(Fault::new(
                format!("{at}/op"),
                "operatorUnexpected",
                message,
            ))
        }
    }
}

fn operator(input: &ConditionInput, at: &str) -> Checked<String> {
    let op = input.op.as_deref().unwrap_or_default();
    if op.is_empty() {
        let message = "a condition names an operator";
        return Err(Fault::new(format!("{at}/op"), "operatorMissing", message));
    }
    text::plain(op, &format!("{at}/op"), "an operator", MAX_PROPERTY)
}

/// A JSON list of strings, if the text is one.
pub(crate) fn string_list(text: &str) -> Option<Vec<String>> {
    serde_json::from_str(text).ok()
}
