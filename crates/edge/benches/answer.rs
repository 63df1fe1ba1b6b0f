//! What the answer to a client's data-sync costs: `cargo bench -p burgee-edge --bench answer`.
//!
//! The five flags of the published test (one for everybody, a split, fifteen targets, two rules,
//! two segments), evaluated for a user, joined, and framed as a WebSocket message: nanoseconds, the
//! median of 101 batches over 64 users.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::panic,
    reason = "a program that measures and prints"
)]

#[path = "../tests/it/memory.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "made for tests, of which this uses a part"
)]
mod memory;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use burgee_edge::environment::Encoded;
use burgee_edge::frame::write;
use burgee_edge::hub::{Hub, Lookup};
use burgee_edge::metrics::Metrics;
use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::user::User;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const BATCHES: usize = 101;
const ROUNDS: usize = 200;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // cargo test --all-targets runs this too; then once through is enough.
    let rounds = match std::env::args().any(|arg| arg == "--bench") {
        true => ROUNDS,
        false => 1,
    };
    let world = memory::World::with(&["env"]);
    world.put("env", flags(), segments());
    let (metrics, shutdown) = (Arc::new(Metrics::default()), CancellationToken::new());
    let hub = Hub::new(world, metrics);
    let feeding = tokio::spawn(Arc::clone(&hub).run(shutdown.clone()));
    hub.ready().await;
    let Lookup::Known(access) = hub.lookup("env-client") else {
        panic!("the key is not known")
    };
    let state = access.environment.current();
    let users: Vec<User<'static>> = (0..64).map(user).collect();
    let mut out = Vec::new();
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| batch(&state, &users, rounds, &mut out))
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{:<28} {:>8} {:>8}", "answer", "ns", "bytes");
    let (time, bytes) = (times[BATCHES / 2], out.len());
    println!("{:<28} {time:>8.1} {bytes:>8}", "five flags");
    shutdown.cancel();
    feeding.await.unwrap();
}

/// Nanoseconds an answer took, over all users.
fn batch(state: &Encoded, users: &[User<'_>], rounds: usize, out: &mut Vec<u8>) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        for user in users {
            out.clear();
            write::text_with(out, state.client_size(), |out| {
                state.client_sync(black_box(user), 0, memory::EPOCH, out);
                true
            });
            black_box(&*out);
        }
    }
    start.elapsed().as_nanos() as f64 / (rounds * users.len()) as f64
}

/// As `burgee bench` makes them.
fn user(n: usize) -> User<'static> {
    let property = |name: &'static str, value: String| (name.into(), value.into());
    User {
        key: format!("5f3c9b1e-user-{n}").into(),
        name: format!("user {n}").into(),
        properties: vec![
            property("country", ["de", "fr", "us", "cn"][n % 4].to_owned()),
            property("age", (n % 60).to_string()),
            property("plan", ["free", "pro"][n % 2].to_owned()),
        ],
        ..User::default()
    }
}

fn flags() -> Vec<Flag> {
    let everybody = json!([{"id": ON, "rollout": [0, 1]}]);
    let split = |on: f64| json!([{"id": ON, "rollout": [0, on]}, {"id": OFF, "rollout": [on, 1]}]);
    let condition = |property: &str, op: &str, value: &str| json!({"property": property, "op": op, "value": value});
    let rule =
        |conditions: Value, parts: &Value| json!({"conditions": conditions, "variations": parts});
    let segment = |id: &str| {
        json!([condition(
            "User is in segment",
            "",
            &json!([id]).to_string()
        )])
    };
    let keys = |prefix: &str, count: usize| -> Vec<String> {
        (1..=count).map(|n| format!("{prefix}-{n}")).collect()
    };
    vec![
        flag("returns-true", json!({})),
        flag(
            "return-10p-true",
            json!({"fallthrough": {"variations": split(0.1)}}),
        ),
        flag(
            "individual-targeting",
            json!({"targetUsers": [{"keyIds": keys("on", 10), "variationId": ON},
                {"keyIds": keys("off", 5), "variationId": OFF}]}),
        ),
        flag(
            "two-custom-rules",
            json!({"rules": [
                rule(json!([condition("age", "BiggerThan", "21"), condition("name", "EndsWith", "_test")]), &everybody),
                rule(json!([condition("country", "IsOneOf", r#"["de","fr","jp","br","in","ca"]"#)]), &split(0.2)),
            ]}),
        ),
        flag(
            "custom-rule-with-segment",
            json!({"rules": [rule(segment("early"), &split(0.1)), rule(segment("late"), &everybody)]}),
        ),
    ]
}

const ON: &str = "35aca976-989e-4da2-81a1-b3f7c4bde090";
const OFF: &str = "01b32fc9-f024-44f6-b270-32a0b245bdd8";

fn flag(key: &str, over: Value) -> Flag {
    let mut flag = json!({
        "id": key, "key": key, "name": key, "variationType": "boolean",
        "isEnabled": true, "disabledVariationId": OFF,
        "variations": [{"id": ON, "value": "true"}, {"id": OFF, "value": "false"}],
        "fallthrough": {"variations": [{"id": ON, "rollout": [0, 1]}]},
    });
    let fields = over.as_object().unwrap().clone();
    flag.as_object_mut().unwrap().extend(fields);
    serde_json::from_value(flag).unwrap()
}

fn segments() -> Vec<Segment> {
    let segment = |id: &str, rules: Value| {
        let segment = json!({"id": id, "name": id, "included": ["on-1"], "excluded": ["off-1"], "rules": rules});
        serde_json::from_value(segment).unwrap()
    };
    let young = json!([
        {"property": "age", "op": "LessEqualThan", "value": "30"},
        {"property": "country", "op": "IsOneOf", "value": r#"["de","fr","jp"]"#},
        {"property": "name", "op": "NotEqual", "value": "guest"},
        {"property": "isMember", "op": "IsTrue", "value": "IsTrue"},
    ]);
    let old = json!([{"property": "age", "op": "BiggerThan", "value": "40"}]);
    let years = json!([{"property": "years", "op": "BiggerThan", "value": "10"}]);
    vec![
        segment("early", json!([{"conditions": young}])),
        segment("late", json!([{"conditions": old}, {"conditions": years}])),
    ]
}
