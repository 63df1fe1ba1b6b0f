//! The life of a relay's key.

use std::time::Duration;

use burgee_domain::access::{StatementInput, statements};
use burgee_domain::id::Id;
use burgee_store::dialect::{Clock, Dialect};
use burgee_store::page::PageRequest;
use burgee_store::people::members::Grants;
use burgee_store::people::policies::PolicyText;
use burgee_store::{
    Actor, HistoryFilter, HistoryScope, NewEnvironment, RelayKeyEdit, RelayKeyScope, Rotation,
    Store,
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{chosen, environments, key, new, scope, sorted, why};
use crate::kit::{self, House, NOW, for_each_database, house, later};
use crate::people::joined;

fn rename(name: &str) -> RelayKeyEdit {
    RelayKeyEdit {
        name: Some(name.into()),
        ..RelayKeyEdit::default()
    }
}

fn rescope(scope: RelayKeyScope) -> RelayKeyEdit {
    RelayKeyEdit {
        scope: Some(scope),
        ..RelayKeyEdit::default()
    }
}

fn rotation(grace: i64, at: i64) -> Rotation {
    Rotation {
        grace,
        clock: Clock::At(later(at)),
    }
}

#[tokio::test]
async fn a_key_is_shown_once_changed_and_revoked() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::operator());
        let (made, secret) = key(store, &house, chosen(&[&house.prod])).await;
        assert!(secret.starts_with("rp-") && secret.len() == 46, "{secret}");
        assert_eq!(made.prefix, secret[..11]);
        assert_eq!(store.relay_key(organization, &made.id).await.unwrap(), made);
        let of = scope(store, &secret).await.unwrap();
        assert_eq!((&of.key, &of.organization), (&made.id, organization));
        assert_eq!(of.environments, sorted(&[&house.prod]));
        for wrong in [
            "",
            "rp-",
            &secret[..45],
            &secret.to_uppercase(),
            "rp-\0",
            "rp-é",
        ] {
            assert_eq!(scope(store, wrong).await, None, "{wrong:?}");
        }

        let both = chosen(&[&house.prod, &house.dev, &house.prod]);
        let edit = RelayKeyEdit {
            name: Some("asia".into()),
            description: Some("in Tokyo".into()),
            scope: Some(both),
        };
        let changed = store.update_relay_key(organization, &made.id, &edit, &actor, later(1));
        let changed = changed.await.unwrap();
        assert_eq!(
            (changed.name.as_str(), changed.description.as_str()),
            ("asia", "in Tokyo")
        );
        assert_eq!(
            store.relay_key(organization, &made.id).await.unwrap(),
            changed
        );
        let now = environments(store, &secret).await.unwrap();
        assert_eq!(now, sorted(&[&house.prod, &house.dev]));

        for _ in 0..2 {
            let revoked = store.revoke_relay_key(organization, &made.id, &actor, later(2));
            revoked.await.unwrap();
        }
        assert_eq!(scope(store, &secret).await, None);
        let after = store.relay_key(organization, &made.id).await.unwrap();
        assert_eq!(after.revoked_at, Some(later(2)));
        let edit = rename("x");
        let refused = store.update_relay_key(organization, &made.id, &edit, &actor, later(3));
        assert_eq!(why(refused.await), "keyRevoked");
        let refused = store.rotate_relay_key(organization, &made.id, rotation(0, 3), &actor, NOW);
        assert_eq!(why(refused.await), "keyRevoked");
    })
    .await;
}

