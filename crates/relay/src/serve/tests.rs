//! Feeding a relay that is slow, rude, or further than what feeds it, beside a store that hangs.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use burgee_edge::delivery::NodeReport;
use burgee_edge::sink;
use burgee_edge::source::{Changes, Head, KeyKind, Position, State};
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;
use futures_util::SinkExt;
use serde_json::json;
use tokio::net::TcpSocket;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::{MaybeTlsStream, tungstenite};

use super::*;
use crate::message::{
    Agent, Answer, MAX_PACKED_UP, MAX_TEXT, Secret, ToUpstream, Whole, WireKey, pack, unpack_within,
};
use crate::mirror::Mirror;
use crate::traffic::Batch;

pub(super) const KEY: &str = "rp-good";

/// What is served, who may have it, and where traffic goes: all of which can be made to hang.
#[derive(Default)]
pub(super) struct World {
    pub(super) mirror: Mutex<Mirror>,
    /// The SDK keys of what is put.
    pub(super) keys: Mutex<Vec<WireKey>>,
    /// Environments that cannot be read, by their ids.
    pub(super) unreadable: Mutex<BTreeSet<String>>,
    is_wide: bool,
    is_relay: bool,
    pub(super) changed: watch::Sender<u64>,
    pub(super) revoked: AtomicBool,
    hangs: AtomicBool,
    /// The senders of the batches that were written.
    senders: Mutex<Vec<String>>,
    pub(super) asked: AtomicUsize,
    seen: Notify,
    gone: Notify,
    pub(super) stop: CancellationToken,
}

impl World {
    /// The environment `e` moves on, with so many users in a segment.
    pub(super) fn put(&self, version: i64, users: usize) {
        self.put_in("e", version, users);
    }

    /// An environment moves on.
    pub(super) fn put_in(&self, environment: &str, version: i64, users: usize) {
        let users: Vec<String> = (0..users)
            .map(|_| uuid::Uuid::new_v4().to_string())
            .collect();
        let segment: Segment =
            serde_json::from_value(json!({"id": "s", "updatedAt": version, "included": users}))
                .unwrap();
        let whole = Whole {
            environment: environment.into(),
            position: (version, version.unsigned_abs()),
            committed_at: Default::default(),
            last_stamp: Millis(version),
            flags: Vec::new(),
            segments: vec![segment],
            keys: self.keys.lock().unwrap().clone(),
            decision_sample: 0,
            trace: Default::default(),
        };
        self.mirror().put(whole);
        self.changed.send_modify(|count| *count += 1);
    }

    /// One whose key opens `x` too.
    pub(super) fn wide() -> Self {
        Self {
            is_wide: true,
            ..Self::default()
        }
    }

    /// What the key opens.
    pub(super) fn opened(&self) -> Opened {
        let environments = if self.is_wide {
            &["e", "x"][..]
        } else {
            &["e"]
        };
        Opened {
            key: "k".into(),
            names: Default::default(),
            environments: environments.iter().map(ToString::to_string).collect(),
        }
    }

    fn readable(&self, id: &str) -> Result<(), Unavailable> {
        match self.unreadable.lock().unwrap().contains(id) {
            true => Err(Unavailable("it cannot be read".into())),
            false => Ok(()),
        }
    }

    pub(super) fn mirror(&self) -> std::sync::MutexGuard<'_, Mirror> {
        self.mirror.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn maybe_hang(&self) {
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    }

    fn wait(&self) -> BoxFuture<'_, ()> {
        let mut changed = self.changed.subscribe();
        Box::pin(async move { drop(changed.changed().await) })
    }
}

impl Source for World {
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>> {
        Box::pin(async { Ok(self.mirror().heads()) })
    }

    fn state<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>> {
        Box::pin(async move {
            self.readable(id)?;
            Ok(self.mirror().state(id))
        })
    }

    fn changes<'a>(
        &'a self,
        id: &'a str,
        from: Position,
    ) -> BoxFuture<'a, Result<Changes, Unavailable>> {
        Box::pin(async move {
            self.readable(id)?;
            Ok(self.mirror().changes(id, from))
        })
    }

    fn find_key<'a>(
        &'a self,
        _secret: &'a str,
    ) -> BoxFuture<'a, Result<Option<(String, KeyKind)>, Unavailable>> {
        Box::pin(async { Ok(None) })
    }

    fn is_record(&self) -> bool {
        !self.is_relay
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        self.wait()
    }
}

impl Sink for World {
    fn write<'a>(
        &'a self,
        batch: &'a sink::Batch,
    ) -> BoxFuture<'a, Result<sink::Taken, Unavailable>> {
        Box::pin(async {
            self.maybe_hang().await;
            self.senders.lock().unwrap().push(batch.sender.clone());
            Ok(sink::Taken::default())
        })
    }

    fn keys_used<'a>(&'a self, _secrets: &'a [Box<str>]) -> BoxFuture<'a, Result<(), Unavailable>> {
        Box::pin(async { Ok(()) })
    }
}

