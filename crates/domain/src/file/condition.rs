//! Conditions, there and back.

use burgee_eval::condition::{IN_SEGMENT, NOT_IN_SEGMENT};
use burgee_eval::flag::Condition;

use super::FileFault;
use super::labels::SegmentNames;
use super::shape::ConditionFile;
use crate::check::condition::is_on_segments;

/// A condition as a file has it.
pub(super) fn to_file(condition: &Condition, names: &SegmentNames) -> ConditionFile {
    if let Some(ids) = segment_list(condition) {
        let labels = Some(ids.iter().map(|id| names.label(id)).collect());
        return match condition.property == IN_SEGMENT {
            true => ConditionFile {
                in_segments: labels,
                ..ConditionFile::default()
            },
            false => ConditionFile {
                not_in_segments: labels,
                ..ConditionFile::default()
            },
        };
    }
    let list = condition.value.as_deref().and_then(as_list);
    ConditionFile {
        property: Some(condition.property.clone()),
        op: condition.op.clone(),
        value: condition.value.clone().filter(|_| list.is_none()),
        values: list,
        ..ConditionFile::default()
    }
}

/// Conditions as they are compared: those on segments as a file's are written. Others wrote their
/// lists with blanks, or an operator that says nothing.
pub(super) fn normal(conditions: &[Condition]) -> Vec<Condition> {
    let conditions = conditions.iter();
    let normal = conditions.map(|condition| match segment_list(condition) {
        Some(ids) => on_segments(&condition.property, &ids),
        None => condition.clone(),
    });
    normal.collect()
}

/// The ids of a condition on segments, however their list is written.
fn segment_list(condition: &Condition) -> Option<Vec<String>> {
    let op = condition.op.as_deref().unwrap_or_default();
    let says_nothing = op.is_empty() || is_on_segments(op);
    let is_one = is_on_segments(&condition.property) && says_nothing;
    let text = condition.value.as_deref().filter(|_| is_one)?;
    serde_json::from_str(text).ok()
}

fn on_segments(property: &str, ids: &[String]) -> Condition {
    Condition {
        property: property.to_owned(),
        op: None,
        value: Some(as_text(ids)),
    }
}

/// The list that a text holds, where it is written as we write it.
fn as_list(text: &str) -> Option<Vec<String>> {
    let list: Vec<String> = serde_json::from_str(text).ok()?;
    (as_text(&list) == text).then_some(list)
}

fn as_text(list: &[String]) -> String {
    serde_json::json!(list).to_string()
}

/// A condition of a file.
pub(super) fn from_file(
    file: &ConditionFile,
    names: &SegmentNames,
    at: &str,
) -> Result<Condition, FileFault> {
    let in_segments = |property: &str, labels: &[String], field: &str| {
        let labels = labels.iter().enumerate();
        let ids = labels.map(|(index, it)| names.id(it, &format!("{at}/{field}/{index}")));
        let ids = ids.collect::<Result<Vec<_>, _>>()?;
        Ok(on_segments(property, &ids))
    };
    match file {
        ConditionFile {
            in_segments: Some(labels),
            not_in_segments: None,
            property: None,
            op: None,
            value: None,
            values: None,
        } => in_segments(IN_SEGMENT, labels, "inSegments"),
        ConditionFile {
            in_segments: None,
            not_in_segments: Some(labels),
            property: None,
            op: None,
            value: None,
            values: None,
        } => in_segments(NOT_IN_SEGMENT, labels, "notInSegments"),
        ConditionFile {
            in_segments: None,
            not_in_segments: None,
            property: Some(property),
            op,
            value,
            values,
        } if value.is_none() || values.is_none() => Ok(Condition {
            property: property.clone(),
            op: op.clone(),
            value: value.clone().or(values.as_deref().map(as_text)),
        }),
        _ => Err(FileFault::new(
            at,
            "conditionInvalid",
            "a condition is `property` with `op` and `value` or `values`, or `inSegments`, or \
             `notInSegments`",
        )),
    }
}
