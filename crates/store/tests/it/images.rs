//! Images of large items: stored as differences, whole at every version.

use burgee_domain::key::Key;
use burgee_eval::flag::Flag;
use serde_json::{Value, json};

use crate::kit::{apply, flag_on, for_each_database, house, key, state, variations};

/// 4,000 keys of users: 150 KiB.
fn keys() -> Vec<String> {
    (0..4_000u64)
        .map(|n| {
            format!(
                "user-{:032x}",
                u128::from(n) << 60 ^ u128::from(n.wrapping_mul(77_777))
            )
        })
        .collect()
}

fn set_targets(variation: &str, keys: &[String]) -> Value {
    json!([{"kind": "setTargets", "project": "default", "environment": "prod", "flag": "big",
        "variation": variation, "keys": keys}])
}

#[tokio::test]
async fn a_large_flag_can_be_read_as_it_was_at_every_version() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let mut expected: Vec<(i64, Flag)> = Vec::new();
        let mut note = async |version: i64| {
            let state = state(store, &house.prod).await;
            expected.push((version, state.flags[0].clone()));
        };
        note(apply(store, &house, flag_on("big")).await.versions["default/prod"]).await;
        let (on, _) = variations(store, &house, "big").await;
        let mut keys = keys();
        for step in 0..40 {
            // Mostly small edits; once everything is another.
            match step {
                20 => keys
                    .iter_mut()
                    .for_each(|key| *key = key.chars().rev().collect()),
                _ => keys[step] = format!("edited-{step}"),
            }
            let applied = apply(store, &house, set_targets(&on, &keys)).await;
            note(applied.versions["default/prod"]).await;
        }
        for (version, flag) in &expected {
            let items = store
                .items_at(house.prod.id.as_str(), *version)
                .await
                .unwrap();
            assert_eq!(items.len(), 1);
            assert_eq!(items[0].version, *version);
            let image: Flag = serde_json::from_str(&items[0].image).unwrap();
            assert_eq!(image, *flag);
        }
        let flag = store.flag(&house.project.id, &key("big")).await.unwrap();
        let targeting = &flag.targetings[&house.prod.id];
        assert_eq!(targeting.target_users[0].key_ids, keys);
    })
    .await;
}

#[tokio::test]
async fn an_item_of_another_scope_is_not_its_state() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("a")).await;
        let items = store.items_at(house.project.id.as_str(), 1).await.unwrap();
        assert_eq!(items.len(), 1);
        let definition: burgee_domain::model::Flag = serde_json::from_str(&items[0].image).unwrap();
        assert_eq!(definition.key, Key::new("a").unwrap());
        assert!(
            store
                .items_at(house.project.id.as_str(), 0)
                .await
                .unwrap()
                .is_empty()
        );
        assert!(
            store
                .items_at(house.dev.id.as_str(), 99)
                .await
                .unwrap()
                .is_empty()
        );
    })
    .await;
}
