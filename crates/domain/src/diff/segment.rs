//! Differences of a segment.

use super::words::{conditions, gained, some};
use super::{Parts, Subject, Writer, about};
use crate::model::{Segment, SegmentScope};
use crate::outcome::SegmentEdit;

pub(super) fn write(writer: &mut Writer<'_>, edit: &SegmentEdit) {
    let subject = subject(writer, &edit.after);
    let empty = Segment {
        included: Vec::new(),
        excluded: Vec::new(),
        rules: Vec::new(),
        ..edit.after.clone()
    };
    let before = edit.before.as_ref().unwrap_or(&empty);
    if edit.before.is_none() {
        writer.line(&subject, "segmentCreated", &[], "made");
    }
    let (was, is) = (before.into(), (&edit.after).into());
    about::write(writer, &subject, &about::SEGMENT, was, is);
    members(
        writer,
        &subject,
        "included",
        &before.included,
        &edit.after.included,
    );
    members(
        writer,
        &subject,
        "excluded",
        &before.excluded,
        &edit.after.excluded,
    );
    rules(writer, &subject, before, &edit.after);
}

fn rules(writer: &mut Writer<'_>, subject: &Subject, before: &Segment, after: &Segment) {
    if before.rules == after.rules {
        return;
    }
    let rules: Vec<String> = after
        .rules
        .iter()
        .map(|rule| conditions(&rule.conditions))
        .collect();
    let rules = match rules.is_empty() {
        true => "nobody".to_owned(),
        false => rules.join("; or "),
    };
    let text = format!("rules now take in {rules}");
    let asked = after.rules.iter().map(|it| it.conditions.as_slice());
    let (params, parts) = ([("rules", rules.as_str())], Parts::rules(asked));
    writer.line_of(subject, "segmentRulesSet", &params, &parts, &text);
}

fn subject(writer: &Writer<'_>, segment: &Segment) -> Subject {
    let key = segment.key.to_string();
    let (at, mut params) = match &segment.scope {
        SegmentScope::Organization => (String::new(), Vec::new()),
        SegmentScope::Project(id) => {
            let project = writer.project_key(id);
            (format!("{project}: "), vec![("project", project)])
        }
        SegmentScope::Environment(_, id) => {
            let (project, environment) = writer.environment_keys(id);
            let at = format!("{project}/{environment}: ");
            (at, vec![("project", project), ("environment", environment)])
        }
    };
    params.push(("segment", key.clone()));
    Subject {
        params,
        prefix: format!("{at}segment {key}"),
    }
}

fn members(
    writer: &mut Writer<'_>,
    subject: &Subject,
    list: &str,
    before: &[String],
    after: &[String],
) {
    let mut say = |verb: &str, users: Vec<&String>| {
        if !users.is_empty() {
            let parts = Parts::list(&users);
            let (count, users) = (users.len().to_string(), some(&users));
            let params = [
                ("list", list),
                ("users", users.as_str()),
                ("count", count.as_str()),
            ];
            let text = format!("{list} users {}: {users}", verb.to_lowercase());
            writer.line_of(subject, &format!("members{verb}"), &params, &parts, &text);
        }
    };
    say("Added", gained(before, after));
    say("Removed", gained(after, before));
}
