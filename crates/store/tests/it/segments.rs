//! Segments that a change set refers to, many at once and in all scopes.

use burgee_store::ApplyError;
use serde_json::{Value, json};

use crate::kit::{
    apply, flag_on, for_each_database, house, on_flag, on_whole, request, variations,
};

/// More than are looked for at once.
const MANY: usize = 60;

fn rule(segments: &[String], variation: &str) -> Value {
    let conditions: Vec<Value> = segments
        .chunks(50)
        .map(|ids| json!({"property": "User is in segment", "value": json!(ids).to_string()}))
        .collect();
    let mut command = on_flag("addRule", "prod", "a");
    command["rule"] = json!({"name": "many", "variation": variation, "conditions": conditions});
    command
}

#[tokio::test]
async fn many_segments_are_found_by_key_by_id_and_in_use() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("a")).await;
        let (on, _) = variations(store, &house, "a").await;
        // The same keys in each scope; ids say which.
        let scopes = [
            json!({}),
            json!({"project": "default"}),
            json!({"project": "default", "environment": "prod"}),
        ];
        let of = |kind: &str, scope: &Value, number: usize| {
            let mut command = scope.clone();
            command["kind"] = json!(kind);
            command["segment"] = json!(format!("S{number}"));
            command
        };
        for (place, scope) in scopes.iter().enumerate() {
            let create = |number: usize| {
                let mut command = of("createSegment", scope, number);
                command["id"] = json!(format!("{place}\"%_{number}"));
                command
            };
            let set: Vec<Value> = (0..MANY).map(create).collect();
            apply(store, &house, json!(set)).await;
        }
        let in_project: Vec<String> = (0..MANY).map(|n| format!("1\"%_{n}")).collect();
        apply(store, &house, json!([rule(&in_project, &on)])).await;

        let archive: Vec<Value> = (0..MANY)
            .map(|n| of("archiveSegment", &scopes[1], n))
            .collect();
        let archived = apply(store, &house, json!(archive)).await;
        let used = archived
            .warnings
            .iter()
            .filter(|it| it.code == "segmentInUse");
        assert_eq!(used.clone().count(), MANY);
        assert!(used.clone().all(|it| it.message.contains("default/prod/a")));

        // Those of the same keys above are used by nobody.
        let archive: Vec<Value> = (0..MANY)
            .map(|n| of("archiveSegment", &scopes[0], n))
            .collect();
        let archived = apply(store, &house, json!(archive)).await;
        assert_eq!(archived.warnings, []);

        let last = json!([of("deleteSegment", &scopes[1], MANY - 1)]);
        let refused = store.apply(&request(&house, last)).await;
        assert!(matches!(refused, Err(ApplyError::Rejected(why)) if why.code == "segmentInUse"));
    })
    .await;
}

#[tokio::test]
async fn a_restored_flag_is_held_against_the_segments_that_are_there_now() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("a")).await;
        let (on, _) = variations(store, &house, "a").await;
        let made = json!([{"kind": "createSegment", "segment": "s", "id": "id-of-s"}]);
        apply(store, &house, made).await;
        apply(store, &house, json!([rule(&["id-of-s".into()], &on)])).await;
        let restore = json!([on_whole("restoreFlag", "a")]);
        let archived = json!([on_whole("archiveFlag", "a")]);
        apply(store, &house, archived.clone()).await;
        assert_eq!(apply(store, &house, restore.clone()).await.warnings, []);

        apply(store, &house, archived).await;
        apply(
            store,
            &house,
            json!([{"kind": "archiveSegment", "segment": "s"}]),
        )
        .await;
        let restored = apply(store, &house, restore).await;
        let [warning] = restored.warnings.as_slice() else {
            panic!("one segment: {:?}", restored.warnings)
        };
        assert_eq!(warning.code, "segmentArchived");
        assert!(
            warning.message.contains("'many' in prod"),
            "{}",
            warning.message
        );
        assert!(warning.message.contains("'s'"), "{}", warning.message);
    })
    .await;
}
