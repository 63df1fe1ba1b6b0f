//! Importing FeatBit's files.

use burgee_domain::import::{Done, Kind, read};
use burgee_domain::model::SegmentScope;
use burgee_store::page::PageRequest;
use burgee_store::{ApplyError, HistoryScope, ImportRequest, Imported, SegmentFilter, Store};
use serde_json::{Value, json};

use crate::kit::{House, NOW, for_each_database, house, key, state};

fn flag(key: &str, segment: &str) -> Value {
    json!({
        "id": format!("id-of-{key}"), "createdAt": "2024-01-02T03:04:05.678Z",
        "updatedAt": "2025-01-02T03:04:05.678Z", "envId": "theirs", "name": key, "key": key,
        "description": null, "variationType": "boolean",
        "variations": [{"id": "t", "value": "true"}, {"id": "f", "value": "false"}],
        "targetUsers": [{"keyIds": ["u1"], "variationId": "f"}],
        "rules": [{"id": "r", "name": "beta", "dispatchKey": null, "includedInExpt": false,
            "conditions": [{"property": "User is in segment", "op": null,
                "value": format!("[\"{segment}\"]")}],
            "variations": [{"id": "t", "rollout": [0, 1], "exptRollout": 1}]}],
        "isEnabled": true, "disabledVariationId": "f",
        "fallthrough": {"dispatchKey": null, "includedInExpt": false,
            "variations": [{"id": "f", "rollout": [0, 1], "exptRollout": 1}]},
        "exptIncludeAllTargets": true, "tags": ["x"], "isArchived": false
    })
}

fn segment(id: &str) -> Value {
    json!({"id": id, "createdAt": "2024-01-02T03:04:05.678Z",
        "updatedAt": "2025-01-02T03:04:05.678Z", "envId": "theirs", "name": "Beta testers",
        "description": "", "included": ["u2"], "excluded": [], "rules": [], "isArchived": false})
}

async fn import(
    store: &Store,
    house: &House,
    environment: &str,
    flags: Value,
    dry_run: bool,
) -> Result<Imported, ApplyError> {
    let segments = json!([segment("5b7c9dd2-0d6c-4f2a-9c7a-0a8a0d2f7e11")]);
    let request = ImportRequest {
        rights: None,
        organization: house.organization.id.clone(),
        actor: burgee_store::Actor::operator(),
        project: "default".into(),
        environment: environment.into(),
        input: read(&flags.to_string(), &segments.to_string()).unwrap(),
        comment: "Imported from FeatBit".to_owned(),
        override_reason: None,
        dry_run,
        now: NOW,
    };
    store.import(&request).await
}

fn flags() -> Value {
    let id = "5b7c9dd2-0d6c-4f2a-9c7a-0a8a0d2f7e11";
    json!([flag("a", id), flag("b", id), {"key": "broken", "variationType": 7}])
}

#[tokio::test]
async fn an_import_takes_over_what_it_can_and_keeps_ids() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let shown = import(store, &house, "prod", flags(), true).await.unwrap();
        assert!(
            state(store, &house.prod).await.flags.is_empty(),
            "a dry run"
        );

        let done = import(store, &house, "prod", flags(), false).await.unwrap();
        assert_eq!(done.report, shown.report);
        assert_eq!(done.report.count(Kind::Flag, |it| *it == Done::Created), 2);
        assert_eq!(done.report.refused(), 1);
        assert!(!done.applied.diff.is_empty());
        let served = state(store, &house.prod).await;
        assert_eq!((served.flags.len(), served.segments.len()), (2, 1));
        assert_eq!(served.segments[0].included, ["u2"]);
        let flag = served.flags.iter().find(|flag| flag.key == "a").unwrap();
        assert_eq!(flag.id, "id-of-a");
        assert_eq!(flag.created_at.to_string(), "2024-01-02T03:04:05.678Z");
        assert!(flag.updated_at >= NOW, "a new stamp");
        let dev = state(store, &house.dev).await;
        assert!(dev.flags.is_empty(), "elsewhere it is not released");

        let scope = HistoryScope::Environment(house.prod.id.clone());
        let page = PageRequest::default();
        let history = store
            .history(
                &house.organization.id,
                &scope,
                &burgee_store::HistoryFilter::default(),
                &page,
            )
            .await
            .unwrap();
        assert_eq!(history.items[0].id, done.applied.id);
        assert_eq!(history.items[0].commands.as_array().unwrap().len(), 3);
        let scope = SegmentScope::Environment(house.project.id.clone(), house.prod.id.clone());
        let filter = SegmentFilter::default();
        let listed = store
            .segments(&house.organization.id, &scope, &filter, &page)
            .await;
        assert_eq!(listed.unwrap().items.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn importing_again_changes_nothing_and_is_not_recorded() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        import(store, &house, "prod", flags(), false).await.unwrap();
        let before = state(store, &house.prod).await;
        let again = import(store, &house, "prod", flags(), false).await.unwrap();
        assert!(again.applied.versions.is_empty());
        assert_eq!(
            again.report.count(Kind::Flag, |it| *it == Done::Unchanged),
            2
        );
        assert_eq!(
            state(store, &house.prod).await.environment,
            before.environment
        );

        let other = import(store, &house, "dev", flags(), false).await.unwrap();
        assert!(other.applied.versions.contains_key("default/dev"));
        let flag = store.flag(&house.project.id, &key("a")).await.unwrap();
        assert_eq!(flag.targetings.len(), 2);
        assert_eq!(flag.flag.variations.len(), 2);
        assert_eq!(state(store, &house.prod).await.flags, before.flags);
    })
    .await;
}

#[tokio::test]
async fn an_import_needs_its_environment() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let refused = import(store, &house, "nowhere", flags(), false).await;
        assert!(matches!(refused, Err(ApplyError::Rejected(_))));
    })
    .await;
}