#[tokio::test]
async fn all_environments_are_those_that_there_are_now() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let actor = Actor::operator();
        let (all, of_all) = key(store, &house, RelayKeyScope::All).await;
        let (some, of_some) = key(store, &house, chosen(&[&house.prod, &house.dev])).await;
        let new = NewEnvironment {
            project: house.project.id.clone(),
            key: kit::key("stage"),
            name: "Stage".into(),
            description: String::new(),
        };
        let stage = store.create_environment(&new, &actor, NOW).await.unwrap();
        let three = sorted(&[&house.prod, &house.dev, &stage]);
        assert_eq!(environments(store, &of_all).await, Some(three));
        let two = sorted(&[&house.prod, &house.dev]);
        assert_eq!(environments(store, &of_some).await, Some(two));

        store
            .delete_environment(&house.dev.id, &actor, NOW)
            .await
            .unwrap();
        let two = sorted(&[&house.prod, &stage]);
        assert_eq!(environments(store, &of_all).await, Some(two));
        assert_eq!(
            environments(store, &of_some).await,
            Some(sorted(&[&house.prod]))
        );
        let organization = &house.organization.id;
        let shown = store.relay_key(organization, &some.id).await.unwrap();
        assert_eq!(shown.scope, chosen(&[&house.prod]));
        let shown = store.relay_key(organization, &all.id).await.unwrap();
        assert_eq!(shown.scope, RelayKeyScope::All);

        // A key of nothing is a key.
        store
            .delete_project(&house.project.id, &actor, NOW)
            .await
            .unwrap();
        for secret in [of_all, of_some] {
            assert_eq!(environments(store, &secret).await, Some(Vec::new()));
        }
    })
    .await;
}

#[tokio::test]
async fn a_secret_that_was_replaced_works_until_its_grace_ends() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::operator());
        let (made, first) = key(store, &house, RelayKeyScope::All).await;
        let rotate = async |grace, at| {
            let how = rotation(grace, at);
            let done = store.rotate_relay_key(organization, &made.id, how, &actor, later(at));
            done.await.unwrap()
        };
        let works = async |secret: &str| scope(store, secret).await.is_some();
        let (rotated, second) = rotate(60_000, 0).await;
        assert_eq!(rotated.previous_ends_at, Some(later(60_000)));
        assert_eq!(
            (rotated.id, rotated.rotated_at),
            (made.id.clone(), Some(NOW))
        );
        assert!(works(&first).await && works(&second).await);
        // The one before the last does not wait for its end.
        let (_, third) = rotate(60_000, 1_000).await;
        assert!(!works(&first).await && works(&second).await && works(&third).await);

        let next = async |at| {
            store
                .next_relay_secret_end(Clock::At(later(at)))
                .await
                .unwrap()
        };
        assert_eq!(next(1_000).await, Some(Duration::from_secs(60)));
        let end =
            async |store: &Store, at| store.end_relay_secrets(Clock::At(later(at))).await.unwrap();
        assert_eq!(end(store, 60_999).await, 0);
        // Two servers look at the same moment.
        let other = database.another().await;
        let (one, two) = tokio::join!(end(store, 61_000), end(&other, 61_000));
        assert_eq!(one + two, 1);
        other.close().await;
        assert!(!works(&second).await && works(&third).await);
        assert_eq!(next(61_000).await, None);

        let (rotated, fourth) = rotate(0, 70_000).await;
        assert_eq!(rotated.previous_ends_at, None);
        assert!(!works(&third).await && works(&fourth).await);
    })
    .await;
}

#[tokio::test]
async fn what_is_done_to_keys_is_in_the_history_without_secrets() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::operator());
        let (made, secret) = key(store, &house, RelayKeyScope::All).await;
        let edit = rescope(chosen(&[&house.prod, &house.dev]));
        let done = store.update_relay_key(organization, &made.id, &edit, &actor, later(1));
        done.await.unwrap();
        // The same once more is nothing that was done.
        let done = store.update_relay_key(organization, &made.id, &edit, &actor, later(2));
        done.await.unwrap();
        let how = rotation(1, 3);
        let done = store.rotate_relay_key(organization, &made.id, how, &actor, later(3));
        let (_, second) = done.await.unwrap();
        store.end_relay_secrets(Clock::At(later(9))).await.unwrap();
        let done = store.revoke_relay_key(organization, &made.id, &actor, later(10));
        done.await.unwrap();

        let page = PageRequest::default();
        let filter = HistoryFilter::default();
        let all = store.history(organization, &HistoryScope::Organization, &filter, &page);
        let all = all.await.unwrap().items;
        let kinds: Vec<&Value> = all[..5].iter().map(|it| &it.commands[0]["kind"]).collect();
        let expected = [
            "revokeRelayKey",
            "endRelaySecret",
            "rotateRelayKey",
            "updateRelayKey",
            "createRelayKey",
        ];
        assert_eq!(kinds, expected);
        assert_eq!(all[1].actor, Actor::system());
        assert_eq!(
            all[3].commands[0],
            json!({"kind": "updateRelayKey", "relayKey": made.id.as_str(), "name": "eu",
                "environments": "default/dev, default/prod"})
        );
        assert_eq!(all[4].commands[0]["environments"], "all");
        for act in &all {
            let text = format!("{} {}", act.commands, act.result);
            assert!(!text.contains(&secret[11..]) && !text.contains(&second[11..]));
        }
    })
    .await;
}

