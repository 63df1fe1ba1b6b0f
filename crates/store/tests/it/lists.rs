//! Lists of flags and segments: filters and pages.

use burgee_domain::model::{Life, SegmentScope};
use burgee_store::page::PageRequest;
use burgee_store::{FlagFilter, HistoryFilter, HistoryScope, SegmentFilter, Store, StoreError};
use serde_json::json;

use crate::kit::{House, apply, flag_on, for_each_database, house, on_whole};

async fn keys(store: &Store, house: &House, filter: FlagFilter) -> Vec<String> {
    let page = PageRequest::default();
    let listed = store
        .flags(&house.project.id, &filter, &page)
        .await
        .unwrap();
    let keys = listed
        .items
        .iter()
        .map(|it| it.flag.key.as_str().to_owned());
    keys.collect()
}

#[tokio::test]
async fn flags_are_found_by_search_tag_and_state() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let flags = json!([
            {"kind": "createFlag", "project": "default", "flag": "checkout_new",
             "type": "boolean", "name": "Neue Kasse ÄÖ", "tags": ["shop", "a\"b"]},
            {"kind": "createFlag", "project": "default", "flag": "CheckoutOld",
             "type": "boolean", "tags": ["shop2"]},
            {"kind": "createFlag", "project": "default", "flag": "gone", "type": "boolean"},
        ]);
        apply(store, &house, flags).await;
        apply(store, &house, flag_on("lit")).await;
        apply(store, &house, json!([on_whole("archiveFlag", "gone")])).await;

        let all = keys(store, &house, FlagFilter::default()).await;
        assert_eq!(all, ["checkout_new", "CheckoutOld", "lit"]);
        let search = async |text: &str| {
            let search = Some(text.to_owned());
            keys(
                store,
                &house,
                FlagFilter {
                    search,
                    ..FlagFilter::default()
                },
            )
            .await
        };
        assert_eq!(search("CHECKOUT").await, ["checkout_new", "CheckoutOld"]);
        assert_eq!(
            search("t_n").await,
            ["checkout_new"],
            "an underscore is itself"
        );
        assert_eq!(search("kasse äö").await, ["checkout_new"]);
        assert!(search("%").await.is_empty());
        let nul = FlagFilter {
            search: Some("a\0".into()),
            ..FlagFilter::default()
        };
        let refused = store
            .flags(&house.project.id, &nul, &PageRequest::default())
            .await;
        assert!(matches!(refused, Err(StoreError::Invalid { .. })));
        let tagged = async |text: &str| {
            let tag = Some(text.to_owned());
            keys(
                store,
                &house,
                FlagFilter {
                    tag,
                    ..FlagFilter::default()
                },
            )
            .await
        };
        assert_eq!(tagged("shop").await, ["checkout_new"]);
        assert_eq!(tagged("a\"b").await, ["checkout_new"]);
        assert!(tagged("b").await.is_empty());
        let archived = FlagFilter {
            life: Some(Life::Archived),
            ..FlagFilter::default()
        };
        assert_eq!(keys(store, &house, archived).await, ["gone"]);
        let enabled = |on| FlagFilter {
            enabled: Some((house.prod.id.clone(), on)),
            ..FlagFilter::default()
        };
        assert_eq!(keys(store, &house, enabled(true)).await, ["lit"]);
        assert_eq!(
            keys(store, &house, enabled(false)).await,
            ["checkout_new", "CheckoutOld"]
        );
    })
    .await;
}

#[tokio::test]
async fn pages_join_to_the_whole_list() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let names = ["a.b", "A-a", "a_c", "B", "b1", "c", "Z"];
        for name in names {
            apply(store, &house, flag_on(name)).await;
        }
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let page = PageRequest {
                cursor,
                limit: Some(3),
            };
            let page = store
                .flags(&house.project.id, &FlagFilter::default(), &page)
                .await
                .unwrap();
            assert!(page.items.len() <= 3);
            for listed in &page.items {
                assert!(listed.enabled[&house.prod.id]);
            }
            seen.extend(page.items.into_iter().map(|it| it.flag.key.folded()));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        let mut expected: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        expected.sort();
        assert_eq!(seen, expected);
    })
    .await;
}

