//! The registry and its feed, over a source that changes, fails and comes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use burgee_edge::environment::{Environment, Sync, Update};
use burgee_edge::frame::deflate::Coding;
use burgee_edge::hub::{Access, Event, Hub, Lookup, REFUSED_FOR};
use burgee_edge::metrics::Metrics;
use burgee_edge::source::{KeyKind, SdkKey};
use burgee_eval::user::User;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::memory::{Illness, Shelf, World, flag};

/// A hub that runs over a world.
struct Running {
    world: Arc<World>,
    hub: Arc<Hub>,
    metrics: Arc<Metrics>,
    events: mpsc::UnboundedReceiver<Event>,
    _stop: DropGuard,
}

impl Running {
    /// Started, and ready.
    async fn over(world: Arc<World>) -> Self {
        let running = Self::start(world);
        running.hub.ready().await;
        running
    }

    fn start(world: Arc<World>) -> Self {
        let metrics = Arc::new(Metrics::default());
        let hub = Hub::new(Arc::clone(&world) as _, Arc::clone(&metrics));
        let (sender, events) = mpsc::unbounded_channel();
        hub.subscribe(move |event| drop(sender.send(event)));
        let shutdown = CancellationToken::new();
        tokio::spawn(Arc::clone(&hub).run(shutdown.clone()));
        Self {
            world,
            hub,
            metrics,
            events,
            _stop: shutdown.drop_guard(),
        }
    }

    fn known(&self, secret: &str) -> Option<Access> {
        match self.hub.lookup(secret) {
            Lookup::Known(access) => Some(access),
            _ => None,
        }
    }

    fn environment(&self, id: &str) -> Arc<Environment> {
        self.hub.environment(id).unwrap()
    }

    /// The values that everybody gets now.
    fn values(&self, id: &str) -> String {
        let mut json = Vec::new();
        self.environment(id)
            .current()
            .client_sync(&User::default(), 0, 0, &mut json);
        let answer: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let flags = answer["data"]["featureFlags"].as_array().unwrap().iter();
        let pairs = flags.map(|flag| format!("{}={}", flag["id"], flag["variation"]));
        pairs.collect::<Vec<_>>().join(" ").replace('"', "")
    }

    async fn update(&mut self) -> Arc<Update> {
        match self.events.recv().await.unwrap() {
            Event::Update(update) => update,
            _ => panic!("another event"),
        }
    }

    fn metric(&self, name: &str) -> f64 {
        let text = self.metrics.encode();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in {text}"))
            .parse()
            .unwrap()
    }
}

#[tokio::test]
async fn environments_and_keys_are_loaded_before_it_is_ready() {
    let world = World::with(&["a", "b"]);
    world.put("a", vec![flag("hello", "yes")], vec![]);
    let running = Running::start(world);
    assert!(!running.hub.is_ready());
    running.hub.ready().await;
    assert!(running.hub.is_ready());
    let client = running.known("a-client").unwrap();
    assert_eq!(
        (client.environment.id().as_ref(), client.kind),
        ("a", KeyKind::Client)
    );
    let server = running.known("b-server").unwrap();
    assert_eq!(
        (server.environment.id().as_ref(), server.kind),
        ("b", KeyKind::Server)
    );
    assert_eq!(running.values("a"), "hello=yes");
    assert_eq!(running.metric("burgee_edge_environments"), 2.0);
    // Whole and exact, nothing else.
    for wrong in ["", "a-clien", "a-client ", "A-CLIENT", "=a-client"] {
        assert!(running.known(wrong).is_none(), "{wrong:?}");
    }
}

