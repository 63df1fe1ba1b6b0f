//! Several writers at once.

use std::collections::BTreeSet;

use burgee_eval::flag::Flag;
use burgee_store::dialect::Dialect;
use burgee_store::{ApplyError, Store, StoreError};
use serde_json::json;
use sqlx::{AssertSqlSafe, Row};

use crate::kit::{
    House, apply, database, flag_on, for_each_database, house, key, later, on_flag, request, state,
};

const WRITERS: i64 = 8;
const CHANGES: i64 = 12;

/// Toggles flags until all changes are in; tells the versions that it got.
async fn write(store: Store, house: House, writer: i64) -> Vec<i64> {
    let mut versions = Vec::new();
    for change in 0..CHANGES {
        let flag = format!("f{}", (writer + change) % 3);
        // Two writers never toggle to the same: each change has an effect.
        let name = format!("{writer} {change}");
        let rename = json!([{"kind": "renameFlag", "project": "default", "flag": flag,
            "name": name}]);
        let mut request = request(&house, rename);
        request.now = later(change);
        loop {
            match store.apply(&request).await {
                Ok(applied) => {
                    versions.push(applied.versions["default/prod"]);
                    break;
                }
                Err(ApplyError::Store(StoreError::Unavailable(_))) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    }
    versions
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn versions_have_no_gap_and_no_duplicate() {
    for_each_database(async |database| {
        let store = &database.store;
        let home = house(store).await;
        for flag in ["f0", "f1", "f2"] {
            apply(store, &home, flag_on(flag)).await;
        }
        let before = store
            .environment(&home.project.id, &key("prod"))
            .await
            .unwrap();
        let mut writers = tokio::task::JoinSet::new();
        for writer in 0..WRITERS {
            // Half of them as another process would: with connections of their own.
            let store = match writer % 2 {
                0 => store.clone(),
                _ => database.another().await,
            };
            let house = house(&store).await;
            writers.spawn(write(store, house, writer));
        }
        let mut versions = Vec::new();
        while let Some(written) = writers.join_next().await {
            let written = written.unwrap();
            assert!(written.is_sorted());
            versions.extend(written);
        }
        let first = before.position.version + 1;
        let all: BTreeSet<i64> = (first..first + WRITERS * CHANGES).collect();
        assert_eq!(versions.len(), all.len());
        assert_eq!(versions.into_iter().collect::<BTreeSet<_>>(), all);
        images_lead_to_the_state(store, &home, first).await;
    })
    .await;
}

/// The images, taken version by version, give what is served; stamps only rise.
async fn images_lead_to_the_state(store: &Store, house: &House, first: i64) {
    let end = state(store, &house.prod).await;
    let mut last_stamp = 0;
    for version in first..=end.environment.position.version {
        let items = store
            .items_at(house.prod.id.as_str(), version)
            .await
            .unwrap();
        let changed: Vec<Flag> = items
            .iter()
            .filter(|item| item.version == version)
            .map(|item| serde_json::from_str(&item.image).unwrap())
            .collect();
        assert_eq!(changed.len(), 1);
        assert!(changed[0].updated_at.0 > last_stamp, "stamps only rise");
        last_stamp = changed[0].updated_at.0;
    }
    let version = end.environment.position.version;
    let items = store
        .items_at(house.prod.id.as_str(), version)
        .await
        .unwrap();
    let images = items
        .iter()
        .map(|item| serde_json::from_str(&item.image).unwrap());
    let mut images: Vec<Flag> = images.collect();
    let mut flags = end.flags;
    images.sort_by(|a, b| a.key.cmp(&b.key));
    flags.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(images, flags);
    assert_eq!(end.environment.last_stamp.0, last_stamp);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_writers_on_one_facet_one_wins_and_the_other_is_told() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let base = apply(store, &house, flag_on("a")).await.versions;
        let other = database.another().await;
        let (on, off) = crate::kit::variations(store, &house, "a").await;
        let serve = |variation: &str| {
            let mut request = request(
                &house,
                json!([{"kind": "setDefaultRule",
                "project": "default", "environment": "prod", "flag": "a",
                "variations": [{"id": variation, "rollout": [0.0, 1.0]}],
                "dispatchKey": format!("by {variation}")}]),
            );
            request.base = base.clone();
            request
        };
        let (one, two) = (serve(&on), serve(&off));
        let (a, b) = tokio::join!(store.apply(&one), other.apply(&two));
        let (won, lost) = match (&a, &b) {
            (Ok(_), Err(lost)) => (&on, lost),
            (Err(lost), Ok(_)) => (&off, lost),
            both => panic!("one wins: {both:?}"),
        };
        assert!(matches!(lost, ApplyError::Conflict(found) if found.len() == 1));
        let served = &state(store, &house.prod).await.flags[0];
        assert_eq!(&served.fallthrough.variations[0].id, won);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_request_twice_at_once_is_done_once() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("a")).await;
        let mut off = request(&house, json!([on_flag("turnOff", "prod", "a")]));
        off.id = Some("0b0e7c1a-64ab-4c25-8b8d-3a3a41e1a001".into());
        let other = database.another().await;
        let (a, b) = tokio::join!(store.apply(&off), other.apply(&off));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!(a, b);
        let position = state(store, &house.prod).await.environment.position;
        assert_eq!(position.version, a.versions["default/prod"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn administration_and_changes_of_the_organization_never_wait_in_a_circle() {
    for_each_database(async |database| {
        let store = &database.store;
        let home = house(store).await;
        let other = database.another().await;
        let keys = async {
            for n in 0..10 {
                let (kind, actor) = (
                    burgee_domain::model::SdkKeyKind::Server,
                    burgee_store::Actor::operator(),
                );
                other
                    .create_sdk_key(&home.prod.id, kind, &n.to_string(), &actor, later(n))
                    .await
                    .unwrap();
            }
        };
        let segments = async {
            for n in 0..10 {
                let segment = json!([{"kind": "createSegment", "segment": format!("s{n}")}]);
                apply(store, &home, segment).await;
            }
        };
        tokio::join!(keys, segments);
        let state = state(store, &home.prod).await;
        assert_eq!((state.keys.len(), state.segments.len()), (12, 10));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_go_on_while_all_connections_for_writing_wait() {
    // SQLite's readers wait for no writer at all.
    let database = database(Dialect::Postgres).await;
    let store = &database.store;
    let house = house(store).await;
    apply(store, &house, flag_on("f")).await;
    let mut other = database.raw().await;
    let begin = format!(
        "BEGIN; SELECT id FROM projects WHERE id = '{}' FOR UPDATE",
        house.project.id
    );
    sqlx::raw_sql(AssertSqlSafe(begin))
        .execute(&mut other)
        .await
        .unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let (store, request) = (store.clone(), request(&house, flag_on("f2")));
        writers.spawn(async move { store.apply(&request).await });
    }
    let mut watcher = database.raw().await;
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity \
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
    loop {
        let found = sqlx::query(waiting).fetch_one(&mut watcher).await.unwrap();
        if found.get::<i64, _>(0) == 6 {
            break;
        }
    }
    // More at once than there are connections for reading.
    let mut readers = tokio::task::JoinSet::new();
    let prod = house.prod.id.to_string();
    for _ in 0..20 {
        let (store, prod) = (store.clone(), prod.clone());
        readers.spawn(async move { store.edge().state(&prod).await });
    }
    while let Some(read) = readers.join_next().await {
        assert_eq!(read.unwrap().unwrap().unwrap().flags.len(), 1);
    }
    assert_eq!(store.edge().heads().await.unwrap().len(), 2);
    assert!(writers.try_join_next().is_none(), "they still wait");
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    let mut made = 0;
    while let Some(written) = writers.join_next().await {
        made += u32::from(written.unwrap().is_ok());
    }
    assert_eq!(made, 1, "the others found the key taken");
}