#[tokio::test]
async fn segments_are_listed_by_scope() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let segments = json!([
            {"kind": "createSegment", "segment": "same", "tags": ["t"]},
            {"kind": "createSegment", "project": "default", "segment": "Same"},
            {"kind": "createSegment", "project": "default", "environment": "prod",
             "segment": "SAME", "name": "Only prod"},
        ]);
        apply(store, &house, segments).await;
        let (project, prod) = (house.project.id.clone(), house.prod.id.clone());
        let scopes = [
            SegmentScope::Organization,
            SegmentScope::Project(project.clone()),
            SegmentScope::Environment(project.clone(), prod),
            SegmentScope::Environment(project, house.dev.id.clone()),
        ];
        let list = async |scope: &SegmentScope, filter: SegmentFilter| {
            let page = PageRequest::default();
            let found = store
                .segments(&house.organization.id, scope, &filter, &page)
                .await;
            found.unwrap().items.len()
        };
        let visible = || SegmentFilter {
            with_shared: true,
            ..SegmentFilter::default()
        };
        for (scope, (own, all)) in scopes.iter().zip([(1, 1), (1, 2), (1, 3), (0, 2)]) {
            assert_eq!(
                list(scope, SegmentFilter::default()).await,
                own,
                "{scope:?}"
            );
            assert_eq!(list(scope, visible()).await, all, "{scope:?}");
        }
        let tagged = SegmentFilter {
            tag: Some("t".into()),
            ..visible()
        };
        assert_eq!(list(&scopes[2], tagged).await, 1);
        let search = SegmentFilter {
            search: Some("only PROD".into()),
            ..visible()
        };
        assert_eq!(list(&scopes[2], search).await, 1);
        let segment = store
            .segment(&house.organization.id, &scopes[2], &crate::kit::key("same"))
            .await
            .unwrap();
        assert_eq!(segment.name, "Only prod");

        let page = PageRequest {
            cursor: None,
            limit: Some(2),
        };
        let first = store
            .segments(&house.organization.id, &scopes[2], &visible(), &page)
            .await
            .unwrap();
        let page = PageRequest {
            cursor: first.next,
            limit: Some(2),
        };
        let second = store
            .segments(&house.organization.id, &scopes[2], &visible(), &page)
            .await
            .unwrap();
        assert_eq!(
            (first.items.len(), second.items.len(), second.next),
            (2, 1, None)
        );
    })
    .await;
}

#[tokio::test]
async fn lists_leave_large_commands_out_and_refuse_cursors_that_are_none() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let keys: Vec<String> = (0..10_000).map(|n| format!("user-{n}")).collect();
        let large = json!([{"kind": "createSegment", "segment": "s", "included": keys}]);
        let id = apply(store, &house, large).await.id;
        let organization = &house.organization.id;
        let scope = HistoryScope::Environment(house.prod.id.clone());
        let page = PageRequest::default();
        let listed = store
            .history(organization, &scope, &HistoryFilter::default(), &page)
            .await
            .unwrap();
        assert!(listed.items[0].truncated && listed.items[0].commands.is_null());
        let whole = store.change_set(organization, &id).await.unwrap();
        assert_eq!(whole.commands[0]["included"][9_999], "user-9999");
        let bad = PageRequest {
            cursor: Some("nonsense".into()),
            limit: None,
        };
        let refused = store
            .history(organization, &scope, &HistoryFilter::default(), &bad)
            .await;
        assert!(matches!(
            refused,
            Err(StoreError::Invalid {
                field: "cursor",
                ..
            })
        ));
    })
    .await;
}

/// A text of `kib` KiB.
fn long(kib: usize) -> String {
    "x".repeat(kib * 1024)
}

#[tokio::test]
async fn pages_of_large_items_end_early() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        // Each a megabyte and a half.
        for name in ["a", "b", "c", "d", "e"] {
            let variations: Vec<_> = (0..24)
                .map(|n| json!({"value": format!("{n}{}", long(63))}))
                .collect();
            let rule = json!({"conditions": (0..24)
                .map(|n| json!({"property": format!("p{n}"), "op": "Equal", "value": long(63)}))
                .collect::<Vec<_>>()});
            let large = json!([
                {"kind": "createFlag", "project": "default", "flag": name, "type": "string",
                 "variations": variations},
                {"kind": "createSegment", "project": "default", "segment": name,
                 "rules": [rule], "included": ["i", "j"], "excluded": ["k"]},
            ]);
            apply(store, &house, large).await;
        }
        let scope = SegmentScope::Project(house.project.id.clone());
        let (mut flags, mut segments) = (Vec::new(), Vec::new());
        let (mut page, mut of_segments) = (PageRequest::default(), PageRequest::default());
        loop {
            let filter = FlagFilter::default();
            let found = store
                .flags(&house.project.id, &filter, &page)
                .await
                .unwrap();
            let filter = SegmentFilter::default();
            let listed = store
                .segments(&house.organization.id, &scope, &filter, &of_segments)
                .await
                .unwrap();
            flags.push(found.items.len());
            segments.push(listed.items.len());
            for listed in &listed.items {
                assert_eq!((listed.included, listed.excluded), (2, 1));
            }
            (page.cursor, of_segments.cursor) = (found.next, listed.next);
            if page.cursor.is_none() {
                break;
            }
        }
        assert_eq!((flags, segments), (vec![2, 2, 1], vec![2, 2, 1]));
        assert_eq!(of_segments.cursor, None);
    })
    .await;
}

#[tokio::test]
async fn an_item_larger_than_a_page_is_a_page_of_its_own() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        for name in ["a", "b"] {
            let variations: Vec<_> = (0..80)
                .map(|n| json!({"value": format!("{n}{}", long(63))}))
                .collect();
            let large = json!([{"kind": "createFlag", "project": "default", "flag": name,
                "type": "string", "variations": variations}]);
            apply(store, &house, large).await;
        }
        let mut page = PageRequest::default();
        for name in ["a", "b"] {
            let filter = FlagFilter::default();
            let found = store
                .flags(&house.project.id, &filter, &page)
                .await
                .unwrap();
            assert_eq!(found.items.len(), 1);
            assert_eq!(found.items[0].flag.key.as_str(), name);
            page.cursor = found.next;
        }
        assert_eq!(page.cursor, None);
    })
    .await;
}
