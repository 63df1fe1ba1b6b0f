//! The life of SDK keys, on both databases.

use std::time::Duration;

use burgee_domain::id::Id;
use burgee_domain::limits::MAX_SDK_KEYS;
use burgee_domain::model::{Environment, SdkKey, SdkKeyKind};
use burgee_store::dialect::Clock;
use burgee_store::edge::Changes;
use burgee_store::sdk_keys::MAX_GRACE;
use burgee_store::{Actor, Store, StoreError};

use crate::kit::{NOW, for_each_database, house, key, later};

fn at(ms: i64) -> Clock {
    Clock::At(later(ms))
}

async fn find(store: &Store, environment: &Id<Environment>, id: &Id<SdkKey>) -> SdkKey {
    let all = store.sdk_keys(environment).await.unwrap();
    all.into_iter().find(|key| key.id == *id).unwrap()
}

async fn works(store: &Store, key: &SdkKey) -> bool {
    store.edge().find_key(&key.secret).await.unwrap().is_some()
}

fn code<T: std::fmt::Debug>(refused: Result<T, StoreError>) -> &'static str {
    match refused {
        Err(StoreError::Refused { code, .. }) => code,
        other => panic!("{other:?} is no refusal"),
    }
}

#[tokio::test]
async fn a_rotated_key_works_until_its_grace_ends() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (prod, actor) = (&house.prod.id, Actor::operator());
        let old = store.create_sdk_key(prod, SdkKeyKind::Server, "eu", &actor, NOW);
        let old = old.await.unwrap();
        let new = store.rotate_sdk_key(prod, &old.id, 60_000, &actor, at(0));
        let new = new.await.unwrap();
        assert_eq!((new.kind, new.name.as_str()), (old.kind, "eu"));
        assert_ne!(new.secret, old.secret);
        let rotated = find(store, prod, &old.id).await;
        assert_eq!(rotated.successor, Some(new.id.clone()));
        assert_eq!(rotated.ends_at, Some(later(60_000)));
        let next = async |now| store.next_sdk_key_end(at(now)).await.unwrap();
        assert_eq!(next(1).await, Some(Duration::from_millis(59_999)));
        assert_eq!(next(60_001).await, Some(Duration::ZERO));
        let again = store.rotate_sdk_key(prod, &old.id, 0, &actor, at(1));
        assert_eq!(code(again.await), "keyEnding");

        assert_eq!(store.end_sdk_keys(at(59_999)).await.unwrap(), 0);
        assert!(works(store, &old).await && works(store, &new).await);
        let before = store.environment(&house.project.id, &key("prod")).await;
        let before = before.unwrap().position;
        // Two servers look at the same moment.
        let other = database.another().await;
        let (one, two) = tokio::join!(
            store.end_sdk_keys(at(60_000)),
            other.end_sdk_keys(at(60_000))
        );
        assert_eq!(one.unwrap() + two.unwrap(), 1);
        other.close().await;
        assert!(!works(store, &old).await && works(store, &new).await);
        let ended = find(store, prod, &old.id).await;
        assert_eq!(ended.revoked_at, Some(later(60_000)));
        assert_eq!(next(60_000).await, None);
        // The edge hears of it as of a revocation.
        let changes = store.edge().changes(prod.as_str(), before).await.unwrap();
        let Changes::Since(delta) = changes else {
            panic!("the history goes on")
        };
        assert_eq!(delta.environment.position.version, before.version + 1);
        let keys = delta.keys.unwrap();
        assert!(keys.iter().any(|key| key.id == new.id));
        assert!(keys.iter().all(|key| key.id != old.id));
    })
    .await;
}

#[tokio::test]
async fn without_grace_the_old_key_ends_at_once() {
    for_each_database(async |database| {
        let store = &database.store;
        let prod = house(store).await.prod.id;
        let actor = Actor::operator();
        let old = store.create_sdk_key(&prod, SdkKeyKind::Client, "web", &actor, NOW);
        let old = old.await.unwrap();
        let new = store.rotate_sdk_key(&prod, &old.id, 0, &actor, at(5)).await;
        assert!(works(store, &new.unwrap()).await && !works(store, &old).await);
        assert_eq!(find(store, &prod, &old.id).await.revoked_at, Some(later(5)));
        let again = store.rotate_sdk_key(&prod, &old.id, 0, &actor, at(6));
        assert_eq!(code(again.await), "keyEnding");
    })
    .await;
}

#[tokio::test]
async fn the_end_is_by_the_clock_that_all_servers_share() {
    for_each_database(async |database| {
        let store = &database.store;
        let prod = house(store).await.prod.id;
        let actor = Actor::operator();
        let old = store.create_sdk_key(&prod, SdkKeyKind::Client, "web", &actor, NOW);
        let old = old.await.unwrap();
        // `NOW` is this machine's clock, which may be wrong; PostgreSQL has its own.
        let machine = Clock::Shared(NOW);
        store
            .rotate_sdk_key(&prod, &old.id, MAX_GRACE, &actor, machine)
            .await
            .unwrap();
        let ends_at = find(store, &prod, &old.id).await.ends_at.unwrap();
        let own = store.dialect() == burgee_store::dialect::Dialect::Postgres;
        assert_eq!(ends_at == later(MAX_GRACE), !own);
        assert_eq!(store.end_sdk_keys(machine).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_key_is_renamed_and_its_use_is_kept() {
    for_each_database(async |database| {
        let store = &database.store;
        let prod = house(store).await.prod.id;
        let actor = Actor::operator();
        let made = store.create_sdk_key(&prod, SdkKeyKind::Client, "web", &actor, NOW);
        let made = made.await.unwrap();
        let renamed = store.rename_sdk_key(&prod, &made.id, " Web ", &actor, NOW);
        assert_eq!(renamed.await.unwrap().name, "Web");
        store
            .sdk_keys_used(&[&made.secret, "unknown"], later(10))
            .await
            .unwrap();
        // A node whose clock is behind takes nothing back.
        store
            .sdk_keys_used(&[&made.secret], later(5))
            .await
            .unwrap();
        let read = find(store, &prod, &made.id).await;
        assert_eq!(read.name, "Web");
        assert_eq!(read.last_used_at, Some(later(10)));
        store
            .sdk_keys_used(&[&made.secret], later(20))
            .await
            .unwrap();
        let read = find(store, &prod, &made.id).await;
        assert_eq!(read.last_used_at, Some(later(20)));
        assert_eq!(read.first_used_at, Some(later(10)));
        let others = store.sdk_keys(&prod).await.unwrap();
        let used = others.iter().filter(|it| it.last_used_at.is_some());
        assert_eq!(used.count(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_environment_has_so_many_keys() {
    for_each_database(async |database| {
        let store = &database.store;
        let prod = house(store).await.prod.id;
        let actor = Actor::operator();
        let create = async || {
            let made = store.create_sdk_key(&prod, SdkKeyKind::Client, "web", &actor, NOW);
            made.await
        };
        // One of each kind is there.
        for _ in 2..MAX_SDK_KEYS {
            create().await.unwrap();
        }
        assert_eq!(code(create().await), "tooMany");
        let first = &store.sdk_keys(&prod).await.unwrap()[0];
        let more = store.rotate_sdk_key(&prod, &first.id, 1_000, &actor, at(0));
        assert_eq!(code(more.await), "tooMany");
        // In place of the old one there is room.
        let new = store.rotate_sdk_key(&prod, &first.id, 0, &actor, at(0));
        new.await.unwrap();
    })
    .await;
}