#[tokio::test]
async fn changes_come_in_order_each_from_where_the_last_one_ended() {
    let mut running = Running::over(World::with(&["a"])).await;
    let last = 200;
    let world = Arc::clone(&running.world);
    tokio::spawn(async move {
        for number in 1..=last {
            world.put("a", vec![flag("n", &number.to_string())], vec![]);
            tokio::task::yield_now().await;
        }
    });
    running.hub.caught_up("a", 1 + last).await;
    assert_eq!(running.values("a"), format!("n={last}"));
    let (mut generation, mut version) = (1, 1);
    while version < 1 + last {
        let update = running.update().await;
        assert_eq!(update.from().generation(), generation);
        assert_eq!(update.from().position().version, version);
        assert_eq!(update.to().generation(), generation + 1);
        generation += 1;
        version = update.to().position().version;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_here_is_served_while_the_source_is_down() {
    let world = World::with(&["a"]);
    world.put("a", vec![flag("hello", "yes")], vec![]);
    let running = Running::over(world).await;
    assert_eq!(
        running.metric("burgee_edge_stale_since_timestamp_seconds"),
        0.0
    );

    running.world.set_down(true);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(running.metric("burgee_edge_stale_since_timestamp_seconds") > 1.0);
    assert!(running.hub.is_ready());
    assert_eq!(running.values("a"), "hello=yes");
    assert!(running.known("a-client").is_some());
    assert!(
        running.hub.ask("stranger").await.is_err(),
        "nobody can say that there is none"
    );
    assert!(matches!(running.hub.lookup("stranger"), Lookup::Ask));

    running.world.put("a", vec![flag("hello", "no")], vec![]);
    running.world.set_down(false);
    running.hub.caught_up("a", 3).await;
    assert_eq!(running.values("a"), "hello=no");
    assert_eq!(
        running.metric("burgee_edge_stale_since_timestamp_seconds"),
        0.0
    );
}

#[tokio::test(start_paused = true)]
async fn a_source_that_is_down_at_the_start_is_waited_for() {
    let world = World::with(&["a"]);
    world.set_down(true);
    let running = Running::start(Arc::clone(&world));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!running.hub.is_ready());
    world.set_down(false);
    running.hub.ready().await;
    assert!(running.known("a-client").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_sick_environment_keeps_nobody_waiting_and_comes_back() {
    for illness in [Illness::Fails, Illness::Hangs, Illness::Panics] {
        let world = World::with(&["well", "sick"]);
        let running = Running::over(Arc::clone(&world)).await;
        world.fall_ill("sick", illness);
        world.put("sick", vec![flag("f", "late")], vec![]);
        for number in 0..5 {
            let version = world.put("well", vec![flag("f", &number.to_string())], vec![]);
            let soon = Duration::from_millis(100);
            let caught_up = running.hub.caught_up("well", version);
            tokio::time::timeout(soon, caught_up)
                .await
                .expect("the other one is not waited for");
        }
        tokio::time::sleep(Duration::from_secs(40)).await;
        assert_eq!(
            running.metric("burgee_edge_environments_failing"),
            1.0,
            "{illness:?}"
        );
        assert_eq!(running.values("sick"), "", "served as it was");
        world.cure("sick");
        running.hub.caught_up("sick", 2).await;
        assert_eq!(running.values("sick"), "f=late");
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(running.metric("burgee_edge_environments_failing"), 0.0);
    }
}

#[tokio::test(start_paused = true)]
async fn an_environment_that_cannot_be_loaded_does_not_hold_up_readiness_for_ever() {
    let world = World::with(&["well", "sick"]);
    world.fall_ill("sick", Illness::Hangs);
    let running = Running::over(world).await;
    assert!(running.known("well-client").is_some());
    assert!(running.known("sick-client").is_none());
    assert!(
        running.hub.ask("sick-client").await.is_err(),
        "valid, but not to be served yet"
    );
}

#[tokio::test(start_paused = true)]
async fn that_there_is_no_such_key_is_believed_for_some_seconds() {
    let running = Running::over(World::with(&["a"])).await;
    assert!(matches!(running.hub.lookup("bad"), Lookup::Ask));
    assert!(running.hub.ask("bad").await.unwrap().is_none());
    assert!(matches!(running.hub.lookup("bad"), Lookup::Unknown));
    for _ in 0..100 {
        assert!(running.hub.ask("bad").await.unwrap().is_none());
    }
    assert_eq!(running.world.found.load(SeqCst), 1);
    tokio::time::advance(REFUSED_FOR).await;
    assert!(matches!(running.hub.lookup("bad"), Lookup::Ask));
    assert!(running.hub.ask("bad").await.unwrap().is_none());
    assert_eq!(running.world.found.load(SeqCst), 2);
}

#[tokio::test]
async fn a_refused_key_that_becomes_valid_is_known_at_once() {
    let running = Running::over(World::with(&["a"])).await;
    assert!(running.hub.ask("new").await.unwrap().is_none());
    let key = SdkKey {
        secret: "new".into(),
        kind: KeyKind::Server,
    };
    let version = running.world.keys("a", |keys| keys.push(key));
    running.hub.caught_up("a", version).await;
    assert_eq!(running.known("new").unwrap().kind, KeyKind::Server);
    running.world.revoke("a", "new");
    running.hub.caught_up("a", version + 1).await;
    assert!(
        matches!(running.hub.lookup("new"), Lookup::Ask),
        "the old refusal is forgotten"
    );
}

#[tokio::test]
async fn many_who_ask_for_one_key_ask_once() {
    let running = Running::over(World::with(&["a"])).await;
    let gate = running.world.gate();
    let asking: Vec<_> = (0..50)
        .map(|_| {
            let hub = Arc::clone(&running.hub);
            tokio::spawn(async move { hub.ask("bad").await.map(|access| access.is_none()) })
        })
        .collect();
    while running.world.found.load(SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    gate.add_permits(1);
    for asked in asking {
        assert!(asked.await.unwrap().unwrap());
    }
    assert_eq!(running.world.found.load(SeqCst), 1);
}

#[tokio::test]
async fn questions_under_way_and_waiting_are_bounded() {
    let running = Running::over(World::with(&["a"])).await;
    let gate = running.world.gate();
    let mut asking = tokio::task::JoinSet::new();
    let started = Arc::new(AtomicUsize::new(0));
    for number in 0..1024 {
        let (hub, started) = (Arc::clone(&running.hub), Arc::clone(&started));
        asking.spawn(async move {
            started.fetch_add(1, SeqCst);
            hub.ask(&format!("bad-{number}")).await.is_ok()
        });
    }
    while started.load(SeqCst) < 1024 {
        tokio::task::yield_now().await;
    }
    // The store is asked eight at a time; one too many is told so at once.
    assert!(running.hub.ask("one too many").await.is_err());
    assert_eq!(running.world.found.load(SeqCst), 8);
    gate.add_permits(2000);
    assert!(asking.join_all().await.into_iter().all(|ok| ok));
    assert!(running.hub.ask("one too many").await.is_ok());
}

#[tokio::test]
async fn who_goes_away_while_asking_leaves_no_trace() {
    let running = Running::over(World::with(&["a"])).await;
    let gate = running.world.gate();
    let hub = Arc::clone(&running.hub);
    let asking = tokio::spawn(async move { hub.ask("bad").await.is_ok() });
    while running.world.found.load(SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    gate.add_permits(1);
    assert!(running.hub.ask("bad").await.unwrap().is_none());
}

#[tokio::test]
async fn texts_that_are_too_long_to_be_secrets_are_not_asked_for() {
    let running = Running::over(World::with(&["a"])).await;
    assert!(matches!(
        running.hub.lookup(&"x".repeat(257)),
        Lookup::Unknown
    ));
    assert_eq!(running.world.found.load(SeqCst), 0);
}

#[tokio::test]
async fn a_revoked_key_is_told_and_no_longer_known() {
    let mut running = Running::over(World::with(&["a"])).await;
    let client = running.known("a-client").unwrap();
    let server = running.known("a-server").unwrap();
    let version = running.world.revoke("a", "a-client");
    running.hub.caught_up("a", version).await;
    assert!(running.known("a-client").is_none());
    assert_eq!(running.known("a-server").unwrap().key, server.key);
    match running.events.recv().await.unwrap() {
        Event::Revoked { environment, keys } => {
            assert_eq!(environment.id().as_ref(), "a");
            assert_eq!(*keys, [client.key]);
        }
        _ => panic!("another event"),
    }
    assert!(running.hub.ask("a-client").await.unwrap().is_none());
}

#[tokio::test]
async fn a_key_that_moves_belongs_to_its_new_environment_alone() {
    let running = Running::over(World::with(&["a", "b"])).await;
    let old = running.known("a-client").unwrap();
    let key = SdkKey {
        secret: "a-client".into(),
        kind: KeyKind::Client,
    };
    let in_b = running.world.keys("b", |keys| keys.push(key));
    running.hub.caught_up("b", in_b).await;
    let in_a = running.world.revoke("a", "a-client");
    running.hub.caught_up("a", in_a).await;
    let new = running.known("a-client").unwrap();
    assert_eq!(new.environment.id().as_ref(), "b");
    assert_ne!(new.key, old.key);
}

#[tokio::test]
async fn a_deleted_environment_takes_its_keys_with_it() {
    let mut running = Running::over(World::with(&["a", "b"])).await;
    running.world.remove("a");
    match running.events.recv().await.unwrap() {
        Event::Gone {
            environment,
            deleted,
        } => {
            assert_eq!((environment.id().as_ref(), deleted), ("a", true));
        }
        _ => panic!("another event"),
    }
    assert!(running.hub.environment("a").is_none());
    assert!(running.hub.ask("a-client").await.unwrap().is_none());
    assert!(running.known("b-client").is_some());
}

#[tokio::test(start_paused = true)]
async fn keys_of_a_deleted_environment_do_not_come_back_with_late_news() {
    for restored in [false, true] {
        let mut running = Running::over(World::with(&["a"])).await;
        running.world.fall_ill("a", Illness::Dawdles);
        match restored {
            true => running.world.restore("a", vec![flag("new", "1")]),
            false => drop(running.world.revoke("a", "a-server")),
        }
        while running.world.fetched.load(SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        running.world.remove("a");
        running.hub.gone("a").await;
        running.world.cure("a");
        // The clock stands until the late news has been dealt with.
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert!(running.known("a-client").is_none(), "{restored}");
        assert!(matches!(running.events.try_recv(), Ok(Event::Gone { .. })));
        assert!(running.events.try_recv().is_err(), "{restored}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_does_not_answer_is_not_waited_for_for_ever() {
    let running = Running::over(World::with(&["a"])).await;
    let gate = running.world.gate();
    assert!(running.hub.ask("unheard").await.is_err());
    // And it does not keep others from being asked.
    gate.add_permits(1);
    assert!(running.hub.ask("unheard").await.unwrap().is_none());
}

#[tokio::test]
async fn a_new_environment_is_there_when_its_key_is_asked_for() {
    let running = Running::over(World::with(&[])).await;
    running.world.add("late");
    let access = running.hub.ask("late-server").await.unwrap().unwrap();
    assert_eq!(access.environment.id().as_ref(), "late");
}

#[tokio::test]
async fn another_history_replaces_the_one_before() {
    let mut running = Running::over(World::with(&["a"])).await;
    let version = running
        .world
        .put("a", vec![flag("old", "1"), flag("kept", "1")], vec![]);
    running.hub.caught_up("a", version).await;
    running.update().await;
    running.world.restore("a", vec![flag("kept", "0")]);
    let update = running.update().await;
    assert_eq!(update.to().generation(), update.from().generation() + 1);
    assert_eq!(update.to().position().digest, 0xb4c);
    assert_eq!(running.values("a"), "kept=0");
    let mut json = Vec::new();
    assert!(update.client_patch(&User::default(), &mut json));
    assert!(
        String::from_utf8(json)
            .unwrap()
            .contains(r#""eventType":"full""#)
    );
}

#[tokio::test]
async fn large_environments_are_compiled_apart() {
    let running = Running::over(World::with(&["a"])).await;
    let many = (0..1000)
        .map(|number| flag(&format!("f{number:04}"), "x"))
        .collect();
    let version = running.world.put("a", many, vec![]);
    running.hub.caught_up("a", version).await;
    let current = running.environment("a").current();
    assert_eq!(current.items(), 1000);
    assert_eq!(current.server_sync(0, 0, Coding::Clear).sync, Sync::Full);
    let version = running.world.put("a", vec![flag("f0500", "y")], vec![]);
    running.hub.caught_up("a", version).await;
    assert!(running.values("a").contains("f0500=y"));
}

#[tokio::test(start_paused = true)]
async fn the_use_of_a_key_is_told_once_a_minute_at_most() {
    let running = Running::over(World::with(&["a", "b"])).await;
    let shelf = Arc::new(Shelf::default());
    let stop = CancellationToken::new();
    let telling = Arc::clone(&running.hub).tell_of_use(Arc::clone(&shelf) as _, stop.clone());
    let telling = tokio::spawn(telling);
    let told = || std::mem::take(&mut *shelf.keys_used.lock().unwrap());

    shelf.down.store(true, SeqCst);
    running.known("a-server").unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    shelf.down.store(false, SeqCst);
    running.known("a-server").unwrap();
    shelf.written.notified().await;
    assert_eq!(told(), ["a-server"]);

    for _ in 0..50 {
        running.known("a-server").unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!(told().is_empty(), "it is known");
    running.known("b-server").unwrap();
    shelf.written.notified().await;
    assert_eq!(told(), ["b-server"]);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(told().is_empty(), "nobody came");
    running.known("a-server").unwrap();
    shelf.written.notified().await;
    assert_eq!(told(), ["a-server"]);
    stop.cancel();
    telling.await.unwrap();
}
