//! Requests with moments: when steps are due, and what a series holds.

use burgee_domain::outcome::Facet;
use burgee_domain::request::Stage;
use burgee_domain::request::held::{Held, Moved, hold, moved};
use burgee_domain::request::schedule::{
    Due, MAX_AHEAD, MAX_LATE, MAX_STEPS, StepState, check_moments, check_size, due,
};
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;
use serde_json::{Value, json};

use crate::kit::{NOW, after, apply, commands, on, people, ready};

fn at(ms: i64) -> Millis {
    Millis(NOW.0 + ms)
}

#[test]
fn a_step_is_due_from_its_moment_on_for_an_hour() {
    let rows = [
        (-1, Due::Later),
        (0, Due::Now),
        (1, Due::Now),
        (MAX_LATE - 1, Due::Now),
        (MAX_LATE, Due::TooLate),
        (i64::MAX - NOW.0, Due::TooLate),
    ];
    for (late, expected) in rows {
        assert_eq!(due(NOW, at(late)), expected, "{late} ms late");
    }
}

#[test]
fn moments_are_ahead_in_order_and_not_too_far() {
    let refused = |moments: &[i64]| {
        let moments: Vec<Millis> = moments.iter().map(|it| at(*it)).collect();
        let found = check_moments(&moments, NOW).err();
        found.map(|it| (it.pointer, it.code))
    };
    let bad = |index: usize, code| Some((format!("/steps/{index}/at"), code));
    assert_eq!(refused(&[]), None);
    assert_eq!(refused(&[1, 2, MAX_AHEAD]), None);
    assert_eq!(refused(&[0]), bad(0, "momentPast"));
    assert_eq!(refused(&[5, -5]), bad(1, "momentPast"));
    assert_eq!(refused(&[1, MAX_AHEAD + 1]), bad(1, "momentTooFar"));
    assert_eq!(refused(&[5, 5]), bad(1, "momentOrder"));
    assert_eq!(refused(&[1, 9, 8]), bad(2, "momentOrder"));
}

#[test]
fn so_many_steps_and_commands_and_no_more() {
    assert!(check_size(&[1; MAX_STEPS]).is_ok());
    let code = |sizes: &[usize]| check_size(sizes).unwrap_err().code;
    assert_eq!(code(&[1; MAX_STEPS + 1]), "tooManySteps");
    assert!(check_size(&[250, 250]).is_ok());
    assert_eq!(code(&[250, 251]), "tooManyCommands");
}

#[test]
fn steps_are_shown_as_their_request_is() {
    let rows = [
        (Stage::Open, StepState::Waiting),
        (Stage::Stopped, StepState::Stopped),
        (Stage::Withdrawn, StepState::Withdrawn),
        (Stage::Applied, StepState::Applied),
    ];
    for (stage, expected) in rows {
        assert_eq!(stage.of_step(false), expected);
        assert_eq!(stage.of_step(true), StepState::Applied);
    }
}

fn share(to: f64) -> Value {
    json!([on(
        "text",
        "setDefaultRule",
        json!({"variations": [
        {"id": "a", "rollout": [0.0, to]}, {"id": "b", "rollout": [to, 1.0]}]})
    )])
}

/// What each step holds: as the steps before it leave things.
fn held(before: &Workspace, steps: &[Value]) -> Vec<Held> {
    let mut now = before.clone();
    let mut all = Vec::new();
    for step in steps {
        let outcome = apply(&now, step.clone()).unwrap();
        all.extend(hold(&now, &outcome));
        now.advance(&outcome);
    }
    all
}

/// What is in a step's way, if things are so now.
fn in_the_way(held: &Held, now: &Workspace, step: &Value) -> Vec<Moved> {
    let outcome = apply(now, step.clone()).unwrap();
    moved(std::slice::from_ref(held), now, &outcome)
}

#[test]
fn the_steps_of_a_series_are_not_in_each_others_way() {
    let steps = [share(0.1), share(0.5), share(0.9)];
    let mut now = ready();
    for (held, step) in held(&now, &steps).iter().zip(&steps) {
        assert_eq!(in_the_way(held, &now, step), []);
        now = after(now, step.clone());
        // Beside it, others do what they want.
        let others = json!([
            on(
                "text",
                "addTargets",
                json!({"variation": "a", "keys": [step.to_string()]})
            ),
            people("addIncluded", json!({"keys": [step.to_string()]})),
        ]);
        now = after(now, others);
    }
}

#[test]
fn what_others_do_in_the_middle_is_in_the_way_until_it_is_taken_back() {
    let steps = [share(0.1), share(0.5)];
    let held = held(&ready(), &steps);
    let first = after(ready(), steps[0].clone());
    let theirs = after(first, share(0.3));
    let found = in_the_way(&held[1], &theirs, &steps[1]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].facets, [Facet::DefaultRule]);
    let back = after(theirs, share(0.1));
    assert_eq!(in_the_way(&held[1], &back, &steps[1]), []);
    // Nor does a step come before the one that it builds upon.
    assert_eq!(in_the_way(&held[1], &ready(), &steps[1]).len(), 1);
}

#[test]
fn a_later_step_finds_what_an_earlier_one_makes() {
    let make = json!([{"kind": "createFlag", "project": "web", "flag": "new", "id": "new",
        "type": "boolean", "variations": [{"id": "y", "value": "true"}, {"id": "n", "value": "false"}]}]);
    let on = |kind: &str| json!([{"kind": kind, "project": "web", "flag": "new", "environment": "prod"}]);
    let steps = [make.clone(), on("turnOn"), on("turnOff")];
    assert_eq!(held(&ready(), &steps).len(), 3);
    // Without it there is nothing to turn on.
    assert!(apply(&ready(), on("turnOn")).is_err());
    assert_eq!(commands(make).len(), 1);
    let gone = json!([
        crate::kit::on("text", "archiveFlag", json!({})),
        crate::kit::on("text", "deleteFlag", json!({})),
        people("archiveSegment", json!({})),
        people("deleteSegment", json!({})),
    ]);
    let gone = after(ready(), gone);
    assert!(!gone.projects["web"].flags.contains_key("text"));
    assert!(!gone.segments.keys().any(|it| it.as_str() == "in-prod"));
}
