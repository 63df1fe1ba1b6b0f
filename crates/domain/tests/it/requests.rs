//! Requests: where they can go, and what their diff was true of.

use burgee_domain::admission::Verdict;
use burgee_domain::outcome::Facet;
use burgee_domain::request::held::{Moved, hold, moved};
use burgee_domain::request::{Act, Closed, Stage, State};
use burgee_domain::workspace::Workspace;
use serde_json::{Value, json};

use crate::kit::{after, apply, on, people, ready};

const ACTS: [Act; 7] = [
    Act::Revise,
    Act::Review,
    Act::Discuss,
    Act::Withdraw,
    Act::Apply,
    Act::Stop,
    Act::Advance,
];

#[test]
fn each_act_leads_where_it_should_and_no_further() {
    use Stage::{Applied, Open, Stopped, Withdrawn};
    let rows = [
        (
            Open,
            [
                Some(Open),
                Some(Open),
                Some(Open),
                Some(Withdrawn),
                Some(Applied),
                Some(Stopped),
                Some(Open),
            ],
        ),
        (Applied, [None, None, Some(Applied), None, None, None, None]),
        (
            Withdrawn,
            [None, None, Some(Withdrawn), None, None, None, None],
        ),
        (
            Stopped,
            [
                Some(Open),
                None,
                Some(Stopped),
                Some(Withdrawn),
                None,
                None,
                None,
            ],
        ),
    ];
    for (stage, expected) in rows {
        for (act, expected) in ACTS.into_iter().zip(expected) {
            let found = stage.after(act);
            assert_eq!(found, expected.ok_or(Closed(stage)), "{stage:?} {act:?}");
        }
        assert_eq!(serde_json::to_value(stage).unwrap(), stage.as_str());
    }
}

#[test]
fn only_what_waits_is_approved_or_declined() {
    let standings = [None, Some(Verdict::Approve), Some(Verdict::Decline)];
    let open = standings.map(|it| Stage::Open.shown(it));
    assert_eq!(open, [State::Waiting, State::Approved, State::Declined]);
    for standing in standings {
        assert_eq!(Stage::Applied.shown(standing), State::Applied);
        assert_eq!(Stage::Withdrawn.shown(standing), State::Withdrawn);
        assert_eq!(Stage::Stopped.shown(standing), State::Stopped);
    }
}

/// What others' commands did to what ours were held at.
fn moved_by(ours: Value, theirs: Value) -> Vec<Moved> {
    let before = ready();
    let held = hold(&before, &apply(&before, ours.clone()).unwrap());
    let now = after(before, theirs);
    moved(&held, &now, &apply(&now, ours).unwrap())
}

fn facets(moved: &[Moved]) -> Vec<Facet> {
    moved.iter().flat_map(|it| it.facets.clone()).collect()
}

#[test]
fn only_what_is_touched_is_held() {
    let off = || json!([on("text", "turnOff", json!({}))]);
    let others = json!([
        on("text", "setOffVariation", json!({"variation": "b"})),
        on(
            "text",
            "addTargets",
            json!({"variation": "a", "keys": ["anna"]})
        ),
        on("text", "renameFlag", json!({"name": "New"})),
        on("bool", "turnOn", json!({})),
        people("addIncluded", json!({"keys": ["anna"]})),
    ]);
    assert_eq!(moved_by(off(), others), []);
    let value = |value: &str| {
        json!([on(
            "text",
            "updateVariation",
            json!({"variation": "a", "value": value})
        )])
    };
    assert_eq!(moved_by(off(), value("other")), []);
    // In the project, and in the environment that serves it.
    let both = moved_by(value("ours"), value("theirs"));
    assert_eq!(facets(&both), [Facet::Variations, Facet::Variations]);
    let anna = |key: &str| json!([people("addIncluded", json!({"keys": [key]}))]);
    assert_eq!(
        facets(&moved_by(anna("anna"), anna("bob"))),
        [Facet::Included]
    );
}

#[test]
fn what_was_taken_back_is_no_difference() {
    let ours = json!([on("text", "setOffVariation", json!({"variation": "a"}))]);
    let to = |variation: &str| on("text", "setOffVariation", json!({"variation": variation}));
    let before = ready();
    let was = crate::kit::targeting(&before, "prod", "text")
        .off_variation
        .clone();
    assert_eq!(
        facets(&moved_by(ours.clone(), json!([to("b")]))),
        [Facet::OffVariation]
    );
    assert_eq!(moved_by(ours, json!([to("b"), to(&was)])), []);
}

#[test]
fn who_would_do_more_than_was_held_is_stopped() {
    // Released in another environment since, which the value would reach too.
    let value = json!([on(
        "text",
        "updateVariation",
        json!({"variation": "a", "value": "x"})
    )]);
    let dev = json!([on("text", "turnOn", json!({"environment": "dev"}))]);
    assert_eq!(facets(&moved_by(value, dev)), [Facet::Variations]);
    // A rule that `setRules` would now remove.
    let rules = json!([
        on("text", "setRules", json!({"rules": []})),
        on("text", "turnOff", json!({}))
    ]);
    let rule = json!([on(
        "text",
        "addRule",
        json!({"rule": {"id": "r", "variation": "a",
        "conditions": []}})
    )]);
    assert_eq!(
        facets(&moved_by(rules, rule)),
        [Facet::Rule("r".to_owned())]
    );
}

#[test]
fn what_was_made_anew_under_the_same_key_is_something_else() {
    let ours = json!([on("text", "turnOff", json!({}))]);
    let before = ready();
    let held = hold(&before, &apply(&before, ours.clone()).unwrap());
    let theirs = json!([
        on("text", "archiveFlag", json!({})),
        on("text", "deleteFlag", json!({})),
    ]);
    let new = json!([
        {"kind": "createFlag", "project": "web", "flag": "text", "id": "another",
            "type": "boolean"},
        on("text", "turnOn", json!({})),
    ]);
    let now: Workspace = after(after(before, theirs), new);
    let moved = moved(&held, &now, &apply(&now, ours).unwrap());
    let ids: Vec<&str> = moved.iter().map(|it| it.item.id()).collect();
    assert_eq!(ids, ["another", "id-of-text"]);
}
