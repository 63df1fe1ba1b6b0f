//! Messages.

use std::borrow::Cow;

use burgee_edge::message::{self, Message, Sync};
use burgee_edge::metrics::Reason;
use burgee_edge::traffic::limits;
use burgee_eval::user::User;
use proptest::prelude::*;

#[test]
fn messages_of_the_sdks_are_read() {
    for (text, message) in [
        (r#"{"messageType":"ping","data":{}}"#, Message::Ping),
        (r#"{"messageType":"PING","data":null}"#, Message::Ping),
        (
            r#"{"data":{"timestamp":0},"messageType":"ping"}"#,
            Message::Ping,
        ),
        (r#"{"messageType":"\u0070ing"}"#, Message::Ping),
        (
            r#"{"messageType":"echo","data":[1, "a"]}"#,
            Message::Echo(r#"[1, "a"]"#),
        ),
        (
            r#"{"messageType":"data-sync","data":{"timestamp":17}}"#,
            sync(17),
        ),
        (
            r#"{"data":{"timestamp":17},"messageType":"Data-Sync"}"#,
            sync(17),
        ),
        (
            r#"{"messageType":"data-sync","data":{"timestamp":null}}"#,
            sync(0),
        ),
        (
            r#"{"messageType":"data-sync","data":{"timestamp":17.9}}"#,
            sync(17),
        ),
        (
            r#"{"messageType":"data-sync","data":{"timestamp":1e300}}"#,
            sync(i64::MAX),
        ),
        (r#"{"messageType":"data-sync","data":{"more":1}}"#, sync(0)),
        (
            r#"{"messageType":"data-sync","data":{"user":{"keyId":"\t"}}}"#,
            sync(0),
        ),
    ] {
        assert_eq!(parse(text), Some(message), "{text}");
    }
}

fn parse(text: &str) -> Option<Message<'_>> {
    message::parse(text, &mut |_, _| {}).ok()
}

fn parse_user(text: &str) -> Option<User<'_>> {
    message::parse_user(text, &mut |_, _| {})
}

fn sync<'a>(timestamp: i64) -> Message<'a> {
    Message::Sync(Sync {
        timestamp,
        user: None,
    })
}

#[test]
fn a_users_texts_may_be_any_json() {
    let user = parse_user(
        r#"{"keyId":7,"name":null,"more":{},"customizedProperties":[
            {"name":"","value":""},
            {"name":"number","value":1.50},
            {"name":"big","value":12345678901234567890123},
            {"name":"yes","value":true},
            {"value":"\u00e9","name":"escaped"},
            {"name":"list","value":["a", 1]},
            {"name":"null","value":null},
            {"name":"absent"}]}"#,
    );
    let property = |name: &'static str, value: &'static str| (name.into(), value.into());
    let expected = User {
        key: "7".into(),
        name: "".into(),
        properties: vec![
            property("number", "1.50"),
            property("big", "12345678901234567890123"),
            property("yes", "true"),
            property("escaped", "é"),
            property("list", r#"["a", 1]"#),
            property("null", ""),
            property("absent", ""),
        ],
        ..User::default()
    };
    assert_eq!(user, Some(expected));
}

#[test]
fn nobody_has_a_list_or_an_object_for_a_key() {
    for key in ["[]", r#"["u"]"#, "{}", r#" { "u": 1 }"#] {
        assert_eq!(parse_user(&format!(r#"{{"keyId":{key}}}"#)), None, "{key}");
    }
}

#[test]
fn plain_texts_are_not_copied() {
    let user = parse_user(r#"{"keyId":"bob","customizedProperties":[{"name":"a","value":"b"}]}"#);
    let user = user.unwrap();
    assert!(matches!(user.key, Cow::Borrowed("bob")));
    assert!(matches!(user.properties[0].1, Cow::Borrowed("b")));
}

#[test]
fn lists_and_names_may_be_null() {
    let user = parse_user(r#"{"keyId":"bob","name":null,"customizedProperties":null}"#);
    assert_eq!(user.unwrap().properties, []);
}

/// Key, name, and how many properties.
type Outline = (String, String, usize);

/// A data-sync's timestamp and user, and what was passed over.
fn synced(user: &str) -> (i64, Option<Outline>, Vec<(Reason, u64)>) {
    let text =
        format!(r#"{{"messageType":"data-sync","data":{{"timestamp":"17","user":{user}}}}}"#);
    let mut passed_over = Vec::new();
    let message = message::parse(&text, &mut |reason, count| {
        passed_over.push((reason, count))
    });
    let Ok(Message::Sync(sync)) = message else {
        panic!("{message:?}")
    };
    let user = sync.user.map(|user| {
        let (key, name) = (user.key.into_owned(), user.name.into_owned());
        (key, name, user.properties.len())
    });
    (sync.timestamp, user, passed_over)
}

#[test]
fn what_can_be_read_of_a_user_is() {
    let property = vec![(Reason::Property, 1)];
    for (rest, name, count, passed_over) in [
        (r#""name":"x\ud83d""#, "x\u{fffd}", 0, vec![]),
        (
            r#""name":"\ude00\\\ud83d\ude00\ud83dy""#,
            "\u{fffd}\\\u{1f600}\u{fffd}y",
            0,
            vec![],
        ),
        (
            r#""name":"\ud83d\ud83d\ude00""#,
            "\u{fffd}\u{1f600}",
            0,
            vec![],
        ),
        (
            r#""customizedProperties":[null,{"name":"a","value":1}]"#,
            "",
            1,
            property.clone(),
        ),
        (
            r#""customizedProperties":["a",{"name":"a","value":1},7]"#,
            "",
            1,
            vec![(Reason::Property, 2)],
        ),
        (r#""customizedProperties":{}"#, "", 0, property.clone()),
        (r#""customizedProperties":"none""#, "", 0, property),
    ] {
        let expected = (17, Some(("u".into(), name.into(), count)), passed_over);
        assert_eq!(
            synced(&format!(r#"{{"keyId":"u",{rest}}}"#)),
            expected,
            "{rest}"
        );
    }
    assert_eq!(synced(r#""u""#), (17, None, vec![]), "no object");
}

#[test]
fn users_over_the_limits_are_cut() {
    let long = |length: usize| "k".repeat(length);
    let user =
        |key: usize, name: usize| format!(r#"{{"keyId":"{}","name":"{}"}}"#, long(key), long(name));
    let (key, name) = (limits::USER_KEY, limits::USER_NAME);
    assert_eq!(
        synced(&user(key, name)),
        (17, Some((long(key), long(name), 0)), vec![])
    );
    assert_eq!(synced(&user(key + 1, name)), (17, None, vec![]));
    let without_name = (
        17,
        Some((long(key), String::new(), 0)),
        vec![(Reason::UserName, 1)],
    );
    assert_eq!(synced(&user(key, name + 1)), without_name);

    let with = |lengths: &[usize]| {
        let property = |length: &usize| serde_json::json!({"name": "four", "value": long(*length)});
        let properties: Vec<_> = lengths.iter().map(property).collect();
        serde_json::json!({"keyId": "u", "customizedProperties": properties}).to_string()
    };
    let most = limits::PROPERTY - 4;
    let kept = |count, passed_over| (17, Some(("u".into(), String::new(), count)), passed_over);
    assert_eq!(
        synced(&with(&[most, most + 1, 1])),
        kept(2, vec![(Reason::Property, 1)])
    );
    assert_eq!(
        synced(&with(&[1; limits::PROPERTIES])),
        kept(limits::PROPERTIES, vec![])
    );
    assert_eq!(
        synced(&with(&[1; limits::PROPERTIES + 3])),
        kept(limits::PROPERTIES, vec![(Reason::Property, 3)])
    );
}

#[test]
fn what_is_no_message_says_why() {
    for (text, reason) in [
        ("ping", Reason::Message),
        ("[]", Reason::Message),
        (r#"{"messageType":"data-sync"}"#, Reason::Message),
        (r#"{"messageType":"data-sync","data":7}"#, Reason::Message),
        (r#"{"messageType":"news","data":{}}"#, Reason::MessageType),
    ] {
        assert_eq!(message::parse(text, &mut |_, _| {}), Err(reason), "{text}");
    }
}

proptest! {
    #[test]
    fn arbitrary_texts_do_no_harm(text: String) {
        parse(&text);
    }

    #[test]
    fn what_serde_writes_is_read(key in "[^ ].*", name: String, value: String) {
        let text = serde_json::json!({
            "keyId": key, "name": name, "customizedProperties": [{ "name": "p", "value": value }],
        })
        .to_string();
        let user = parse_user(&text);
        prop_assume!(!key.trim().is_empty());
        let user = user.unwrap();
        prop_assert_eq!(user.key, key);
        prop_assert_eq!(user.name, name);
        prop_assert_eq!(&*user.properties[0].1, value);
    }
}
