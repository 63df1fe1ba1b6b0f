//! Messages.

use std::borrow::Cow;

use burgee_edge::message::{Message, Sync, parse, parse_user};
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
    };
    assert_eq!(user, Some(expected));
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
