//! What the edge is told after a position, and what stays of what is gone.

use std::time::Duration;

use burgee_domain::model::Environment;
use burgee_domain::position::Position;
use burgee_store::dialect::Dialect;
use burgee_store::edge::{Changes, Delta, MAX_DELTA};
use burgee_store::{Actor, NewEnvironment, Store};
use serde_json::{Value, json};
use tokio::sync::watch::Receiver;
use tokio::time::timeout;

use crate::kit::{NOW, apply, flag_on, for_each_database, house, key, on_flag, on_whole, state};

async fn since(store: &Store, environment: &Environment, from: Position) -> Delta {
    match store
        .edge()
        .changes(environment.id.as_str(), from)
        .await
        .unwrap()
    {
        Changes::Since(delta) => delta,
        other => panic!("the history goes on from {from}: {other:?}"),
    }
}

#[tokio::test]
async fn a_delta_holds_the_latest_state_of_each_changed_item() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        for flag in ["a", "b", "c"] {
            apply(store, &house, flag_on(flag)).await;
        }
        let from = state(store, &house.prod).await.environment.position;
        apply(store, &house, json!([on_flag("turnOff", "prod", "a")])).await;
        let between = state(store, &house.prod).await.environment.position;
        apply(store, &house, json!([on_flag("turnOn", "prod", "a")])).await;
        apply(store, &house, json!([on_flag("turnOff", "prod", "b")])).await;

        let delta = since(store, &house.prod, from).await;
        let now = state(store, &house.prod).await;
        assert_eq!(delta.environment, now.environment);
        assert!(delta.keys.is_none());
        let mut flags = delta.flags;
        flags.sort_by(|a, b| a.key.cmp(&b.key));
        let mut expected: Vec<_> = now
            .flags
            .into_iter()
            .filter(|flag| flag.key != "c")
            .collect();
        expected.sort_by(|a, b| a.key.cmp(&b.key));
        assert_eq!(flags, expected);
        assert_eq!(since(store, &house.prod, between).await.flags.len(), 2);

        let wrong = Position {
            digest: from.digest ^ 1,
            ..from
        };
        let changes = store
            .edge()
            .changes(house.prod.id.as_str(), wrong)
            .await
            .unwrap();
        assert!(matches!(changes, Changes::Reload(state) if state.flags.len() == 3));
    })
    .await;
}

#[tokio::test]
async fn a_deleted_flag_leaves_a_tombstone_until_its_key_is_released_again() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("a")).await;
        apply(store, &house, json!([on_flag("turnOn", "dev", "a")])).await;
        let from = state(store, &house.prod).await.environment.position;
        let dev_from = state(store, &house.dev).await.environment.position;
        apply(store, &house, json!([on_whole("archiveFlag", "a")])).await;
        apply(store, &house, json!([on_whole("deleteFlag", "a")])).await;
        let delta = since(store, &house.prod, from).await;
        assert_eq!(delta.flags.len(), 1);
        assert!(delta.flags[0].is_archived);
        let old = delta.flags[0].clone();

        // Made again, but not released: the tombstone stays.
        let made = json!([{"kind": "createFlag", "project": "default", "flag": "a",
            "type": "string", "variations": [{"value": "x"}, {"value": "y"}]}]);
        apply(store, &house, made).await;
        assert_eq!(
            state(store, &house.prod).await.flags,
            std::slice::from_ref(&old)
        );
        apply(store, &house, json!([on_flag("turnOn", "prod", "a")])).await;
        let served = state(store, &house.prod).await.flags;
        assert_eq!(served.len(), 1, "one item per key");
        assert!(!served[0].is_archived && served[0].id != old.id);
        assert!(served[0].updated_at > old.updated_at);
        assert_eq!(since(store, &house.prod, from).await.flags, served);
        let dev = since(store, &house.dev, dev_from).await.flags;
        assert!(
            dev.len() == 1 && dev[0].is_archived,
            "there it was not released"
        );
    })
    .await;
}

#[tokio::test]
async fn a_segment_is_deleted_and_made_anew_in_one_change_set() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let on = |kind: &str| json!({"kind": kind, "project": "default", "segment": "s"});
        apply(store, &house, json!([on("createSegment")])).await;
        let from = state(store, &house.prod).await.environment.position;
        let again = json!([
            on("archiveSegment"),
            on("deleteSegment"),
            on("createSegment")
        ]);
        apply(store, &house, again).await;
        let segments = state(store, &house.prod).await.segments;
        let live = segments.iter().filter(|segment| !segment.is_archived);
        assert_eq!((segments.len(), live.count()), (2, 1));
        assert_eq!(since(store, &house.prod, from).await.segments.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_new_flag_under_the_id_of_a_deleted_one_leaves_the_tombstones() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let make = |key: &str| {
            json!([{"kind": "createFlag", "project": "default", "flag": key,
                "id": "imported", "type": "boolean"}])
        };
        apply(store, &house, make("old")).await;
        apply(store, &house, json!([on_flag("turnOn", "prod", "old")])).await;
        let from = state(store, &house.prod).await.environment.position;
        apply(store, &house, json!([on_whole("archiveFlag", "old")])).await;
        apply(store, &house, json!([on_whole("deleteFlag", "old")])).await;
        apply(store, &house, make("new")).await;
        let delta = since(store, &house.prod, from).await;
        assert_eq!(delta.flags.len(), 1);
        assert!(delta.flags[0].key == "old" && delta.flags[0].is_archived);
        apply(store, &house, json!([on_flag("turnOn", "prod", "new")])).await;
        let served = state(store, &house.prod).await.flags;
        assert_eq!(served.len(), 2);
        let new = served.iter().find(|flag| flag.key == "new").unwrap();
        assert_eq!(new.id, "imported");
    })
    .await;
}

