//! Definitions of flags that are refused.

use serde_json::{Value, json};

use super::check;
use crate::kit::{after, apply, flag, on, people, ready, with};

fn create(fields: Value) -> Value {
    on(
        "new",
        "createFlag",
        with(json!({"type": "boolean"}), fields),
    )
}

#[test]
fn flags() {
    let long = "k".repeat(129);
    let values = |values: Value| create(json!({"type": "string", "variations": values}));
    check(vec![
        (
            on("no key", "createFlag", json!({"type": "json"})),
            "/flag",
            "keyInvalid",
            "letters, digits",
        ),
        (
            on(&long, "createFlag", json!({"type": "json"})),
            "/flag",
            "keyInvalid",
            "at most 128",
        ),
        (
            on("TEXT", "createFlag", json!({"type": "string"})),
            "/variations",
            "variationsEmpty",
            "at least one",
        ),
        (
            on("BOOL", "createFlag", json!({"type": "boolean"})),
            "/flag",
            "flagExists",
            "'bool'",
        ),
        (
            on("old", "createFlag", json!({"type": "boolean"})),
            "/flag",
            "flagExists",
            "archived",
        ),
        (
            create(json!({"id": "id-of-text"})),
            "/id",
            "duplicateId",
            "id-of-text",
        ),
        (create(json!({"id": " "})), "/id", "idInvalid", "UUID"),
        (
            create(json!({"id": "x".repeat(129)})),
            "/id",
            "idTooLong",
            "128",
        ),
        (
            create(json!({"name": "x".repeat(257)})),
            "/name",
            "textTooLong",
            "at most 256",
        ),
        (
            create(json!({"name": "a\u{0}b"})),
            "/name",
            "nulCharacter",
            "U+0000",
        ),
        (
            create(json!({"description": "x".repeat(2001)})),
            "/description",
            "textTooLong",
            "2000",
        ),
        (
            create(json!({"tags": ["a", " "]})),
            "/tags/1",
            "tagEmpty",
            "empty",
        ),
        (
            create(json!({"tags": ["a", "b,c"]})),
            "/tags/1",
            "tagCharacter",
            "`,`",
        ),
        (
            create(json!({"tags": ["a;b"]})),
            "/tags/0",
            "tagCharacter",
            "`;`",
        ),
        (
            create(json!({"tags": [" *"]})),
            "/tags/0",
            "tagCharacter",
            "`*`",
        ),
        (
            create(json!({"tags": ["x".repeat(65)]})),
            "/tags/0",
            "textTooLong",
            "64",
        ),
        (
            create(json!({"tags": (0..51).map(|n| n.to_string()).collect::<Vec<_>>()})),
            "/tags",
            "tooManyTags",
            "the limit is 50",
        ),
        (
            create(json!({"onVariation": "x"})),
            "/onVariation",
            "variationUnknown",
            "'x'",
        ),
        (
            create(json!({"offVariation": "x"})),
            "/offVariation",
            "variationUnknown",
            "'x'",
        ),
        (
            create(json!({"variations": [{"value": "yes"}]})),
            "/variations/0/value",
            "valueType",
            "true nor false",
        ),
        (
            values(json!([])),
            "/variations",
            "variationsEmpty",
            "at least one",
        ),
        (
            values(json!([{"id": "x", "value": "1"}, {"id": "x", "value": "2"}])),
            "/variations/1/id",
            "duplicateId",
            "'x'",
        ),
        (
            values(json!([{"value": "x".repeat(65537)}])),
            "/variations/0/value",
            "valueTooLong",
            "65536",
        ),
        (
            values(json!([{"value": "\u{0}"}])),
            "/variations/0/value",
            "nulCharacter",
            "U+0000",
        ),
        (
            values(json!(vec![json!({"value": "x"}); 101])),
            "/variations",
            "tooManyVariations",
            "100",
        ),
        (
            on(
                "number",
                "updateVariation",
                json!({"variation": "n", "value": "1,000"}),
            ),
            "/value",
            "valueType",
            "number",
        ),
        (
            on(
                "json",
                "updateVariation",
                json!({"variation": "j", "value": "{"}),
            ),
            "/value",
            "valueType",
            "JSON",
        ),
        (
            on(
                "text",
                "updateVariation",
                json!({"variation": "x", "value": "1"}),
            ),
            "/variation",
            "variationUnknown",
            "'x'",
        ),
        (
            on("text", "renameFlag", json!({"name": "  "})),
            "/name",
            "nameEmpty",
            "must not be empty",
        ),
        (
            on(
                "text",
                "setVariations",
                json!({"variations": [{"id": "b", "value": "B"}]}),
            ),
            "/variations",
            "variationInUse",
            "'A' cannot be removed, it is used by the default rule in prod",
        ),
        (
            on("text", "deleteFlag", json!({})),
            "/flag",
            "flagNotArchived",
            "archive it first",
        ),
        (
            on("old", "turnOn", json!({})),
            "/flag",
            "flagArchived",
            "restore it first",
        ),
        (
            on(
                "old",
                "setVariations",
                json!({"variations": [{"value": "true"}]}),
            ),
            "/flag",
            "flagArchived",
            "restore it first",
        ),
    ]);
}

#[test]
fn names_and_tags_stand_on_one_line() {
    let names = [
        on("bool", "renameFlag", json!({"name": "a\u{7}b"})),
        on("bool", "renameFlag", json!({"name": "a\nb"})),
        people("renameSegment", json!({"name": "a\u{1b}[31mb"})),
        on("bool", "setFlagTags", json!({"tags": ["a\tb"]})),
        on("bool", "describeFlag", json!({"description": "a\u{8}b"})),
    ];
    for command in names {
        let rejected = apply(&ready(), json!([command])).unwrap_err();
        assert_eq!(rejected.code, "controlCharacter");
    }
    let described = on("bool", "describeFlag", json!({"description": " a\n\tb\n"}));
    let after = after(ready(), json!([described]));
    assert_eq!(flag(&after, "bool").description, "a\n\tb");
}

#[test]
fn names_of_other_things_keep_to_the_same_rules() {
    assert_eq!(burgee_domain::check_name(" Shop ").unwrap(), "Shop");
    assert_eq!(
        burgee_domain::check_name("a\rb").unwrap_err().pointer,
        "/name"
    );
    assert_eq!(
        burgee_domain::check_name("  ").unwrap_err().code,
        "nameEmpty"
    );
    assert_eq!(burgee_domain::check_description(" a\nb ").unwrap(), "a\nb");
    let bad = burgee_domain::check_description("a\u{0}").unwrap_err();
    assert_eq!(bad.pointer, "/description");
}
