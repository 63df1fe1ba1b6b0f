//! Images of large items: stored as differences, whole at every version.

use std::collections::BTreeSet;

use burgee_domain::key::Key;
use burgee_eval::flag::Flag;
use serde_json::{Value, json};
use sqlx::Row;

use crate::kit::{Database, apply, flag_on, for_each_database, house, key, state, variations};

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
        let served: BTreeSet<&String> = targeting.target_users[0].key_ids.iter().collect();
        assert_eq!(served, keys.iter().collect());
        small_edits_are_small(database, house.prod.id.as_str()).await;
    })
    .await;
}

/// Whole images are at most 32 apart; what is between them is small.
async fn small_edits_are_small(database: &Database, scope: &str) {
    let mut connection = database.raw().await;
    let rows = sqlx::query(
        "SELECT differences, CAST(LENGTH(image) AS BIGINT), image_size FROM change_log \
         WHERE scope_id = $1 AND image_size > 65536 ORDER BY version",
    )
    .bind(scope)
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let row = |row: &sqlx::any::AnyRow| (row.get(0), row.get(1), row.get(2));
    let rows: Vec<(i64, i64, i64)> = rows.iter().map(row).collect();
    assert_eq!(rows.len(), 40);
    let whole: Vec<usize> = (0..rows.len()).filter(|n| rows[*n].0 == 0).collect();
    assert_eq!(
        whole,
        [0, 20],
        "the first, and the one in which everything is another"
    );
    for (differences, stored, size) in rows {
        assert!(differences < 32);
        assert!(
            differences == 0 || stored < size / 20,
            "{stored} of {size} bytes"
        );
    }
}

#[tokio::test]
async fn every_32nd_image_is_whole() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("big")).await;
        let (on, off) = variations(store, &house, "big").await;
        apply(store, &house, set_targets(&on, &keys())).await;
        for n in 0..40 {
            let small = set_targets(&off, &[format!("someone-{n}")]);
            apply(store, &house, small).await;
        }
        let mut connection = database.raw().await;
        let rows = sqlx::query(
            "SELECT differences FROM change_log \
             WHERE scope_id = $1 AND image_size > 65536 ORDER BY version",
        )
        .bind(house.prod.id.as_str())
        .fetch_all(&mut connection)
        .await
        .unwrap();
        let differences: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
        assert_eq!(differences, (0..32).chain(0..9).collect::<Vec<_>>());
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
