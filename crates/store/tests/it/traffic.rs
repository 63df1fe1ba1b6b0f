//! Batches of traffic.

use std::borrow::Cow;

use burgee_eval::time::Millis;
use burgee_store::traffic::{
    Batch, Count, EVENT_NAMES, Exposure, MetricEvent, RolledUp, UserSeen, Written,
};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::kit::{Database, NOW, for_each_database, later};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

fn batch(sequence: i64) -> Batch<'static> {
    Batch {
        sender: "node-1".into(),
        sequence,
        at: NOW,
        ..Batch::default()
    }
}

fn user(key: &str, name: &str, at: Millis) -> UserSeen<'static> {
    UserSeen {
        types: "".into(),
        environment: "e".into(),
        key: key.to_owned().into(),
        name: name.to_owned().into(),
        properties: vec![("country".into(), "DE".into())],
        at,
    }
}

fn count(variation: &str, minute: Millis, count: u64) -> Count<'static> {
    Count {
        environment: "e".into(),
        flag: "f".into(),
        flag_id: "i".into(),
        variation: variation.to_owned().into(),
        minute,
        count,
    }
}

fn exposure(user: &str, first: Millis, last: Millis, experiment: bool) -> Exposure<'static> {
    Exposure {
        environment: "e".into(),
        flag: "f".into(),
        flag_id: "i".into(),
        variation: "v".into(),
        user: user.to_owned().into(),
        experiment,
        first,
        last,
    }
}

fn text(row: &AnyRow, column: usize) -> Cow<'static, str> {
    row.get::<String, _>(column).into()
}

/// All exposures that are kept, by user and variation.
async fn exposures(database: &Database) -> Vec<Exposure<'static>> {
    let rows = sqlx::query(
        "SELECT environment_id, flag, flag_id, variation, user_key, experiment, first_at, last_at \
         FROM exposures ORDER BY user_key, variation, flag_id",
    )
    .fetch_all(&mut database.raw_traffic().await)
    .await
    .unwrap();
    let read = |row: &AnyRow| Exposure {
        environment: text(row, 0),
        flag: text(row, 1),
        flag_id: text(row, 2),
        variation: text(row, 3),
        user: text(row, 4),
        experiment: row.get::<i64, _>(5) == 1,
        first: Millis(row.get(6)),
        last: Millis(row.get(7)),
    };
    rows.iter().map(read).collect()
}

/// All metric events that are kept, in the order in which they came.
async fn metric_events(database: &Database) -> Vec<MetricEvent<'static>> {
    let rows = sqlx::query(
        "SELECT environment_id, user_key, event, value, route, kind, app_type, at \
         FROM metric_events ORDER BY at, sender, sequence, ordinal",
    )
    .fetch_all(&mut database.raw_traffic().await)
    .await
    .unwrap();
    let read = |row: &AnyRow| MetricEvent {
        environment: text(row, 0),
        user: text(row, 1),
        event: text(row, 2),
        value: row.get(3),
        route: text(row, 4),
        kind: text(row, 5),
        app_type: text(row, 6),
        at: Millis(row.get(7)),
    };
    rows.iter().map(read).collect()
}

fn event(user: &str, value: f64) -> MetricEvent<'static> {
    MetricEvent {
        environment: "e".into(),
        user: user.to_owned().into(),
        event: "bought".into(),
        value,
        route: "index/metric".into(),
        kind: "CustomEvent".into(),
        app_type: "javascript".into(),
        at: NOW,
    }
}

#[tokio::test]
async fn a_batch_that_is_sent_again_counts_once() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let mut one = batch(1);
        one.users = vec![user("u", "U", NOW)];
        one.counts = vec![
            count("a", NOW, 2),
            count("a", later(1), 3),
            count("b", NOW, 1),
        ];
        one.exposures = vec![exposure("u", NOW, later(5), false)];
        one.metrics = vec![event("u", 1.5), event("u", 1.5)];
        assert_eq!(traffic.write(&one).await.unwrap(), Written::default());
        let again = traffic.write(&one).await.unwrap();
        assert!(again.repeated);
        one.sequence = 2;
        assert!(!traffic.write(&one).await.unwrap().repeated);

        let counts = traffic.counts("e", NOW, later(MINUTE)).await.unwrap();
        let counts: Vec<(&str, i64)> = counts
            .iter()
            .map(|it| (it.variation.as_str(), it.count))
            .collect();
        assert_eq!(counts, [("a", 10), ("b", 2)]);
        let events = metric_events(database).await;
        assert_eq!(events, vec![event("u", 1.5); 4]);
        assert_eq!(exposures(database).await, one.exposures);
    })
    .await;
}

