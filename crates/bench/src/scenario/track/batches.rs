//! Batches as server SDKs send them: an entry for each event, with its user.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use serde_json::{Value, json};

use crate::api::get_state;
use crate::scenario::requests::post;
use crate::target::Target;

/// Events in a batch: the most that SDKs put into one.
pub(super) const BATCH: usize = 50;
/// Different batches, sent in turns.
const BATCHES: usize = 20;

const PATH: &str = "/api/public/insight/track";

/// Requests with evaluations of the environment's own flags, by turns.
pub(super) fn evaluations(target: &Target) -> anyhow::Result<Vec<Vec<u8>>> {
    let flags = flags(target)?;
    let event = |number: usize| {
        let (flag, variation) = &flags[number % flags.len()];
        json!({
            "user": user(number),
            "variations": [{
                "featureFlagKey": flag,
                "variation": { "id": variation, "value": "" },
                "sendToExperiment": false,
                "timestamp": now(),
            }],
            "metrics": [],
        })
    };
    Ok(requests(target, event))
}

/// Requests with metric events.
pub(super) fn metrics(target: &Target) -> Vec<Vec<u8>> {
    requests(target, |number| {
        json!({
            "user": user(number),
            "variations": [],
            "metrics": [{
                "route": "index/metric",
                "type": "CustomEvent",
                "eventName": format!("bench-{}", number % 10),
                "numericValue": number % 100,
                "appType": "bench",
                "timestamp": now(),
            }],
        })
    })
}

fn requests(target: &Target, event: impl Fn(usize) -> Value) -> Vec<Vec<u8>> {
    let batch = |batch: usize| {
        let events: Vec<Value> = (0..BATCH)
            .map(|index| event(batch * BATCH + index))
            .collect();
        let body = Value::from(events).to_string();
        post(PATH, target.address, &target.server_key, &body)
    };
    (0..BATCHES).map(batch).collect()
}

fn user(number: usize) -> Value {
    json!({
        "keyId": format!("user-{number}"),
        "name": format!("User {number}"),
        "customizedProperties": [
            { "name": "country", "value": "de" },
            { "name": "age", "value": (number % 90).to_string() },
            { "name": "plan", "value": "enterprise" },
        ],
    })
}

/// (key, id of a variation) of the flags that the environment has. The ceiling has none and looks
/// at none: it gets the target's.
fn flags(target: &Target) -> anyhow::Result<Vec<(String, String)>> {
    let state = get_state(target.address, &target.server_key)?;
    let flags = state["data"]["featureFlags"].as_array();
    let flag = |flag: &Value| {
        let id = flag["variations"][0]["id"].as_str()?.to_owned();
        let archived = flag["isArchived"].as_bool().unwrap_or_default();
        (!archived).then_some((flag["key"].as_str()?.to_owned(), id))
    };
    let found: Vec<_> = flags.into_iter().flatten().filter_map(flag).collect();
    if found.is_empty() && target.name == "ceiling" {
        return Ok(vec![(target.flag.clone(), "true".to_owned())]);
    }
    (!found.is_empty())
        .then_some(found)
        .context("the environment has no flags to count")
}

/// In ms since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or_default()
}
