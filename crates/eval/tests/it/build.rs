//! Short ways to flags, segments and users, from JSON as it comes over the wire.

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::user::User;
use serde_json::{Value, json};

/// A flag that is on and serves A to everybody, with these fields put over it.
pub(crate) fn flag(key: &str, over: Value) -> Flag {
    let mut flag = json!({
        "id": key, "key": key, "variationType": "string", "isEnabled": true,
        "variations": [{"id": "a", "value": "A"}, {"id": "b", "value": "B"}],
        "disabledVariationId": "b",
        "fallthrough": {"variations": [{"id": "a", "rollout": [0, 1]}]},
    });
    put(&mut flag, over);
    serde_json::from_value(flag).unwrap()
}

/// A segment without members, with these fields put over it.
pub(crate) fn segment(id: &str, over: Value) -> Segment {
    let mut segment = json!({"id": id});
    put(&mut segment, over);
    serde_json::from_value(segment).unwrap()
}

/// A rule with these conditions that serves the variation to everybody it takes.
pub(crate) fn rule(conditions: Value, variation: &str) -> Value {
    json!({"name": "rule", "conditions": conditions,
           "variations": [{"id": variation, "rollout": [0, 1]}]})
}

/// A condition of membership in one segment.
pub(crate) fn in_segment(id: &str) -> Value {
    json!([{"property": "User is in segment", "value": json!([id]).to_string()}])
}

/// A user with one property.
pub(crate) fn user<'a>(key: &'a str, name: &'a str, value: &'a str) -> User<'a> {
    User {
        key: key.into(),
        name: "".into(),
        properties: vec![(name.into(), value.into())],
        ..User::default()
    }
}

fn put(target: &mut Value, over: Value) {
    let fields = over.as_object().unwrap().clone();
    target.as_object_mut().unwrap().extend(fields);
}