#[tokio::test]
async fn a_batch_that_waited_for_weeks_counts_once() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let mut sent = batch(7);
        sent.counts = vec![count("a", NOW, 2)];
        traffic.write(&sent).await.unwrap();
        sent.sender = "node-2".into();
        sent.sequence = 3;
        traffic.write(&sent).await.unwrap();
        // Their answers were lost with the line; weeks later it is back.
        traffic.roll_up(later(60 * DAY)).await.unwrap();
        for (sender, sequence, is_repeated) in [
            ("node-1", 7, true),
            ("node-1", 6, true),
            ("node-2", 3, true),
            ("node-2", 4, false),
            ("node-1", 8, false),
            ("node-3", 1, false),
        ] {
            sent.sender = sender.into();
            (sent.sequence, sent.at) = (sequence, later(60 * DAY));
            let written = traffic.write(&sent).await.unwrap();
            assert_eq!(written.repeated, is_repeated, "{sender} {sequence}");
        }
        let counted = traffic.counts("e", NOW, later(MINUTE)).await.unwrap();
        assert_eq!(counted[0].count, 6);
        // As long as anything that old is counted at all.
        traffic.roll_up(later(91 * DAY)).await.unwrap();
        sent.sender = "node-1".into();
        sent.sequence = 7;
        assert!(traffic.write(&sent).await.unwrap().repeated);
    })
    .await;
}

#[tokio::test]
async fn no_count_is_too_large_to_be_added_up() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        for sequence in 1..=4 {
            let mut large = batch(sequence);
            let most = i64::MAX as u64;
            large.counts = vec![count("a", NOW, most), count("a", later(MINUTE), most)];
            traffic.write(&large).await.unwrap();
        }
        let done = traffic.roll_up(later(92 * DAY)).await.unwrap();
        assert_eq!((done.hours, done.days), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn a_bad_row_hurts_only_itself() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let mut bad = batch(1);
        bad.users = (0..700).map(|n| user(&format!("u{n}"), "", NOW)).collect();
        bad.users[300].key = "x".repeat(513).into();
        bad.users[301].name = "y".repeat(257).into();
        bad.users[650].name = "a\0b".into();
        bad.counts = vec![count("a", NOW, 1), count("b", NOW, u64::MAX)];
        bad.metrics = vec![event("u", f64::NAN), event("u", 2.0), event("", 3.0)];
        bad.exposures = vec![exposure("", NOW, NOW, true), exposure("u", NOW, NOW, true)];
        let written = traffic.write(&bad).await.unwrap();
        assert_eq!(
            written,
            Written {
                refused: 7,
                // Refused by the statement, and by us.
                known_users: vec![300, 301, 650],
                ..Written::default()
            }
        );
        for key in ["u0", "u299", "u302", "u699"] {
            assert!(traffic.end_user("e", key).await.unwrap().is_some(), "{key}");
        }
        for key in ["u301", "u650"] {
            assert!(traffic.end_user("e", key).await.unwrap().is_none(), "{key}");
        }
        assert_eq!(
            traffic.counts("e", NOW, later(MINUTE)).await.unwrap().len(),
            1
        );
        let events = metric_events(database).await;
        assert_eq!(events, [event("u", 2.0)]);
        assert_eq!(exposures(database).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_user_is_written_when_new_changed_or_not_seen_for_a_day() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let mut sequence = 0;
        let mut see = async |seen: UserSeen<'static>| {
            sequence += 1;
            let mut one = batch(sequence);
            one.users = vec![seen];
            traffic.write(&one).await.unwrap();
            traffic.end_user("e", "u").await.unwrap().unwrap()
        };
        let first = see(user("u", "U", NOW)).await;
        assert_eq!((first.first_seen, first.last_seen), (NOW, NOW));
        assert_eq!(first.properties, [("country".to_owned(), "DE".to_owned())]);
        assert_eq!(see(user("u", "U", later(HOUR))).await, first, "nothing new");
        let renamed = see(user("u", "V", later(2 * HOUR))).await;
        assert_eq!(
            (renamed.name.as_str(), renamed.last_seen),
            ("V", later(2 * HOUR))
        );
        assert_eq!(
            see(user("u", "old", later(HOUR))).await,
            renamed,
            "it came late"
        );
        let again = see(user("u", "V", later(2 * HOUR + DAY))).await;
        assert_eq!(
            (again.first_seen, again.last_seen),
            (NOW, later(2 * HOUR + DAY))
        );
    })
    .await;
}

