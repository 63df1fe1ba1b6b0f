//! Lists of users, and segments, that are refused.

use serde_json::{Value, json};

use super::check;
use crate::kit::{on, people, with};

#[test]
fn users() {
    let keys = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
    check(vec![
        (
            on("text", "setTargets", json!({"variation": "x", "keys": []})),
            "/variation",
            "variationUnknown",
            "'x'",
        ),
        (
            on(
                "text",
                "addTargets",
                json!({"variation": "a", "keys": ["ann", " "]}),
            ),
            "/keys/1",
            "userKeyEmpty",
            "blank",
        ),
        (
            on(
                "text",
                "addTargets",
                json!({"variation": "a", "keys": ["x".repeat(513)]}),
            ),
            "/keys/0",
            "userKeyTooLong",
            "512",
        ),
        (
            on(
                "text",
                "addTargets",
                json!({"variation": "a", "keys": ["\u{0}x"]}),
            ),
            "/keys/0",
            "nulCharacter",
            "U+0000",
        ),
        (
            on(
                "text",
                "setTargets",
                json!({"variation": "a", "keys": keys(100_001)}),
            ),
            "/keys",
            "tooManyUsers",
            "the limit is 100000",
        ),
        (
            people("setIncluded", json!({"keys": keys(1_000_001)})),
            "/keys",
            "tooManyUsers",
            "1000000",
        ),
    ]);
}

#[test]
fn segments() {
    let create =
        |key: &str, fields: Value| with(people("createSegment", json!({"segment": key})), fields);
    check(vec![
        (
            create("a b", json!({})),
            "/segment",
            "keyInvalid",
            "letters, digits",
        ),
        (
            create("IN-PROD", json!({})),
            "/segment",
            "segmentExists",
            "'in-prod'",
        ),
        (
            create("new", json!({"id": "in-dev"})),
            "/id",
            "duplicateId",
            "in-dev",
        ),
        (
            create("new", json!({"excluded": [""]})),
            "/excluded/0",
            "userKeyEmpty",
            "blank",
        ),
        (
            people("deleteSegment", json!({})),
            "/segment",
            "segmentNotArchived",
            "archive it first",
        ),
    ]);
}