impl Access for World {
    fn open<'a>(&'a self, secret: &'a str) -> BoxFuture<'a, Result<Option<Opened>, Unavailable>> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::Relaxed);
            self.maybe_hang().await;
            let is_good = secret == KEY && !self.revoked.load(Ordering::Relaxed);
            Ok(is_good.then(|| self.opened()))
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        self.wait()
    }

    fn seen(&self, _by: &str, _report: Report) {
        self.seen.notify_one();
    }

    fn gone(&self, _agent: &str) {
        self.gone.notify_one();
    }

    fn delivered(&self, _key: Option<&str>, _report: NodeReport) {}
}

/// What feeds relays from a world.
pub(super) async fn feed(world: &Arc<World>) -> Arc<Feeding> {
    let hub = Hub::new(Arc::clone(world) as _, Arc::default());
    tokio::spawn(Arc::clone(&hub).run(world.stop.clone()));
    hub.ready().await;
    let (source, sink) = (Arc::clone(world) as _, Arc::clone(world) as _);
    Feeding::new(
        hub,
        source,
        sink,
        Arc::clone(world) as _,
        world.stop.clone(),
    )
}

/// A world that is served, and where.
pub(super) async fn serve(world: World) -> (Arc<World>, SocketAddr) {
    let world = Arc::new(world);
    let feeding = feed(&world).await;
    let socket = TcpSocket::new_v4().unwrap();
    // What is not read is felt soon.
    socket.set_send_buffer_size(16 * 1024).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(16).unwrap();
    let address = listener.local_addr().unwrap();
    let router = feeding.router();
    let router = router.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (world, address)
}