#[tokio::test]
async fn exposures_keep_the_first_and_the_last_time() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let times = [(10, 20, false), (5, 12, true), (30, 30, false)];
        for (sequence, (first, last, experiment)) in times.into_iter().enumerate() {
            let mut one = batch(sequence as i64);
            one.exposures = vec![exposure("u", later(first), later(last), experiment)];
            traffic.write(&one).await.unwrap();
        }
        let kept = exposures(database).await;
        assert_eq!(kept, [exposure("u", later(5), later(30), true)]);
    })
    .await;
}

#[tokio::test]
async fn counts_grow_coarser_and_none_is_lost() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let day = Millis(NOW.0 - NOW.0.rem_euclid(DAY));
        let at = |ms: i64| Millis(day.0 + ms);
        let mut one = batch(1);
        one.counts = vec![
            count("a", at(0), 1),
            count("a", at(59 * MINUTE), 2),
            count("a", at(HOUR), 4),
            count("b", at(HOUR), 8),
            count("a", at(30 * HOUR), 16),
        ];
        traffic.write(&one).await.unwrap();
        let counts = async || traffic.counts("e", at(0), at(100 * DAY)).await.unwrap();
        let total = async || counts().await.iter().map(|it| it.count).sum::<i64>();

        let done = traffic.roll_up(at(48 * HOUR)).await.unwrap();
        assert_eq!(done, RolledUp::default(), "nothing is old enough");
        let done = traffic.roll_up(at(50 * HOUR)).await.unwrap();
        assert_eq!(done.hours, 2);
        let rows = counts().await;
        assert_eq!((rows.len(), rows[0].at, rows[0].count), (4, at(0), 3));
        assert_eq!(total().await, 31);

        // A straggler joins what is there already.
        let mut late = batch(2);
        late.counts = vec![count("a", at(5 * MINUTE), 32)];
        traffic.write(&late).await.unwrap();
        traffic.roll_up(at(50 * HOUR)).await.unwrap();
        assert_eq!(counts().await[0].count, 35);

        let done = traffic.roll_up(at(92 * DAY)).await.unwrap();
        assert_eq!((done.hours, done.days), (1, 2));
        let rows: Vec<(Millis, i64)> = counts().await.iter().map(|it| (it.at, it.count)).collect();
        assert_eq!(rows, [(at(0), 39), (at(0), 8), (at(DAY), 16)]);
        assert_eq!(
            traffic.roll_up(at(92 * DAY)).await.unwrap(),
            RolledUp::default()
        );
    })
    .await;
}

#[tokio::test]
async fn old_exposures_are_forgotten() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let mut one = batch(1);
        one.exposures = vec![
            exposure("old", NOW, NOW, false),
            exposure("new", NOW, later(1), false),
        ];
        traffic.write(&one).await.unwrap();
        let done = traffic.roll_up(later(90 * DAY + 1)).await.unwrap();
        assert_eq!(done.exposures, 1);
        let kept = exposures(database).await;
        assert_eq!(kept[0].user, "new");
    })
    .await;
}