/// Somebody who may do these things.
async fn somebody(store: &Store, house: &House, name: &str, says: Value) -> Actor {
    let says: Vec<StatementInput> = serde_json::from_value(says).unwrap();
    let text = PolicyText {
        name: name.into(),
        description: String::new(),
        statements: statements(&says).unwrap(),
    };
    let organization = &house.organization.id;
    let (key, operator) = (kit::key(name), Actor::operator());
    let made = store.create_policy(organization, &key, &text, &operator, NOW);
    made.await.unwrap();
    let given = Grants {
        policies: vec![name.to_owned()],
        groups: Vec::new(),
    };
    let address = format!("{name}@x.org");
    Actor::member(&joined(store, house, &address, given).await)
}

#[tokio::test]
async fn who_gives_a_relay_an_environment_may_see_its_secrets() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        let keys = json!({"effect": "allow", "actions": ["relayKey.*"], "resources": ["*"]});
        let reveal = |pattern: &str| json!({"effect": "allow", "actions": ["sdkKey.reveal"], "resources": [pattern]});
        let hide = json!({"effect": "deny", "actions": ["sdkKey.reveal"], "resources": ["project/secret:env/*"]});
        let says = json!([keys, reveal("project/default:env/dev")]);
        let dev = somebody(store, &house, "dev", says).await;
        let says = json!([keys, reveal("project/*:env/*"), hide]);
        let most = somebody(store, &house, "most", says).await;
        let says = json!([keys, reveal("project/*")]);
        let all = somebody(store, &house, "all", says).await;

        let make = async |actor: &Actor, scope| {
            let new = new(organization, "k", scope);
            store.create_relay_key(&new, actor, NOW).await.map(|it| it.0)
        };
        let (of_dev, of_prod) = (chosen(&[&house.dev]), chosen(&[&house.prod]));
        let own = make(&dev, of_dev.clone()).await.unwrap();
        let prod = "sdkKey.reveal project/default:env/prod";
        assert_eq!(why(make(&dev, of_prod.clone()).await), prod);
        assert_eq!(why(make(&dev, RelayKeyScope::All).await), prod);
        // All that there is would be allowed, but not all that can be made.
        make(&most, chosen(&[&house.dev, &house.prod])).await.unwrap();
        let everywhere = "sdkKey.reveal project/*:env/*";
        assert_eq!(why(make(&most, RelayKeyScope::All).await), everywhere);
        let of_all = make(&all, RelayKeyScope::All).await.unwrap();

        let update = async |actor: &Actor, id, edit: RelayKeyEdit| {
            store.update_relay_key(organization, id, &edit, actor, NOW).await
        };
        let both = chosen(&[&house.dev, &house.prod]);
        assert_eq!(why(update(&dev, &own.id, rescope(both)).await), prod);
        assert_eq!(why(update(&most, &own.id, rescope(RelayKeyScope::All)).await), everywhere);
        // Whose secret they get to see by it is theirs to see.
        let rotate = async |actor: &Actor, id| {
            let done = store.rotate_relay_key(organization, id, rotation(0, 0), actor, NOW);
            done.await.map(|it| it.0)
        };
        assert_eq!(why(rotate(&dev, &of_all.id).await), prod);
        assert_eq!(why(rotate(&most, &of_all.id).await), everywhere);
        rotate(&dev, &own.id).await.unwrap();
        // Less is no matter of secrets, nor is a name.
        update(&dev, &of_all.id, rename("every")).await.unwrap();
        update(&dev, &of_all.id, rescope(of_prod)).await.unwrap();
        update(&dev, &of_all.id, rescope(of_dev)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn what_takes_a_permission_is_refused_without_it() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        let (made, _) = key(store, &house, RelayKeyScope::All).await;
        let says = json!([{"effect": "allow", "actions": ["sdkKey.reveal", "relayKey.read"],
            "resources": ["*"]}]);
        let ann = somebody(store, &house, "ann", says).await;
        let new = new(organization, "k", RelayKeyScope::All);
        let refused = store.create_relay_key(&new, &ann, NOW).await;
        assert_eq!(why(refused), "relayKey.create relay/*");
        let on = format!("relay/{}", made.id);
        let edit = rename("x");
        let refused = store
            .update_relay_key(organization, &made.id, &edit, &ann, NOW)
            .await;
        assert_eq!(why(refused), format!("relayKey.update {on}"));
        let refused = store.rotate_relay_key(organization, &made.id, rotation(0, 0), &ann, NOW);
        assert_eq!(why(refused.await), format!("relayKey.rotate {on}"));
        let refused = store
            .revoke_relay_key(organization, &made.id, &ann, NOW)
            .await;
        assert_eq!(why(refused), format!("relayKey.revoke {on}"));
    })
    .await;
}

