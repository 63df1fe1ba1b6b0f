//! What a change set writes, and what it does not.

use burgee_store::page::PageRequest;
use burgee_store::{Actor, ApplyError, HistoryScope, StoreError};
use serde_json::json;

use crate::kit::{
    apply, flag_on, for_each_database, house, key, later, on_flag, on_whole, request, state,
};

#[tokio::test]
async fn a_change_set_moves_the_scopes_that_it_changes() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let applied = apply(store, &house, flag_on("a")).await;
        let prod = store
            .environment(&house.project.id, &key("prod"))
            .await
            .unwrap();
        let dev = store
            .environment(&house.project.id, &key("dev"))
            .await
            .unwrap();
        assert_eq!(prod.position.version, house.prod.position.version + 1);
        assert_eq!(dev, house.dev, "it is not released there");
        let project = store
            .project(&house.organization.id, &key("default"))
            .await
            .unwrap();
        assert_eq!(project.version, 1);
        let versions = [
            ("default".to_owned(), 1),
            ("default/prod".to_owned(), prod.position.version),
        ];
        assert_eq!(applied.versions, versions.into());

        let state = state(store, &prod).await;
        assert_eq!(state.environment, prod);
        let [flag] = state.flags.as_slice() else {
            panic!("one flag is released")
        };
        assert!(flag.is_enabled && flag.key == "a");
        assert_eq!(flag.updated_at, prod.last_stamp);
        let read = store.flag(&house.project.id, &key("A")).await.unwrap();
        assert_eq!(read.targetings.len(), 1);
        assert_eq!(read.flag.id.as_str(), flag.id);
    })
    .await;
}

#[tokio::test]
async fn nothing_of_a_refused_change_set_is_left() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let commands = json!([
            {"kind": "createFlag", "project": "default", "flag": "a", "type": "boolean"},
            on_flag("turnOn", "prod", "missing"),
        ]);
        let refused = store.apply(&request(&house, commands)).await;
        let Err(ApplyError::Rejected(rejected)) = refused else {
            panic!("the second command is wrong")
        };
        assert_eq!(
            (rejected.command, rejected.code.as_str()),
            (1, "flagNotFound")
        );
        let missing = store.flag(&house.project.id, &key("a")).await;
        assert!(matches!(missing, Err(StoreError::NotFound("flag"))));
        assert_eq!(state(store, &house.prod).await.environment, house.prod);
    })
    .await;
}

#[tokio::test]
async fn a_dry_run_says_the_same_and_leaves_nothing() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let mut changed = store.changed();
        changed.mark_unchanged();
        let mut dry = request(&house, flag_on("a"));
        dry.dry_run = true;
        let shown = store.apply(&dry).await.unwrap();
        assert_eq!(state(store, &house.prod).await.environment, house.prod);
        assert!(store.flag(&house.project.id, &key("a")).await.is_err());
        assert!(!changed.has_changed().unwrap());
        let scope = HistoryScope::Project(house.project.id.clone());
        let history = store
            .history(
                &house.organization.id,
                &scope,
                &burgee_store::HistoryFilter::default(),
                &PageRequest::default(),
            )
            .await
            .unwrap();
        assert!(history.items.iter().all(|it| it.id != shown.id));

        dry.dry_run = false;
        let done = store.apply(&dry).await.unwrap();
        assert_eq!(done.versions, shown.versions);
        assert!(changed.has_changed().unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_gets_its_first_answer() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("a")).await;
        let mut off = request(&house, json!([on_flag("turnOff", "prod", "a")]));
        off.id = Some("3f2c1f9e-6b35-4b5a-9d0b-0a6a2f6a8f11".into());
        let first = store.apply(&off).await.unwrap();
        apply(store, &house, json!([on_flag("turnOn", "prod", "a")])).await;
        off.now = later(5_000);
        assert_eq!(store.apply(&off).await.unwrap(), first);
        assert!(
            state(store, &house.prod).await.flags[0].is_enabled,
            "not turned off again"
        );

        off.comment = "another".into();
        let refused = store.apply(&off).await;
        assert!(matches!(
            refused,
            Err(ApplyError::Store(StoreError::Reused))
        ));
    })
    .await;
}

