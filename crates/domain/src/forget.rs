//! Taking a person out of what is kept: bodies of change sets, images of flags and segments,
//! requests. What is served now is changed by commands, as everything is.

mod requests;

use serde_json::Value;

pub use requests::{lines, stop, waiting};

/// What stands in place of a key where something must.
pub const FORGOTTEN: &str = "[forgotten]";

/// From so many characters on a key is looked for within texts: a shorter one is a word of them.
const WORD: usize = 3;

/// The lists of keys in images and in commands.
const LISTS: [&str; 4] = ["keyIds", "included", "excluded", "keys"];

/// How much of an image a key is taken out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Lists of keys. What is served now loses them by commands, and what its rules shall ask
    /// instead, somebody must decide.
    Lists,
    /// The values of conditions too: of what is not served any more.
    Conditions,
    /// Names and descriptions too: of what was so once.
    Texts,
}

/// An image (a flag or a segment, or a part of one, as JSON) without the key; none where it has it
/// not.
pub fn image(text: &str, key: &str, depth: Depth) -> Option<String> {
    if !may_have(text, key) {
        return None;
    }
    let mut image: Value = serde_json::from_str(text).ok()?;
    take_out(&mut image, key, depth).then(|| image.to_string())
}

/// An item's newest image without the key: of what is served now in its lists alone.
pub fn newest_image(text: &str, key: &str) -> Option<String> {
    if !may_have(text, key) {
        return None;
    }
    let mut image: Value = serde_json::from_str(text).ok()?;
    let life = image.get("life").and_then(Value::as_str);
    let is_archived = image.get("isArchived").and_then(Value::as_bool);
    let depth = match life.is_none_or(|life| life == "live") && is_archived != Some(true) {
        true => Depth::Lists,
        false => Depth::Conditions,
    };
    take_out(&mut image, key, depth).then(|| image.to_string())
}

/// Whether JSON may have the key: as a text, or within a list that is one. Quickly, since most has
/// it not.
pub fn may_have(json: &str, key: &str) -> bool {
    let escape = |text: &str| {
        let quoted = Value::from(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let once = escape(key);
    json.contains(&once) || json.contains(&escape(&once))
}

fn take_out(value: &mut Value, key: &str, depth: Depth) -> bool {
    let mut taken = false;
    match value {
        Value::Array(items) => {
            for item in items {
                taken |= take_out(item, key, depth);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                taken |= match (name.as_str(), &mut *field) {
                    (name, Value::Array(keys)) if LISTS.contains(&name) => take(keys, key),
                    ("conditions", Value::Array(conditions)) if depth >= Depth::Conditions => {
                        conditions.iter_mut().fold(false, |taken, condition| {
                            let value = condition.get_mut("value");
                            value.is_some_and(|value| put(value, |it| commands(it, key))) || taken
                        })
                    }
                    ("name" | "description", Value::String(_)) if depth >= Depth::Texts => {
                        put(field, |it| commands(it, key))
                    }
                    _ => take_out(field, key, depth),
                };
            }
        }
        _ => {}
    }
    taken
}

/// Puts something in a value's place; whether it differs.
fn put(value: &mut Value, of: impl FnOnce(&Value) -> Value) -> bool {
    let new = of(value);
    let differs = new != *value;
    *value = new;
    differs
}

fn take(keys: &mut Vec<Value>, key: &str) -> bool {
    let before = keys.len();
    keys.retain(|it| it.as_str() != Some(key));
    keys.len() != before
}

/// Commands without the key: taken from lists, and [`FORGOTTEN`] where it stands alone.
pub fn commands(commands: &Value, key: &str) -> Value {
    match commands {
        Value::Array(items) => {
            let kept = items.iter().filter(|it| it.as_str() != Some(key));
            kept.map(|it| self::commands(it, key)).collect()
        }
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, it)| (name.clone(), self::commands(it, key)));
            Value::Object(fields.collect())
        }
        Value::String(text) if text == key => FORGOTTEN.into(),
        Value::String(text) => match serde_json::from_str::<Vec<String>>(text) {
            // A condition's list is a text that holds one.
            Ok(mut list) if list.iter().any(|it| it == key) => {
                list.retain(|it| it != key);
                Value::String(serde_json::json!(list).to_string())
            }
            _ => commands_text(text, key),
        },
        other => other.clone(),
    }
}

fn commands_text(text: &str, key: &str) -> Value {
    Value::String(self::text(text, key))
}

/// An answer without the key: in lists in words as well.
pub fn answer(result: &Value, key: &str) -> Value {
    match result {
        Value::Array(items) => items.iter().map(|it| answer(it, key)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, it)| (name.clone(), answer(it, key)));
            Value::Object(fields.collect())
        }
        Value::String(words) => Value::String(listed(words, key)),
        other => other.clone(),
    }
}

