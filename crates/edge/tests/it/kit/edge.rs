//! A running edge.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::{get, post};
use burgee_edge::api::Api;
use burgee_edge::delivery::{ConnectionFilter, ConnectionView, EnvironmentReport, Place, Reporter};
use burgee_edge::driver::{self, Config, Counters, Handle};
use burgee_edge::hub::Hub;
use burgee_edge::metrics::Metrics;
use burgee_edge::traffic::Traffic;
use bytes::Bytes;
use http_body_util::Channel;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::{Client, ENVIRONMENT, Feed};

/// An edge over a [`Feed`], on a port of its own. Stops when it is dropped.
pub(crate) struct Edge {
    pub(crate) feed: Arc<Feed>,
    pub(crate) address: SocketAddr,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) hub: Arc<Hub>,
    handle: Option<Handle>,
    shutdown: CancellationToken,
    /// Ends the feed, which goes on during a shutdown.
    stop_feed: CancellationToken,
    runtime: Runtime,
}

impl Edge {
    /// Started and ready, with one flag `greeting` = `hello`.
    pub(crate) fn start() -> Self {
        Self::start_with(Config::default())
    }

    pub(crate) fn start_with(config: Config) -> Self {
        Self::start_at(([127, 0, 0, 1], 0).into(), config).unwrap()
    }

    /// Fails where the address is taken.
    pub(crate) fn start_at(address: SocketAddr, config: Config) -> std::io::Result<Self> {
        let feed = Arc::new(Feed::new());
        feed.set_flag("greeting", "hello");
        let runtime = Runtime::new().unwrap();
        let (shutdown, stop_feed) = (CancellationToken::new(), CancellationToken::new());
        let metrics = Arc::new(Metrics::default());
        let hub = Hub::new(Arc::clone(&feed.world) as _, Arc::clone(&metrics));
        runtime.spawn(Arc::clone(&hub).run(stop_feed.clone()));
        runtime.block_on(hub.ready());
        let counted = Arc::clone(&metrics);
        let router = Router::new()
            .route("/hello", get(|| async { "hello" }))
            .route(
                "/metrics",
                get(move || {
                    let text = counted.encode();
                    async { text }
                }),
            )
            .route("/pieces", get(pieces))
            // More than a socket's buffers hold.
            .route("/large", get(|| async { "x".repeat(16 * 1024 * 1024) }))
            .route(
                "/count",
                post(|body: String| async move { body.len().to_string() }),
            );
        let api = Api {
            hub: Arc::clone(&hub),
            traffic: Traffic::new("test".to_owned(), Arc::clone(&metrics)),
            metrics: Arc::clone(&metrics),
        };
        let handle = {
            let _guard = runtime.enter();
            let router = router.merge(burgee_edge::api::router(api.clone()));
            let listening = driver::listen(address, &config)?;
            driver::serve(listening, &api, router, shutdown.clone(), config)?
        };
        Ok(Self {
            feed,
            address: handle.local_addr(),
            metrics,
            hub,
            handle: Some(handle),
            shutdown,
            stop_feed,
            runtime,
        })
    }

    /// One loop whose deadlines are counted in hundredths of a second.
    pub(crate) fn hasty() -> Config {
        Config {
            loops: 1,
            head_timeout: Duration::from_millis(60),
            sync_timeout: Duration::from_millis(120),
            silence_timeout: Duration::from_millis(200),
            stall_timeout: Duration::from_millis(200),
            stall_timeout_in_herd: Duration::from_millis(200),
            linger: Duration::from_millis(100),
            tick: Duration::from_millis(10),
            ..Config::default()
        }
    }

    /// A connected client SDK whose user has this key, with its first answer.
    pub(crate) fn client(&self, user: &str) -> (Client, serde_json::Value) {
        let mut client = Client::streaming(self.address, "client", super::CLIENT_KEY);
        let answer = client.sync_client(user);
        (client, answer)
    }

