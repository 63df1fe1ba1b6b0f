//! Taking a person out of what is kept of the past: bodies of change sets, images of flags and
//! segments. What is served now is changed by commands, as everything is.

use serde_json::Value;

/// What stands in place of a key where something must.
pub const FORGOTTEN: &str = "[forgotten]";

/// From so many characters on a key is looked for within texts: a shorter one is a word of them.
const WORD: usize = 3;

/// The lists of keys in images.
const LISTS: [&str; 3] = ["keyIds", "included", "excluded"];

/// An image (a flag or a segment as JSON) without the key in its lists; none where it is not in
/// them.
pub fn image(text: &str, key: &str) -> Option<String> {
    let mut image: Value = serde_json::from_str(text).ok()?;
    take_from_lists(&mut image, key).then(|| image.to_string())
}

fn take_from_lists(value: &mut Value, key: &str) -> bool {
    let mut taken = false;
    match value {
        Value::Array(items) => {
            for item in items {
                taken |= take_from_lists(item, key);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                taken |= match field {
                    Value::Array(keys) if LISTS.contains(&name.as_str()) => take(keys, key),
                    field => take_from_lists(field, key),
                };
            }
        }
        _ => {}
    }
    taken
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
        assert_eq!(image(&flag.to_string(), "ana"), Some(expected.to_string()));
        assert_eq!(image(&flag.to_string(), "eve"), None);
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
