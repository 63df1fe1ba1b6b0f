//! Taking a person out of requests: change sets that may still be applied, and what was shown of
//! them.
//!
//! What the history keeps is only looked at; this is read as commands again. So a key goes from
//! where a user can stand, and stays where the same text names a project, a flag or a variation.

use super::{Depth, listed, take_out, text};
use crate::command::Command;
use crate::diff::DiffLine;
use crate::request::schedule::Stop;

/// Parameters of a line that never are a user's: by the first four it is decided who may see it.
const OTHERS: [&str; 5] = ["project", "environment", "flag", "segment", "count"];

/// Commands without the key: it is taken from lists of users, and
/// [`FORGOTTEN`](super::FORGOTTEN) stands for it in conditions, names and descriptions. None where
/// they have it not.
///
/// # Errors
/// Without it they are no commands.
pub fn waiting(commands: &[Command], key: &str) -> Result<Option<Vec<Command>>, serde_json::Error> {
    let mut without = serde_json::to_value(commands)?;
    match take_out(&mut without, key, Depth::Texts) {
        true => serde_json::from_value(without).map(Some),
        false => Ok(None),
    }
}

/// Differences without the key, in their words; none where they have it not.
pub fn lines(lines: &[DiffLine], key: &str) -> Option<Vec<DiffLine>> {
    let without: Vec<DiffLine> = lines.iter().map(|it| line(it, key)).collect();
    (without != lines).then_some(without)
}

fn line(line: &DiffLine, key: &str) -> DiffLine {
    let params = line.params.iter().map(|(name, value)| {
        let value = match OTHERS.contains(&name.as_str()) {
            true => value.clone(),
            false => listed(value, key),
        };
        (name.clone(), value)
    });
    DiffLine {
        code: line.code.clone(),
        params: params.collect(),
        of: line.of.as_ref().map(|it| super::commands(it, key)),
        text: listed(&line.text, key),
    }
}

/// Why a request stopped, without the key; none where that has it not.
pub fn stop(stop: &Stop, key: &str) -> Option<Stop> {
    let params = stop.params.iter();
    let without = Stop {
        params: params
            .map(|(name, it)| (name.clone(), text(it, key)))
            .collect(),
        text: text(&stop.text, key),
        ..stop.clone()
    };
    (without != *stop).then_some(without)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use burgee_eval::time::Millis;
    use serde_json::{Value, json};

    use super::super::FORGOTTEN;
    use super::*;

    fn commands(list: Value) -> Vec<Command> {
        serde_json::from_value(list).unwrap()
    }

    #[test]
    fn commands_lose_a_key_where_a_user_stands_and_stay_commands() {
        let list = |keys: Value, value: &str, name: &str| {
            json!([
                {"kind": "addTargets", "project": "ana", "environment": "ana", "flag": "ana",
                    "variation": "ana", "keys": keys},
                {"kind": "addRule", "project": "ana", "environment": "ana", "flag": "ana",
                    "rule": {"id": "ana", "name": name, "variation": "ana",
                        "conditions": [{"property": "keyId", "op": "Equal", "value": value}]}},
                {"kind": "createSegment", "segment": "ana", "included": keys, "excluded": keys},
                {"kind": "turnOn", "project": "ana", "environment": "ana", "flag": "ana"},
            ])
        };
        let with = commands(list(json!(["ana", "bob"]), "ana", "for ana"));
        let without = commands(list(json!(["bob"]), FORGOTTEN, "for [forgotten]"));
        assert_eq!(waiting(&with, "ana").unwrap(), Some(without));
        assert_eq!(waiting(&with, "web").unwrap(), None);
        assert_eq!(waiting(&with, "turnOn").unwrap(), None);
    }

    #[test]
    fn lines_lose_it_in_words_and_not_in_what_they_are_about() {
        let line = |users: &str, text: &str| {
            let params = [("flag", "ana"), ("count", "2"), ("users", users)];
            let params = params.map(|(name, value)| (name.to_owned(), value.to_owned()));
            DiffLine {
                code: "targetsAdded".to_owned(),
                params: BTreeMap::from(params),
                of: None,
                text: text.to_owned(),
            }
        };
        let with = [line("ana, 2", "web: targets added to ‘on’: ana, 2")];
        let told = |key| lines(&with, key).unwrap().remove(0);
        let users = "[forgotten], 2";
        assert_eq!(
            told("ana"),
            line(users, "web: targets added to ‘on’: [forgotten], 2")
        );
        let users = "ana, [forgotten]";
        assert_eq!(
            told("2"),
            line(users, "web: targets added to ‘on’: ana, [forgotten]")
        );
        assert_eq!(lines(&with, "eve"), None);
    }

    #[test]
    fn why_it_stopped_loses_it_too() {
        let why = |who: &str| Stop {
            step: 1,
            at: Millis(1),
            code: "ana".to_owned(),
            params: BTreeMap::from([("who".to_owned(), who.to_owned())]),
            text: format!("because of {who}"),
        };
        assert_eq!(stop(&why("ana"), "ana"), Some(why(FORGOTTEN)));
        assert_eq!(stop(&why("ana"), "eve"), None);
    }
}