    /// A connected server SDK, with its first answer.
    pub(crate) fn server(&self) -> (Client, serde_json::Value) {
        let mut client = Client::streaming(self.address, "server", super::SERVER_KEY);
        let answer = client.sync_server(0);
        (client, answer)
    }

    /// The sum of a counter over all loops.
    pub(crate) fn count(&self, counter: impl Fn(&Counters) -> &AtomicU64) -> u64 {
        let handle = self.handle.as_ref().unwrap();
        let counters = handle.counters().iter();
        counters
            .map(|counters| counter(counters).load(Relaxed))
            .sum()
    }

    /// Waits until a counter has at least this value.
    pub(crate) fn await_count(&self, least: u64, counter: impl Fn(&Counters) -> &AtomicU64) {
        let deadline = std::time::Instant::now() + PATIENCE;
        while self.count(&counter) < least {
            assert!(
                std::time::Instant::now() < deadline,
                "never came to {least}"
            );
            std::thread::yield_now();
        }
    }

    /// Waits until a gauge is at nothing.
    pub(crate) fn await_gone(&self, gauge: impl Fn(&Counters) -> &AtomicU64) {
        let deadline = std::time::Instant::now() + PATIENCE;
        while self.count(&gauge) > 0 {
            assert!(std::time::Instant::now() < deadline, "some never went");
            std::thread::yield_now();
        }
    }

    /// How far the connections have come.
    pub(crate) fn report(&self) -> EnvironmentReport {
        let asked = self.metrics.delivery.environment(ENVIRONMENT, 16);
        self.runtime.block_on(asked)
    }

    /// Waits until they have come so far.
    pub(crate) fn await_report(
        &self,
        wanted: impl Fn(&EnvironmentReport) -> bool,
    ) -> EnvironmentReport {
        let deadline = std::time::Instant::now() + PATIENCE;
        loop {
            let report = self.report();
            if wanted(&report) {
                return report;
            }
            assert!(std::time::Instant::now() < deadline, "still {report:?}");
            std::thread::yield_now();
        }
    }

    /// The connections that are meant, with where they come from, found `most` at a time.
    pub(crate) fn connections(&self, filter: ConnectionFilter, most: usize) -> Vec<ConnectionView> {
        let (mut all, mut from) = (Vec::new(), Some(Place::default()));
        while let Some(place) = from {
            let delivery = &self.metrics.delivery;
            let asked = delivery.connections(ENVIRONMENT, filter, place, most, true);
            let page = self.runtime.block_on(asked);
            assert!(page.connections.len() <= most);
            all.extend(page.connections);
            from = page.next;
        }
        all
    }

    /// What moved, for a reporter.
    pub(crate) fn moved(&self, reporter: &mut Reporter) -> Vec<(Arc<str>, EnvironmentReport)> {
        self.runtime.block_on(reporter.moved())
    }

    /// Shuts down, and waits for the end.
    pub(crate) fn shut_down(&mut self) {
        self.shutdown.cancel();
        if let Some(handle) = self.handle.take() {
            self.runtime.block_on(handle.ended());
        }
        self.stop_feed.cancel();
    }

    /// Waits until nobody listens any more.
    pub(crate) fn await_closed(&self) {
        let deadline = std::time::Instant::now() + PATIENCE;
        while std::net::TcpStream::connect(self.address).is_ok() {
            assert!(std::time::Instant::now() < deadline, "it still listens");
            std::thread::yield_now();
        }
    }

    /// Begins a shutdown.
    pub(crate) fn begin_shutdown(&self) {
        self.shutdown.cancel();
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// What takes longer than this has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A body that does not say where it ends.
async fn pieces() -> Body {
    let (mut sender, body) = Channel::<Bytes>::new(2);
    for piece in ["some ", "text"] {
        sender.send_data(Bytes::from(piece)).await.unwrap();
    }
    Body::new(body)
}
