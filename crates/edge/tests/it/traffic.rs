//! Traffic, from the request to the sink.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use burgee_edge::hub::{Access, Hub, Lookup};
use burgee_edge::metrics::Metrics;
use burgee_edge::sink::{Batch, MetricEvent, MetricTexts, Taken};
use burgee_edge::traffic::{Traffic, limits};
use burgee_eval::flag::Flag;
use burgee_eval::user::User;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::memory::{Shelf, World, flag};

/// A moment in the middle of a minute.
const NOW: i64 = 1_700_000_000_000 + 30_000;
const MINUTE: i64 = NOW - NOW % 60_000;

/// Traffic that flows into a shelf.
struct Flow {
    hub: Arc<Hub>,
    traffic: Arc<Traffic>,
    metrics: Arc<Metrics>,
    shelf: Arc<Shelf>,
    shutdown: CancellationToken,
    sending: JoinHandle<()>,
    feeding: JoinHandle<()>,
}

impl Flow {
    async fn new(flags: Vec<Flag>) -> Self {
        let world = World::with(&["env", "other"]);
        world.put("env", flags, vec![]);
        let (metrics, shutdown) = (Arc::new(Metrics::default()), CancellationToken::new());
        let hub = Hub::new(world, Arc::clone(&metrics));
        let feeding = tokio::spawn(Arc::clone(&hub).run(shutdown.clone()));
        hub.ready().await;
        let traffic = Traffic::new("sender".into(), Arc::clone(&metrics));
        let shelf = Arc::new(Shelf::default());
        let running = Arc::clone(&traffic).run(Arc::clone(&shelf) as _, shutdown.clone());
        let sending = tokio::spawn(running);
        Self {
            hub,
            traffic,
            metrics,
            shelf,
            shutdown,
            sending,
            feeding,
        }
    }

    fn access(&self, secret: &str) -> Access {
        match self.hub.lookup(secret) {
            Lookup::Known(access) => access,
            _ => panic!("{secret} is not known"),
        }
    }

    fn seen(&self, user: &User<'_>, now: i64) {
        let access = self.access("env-client");
        self.traffic
            .seen(access.environment.id(), access.key, user, now);
    }

    fn track(&self, body: &Value) {
        let access = self.access("env-client");
        self.traffic
            .track(&access, body.to_string().as_bytes(), NOW)
            .unwrap();
    }

    /// Shuts down, and gives what arrived.
    async fn end(self) -> Batch {
        self.shutdown.cancel();
        self.sending.await.unwrap();
        self.feeding.await.unwrap();
        self.shelf.all()
    }

    fn refused(&self, reason: &str) -> u64 {
        self.counted(&format!(
            "burgee_edge_traffic_refused_total{{reason=\"{reason}\"}}"
        ))
    }

    fn counted(&self, series: &str) -> u64 {
        let text = self.metrics.encode();
        let line = text.lines().find_map(|line| line.strip_prefix(series));
        line.map_or(0, |number| number.trim().parse().unwrap())
    }
}

fn evaluation(user: &str, flag: &str, variation: &str) -> Value {
    json!({"user": {"keyId": user, "name": "", "customizedProperties": []},
        "variations": [{"featureFlagKey": flag, "sendToExperiment": false, "timestamp": NOW,
            "variation": {"id": variation, "value": "any"}}]})
}

fn metric(user: &str, event: &str) -> Value {
    json!({"user": {"keyId": user}, "metrics": [{"route": "index/metric", "type": "CustomEvent",
        "eventName": event, "numericValue": 2.5, "appType": "test", "timestamp": NOW - 5}]})
}

