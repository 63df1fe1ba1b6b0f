//! End users: lists, search, what was served to whom, and forgetting.

use burgee_eval::time::Millis;
use burgee_store::page::PageRequest;
use burgee_store::traffic::{
    Batch, Count, CountQuery, Decision, Exposure, Grain, Known, MetricEvent, UserSearch, UserSeen,
};

use crate::kit::{Database, NOW, for_each_database, later};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

fn user(key: &str, name: &str) -> UserSeen<'static> {
    UserSeen {
        types: "".into(),
        environment: "e".into(),
        key: key.to_owned().into(),
        name: name.to_owned().into(),
        properties: vec![("country".into(), "DE".into())],
        at: NOW,
    }
}

async fn put(database: &Database, users: &[(&str, &str)]) {
    let users: Vec<_> = users.iter().map(|(key, name)| user(key, name)).collect();
    let refused = database.store.traffic().put_users(&users).await.unwrap();
    assert_eq!(refused, 0);
}

/// All pages of a list, by key.
async fn listed(database: &Database, search: Option<UserSearch>, limit: i64) -> Vec<String> {
    let (mut keys, mut cursor) = (Vec::new(), None);
    loop {
        let page = PageRequest {
            cursor,
            limit: Some(limit),
        };
        let traffic = database.store.traffic();
        let page = traffic.end_users("e", search.as_ref(), &page).await;
        let page = page.unwrap();
        assert!(page.items.len() <= usize::try_from(limit).unwrap());
        keys.extend(page.items.into_iter().map(|user| user.key));
        cursor = page.next;
        if cursor.is_none() {
            return keys;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_listed_and_found_in_one_order_on_both_databases() {
    for_each_database(async |database| {
        let users = [
            ("ana", "Ana Lopez"),
            ("Anton", ""),
            ("b-1", "b-1"),
            ("b-2", "Banana"),
            ("b_3", "ANABEL"),
            ("élan", "Ünal"),
            ("😀", "100% \\ _"),
        ];
        put(database, &users).await;
        let mut other = user("ana", "elsewhere");
        other.environment = "f".into();
        database.store.traffic().put_users(&[other]).await.unwrap();

        let by_bytes = ["Anton", "ana", "b-1", "b-2", "b_3", "élan", "😀"];
        for limit in [1, 2, 3, 50] {
            assert_eq!(listed(database, None, limit).await, by_bytes);
            let prefix = |text: &str| Some(UserSearch::Prefix(text.to_owned()));
            // By key, as it is written; then by name, whatever the case, and nobody twice.
            assert_eq!(listed(database, prefix("ana"), limit).await, ["ana", "b_3"]);
            assert_eq!(listed(database, prefix("b-"), limit).await, ["b-1", "b-2"]);
            assert_eq!(
                listed(database, prefix("b"), limit).await,
                ["b-1", "b-2", "b_3"]
            );
            assert_eq!(listed(database, prefix("😀"), limit).await, ["😀"]);
            assert_eq!(listed(database, prefix("100%"), limit).await, ["😀"]);
            assert!(listed(database, prefix("zz"), limit).await.is_empty());
            let contains = |text: &str| Some(UserSearch::Contains(text.to_owned()));
            assert_eq!(
                listed(database, contains("AN"), limit).await,
                ["Anton", "ana", "élan", "b_3", "b-2"]
            );
            assert_eq!(listed(database, contains("%"), limit).await, ["😀"]);
            assert_eq!(listed(database, contains("_"), limit).await, ["b_3", "😀"]);
        }
        let known = database.store.traffic().known_users("e", 3).await.unwrap();
        let expected = Known {
            count: 3,
            at_least: true,
        };
        assert_eq!(known, expected);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_large_users_ends_early_and_goes_on() {
    for_each_database(async |database| {
        let large: Vec<UserSeen<'_>> = (0..12)
            .map(|number| {
                let mut large = user(&format!("u{number:02}"), "");
                large.properties = vec![("text".into(), "x".repeat(500_000).into())];
                large
            })
            .collect();
        database.store.traffic().put_users(&large).await.unwrap();
        let page = PageRequest::default();
        let first = database.store.traffic().end_users("e", None, &page).await;
        assert_eq!(first.unwrap().items.len(), 8);
        assert_eq!(listed(database, None, 50).await.len(), 12);
        let keys: Vec<String> = (0..12).map(|number| format!("u{number:02}")).collect();
        let (some, read) = database.store.traffic().users_of("e", &keys).await.unwrap();
        assert_eq!((some.len(), read), (8, 8));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_made_up_cursor_is_refused() {
    for_each_database(async |database| {
        for cursor in ["", "ana", "[]", "[1]", r#"["a","b","c"]"#] {
            let page = PageRequest {
                cursor: Some(cursor.to_owned()),
                limit: None,
            };
            let found = database.store.traffic().end_users("e", None, &page).await;
            assert!(found.is_err(), "{cursor}");
        }
    })
    .await;
}

fn count(variation: &str, at: Millis, count: u64) -> Count<'static> {
    Count {
        environment: "e".into(),
        flag: "f".into(),
        flag_id: "i".into(),
        variation: variation.to_owned().into(),
        minute: at,
        count,
    }
}

fn batch(sequence: i64) -> Batch<'static> {
    Batch {
        sender: "node-1".into(),
        sequence,
        at: NOW,
        ..Batch::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_and_the_last_time_of_a_variation_are_known() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let write = async |sequence: i64, counts: Vec<Count<'static>>| {
            let batch = Batch {
                counts,
                ..batch(sequence)
            };
            traffic.write(&batch).await.unwrap();
        };
        let times = async |store: &burgee_store::Store| {
            let found = store.traffic().activity(&["e", "other"], None).await;
            let found = found.unwrap();
            assert!(found.len() <= 1, "{found:?}");
            let variations = found.into_iter().flat_map(|it| it.variations);
            let times = variations.map(|it| (it.variation, it.first.0 - NOW.0, it.last.0 - NOW.0));
            times.collect::<Vec<_>>()
        };
        write(1, vec![count("a", later(MINUTE), 1), count("a", NOW, 2)]).await;
        assert_eq!(times(&database.store).await, [("a".to_owned(), 0, MINUTE)]);
        // Soon after: not worth writing. Later, by whichever process: it is.
        write(2, vec![count("a", later(2 * MINUTE), 1)]).await;
        assert_eq!(times(&database.store).await, [("a".to_owned(), 0, MINUTE)]);
        write(
            3,
            vec![count("a", later(HOUR), 1), count("b", later(HOUR), 1)],
        )
        .await;
        let both = [("a".to_owned(), 0, HOUR), ("b".to_owned(), HOUR, HOUR)];
        assert_eq!(times(&database.store).await, both);
        let another = database.another().await;
        let late = Batch {
            sender: "node-2".into(),
            counts: vec![count("b", later(-HOUR), 1)],
            ..batch(1)
        };
        another.traffic().write(&late).await.unwrap();
        let both = [("a".to_owned(), 0, HOUR), ("b".to_owned(), -HOUR, HOUR)];
        assert_eq!(times(&another).await, both);
        another.close().await;
        let named = traffic.activity(&["e"], Some(&["g"])).await.unwrap();
        assert!(named.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_are_added_up_by_hour_and_variation() {
    for_each_database(async |database| {
        let hour = Millis(NOW.0 - NOW.0.rem_euclid(HOUR));
        let within = |ms: i64| Millis(hour.0 + ms);
        let counts = vec![
            count("a", within(0), 1),
            count("a", within(59 * MINUTE), 2),
            count("b", within(MINUTE), 5),
            count("a", within(HOUR), 3),
            count("a", within(-MINUTE), 100),
        ];
        let batch = Batch { counts, ..batch(1) };
        database.store.traffic().write(&batch).await.unwrap();
        let query = CountQuery {
            environment: "e",
            flag: "f",
            flag_id: "i",
            from: hour,
            to: within(2 * HOUR),
            grain: Grain::Hour,
        };
        let found = database.store.traffic().flag_counts(&query).await.unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.at.0 - hour.0, it.variation.as_str(), it.count))
            .collect();
        assert_eq!(found, [(0, "a", 3), (0, "b", 5), (HOUR, "a", 3)]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_types_are_another_user() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let typed = |types: &'static str, days: i64| UserSeen {
            types: types.into(),
            at: later(days * 24 * HOUR),
            ..user("ana", "Ana")
        };
        let mut found = Vec::new();
        for (types, days) in [("", 0), ("l", 1), ("l", 3)] {
            traffic.put_users(&[typed(types, days)]).await.unwrap();
            let ana = traffic.end_user("e", "ana").await.unwrap().unwrap();
            found.push((ana.types, ana.changed, ana.last_seen));
        }
        let [first, second, third] = [0, 1, 3].map(|days: i64| later(days * 24 * HOUR));
        let expected = [
            (String::new(), None, first),
            ("l".to_owned(), Some(second), second),
            ("l".to_owned(), Some(second), third),
        ];
        assert_eq!(found, expected);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_user_is_nowhere_and_the_counts_stay() {
    for_each_database(async |database| {
        let exposure = |user: &str| Exposure {
            environment: "e".into(),
            flag: "f".into(),
            flag_id: "i".into(),
            variation: "a".into(),
            user: user.to_owned().into(),
            experiment: false,
            first: NOW,
            last: NOW,
        };
        let event = |user: &str| MetricEvent {
            environment: "e".into(),
            user: user.to_owned().into(),
            event: "bought".into(),
            value: 1.0,
            route: "index/metric".into(),
            kind: "CustomEvent".into(),
            app_type: "javascript".into(),
            at: NOW,
        };
        let decision = |user: &str| Decision {
            environment: "e".into(),
            user: user.to_owned().into(),
            flag: "f".into(),
            flag_id: "i".into(),
            variation: "a".into(),
            surface: "stream".into(),
            reason: None,
            rule: None,
            position: None,
            at: NOW,
        };
        let both = Batch {
            users: vec![user("ana", ""), user("bea", "")],
            counts: vec![count("a", NOW, 2)],
            exposures: vec![exposure("ana"), exposure("bea")],
            metrics: vec![event("ana"), event("ana"), event("bea")],
            decisions: vec![decision("ana"), decision("bea")],
            ..batch(1)
        };
        let traffic = database.store.traffic();
        traffic.write(&both).await.unwrap();
        assert_eq!(traffic.forget_user("e", "ana").await.unwrap(), 5);
        assert_eq!(traffic.forget_user("e", "ana").await.unwrap(), 0);
        assert_eq!(listed(database, None, 50).await, ["bea"]);
        let counts = traffic
            .counts("e", later(-HOUR), later(HOUR))
            .await
            .unwrap();
        assert_eq!(counts.iter().map(|it| it.count).sum::<i64>(), 2);
        let mut raw = database.raw_traffic().await;
        for table in ["exposures", "metric_events", "decisions"] {
            let left = format!("SELECT user_key FROM {table}");
            let left = sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(left));
            assert_eq!(left.fetch_all(&mut raw).await.unwrap(), ["bea"]);
        }
    })
    .await;
}