#[tokio::test]
async fn a_change_of_what_others_changed_is_told_by_whom() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let base = apply(store, &house, flag_on("a")).await.versions;
        let mut theirs = request(&house, json!([on_flag("turnOff", "prod", "a")]));
        theirs.comment = "it breaks checkout".into();
        theirs.actor = Actor::system();
        theirs.base = base.clone();
        let their_version = store.apply(&theirs).await.unwrap().versions["default/prod"];

        // Another facet of the same flag is no conflict.
        let mut tags = request(
            &house,
            json!([{"kind": "setFlagTags", "project": "default",
            "flag": "a", "tags": ["x"]}]),
        );
        tags.base = base.clone();
        store.apply(&tags).await.unwrap();

        let mut ours = request(
            &house,
            json!([
                {"kind": "setOffVariation", "project": "default", "environment": "prod",
                 "flag": "a", "variation": crate::kit::variations(store, &house, "a").await.0},
                on_flag("turnOn", "prod", "a"),
            ]),
        );
        ours.base = base;
        let Err(ApplyError::Conflict(conflicts)) = store.apply(&ours).await else {
            panic!("on/off was changed by others")
        };
        let [conflict] = conflicts.as_slice() else {
            panic!("one facet")
        };
        assert_eq!(
            (conflict.scope.as_str(), conflict.version),
            ("default/prod", their_version)
        );
        assert_eq!(
            (conflict.kind.as_str(), conflict.key.as_str()),
            ("flag", "a")
        );
        assert_eq!(conflict.by, Actor::system());
        assert_eq!(conflict.comment, "it breaks checkout");
        assert!(!state(store, &house.prod).await.flags[0].is_enabled);

        ours.base.insert("Default/PROD".into(), their_version);
        ours.base.remove("default/prod");
        store.apply(&ours).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_stored_is_refused_before_the_database() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let commands = json!([on_flag("turnOn", "prod", "a\u{0}b")]);
        let refused = store.apply(&request(&house, commands)).await;
        assert!(matches!(refused, Err(ApplyError::Rejected(why)) if why.pointer == "/flag"));
        let mut long = request(&house, flag_on("a"));
        long.id = Some("x".repeat(129));
        assert!(matches!(
            store.apply(&long).await,
            Err(ApplyError::Store(StoreError::Invalid { field: "id", .. }))
        ));
        let mut scoped = request(&house, flag_on("a"));
        scoped.base.insert("a\0".into(), 1);
        assert!(matches!(
            store.apply(&scoped).await,
            Err(ApplyError::Base { scope, .. }) if scope == "a\0"
        ));
    })
    .await;
}

#[tokio::test]
async fn the_history_pages_from_the_newest() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let mut ids = Vec::new();
        for (index, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
            let mut one = request(&house, flag_on(name));
            // Two of them in the same millisecond.
            one.now = later(10 + index as i64 / 2);
            one.comment = format!("makes {name}");
            ids.push(store.apply(&one).await.unwrap().id);
        }
        let scope = HistoryScope::Project(house.project.id.clone());
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let page = PageRequest {
                cursor,
                limit: Some(2),
            };
            let page = store
                .history(
                    &house.organization.id,
                    &scope,
                    &burgee_store::HistoryFilter::default(),
                    &page,
                )
                .await
                .unwrap();
            seen.extend(page.items);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        let newest: Vec<&str> = seen.iter().map(|it| it.id.as_str()).take(5).collect();
        ids.reverse();
        assert_eq!(newest, ids);
        assert_eq!(seen[0].comment, "makes e");
        assert_eq!(seen[0].commands[1]["kind"], "turnOn");
        assert_eq!(seen[0].actor, Actor::operator());
        assert_eq!(
            seen.len(),
            8,
            "and the making of the project and its environments"
        );

        let dev = HistoryScope::Environment(house.dev.id.clone());
        let page = PageRequest::default();
        let dev = store
            .history(
                &house.organization.id,
                &dev,
                &burgee_store::HistoryFilter::default(),
                &page,
            )
            .await
            .unwrap();
        assert_eq!(dev.items.len(), 1);
        assert_eq!(dev.items[0].commands[0]["kind"], "createEnvironment");
    })
    .await;
}

#[tokio::test]
async fn a_segment_that_is_used_says_where_and_is_not_deleted() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("a")).await;
        let made = json!([{"kind": "createSegment", "project": "default", "segment": "beta",
            "id": "b7f4a9a2-7f5d-4b7e-8a39-7a1a0a1c2d3e", "included": ["u1"]}]);
        apply(store, &house, made).await;
        let served = state(store, &house.dev).await.segments;
        assert_eq!(
            served.len(),
            1,
            "a project's segment is served in all its environments"
        );
        let (on, _) = crate::kit::variations(store, &house, "a").await;
        let rule = json!([{"kind": "addRule", "project": "default", "environment": "prod",
            "flag": "a", "rule": {"name": "beta", "variation": on, "conditions": [
                {"property": "User is in segment",
                 "value": "[\"b7f4a9a2-7f5d-4b7e-8a39-7a1a0a1c2d3e\"]"}]}}]);
        apply(store, &house, rule).await;
        let archive = json!([{"kind": "archiveSegment", "project": "default", "segment": "beta"}]);
        let archived = apply(store, &house, archive).await;
        assert!(archived.warnings[0].message.contains("default/prod/a"));
        let delete = json!([{"kind": "deleteSegment", "project": "default", "segment": "beta"}]);
        let refused = store.apply(&request(&house, delete.clone())).await;
        assert!(matches!(refused, Err(ApplyError::Rejected(_))));

        apply(store, &house, json!([on_whole("archiveFlag", "a")])).await;
        apply(store, &house, json!([on_whole("deleteFlag", "a")])).await;
        apply(store, &house, delete).await;
        let served = state(store, &house.dev).await.segments;
        assert!(served[0].is_archived, "its tombstone stays");
    })
    .await;
}