fn user(key: &str) -> User<'_> {
    User {
        key: key.into(),
        ..User::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn counts_are_exact_whatever_the_sink_does() {
    let flow = Arc::new(Flow::new(vec![flag("a", "x"), flag("b", "x")]).await);
    let (tasks, each) = (8, 500);
    let trackers: Vec<_> = (0..tasks)
        .map(|task| {
            let flow = Arc::clone(&flow);
            tokio::spawn(async move {
                for number in 0..each {
                    let user = format!("u{task}-{number}");
                    let variation = if number % 2 == 0 { "v" } else { "other" };
                    flow.track(&json!([
                        evaluation(&user, "a", variation),
                        evaluation(&user, "b", "v"),
                        metric(&user, "bought"),
                    ]));
                    // Now down, now taking batches without a word, now well.
                    flow.shelf.down.store(number % 7 == 0, SeqCst);
                    flow.shelf.mute.store(number % 5 == 0, SeqCst);
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for tracker in trackers {
        tracker.await.unwrap();
    }
    flow.shelf.down.store(false, SeqCst);
    flow.shelf.mute.store(false, SeqCst);
    let all = Arc::into_inner(flow).unwrap().end().await;

    let mut sums = BTreeMap::new();
    for count in &all.counts {
        assert_eq!((&*count.environment, count.minute), ("env", MINUTE));
        *sums.entry((&*count.flag, &*count.variation)).or_insert(0) += count.count;
    }
    let whole = tasks * each;
    let expected = [
        (("a", "other"), whole / 2),
        (("a", "v"), whole / 2),
        (("b", "v"), whole),
    ];
    assert_eq!(sums, BTreeMap::from(expected));
    assert_eq!(all.users.len() as u64, whole);
    assert_eq!(all.metrics.len() as u64, whole);
    assert!(all.exposures.is_empty(), "nothing is tracked");
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_sent_again_as_it_is_until_it_is_taken() {
    let flow = Flow::new(vec![flag("a", "x")]).await;
    flow.shelf.mute.store(true, SeqCst);
    flow.track(&json!([evaluation("u", "a", "v")]));
    tokio::time::sleep(Duration::from_secs(10)).await;
    let tries = flow.shelf.writes.load(SeqCst);
    assert!((3..=6).contains(&tries), "with pauses that grow: {tries}");
    flow.track(&json!([evaluation("u", "a", "v")]));
    flow.shelf.mute.store(false, SeqCst);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(flow.shelf.evaluations(), 2);
    assert!(flow.counted("burgee_edge_traffic_retries_total") >= 3);
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_sent_each_second_and_at_shutdown() {
    let flow = Flow::new(vec![flag("a", "x")]).await;
    flow.track(&json!([evaluation("u", "a", "v")]));
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(flow.shelf.evaluations(), 1);
    flow.track(&json!([evaluation("u", "a", "v")]));
    assert_eq!(flow.end().await.counts.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn at_shutdown_what_the_sink_does_not_take_is_counted_as_lost() {
    let flow = Flow::new(vec![flag("a", "x")]).await;
    flow.shelf.down.store(true, SeqCst);
    flow.track(&json!([
        evaluation("u", "a", "v"),
        evaluation("u", "a", "v"),
        metric("u", "e")
    ]));
    let metrics = Arc::clone(&flow.metrics);
    assert_eq!(flow.end().await, Batch::default());
    let text = metrics.encode();
    for (what, count) in [("user", 1), ("evaluation", 2), ("metric", 1)] {
        let line = format!("burgee_edge_traffic_dropped_total{{what=\"{what}\"}} {count}");
        assert!(text.contains(&line), "{line} in {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn memory_is_bounded_while_the_sink_is_down_and_nothing_is_lost_uncounted() {
    let flow = Flow::new(vec![flag("a", "x")]).await;
    flow.shelf.down.store(true, SeqCst);
    let (access, filler) = (flow.access("env-client"), "f".repeat(1000));
    let sent = 60_000;
    for number in 0..sent {
        let key = format!("u{number}");
        let properties = vec![("filler".into(), filler.as_str().into())];
        let user = User {
            key: key.as_str().into(),
            name: "".into(),
            properties,
            ..User::default()
        };
        flow.traffic
            .seen(access.environment.id(), access.key, &user, NOW);
        if number % 1000 == 0 {
            tokio::task::yield_now().await;
        }
    }
    let accepted = flow.counted("burgee_edge_traffic_accepted_total{what=\"user\"}");
    let dropped = flow.counted("burgee_edge_traffic_dropped_total{what=\"user\"}");
    assert_eq!(accepted + dropped, sent);
    assert!(
        dropped > 0 && accepted * 1000 < 40_000_000,
        "{accepted} accepted"
    );
    flow.shelf.down.store(false, SeqCst);
    tokio::time::sleep(Duration::from_secs(60)).await;
    // Who was dropped is not taken for written.
    let last = format!("u{}", sent - 1);
    let properties = vec![("filler".into(), filler.as_str().into())];
    flow.seen(
        &User {
            key: last.as_str().into(),
            name: "".into(),
            properties,
            ..User::default()
        },
        NOW,
    );
    let all = flow.end().await;
    assert_eq!(all.users.len() as u64, accepted + 1);
    assert_eq!(all.users.last().unwrap().user.user().key, last);
}

#[tokio::test]
async fn a_user_is_written_once_until_something_changes() {
    let flow = Flow::new(vec![]).await;
    let named = |name: &'static str| User {
        name: name.into(),
        ..user("u")
    };
    let properties = vec![
        ("country".into(), "NO".into()),
        ("plan".into(), "pro".into()),
    ];
    for seen in [
        named("Ann"),
        named("Ann"),
        named("Anne"),
        User {
            properties: properties.clone(),
            ..named("Anne")
        },
    ] {
        flow.seen(&seen, NOW);
        flow.seen(&seen, NOW + 1);
    }
    flow.seen(&user("v"), NOW);
    let access = flow.access("env-client");
    let all = flow.end().await;
    let users: Vec<_> = all.users.iter().map(|seen| seen.user.user()).collect();
    let keys: Vec<_> = users.iter().map(|user| (&*user.key, &*user.name)).collect();
    assert_eq!(
        keys,
        [("u", "Ann"), ("u", "Anne"), ("u", "Anne"), ("v", "")]
    );
    let anne = User {
        properties,
        ..named("Anne")
    };
    assert_eq!(users[2], anne);
    assert_eq!((&*all.users[2].environment, all.users[2].at), ("env", NOW));
    let key = access.key;
    let new_by: Vec<_> = all.users.iter().map(|seen| seen.new_by).collect();
    assert_eq!(new_by, [Some(key), None, None, Some(key)]);
}

#[tokio::test]
async fn parts_of_a_user_beyond_their_limits_are_left_out_and_counted() {
    let flow = Flow::new(vec![]).await;
    flow.seen(&user(&"k".repeat(limits::USER_KEY)), NOW);
    flow.seen(&user(&"k".repeat(limits::USER_KEY + 1)), NOW);
    flow.seen(&user(" "), NOW);
    flow.seen(&user("nul\0"), NOW);
    assert_eq!(flow.refused("user_key"), 3);

    let long = "n".repeat(limits::USER_NAME + 1);
    flow.seen(
        &User {
            name: long.into(),
            ..user("long name")
        },
        NOW,
    );
    assert_eq!(flow.refused("user_name"), 1);

    let fits = "v".repeat(limits::PROPERTY - 1);
    let too_long = "v".repeat(limits::PROPERTY);
    let mut properties = vec![("p".into(), too_long.into()), ("q".into(), "\0".into())];
    properties.extend((0..101).map(|_| ("p".into(), fits.clone().into())));
    flow.seen(
        &User {
            properties,
            ..user("many")
        },
        NOW,
    );
    assert_eq!(flow.refused("property"), 3);

    let all = flow.end().await;
    assert_eq!(all.users.len(), 3);
    assert_eq!(all.users[1].user.user().name, "");
    let properties = all.users[2].user.user().properties.len();
    assert_eq!(properties, limits::PROPERTIES);
}

#[tokio::test]
async fn a_user_over_the_limits_is_counted_once_in_a_track() {
    let flow = Flow::new(vec![flag("a", "x")]).await;
    let mut entry = evaluation("u", "a", "v");
    entry["user"]["name"] = "n".repeat(limits::USER_NAME + 1).into();
    entry["user"]["customizedProperties"] = json!([null, {"name": "p", "value": "v".repeat(limits::PROPERTY)}, {"name": "q", "value": 1}]);
    flow.track(&json!([entry]));
    assert_eq!(
        (flow.refused("user_name"), flow.refused("property")),
        (1, 2)
    );
    let all = flow.end().await;
    assert_eq!((all.counts.len(), all.users.len()), (1, 1));
    assert_eq!(
        all.users[0].user.user().properties,
        [("q".into(), "1".into())]
    );
}

#[tokio::test]
async fn exposures_are_kept_of_flags_that_are_tracked_or_in_an_experiment() {
    let tracked = Flag {
        tracked: true,
        ..flag("tracked", "x")
    };
    let flow = Flow::new(vec![tracked, flag("plain", "x")]).await;
    let at = |flag: &str, experiment: bool, at: i64| {
        let mut entry = evaluation("u", flag, "v");
        entry["variations"][0]["sendToExperiment"] = experiment.into();
        entry["variations"][0]["timestamp"] = at.into();
        entry
    };
    flow.track(&json!([
        at("tracked", false, NOW - 10),
        at("tracked", false, NOW - 30),
        at("tracked", false, NOW),
        at("plain", false, NOW),
        at("plain", true, NOW - 7),
        // Times that cannot be meant are taken for now.
        at("plain", true, 0),
        at("plain", true, NOW + 3_600_000),
        at("plain", true, i64::MAX),
    ]));
    let mut all = flow.end().await.exposures;
    all.sort_by(|a, b| a.texts().flag.cmp(b.texts().flag));
    let seen: Vec<_> = all
        .iter()
        .map(|e| (e.texts().flag, e.experiment, e.first, e.last))
        .collect();
    assert_eq!(
        seen,
        [
            ("plain", true, NOW - 7, NOW),
            ("tracked", false, NOW - 30, NOW)
        ]
    );
    assert!(
        all.iter()
            .all(|e| (&*e.environment, e.texts().user) == ("env", "u"))
    );
}

#[tokio::test]
async fn whether_it_is_an_experiment_is_worked_out_where_the_sdk_does_not_say() {
    let mut included = flag("in", "x");
    included.fallthrough.included_in_expt = true;
    let flow = Flow::new(vec![included, flag("out", "x")]).await;
    let silent = |flag: &str, variation: &str| {
        let mut entry = evaluation("u", flag, variation);
        entry["variations"][0]
            .as_object_mut()
            .unwrap()
            .remove("sendToExperiment");
        entry
    };
    // `other` is not what we would answer: the SDK is out of date.
    flow.track(&json!([
        silent("in", "v"),
        silent("in", "other"),
        silent("out", "v")
    ]));
    let all = flow.end().await;
    assert_eq!(all.counts.len(), 3);
    let seen: Vec<_> = all
        .exposures
        .iter()
        .map(|e| (e.texts().flag, e.texts().variation))
        .collect();
    assert_eq!(seen, [("in", "v")]);
}

#[tokio::test]
async fn metric_events_arrive_whole() {
    let flow = Flow::new(vec![]).await;
    flow.track(
        &json!([metric("u", "bought"), {"user": {"keyId": "u"}, "metrics": [
        {"eventName": "bare"}, {"eventName": "text", "numericValue": "7", "timestamp": null}]}]),
    );
    let all = flow.end().await;
    let texts = MetricTexts {
        user: "u",
        event: "bought",
        route: "index/metric",
        kind: "CustomEvent",
        app_type: "test",
    };
    let whole = MetricEvent::new("env".into(), texts, 2.5, NOW - 5);
    assert_eq!(all.metrics[0], whole);
    let others: Vec<_> = all.metrics[1..]
        .iter()
        .map(|m| (m.texts().event, m.value, m.at))
        .collect();
    assert_eq!(others, [("bare", 1.0, NOW), ("text", 7.0, NOW)]);
}

#[tokio::test]
async fn an_entry_that_is_wrong_costs_itself_alone() {
    let flow = Flow::new(vec![flag("a", "x")]).await;
    let wrong = [
        (json!(1), "entry"),
        (
            json!({"user": {"keyId": "u"}, "variations": "none"}),
            "entry",
        ),
        (json!({"user": {"keyId": "u"}, "variations": [7]}), "entry"),
        (json!({"variations": []}), "user_key"),
        (json!({"user": {"keyId": "  "}}), "user_key"),
        (json!({"user": null}), "user_key"),
        (evaluation("u", "no such flag", "v"), "unknown_flag"),
        (
            evaluation("u", "a", "no such variation"),
            "unknown_variation",
        ),
        (
            json!({"user": {"keyId": "u"}, "variations": [{"featureFlagKey": "a"}]}),
            "unknown_variation",
        ),
        (metric("u", ""), "event_name"),
        (metric("u", &"e".repeat(257)), "event_name"),
        (metric("u", "nul\0"), "event_name"),
    ];
    for (entry, reason) in wrong {
        let before = flow.refused(reason);
        flow.track(&json!([entry, evaluation("u", "a", "v")]));
        assert_eq!(flow.refused(reason), before + 1, "{entry}");
    }
    let access = flow.access("env-client");
    for body in ["", "{}", "[1", "\"x\"", "null"] {
        assert!(
            flow.traffic.track(&access, body.as_bytes(), NOW).is_err(),
            "{body}"
        );
    }
    flow.traffic.track(&access, b"[]", NOW).unwrap();
    flow.traffic.track(&access, b"[\"\xff\"]", NOW).unwrap_err();
    assert_eq!(flow.refused("body"), 6);
    let all = flow.end().await;
    assert_eq!(all.counts.iter().map(|count| count.count).sum::<u64>(), 12);
    assert_eq!(all.users.len(), 1);
}

#[tokio::test]
async fn event_names_that_the_sink_refuses_are_counted() {
    let flow = Flow::new(vec![]).await;
    flow.shelf.answer.lock().unwrap().event_names = 2;
    flow.track(&json!([metric("u", "one more"), metric("u", "another")]));
    let metrics = Arc::clone(&flow.metrics);
    flow.end().await;
    let line = "burgee_edge_traffic_refused_total{reason=\"event_names\"} 2";
    assert!(metrics.encode().contains(line));
}

#[tokio::test(start_paused = true)]
async fn users_that_the_sink_knows_do_not_count_as_new() {
    let flow = Flow::new(vec![]).await;
    let most = limits::NEW_USERS_PER_HOUR as usize;
    let batch = 1_000;
    *flow.shelf.answer.lock().unwrap() = Taken {
        known_users: (0..batch).collect(),
        event_names: 0,
    };
    // As after a restart: more than the limit come, all of them known from before.
    for number in 0..most + batch {
        flow.seen(&user(&number.to_string()), NOW);
        if number % batch == batch - 1 {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
    assert_eq!(flow.refused("new_users"), 0);
    flow.shelf.answer.lock().unwrap().known_users.clear();
    for number in 0..most + batch {
        flow.seen(&user(&format!("new {number}")), NOW);
        if number % batch == batch - 1 {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
    assert_eq!(flow.refused("new_users"), batch as u64);
    assert_eq!(flow.end().await.users.len(), 2 * most + batch);
}

#[tokio::test(start_paused = true)]
async fn what_comes_at_once_is_written_in_batches_of_a_bounded_size() {
    let flow = Flow::new(vec![]).await;
    for number in 0..18_000 {
        flow.seen(&user(&number.to_string()), NOW);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let writes = flow.shelf.writes.load(SeqCst);
    assert_eq!((writes, flow.shelf.largest()), (18, 1_000));
    assert_eq!(flow.end().await.users.len(), 18_000);
}

#[tokio::test]
async fn what_sdks_are_known_to_send_is_taken() {
    let flow = Flow::new(vec![flag("a", "x")]).await;
    // An SDK that pads its properties, another that writes the name first and numbers as they are.
    flow.track(&json!([
        {"user": {"name": "Ann", "keyId": "go", "customizedProperties": [
            {"name": "", "value": ""}, {"name": "plan", "value": "pro"}]}},
        {"user": {"keyId": 7, "name": null, "customizedProperties": [
            {"name": "age", "value": 32}, {"name": "beta", "value": true}]},
         "variations": null, "metrics": null},
    ]));
    let all = flow.end().await;
    let users: Vec<_> = all.users.iter().map(|seen| seen.user.user()).collect();
    let seen: Vec<_> = users
        .iter()
        .map(|user| (&*user.key, user.properties.clone()))
        .collect();
    let pair = |name: &'static str, value: &'static str| (name.into(), value.into());
    assert_eq!(
        seen,
        [
            ("go", vec![pair("plan", "pro")]),
            ("7", vec![pair("age", "32"), pair("beta", "true")]),
        ]
    );
}