#[tokio::test]
async fn a_new_environment_serves_shared_segments_from_the_start() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let segments = json!([
            {"kind": "createSegment", "segment": "everywhere", "included": ["u"]},
            {"kind": "createSegment", "project": "default", "segment": "project"},
            {"kind": "createSegment", "project": "default", "environment": "dev",
             "segment": "dev-only"},
        ]);
        apply(store, &house, segments).await;
        let new = NewEnvironment {
            project: house.project.id.clone(),
            key: key("stage"),
            name: "Stage".into(),
            description: String::new(),
        };
        let stage = store
            .create_environment(&new, &Actor::operator(), NOW)
            .await
            .unwrap();
        let served = state(store, &stage).await;
        let mut stamps: Vec<_> = served.segments.iter().map(|it| it.updated_at).collect();
        stamps.sort();
        stamps.dedup();
        assert_eq!(stamps.len(), 2, "each has a stamp of its own");
        assert_eq!(stamps.last(), Some(&stage.last_stamp));
        assert_eq!(served.keys.len(), 2);
        let logged = store.items_at(stage.id.as_str(), 1).await.unwrap();
        assert_eq!(logged.len(), 2);

        // And changes of them reach it.
        let change = json!([{"kind": "setIncluded", "segment": "everywhere", "keys": ["v"]}]);
        apply(store, &house, change).await;
        let delta = since(store, &stage, stage.position).await;
        assert_eq!(delta.segments.len(), 1);
        assert_eq!(delta.segments[0].included, ["v"]);
    })
    .await;
}

#[tokio::test]
async fn a_peer_that_missed_too_much_gets_the_state() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("first")).await;
        let from = state(store, &house.prod).await.environment.position;
        let names: Vec<String> = (0..=MAX_DELTA).map(|n| format!("f{n}")).collect();
        for names in names.chunks(250) {
            let commands: Vec<Value> = names
                .iter()
                .flat_map(|name| flag_on(name).as_array().unwrap().clone())
                .collect();
            apply(store, &house, Value::Array(commands)).await;
        }
        let changes = store
            .edge()
            .changes(house.prod.id.as_str(), from)
            .await
            .unwrap();
        assert!(matches!(changes, Changes::Reload(state) if state.flags.len() == MAX_DELTA + 2));
    })
    .await;
}

#[tokio::test]
async fn a_commit_elsewhere_is_heard_of() {
    // On SQLite there is nothing to hear: nodes poll.
    let database = crate::kit::database(Dialect::Postgres).await;
    let (store, other) = (database.store.clone(), database.another().await);
    let house = house(&store).await;
    let mut changed = store.changed();
    let listener = tokio::spawn({
        let store = store.clone();
        async move { store.listen().await }
    });
    let heard = async |changed: &mut Receiver<u64>| {
        let patience = Duration::from_secs(30);
        timeout(patience, changed.changed()).await.unwrap().unwrap();
    };
    heard(&mut changed).await;
    apply(&other, &house, flag_on("a")).await;
    heard(&mut changed).await;
    listener.abort();
}

#[tokio::test]
async fn what_another_process_commits_shows_without_a_look_at_every_environment() {
    for_each_database(async |database| {
        let (store, other) = (database.store.clone(), database.another().await);
        let house = house(&store).await;
        // It cannot be told while SQLite's writer is in use.
        let mark = async || loop {
            match store.mark_of_commits().await {
                Some(mark) => return mark,
                None => tokio::task::yield_now().await,
            }
        };
        let before = mark().await;
        assert_eq!(mark().await, before);
        apply(&other, &house, flag_on("a")).await;
        let after = mark().await;
        assert_ne!(after, before);
        assert_eq!(mark().await, after);
    })
    .await;
}

#[tokio::test]
async fn whoever_waits_is_told_of_what_another_process_commits() {
    for_each_database(async |database| {
        let (store, other) = (database.store.clone(), database.another().await);
        let house = house(&store).await;
        let mut changed = store.changed();
        let looking = tokio::spawn({
            let store = store.clone();
            async move { store.look_for_commits().await }
        });
        let patience = Duration::from_secs(30);
        let told = timeout(patience, changed.changed());
        told.await.unwrap().unwrap();
        // The first look knows nothing to compare with, and so tells; the next one compares.
        let before = *changed.borrow_and_update();
        apply(&other, &house, flag_on("a")).await;
        let told = timeout(patience, changed.wait_for(|count| *count > before));
        told.await.unwrap().unwrap();
        looking.abort();
    })
    .await;
}