#[tokio::test]
async fn what_is_wrong_is_refused_by_its_field() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::operator());
        let (made, secret) = key(store, &house, RelayKeyScope::All).await;
        let make = async |name: &str, scope| {
            let new = new(organization, name, scope);
            store.create_relay_key(&new, &actor, NOW).await
        };
        assert!(why(make("", RelayKeyScope::All).await).starts_with("name "));
        let gone = RelayKeyScope::Chosen(vec![Id::new("gone")]);
        assert_eq!(
            why(make("k", gone.clone()).await),
            "environments environmentNotFound"
        );
        let many = (0..501).map(|n| Id::new(n.to_string())).collect();
        let many = RelayKeyScope::Chosen(many);
        assert_eq!(why(make("k", many).await), "environments listTooLong");
        let edit = rescope(gone);
        let refused = store
            .update_relay_key(organization, &made.id, &edit, &actor, NOW)
            .await;
        assert_eq!(why(refused), "environments environmentNotFound");
        // Another organization has no such key.
        let other = Id::new("other");
        assert_eq!(why(store.relay_key(&other, &made.id).await), "relay key");
        let page = PageRequest::default();
        assert!(
            store
                .relay_keys(&other, &page)
                .await
                .unwrap()
                .items
                .is_empty()
        );
        let page = PageRequest {
            cursor: Some("x\0".into()),
            limit: None,
        };
        assert_eq!(
            why(store.relay_keys(organization, &page).await),
            "cursor cursorUnknown"
        );
        assert!(scope(store, &secret).await.is_some());
    })
    .await;
}

#[tokio::test]
async fn keys_are_listed_page_by_page_in_the_order_of_their_making() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let mut made = Vec::new();
        for scope in [RelayKeyScope::All, chosen(&[&house.dev]), chosen(&[])] {
            made.push(key(store, &house, scope).await.0);
        }
        let mut page = PageRequest {
            cursor: None,
            limit: Some(2),
        };
        let first = store
            .relay_keys(&house.organization.id, &page)
            .await
            .unwrap();
        assert_eq!(first.items, made[..2]);
        page.cursor = first.next;
        let second = store
            .relay_keys(&house.organization.id, &page)
            .await
            .unwrap();
        assert_eq!((second.items.as_slice(), second.next), (&made[2..], None));
    })
    .await;
}

#[tokio::test]
async fn every_node_is_woken_when_a_key_is_changed() {
    // On SQLite there is nothing to hear: nodes poll.
    let database = kit::database(Dialect::Postgres).await;
    let (store, other) = (database.store.clone(), database.another().await);
    let house = house(&store).await;
    let mut changed = store.changed();
    let listener = tokio::spawn({
        let store = store.clone();
        async move { store.listen().await }
    });
    let mut heard = async || {
        let patience = Duration::from_secs(30);
        timeout(patience, changed.changed()).await.unwrap().unwrap();
    };
    heard().await;
    let (made, _) = key(&other, &house, RelayKeyScope::All).await;
    heard().await;
    let (organization, actor) = (&house.organization.id, Actor::operator());
    let edit = rescope(chosen(&[&house.dev]));
    let done = other.update_relay_key(organization, &made.id, &edit, &actor, NOW);
    done.await.unwrap();
    heard().await;
    let done = other.revoke_relay_key(organization, &made.id, &actor, NOW);
    done.await.unwrap();
    heard().await;
    listener.abort();
}
