//! Who heard of a change is never given what was before it.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::oneshot::error::TryRecvError;

use super::{ALL, Answer, Desk, flag};
use crate::memory::Illness;

async fn desk() -> Desk {
    Desk::open(vec![flag("f", "string", &["old"], json!({}))]).await
}

async fn ask(desk: &Desk, hint: &str) -> Answer {
    let uri = format!("{ALL}?{hint}");
    desk.ask("env-client", &uri, json!({"targetingKey": "u"}))
        .await
}

fn value(answer: &Answer) -> Value {
    answer.json()["flags"][0]["value"].clone()
}

fn change(desk: &Desk) -> i64 {
    let flags = vec![flag("f", "string", &["new"], json!({}))];
    desk.world.put("env", flags, vec![])
}

/// A node that knows of a change and has not fetched it.
async fn behind() -> (Desk, i64) {
    let desk = desk().await;
    desk.world.fall_ill("env", Illness::Dawdles);
    let version = change(&desk);
    (desk, version)
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_behind_waits_for_what_it_was_told_of() {
    let (desk, version) = behind().await;
    let desk = Arc::new(desk);
    assert_eq!(value(&ask(&desk, "").await), "old", "nobody asked for it");
    let hint = format!("flagConfigEtag={version}.{:016x}", 31);
    let (answered, mut answer) = tokio::sync::oneshot::channel();
    let asking = Arc::clone(&desk);
    tokio::spawn(async move { answered.send(ask(&asking, &hint).await) });
    for _ in 0..16 {
        tokio::task::yield_now().await;
        assert_eq!(answer.try_recv().err(), Some(TryRecvError::Empty));
    }
    desk.world.cure("env");
    let answer = answer.await.unwrap();
    assert_eq!((answer.status, value(&answer)), (200, json!("new")));
}

#[tokio::test(start_paused = true)]
async fn where_it_does_not_come_in_time_another_try_is_asked_for() {
    let desk = desk().await;
    for hint in [
        "flagConfigEtag=3.0123456789abcdef".to_owned(),
        "flagConfigEtag=%223.0123456789abcdef.0123456789abcdef%22".to_owned(),
        "flagConfigEtag=9223372036854775807.0123456789abcdef".to_owned(),
    ] {
        let answer = ask(&desk, &hint).await;
        answer.refusal(503);
        assert_eq!(answer.headers["retry-after"], "2", "{hint}");
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
    }
}

#[tokio::test(start_paused = true)]
async fn a_moment_is_waited_for_as_a_version_is() {
    let desk = desk().await;
    let version = change(&desk);
    desk.api.hub.caught_up("env", version).await;
    let state = desk.api.hub.environment("env").unwrap().current();
    let seconds = state.arrival().committed_at / 1000;
    for (hint, status) in [
        (seconds.to_string(), 200),
        ("2026-01-01T00:00:00Z".to_owned(), 200),
        ((seconds + 1).to_string(), 503),
        ("9999-01-01T00:00:00Z".to_owned(), 503),
    ] {
        let answer = ask(&desk, &format!("flagConfigLastModified={hint}")).await;
        assert_eq!(answer.status, status, "{hint}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_hint_that_says_nothing_is_passed_over() {
    let desk = desk().await;
    for hint in [
        // What is served, what was before, and another history of the same length.
        "flagConfigEtag=2.000000000000001f",
        "flagConfigEtag=1.0000000000000001",
        "flagConfigEtag=2.ffffffffffffffff",
        // What another server's would be.
        "flagConfigEtag=%22abc%22",
        "flagConfigEtag=",
        "flagConfigLastModified=soon",
        "flagConfigLastModified=-1",
        "flagConfigEtag=%ff%00",
    ] {
        assert_eq!(ask(&desk, hint).await.status, 200, "{hint}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_history_that_was_replaced_is_not_waited_for_longer() {
    let desk = desk().await;
    let flags = vec![flag("f", "string", &["restored"], json!({}))];
    desk.world.restore("env", flags);
    while desk.api.hub.positions()["env"].version != 1 {
        desk.api.hub.progress().await;
    }
    // Its event names what it is now.
    let answer = ask(&desk, &format!("flagConfigEtag=1.{:016x}", 0xb4c)).await;
    assert_eq!((answer.status, value(&answer)), (200, json!("restored")));
}
