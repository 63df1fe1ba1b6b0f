//! When it is looked whether relay keys open something else.

use std::time::Duration;

use burgee_store::dialect::Clock;
use burgee_store::{
    Actor, NewEnvironment, ProjectEdit, RelayKeyEdit, RelayKeyScope, Rotation, Store,
};
use serde_json::json;
use tokio::time::timeout;

use super::{chosen, key};
use crate::kit::{self, NOW, apply, flag_on, for_each_database, house, later, on_flag};

/// What was counted when it was looked at last.
struct Counted<'a> {
    store: &'a Store,
    mark: i64,
}

impl<'a> Counted<'a> {
    async fn begin(store: &'a Store) -> Self {
        let mark = store.mark_of_scopes().await.unwrap();
        Self { store, mark }
    }

    /// Whether something was counted since.
    async fn more(&mut self) -> bool {
        let mark = self.store.mark_of_scopes().await.unwrap();
        std::mem::replace(&mut self.mark, mark) != mark
    }
}

#[tokio::test]
async fn what_can_change_what_relay_keys_open_is_counted_and_nothing_else() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::operator());
        let mut counted = Counted::begin(store).await;
        apply(store, &house, flag_on("f")).await;
        apply(store, &house, json!([on_flag("turnOff", "prod", "f")])).await;
        let edit = ProjectEdit {
            name: Some("Renamed".into()),
            ..ProjectEdit::default()
        };
        let renamed = store.update_project(&house.project.id, &edit, &actor, NOW);
        renamed.await.unwrap();
        assert!(!counted.more().await);

        let (made, _) = key(store, &house, chosen(&[&house.prod])).await;
        assert!(counted.more().await, "a key is made");
        let edit = RelayKeyEdit {
            scope: Some(RelayKeyScope::All),
            ..RelayKeyEdit::default()
        };
        let wider = store.update_relay_key(organization, &made.id, &edit, &actor, NOW);
        wider.await.unwrap();
        assert!(counted.more().await, "its scope is another");
        let clock = Clock::At(NOW);
        let rotation = Rotation { grace: 1, clock };
        let rotated = store.rotate_relay_key(organization, &made.id, rotation, &actor, NOW);
        rotated.await.unwrap();
        assert!(counted.more().await, "its secret is another");
        let ended = store.end_relay_secrets(Clock::At(later(2))).await.unwrap();
        assert_eq!((ended, counted.more().await), (1, true));
        for more in [true, false] {
            let revoked = store.revoke_relay_key(organization, &made.id, &actor, NOW);
            revoked.await.unwrap();
            assert_eq!(counted.more().await, more, "it is revoked once");
        }

        let new = NewEnvironment {
            project: house.project.id.clone(),
            key: kit::key("stage"),
            name: "Stage".into(),
            description: String::new(),
        };
        store.create_environment(&new, &actor, NOW).await.unwrap();
        assert!(counted.more().await, "an environment is made");
        let deleted = store.delete_environment(&house.dev.id, &actor, NOW);
        deleted.await.unwrap();
        assert!(counted.more().await, "an environment is deleted");
        let deleted = store.delete_project(&house.project.id, &actor, NOW);
        deleted.await.unwrap();
        assert!(counted.more().await, "a project is deleted");
    })
    .await;
}

#[tokio::test]
async fn who_waits_is_told_of_what_another_process_does() {
    for_each_database(async |database| {
        let (store, other) = (&database.store, database.another().await);
        let house = house(store).await;
        let mut scopes = store.scopes_changed();
        let mut told = async || timeout(Duration::from_secs(20), scopes.changed()).await;
        let story = async {
            // Whoever begins to wait is told once.
            told().await.expect("it is looked at").unwrap();
            key(&other, &house, RelayKeyScope::All).await;
            told().await.expect("it is told").unwrap();
        };
        let looking = async { tokio::join!(store.look_for_commits(), store.look_for_scopes()) };
        tokio::select! {
            _ = looking => {}
            () = story => {}
        }
        other.close().await;
    })
    .await;
}