#[tokio::test]
async fn a_batch_does_not_wait_for_a_change_under_way() {
    for_each_database(async |database| {
        // What holds the truth's writer must not hold the traffic's.
        let mut raw = database.raw().await;
        let begin = match database.store.dialect() {
            burgee_store::dialect::Dialect::Sqlite => "BEGIN IMMEDIATE",
            burgee_store::dialect::Dialect::Postgres => "BEGIN",
        };
        sqlx::query(begin).execute(&mut raw).await.unwrap();
        sqlx::query("UPDATE organizations SET version = version")
            .execute(&mut raw)
            .await
            .unwrap();
        let mut one = batch(1);
        one.counts = vec![count("a", NOW, 1)];
        assert_eq!(
            database.store.traffic().write(&one).await.unwrap(),
            Written::default()
        );
        sqlx::query("ROLLBACK").execute(&mut raw).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn flags_that_had_a_key_one_after_the_other_are_counted_apart() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let of = |id: &'static str, at: i64| Batch {
            counts: vec![Count {
                flag_id: id.into(),
                ..count("v", Millis(at), 1)
            }],
            exposures: vec![Exposure {
                flag_id: id.into(),
                ..exposure("u", Millis(at), Millis(at), false)
            }],
            ..batch(at)
        };
        for (id, at) in [("old", 1), ("new", 2), ("new", 3)] {
            traffic.write(&of(id, at)).await.unwrap();
        }
        let figures = async || {
            let counts = traffic.counts("e", Millis(0), Millis(DAY)).await.unwrap();
            let figures = counts.into_iter().map(|it| (it.flag_id, it.count));
            figures.collect::<Vec<_>>()
        };
        let expected = [("new".to_owned(), 2), ("old".to_owned(), 1)];
        assert_eq!(figures().await, expected);
        // Also when minutes have become hours, and hours days.
        for days in [3, 100] {
            traffic.roll_up(Millis(days * DAY)).await.unwrap();
            assert_eq!(figures().await, expected);
        }
        // The exposures are older than they are kept by now.
        for (id, at) in [("old", 1), ("new", 2)] {
            traffic.write(&of(id, at + 10)).await.unwrap();
        }
        let exposures = exposures(database).await;
        let of: Vec<&str> = exposures.iter().map(|it| &*it.flag_id).collect();
        assert_eq!(of, ["new", "old"]);
    })
    .await;
}

#[tokio::test]
async fn who_was_there_before_is_told_apart_from_who_is_new() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let known = async |sequence: i64, users: Vec<UserSeen<'static>>| {
            let mut one = batch(sequence);
            one.users = users;
            traffic.write(&one).await.unwrap().known_users
        };
        let new = vec![user("a", "A", NOW), user("b", "B", NOW)];
        assert!(known(1, new).await.is_empty());
        let mixed = vec![
            user("b", "B", later(1)),
            user("c", "C", later(1)),
            user("a", "renamed", later(1)),
            // Of those that are twice in a batch both are new.
            user("c", "renamed", later(2)),
        ];
        assert_eq!(known(2, mixed).await, [0, 2]);
        let again = vec![user("c", "renamed", later(DAY + 2))];
        assert_eq!(known(3, again).await, [0]);
    })
    .await;
}

#[tokio::test]
async fn an_environment_has_so_many_event_names_whoever_sends_them() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let named = |name: String| MetricEvent {
            event: name.into(),
            ..event("u", 1.0)
        };
        let mut sequence = 0;
        let mut write = async |metrics: Vec<MetricEvent<'static>>| {
            sequence += 1;
            let mut one = batch(sequence);
            one.metrics = metrics;
            let written = traffic.write(&one).await.unwrap();
            (written.event_names, written.refused)
        };
        let almost = (1..EVENT_NAMES).map(|n| named(format!("e{n}"))).collect();
        assert_eq!(write(almost).await, (0, 0));
        // One more fits. Known names always do, as often as they like.
        let more = ["e1", "x", "y", "x", "y", "z"].map(|name| named(name.to_owned()));
        assert_eq!(write(more.to_vec()).await, (3, 0));
        assert_eq!(write(more.to_vec()).await, (3, 0));
        let events = metric_events(database).await;
        let kept = |name: &str| events.iter().filter(|event| event.event == name).count();
        assert_eq!([kept("e1"), kept("x"), kept("y")], [3, 4, 0]);
        let elsewhere = MetricEvent {
            environment: "other".into(),
            ..named("y".to_owned())
        };
        assert_eq!(write(vec![elsewhere]).await, (0, 0));
    })
    .await;
}