/// A relay's end of a conversation.
pub(super) struct Caller(WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Caller {
    async fn connect(to: SocketAddr, key: &str) -> Result<Self, tungstenite::Error> {
        let query = format!("ws://{to}/streaming?type=relay-proxy&version=burgee-1");
        let mut request = query.into_client_request()?;
        let key = key.parse().unwrap();
        request.headers_mut().insert(AUTHORIZATION, key);
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(16 * 1024).unwrap();
        let stream = MaybeTlsStream::Plain(socket.connect(to).await.unwrap());
        let (stream, _) = tokio_tungstenite::client_async(request, stream).await?;
        Ok(Self(stream))
    }

    /// A relay that has `e` at this position.
    pub(super) async fn hello(to: SocketAddr, version: i64) -> Self {
        let mut caller = Self::connect(to, KEY).await.unwrap();
        let place = (version, version.unsigned_abs());
        let positions = [("e".to_owned(), place)].into_iter();
        let hello = ToUpstream::Hello {
            agent: agent(),
            positions: positions.filter(|_| version > 0).collect(),
        };
        caller.say(&hello).await;
        caller
    }

    async fn say(&mut self, message: &ToUpstream) {
        let packed = pack(message).unwrap();
        self.0.send(Message::Binary(packed.into())).await.unwrap();
    }

    /// What it is told next.
    async fn told(&mut self) -> ToRelay {
        loop {
            let next = timeout(Duration::from_secs(60), self.0.next()).await;
            match next.expect("something is said").unwrap().unwrap() {
                Message::Binary(packed) => return unpack_within(&packed, MAX_TEXT).unwrap(),
                Message::Close(why) => panic!("closed: {why:?}"),
                _ => {}
            }
        }
    }

    /// Waits until it is told where `e` is, and nothing of another version before.
    pub(super) async fn until(&mut self, version: i64) {
        loop {
            let position = match self.told().await {
                ToRelay::State(whole) => whole.position,
                ToRelay::Delta(since) => since.position,
                _ => continue,
            };
            assert_eq!(position.0, version);
            return;
        }
    }
}

fn agent() -> Agent {
    Agent {
        kind: Default::default(),
        id: uuid::Uuid::from_u128(1).to_string(),
        name: String::new(),
        version: String::new(),
    }
}

fn report() -> ToUpstream {
    ToUpstream::Status(Report {
        agent: agent(),
        connections: 0,
        environments: Default::default(),
        key: String::new(),
        address: String::new(),
        via: None,
    })
}

#[tokio::test]
async fn changes_and_questions_do_not_wait_for_traffic_or_for_answers_about_keys() {
    let (world, address) = serve(World::default()).await;
    world.put(1, 0);
    let mut caller = Caller::hello(address, 0).await;
    caller.until(1).await;
    world.hangs.store(true, Ordering::Relaxed);
    // More than may wait: the last ones are answered at once.
    for sequence in 0..=2 + storing::QUEUE as i64 {
        let batch = Batch {
            sender: "s".into(),
            sequence,
            ..Batch::default()
        };
        caller.say(&ToUpstream::Batch(batch)).await;
    }
    world.put(2, 0);
    caller.until(2).await;
    world.put(3, 0);
    caller.until(3).await;
    caller
        .say(&ToUpstream::Find {
            question: 7,
            secret: Secret("nobody's".into()),
        })
        .await;
    loop {
        match caller.told().await {
            ToRelay::Found { question, answer } => {
                assert_eq!((question, answer), (7, Answer::None));
                return;
            }
            ToRelay::Taken { taken, .. } => assert_eq!(taken, None),
            ToRelay::Level => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_revoked_key_ends_the_conversation_of_who_does_not_read() {
    let (world, address) = serve(World::default()).await;
    world.put(1, 60_000);
    let mut caller = Caller::hello(address, 0).await;
    caller.say(&report()).await;
    world.seen.notified().await;
    world.revoked.store(true, Ordering::Relaxed);
    world.changed.send_modify(|count| *count += 1);
    // Much sooner than it would be taken for dead.
    let gone = timeout(Duration::from_secs(20), world.gone.notified());
    gone.await.expect("the conversation ends");
}

#[tokio::test]
async fn what_nobody_can_have_is_asked_once_or_not_at_all() {
    let (world, address) = serve(World::default()).await;
    for bad in ["", "x", "rp-'", &format!("rp-{}", "x".repeat(200))] {
        assert!(Caller::connect(address, bad).await.is_err());
    }
    assert_eq!(world.asked.load(Ordering::Relaxed), 0);
    for _ in 0..5 {
        assert!(Caller::connect(address, "rp-stranger").await.is_err());
    }
    assert_eq!(world.asked.load(Ordering::Relaxed), 1);
    let mut caller = Caller::hello(address, 0).await;
    assert!(matches!(caller.told().await, ToRelay::Scope(_)));
    let before = world.asked.load(Ordering::Relaxed);
    for question in 0..40 {
        let secret = ["rp-stranger", "rp-other", "no key"][question as usize % 3];
        let secret = Secret(secret.into());
        caller
            .say(&ToUpstream::FindRelay { question, secret })
            .await;
    }
    let mut answers = 0;
    while answers < 40 {
        if let ToRelay::FoundRelay { answer, .. } = caller.told().await {
            assert_eq!(answer, Answer::None);
            answers += 1;
        }
    }
    assert_eq!(world.asked.load(Ordering::Relaxed), before + 1);
}

#[tokio::test]
async fn a_message_that_no_relay_says_ends_the_conversation() {
    let (world, address) = serve(World::default()).await;
    world.put(1, 0);
    let mut caller = Caller::hello(address, 0).await;
    caller.until(1).await;
    let large = Message::Binary(vec![0; MAX_PACKED_UP + 1].into());
    // It may be cut while it is still being sent.
    let _cut = caller.0.send(large).await;
    while let Some(Ok(message)) = caller.0.next().await {
        assert!(!message.is_text());
    }
    let mut nameless = Caller::connect(address, KEY).await.unwrap();
    let hello = ToUpstream::Hello {
        agent: Agent {
            kind: Default::default(),
            id: "somebody else's".into(),
            ..agent()
        },
        positions: Default::default(),
    };
    nameless.say(&hello).await;
    assert!(!matches!(
        nameless.0.next().await,
        Some(Ok(Message::Binary(_)))
    ));
}

#[tokio::test]
async fn a_relay_that_is_further_is_not_taken_back_to_what_is_here_yet() {
    let world = World {
        is_relay: true,
        ..World::default()
    };
    world.put(8, 0);
    let (world, address) = serve(world).await;
    let mut caller = Caller::hello(address, 9).await;
    assert!(matches!(caller.told().await, ToRelay::Scope(_)));
    // What it has arrives here too, and what comes after is told.
    world.put(9, 0);
    assert!(matches!(caller.told().await, ToRelay::Level));
    world.put(10, 0);
    caller.until(10).await;
}

#[tokio::test]
async fn a_relay_whose_version_is_not_to_be_is_taken_back_by_the_store_of_record() {
    let (world, address) = serve(World::default()).await;
    world.put(8, 0);
    let mut caller = Caller::hello(address, 9).await;
    caller.until(8).await;
    let _in_use = world;
}

/// Whether a sender's batch was taken, and whether it was refused.
async fn sent(caller: &mut Caller, sender: &str) -> (bool, bool) {
    let batch = Batch {
        sender: sender.into(),
        ..Batch::default()
    };
    caller.say(&ToUpstream::Batch(batch)).await;
    loop {
        if let ToRelay::Taken {
            sender: of,
            taken,
            refused,
            ..
        } = caller.told().await
        {
            assert_eq!(of, sender);
            return (taken.is_some(), refused.is_some());
        }
    }
}

#[tokio::test]
async fn a_batch_that_no_database_can_hold_is_refused_for_good() {
    let (world, address) = serve(World::default()).await;
    world.put(1, 0);
    let mut caller = Caller::hello(address, 0).await;
    assert_eq!(sent(&mut caller, "s\0").await, (false, true));
    assert_eq!(sent(&mut caller, "s").await, (true, false));
}

#[tokio::test]
async fn where_batches_are_counted_once_a_key_has_senders_of_its_own() {
    let relay = World {
        is_relay: true,
        ..World::default()
    };
    for (world, written) in [(World::default(), "k/s"), (relay, "s")] {
        let (world, address) = serve(world).await;
        world.put(1, 0);
        let mut caller = Caller::hello(address, 0).await;
        assert_eq!(sent(&mut caller, "s").await, (true, false));
        assert_eq!(*world.senders.lock().unwrap(), [written]);
    }
}