/// Words that may end with a list of keys, `individual targets added to ‘true’: ana, bob`.
fn listed(words: &str, key: &str) -> String {
    let (head, list) = words.rsplit_once(": ").unwrap_or(("", words));
    let (list, more) = match list.rsplit_once(" and ") {
        Some((list, more)) if more.ends_with(" more") => (list, Some(more)),
        _ => (list, None),
    };
    if !list.split(", ").any(|it| it == key) {
        return text(words, key);
    }
    let items = list.split(", ");
    let items = items.map(|it| if it == key { FORGOTTEN } else { it });
    let mut said = items.collect::<Vec<_>>().join(", ");
    if !head.is_empty() {
        said.insert_str(0, &format!("{head}: "));
    }
    if let Some(more) = more {
        said.push_str(&format!(" and {more}"));
    }
    said
}

/// A text without the key, where it stands there as a word of three letters at least.
pub fn text(text: &str, key: &str) -> String {
    if key.chars().count() < WORD || !text.contains(key) {
        return text.to_owned();
    }
    let within = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | '@');
    let (mut said, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(key) {
        let (before, after) = (&rest[..at], &rest[at + key.len()..]);
        let last = before.chars().next_back().or(said.chars().next_back());
        let word = !last.is_some_and(within) && !after.chars().next().is_some_and(within);
        said.push_str(before);
        said.push_str(if word { FORGOTTEN } else { key });
        rest = after;
    }
    said.push_str(rest);
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_image_loses_the_key_and_nothing_else() {
        let flag = json!({"key": "ana", "targetUsers": [{"keyIds": ["ana", "bob"]}],
            "rules": [{"rollout": [0.0, 0.1]}]});
        let expected = json!({"key": "ana", "targetUsers": [{"keyIds": ["bob"]}],
            "rules": [{"rollout": [0.0, 0.1]}]});
        let told = newest_image(&flag.to_string(), "ana");
        assert_eq!(told, Some(expected.to_string()));
        assert_eq!(newest_image(&flag.to_string(), "eve"), None);
    }

    #[test]
    fn how_deep_a_key_is_looked_for_depends_on_whether_it_is_served() {
        let flag = |lists: Value, conditions: Value, name: &str, life: &str| {
            json!({"key": "ana", "life": life, "description": name,
                "rules": [{"name": name, "conditions": conditions}], "included": lists})
            .to_string()
        };
        let asks = json!([{"op": "Equal", "value": "ana"},
            {"op": "IsOneOf", "value": "[\"ana\",\"bob\"]"}]);
        let asks_not = json!([{"op": "Equal", "value": FORGOTTEN},
            {"op": "IsOneOf", "value": "[\"bob\"]"}]);
        let (with, without) = (json!(["ana", "bob"]), json!(["bob"]));
        for life in ["live", "archived"] {
            let known = flag(with.clone(), asks.clone(), "for ana", life);
            let texts = flag(without.clone(), asks_not.clone(), "for [forgotten]", life);
            assert_eq!(image(&known, "ana", Depth::Texts), Some(texts));
            let conditions = flag(without.clone(), asks_not.clone(), "for ana", life);
            assert_eq!(
                image(&known, "ana", Depth::Conditions).as_ref(),
                Some(&conditions)
            );
            let lists = flag(without.clone(), asks.clone(), "for ana", life);
            let newest = if life == "live" { lists } else { conditions };
            assert_eq!(newest_image(&known, "ana"), Some(newest));
        }
        let odd = json!({"conditions": [{"value": json!(["a\"b"]).to_string()}]}).to_string();
        let told = image(&odd, "a\"b", Depth::Conditions);
        assert_eq!(
            told.unwrap(),
            json!({"conditions": [{"value": "[]"}]}).to_string()
        );
    }

    #[test]
    fn commands_lose_it_in_lists_and_where_it_stands_alone() {
        let set = json!([{"kind": "addTargets", "keys": ["ana", "anabel"]},
            {"value": "ana"}, {"value": "[\"ana\",\"bob\"]"}]);
        let expected = json!([{"kind": "addTargets", "keys": ["anabel"]},
            {"value": FORGOTTEN}, {"value": "[\"bob\"]"}]);
        assert_eq!(commands(&set, "ana"), expected);
    }

    #[test]
    fn words_lose_it_where_it_is_a_word() {
        assert_eq!(
            text("for ana, not anabel", "ana"),
            "for [forgotten], not anabel"
        );
        assert_eq!(text("a flag", "a"), "a flag");
        let line = json!({"text": "web: x: targets added to ‘on’: a, b and 3 more"});
        let told = answer(&line, "a")["text"].as_str().unwrap().to_owned();
        assert_eq!(
            told,
            "web: x: targets added to ‘on’: [forgotten], b and 3 more"
        );
    }
}
