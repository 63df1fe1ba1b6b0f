//! Starting and stopping.
//!
//! Start: data → first set-up → feed → traffic → management → loops → metrics; stop the other way
//! round, so that nothing is told to anyone who is gone already.
//!
//! Where the database cannot be reached and what was served is on the disk, that is served, and the
//! rest follows as soon as it can.

mod backbone;
mod management;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use burgee_edge::api::Api;
use burgee_edge::driver;
use burgee_edge::hub::Hub;
use burgee_edge::metrics::{self, Metrics};
use burgee_edge::traffic::Traffic;
use burgee_relay::backbone::Counters;
use burgee_relay::kept::{Environments, Kept};
use burgee_relay::serve::Feeding;
use burgee_store::StoreError;
use rand::RngExt;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Config;
use crate::decision_log::Outlets;
use crate::delivery::RelayFigures;
use crate::feed::LocalSource;
use crate::late::{LateRoutes, LateStore};
use crate::mail;
use crate::relays::StoreAccess;
use crate::sink::LocalSink;
use management::Management;

/// How often a database is looked for that could not be reached at the start, about: not by all servers
/// at one moment.
const LOOK: Duration = Duration::from_secs(2);

/// A running service.
pub struct Server {
    address: SocketAddr,
    metrics_address: SocketAddr,
    first_start: bool,
    owner_password: Option<String>,
    store: LateStore,
    outlets: Outlets,
    edge: driver::Handle,
    tasks: TaskTracker,
    /// Told first: loops close their connections.
    stop_edge: CancellationToken,
    /// Told when all connections are gone: the rest ends.
    stop_feed: CancellationToken,
}

impl Server {
    /// Opens the data, binds the addresses, and returns when SDKs can be answered.
    ///
    /// # Errors
    /// Where the data does not open, and nothing is on the disk that could be served meanwhile;
    /// where an address cannot be listened on, or something that is configured is wrong.
    pub async fn start(config: Config) -> anyhow::Result<Self> {
        burgee_edge::allocator::give_large_blocks_back();
        let driver = config.driver()?;
        let folder = config.state_dir.as_deref();
        let folder = folder.map(|it| Environments::open(&it.join("environments")));
        let folder = folder.transpose().context("--state-dir")?;
        let (store, kept, first_start) = open_or_kept(&config, folder.as_ref()).await?;
        let tasks = TaskTracker::new();
        let (stop_edge, stop_feed) = (CancellationToken::new(), CancellationToken::new());
        let outlets = config.decision_outlets.clone();
        let edge = Edge::new(&store, kept, outlets.clone(), &stop_edge);
        edge.feed(folder, &stop_feed, &tasks);
        edge.hear(&store, &stop_feed, &tasks);
        let published = Counters::default();
        if let Some(backbone) = &config.backbone {
            let stop = (&stop_feed, &tasks);
            edge.join(backbone, &store, published.clone(), stop).await?;
        }
        edge.api.hub.ready().await;

        let listen = config.listen;
        let taken = || format!("--listen: {listen} cannot be listened on");
        let listening = driver::listen(listen, &driver).with_context(taken)?;
        let managing = Managing {
            node: edge.node.clone(),
            api: edge.api.clone(),
            listening: listening.local_addr(),
            metrics_listen: config.metrics_listen,
            config,
            store: store.clone(),
            routes: LateRoutes::default(),
            mails: Arc::default(),
            published,
            tasks: tasks.clone(),
            stop_edge: stop_edge.clone(),
            stop_feed: stop_feed.clone(),
        };
        let owner_password = match store.get() {
            Some(store) => managing.begin(&store).await?,
            None => None,
        };
        let routes = edge.routes(managing.routes.clone());
        let handle = driver::serve(listening, &edge.api, routes, stop_edge.clone(), driver)
            .with_context(taken)?;
        let metrics_address = managing.serve_metrics().await?;
        if store.get().is_none() {
            tasks.spawn(until(stop_feed.clone(), managing.begin_late()));
        }
        Ok(Self {
            address: handle.local_addr(),
            metrics_address,
            first_start,
            owner_password,
            store,
            outlets,
            edge: handle,
            tasks,
            stop_edge,
            stop_feed,
        })
    }

    /// Where SDKs and the API are answered.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where Prometheus metrics, and health, are answered.
    pub fn metrics_address(&self) -> SocketAddr {
        self.metrics_address
    }

    /// Whether the database was empty.
    pub fn is_first_start(&self) -> bool {
        self.first_start
    }

    /// The one-time password of the owner's account, where it was given just now.
    pub fn owner_password(&self) -> Option<&str> {
        self.owner_password.as_deref()
    }

    /// Resolves when streaming ended without being told to: a loop panicked. Nobody is served by
    /// then, so the process had better end and be started again.
    pub async fn failed(&self) {
        self.stop_edge.cancelled().await;
    }

    /// Tells all connections to come back later (1001), waits for them to go, writes what is
    /// still buffered, and closes the data.
    pub async fn stop(self) {
        self.stop_edge.cancel();
        self.edge.ended().await;
        self.stop_feed.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.outlets.close().await;
        if let Some(store) = self.store.get() {
            store.close().await;
        }
    }
}

/// Opens the data; where it cannot be reached, what was kept of it on the disk. Says whether the
/// database was empty.
async fn open_or_kept(
    config: &Config,
    folder: Option<&Environments>,
) -> anyhow::Result<(LateStore, Option<Kept>, bool)> {
    let error = match management::open(config).await {
        Ok((store, first_start)) => return Ok((store.into(), None, first_start)),
        Err(error) => error,
    };
    let kept = folder
        .filter(|_| is_away(&error))
        .map(Kept::load)
        .transpose();
    match kept.context("--state-dir")?.flatten() {
        Some(kept) => {
            tracing::warn!(%error, "serving what was kept on the disk until the database is there");
            Ok((LateStore::default(), Some(kept), false))
        }
        None => Err(error),
    }
}

/// Whether a database could not be reached, which passes by itself.
fn is_away(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(StoreError::Unavailable(_)))
}

/// What answers SDKs and relays, and what is between it and the store.
struct Edge {
    /// Names this process among the nodes.
    node: String,
    api: Api,
    source: Arc<LocalSource>,
    sink: Arc<LocalSink>,
    relays: Arc<Feeding>,
    figures: Arc<RelayFigures>,
}

impl Edge {
    fn new(
        store: &LateStore,
        kept: Option<Kept>,
        outlets: Outlets,
        stop_edge: &CancellationToken,
    ) -> Self {
        let metrics = Arc::new(Metrics::default());
        let source = Arc::new(LocalSource::new(store.clone(), kept));
        let sink = Arc::new(LocalSink::with(store.clone(), outlets));
        let hub = Hub::new(Arc::clone(&source) as _, Arc::clone(&metrics));
        let node = uuid::Uuid::now_v7().to_string();
        let figures = Arc::new(RelayFigures::new(node.clone()));
        let access = StoreAccess::new(store.clone(), Arc::clone(&figures));
        Self {
            relays: Feeding::new(
                Arc::clone(&hub),
                Arc::clone(&source) as _,
                Arc::clone(&sink) as _,
                Arc::new(access),
                stop_edge.clone(),
            ),
            api: Api {
                traffic: Traffic::new(node.clone(), Arc::clone(&metrics)),
                hub,
                metrics,
            },
            source,
            sink,
            figures,
            node,
        }
    }

    /// Begins what feeds it, and what it feeds; keeps what it serves in a folder, if there is one.
    fn feed(&self, folder: Option<Environments>, stop: &CancellationToken, tasks: &TaskTracker) {
        let (hub, traffic) = (Arc::clone(&self.api.hub), Arc::clone(&self.api.traffic));
        let sink = || Arc::clone(&self.sink) as _;
        if let Some(folder) = folder {
            let keeping = folder.follow(Arc::clone(&hub), Arc::clone(&self.source) as _);
            tasks.spawn(until(stop.clone(), keeping));
        }
        tasks.spawn(Arc::clone(&hub).run(stop.clone()));
        tasks.spawn(hub.tell_of_use(sink(), stop.clone()));
        tasks.spawn(traffic.run(sink(), stop.clone()));
    }

    /// Begins to write what relays tell of their connections.
    fn hear(&self, store: &LateStore, stop: &CancellationToken, tasks: &TaskTracker) {
        let (figures, store) = (Arc::clone(&self.figures), store.clone());
        tasks.spawn(until(stop.clone(), async move {
            figures.run(store).await;
        }));
    }

    fn routes(&self, management: LateRoutes) -> Router {
        burgee_edge::api::router(self.api.clone())
            .merge(Arc::clone(&self.relays).router())
            .fallback_service(management)
    }
}

/// What it takes to begin management, now or when the database is there.
struct Managing {
    config: Config,
    metrics_listen: SocketAddr,
    node: String,
    api: Api,
    listening: SocketAddr,
    store: LateStore,
    routes: LateRoutes,
    mails: Arc<OnceLock<mail::Counters>>,
    /// What is counted of NATS.
    published: Counters,
    tasks: TaskTracker,
    stop_edge: CancellationToken,
    stop_feed: CancellationToken,
}

impl Managing {
    /// Begins management over a store. Gives the owner's one-time password, where there is one.
    async fn begin(&self, store: &burgee_store::Store) -> anyhow::Result<Option<String>> {
        let stops = (&self.stop_edge, &self.stop_feed);
        let edge = (&*self.node, &self.api, self.listening);
        let Management {
            routes,
            mails,
            owner_password,
        } = management::begin(&self.config, store, edge, stops, &self.tasks).await?;
        self.routes.set(routes);
        // There is one who sets them, once.
        let _set = self.mails.set(mails);
        Ok(owner_password)
    }

    /// The same once the database is there, which is looked for again and again.
    async fn begin_late(self) {
        let mut told = String::new();
        loop {
            let share = rand::rng().random_range(0.5..=1.5);
            tokio::time::sleep(LOOK.mul_f64(share)).await;
            let store = match management::open(&self.config).await {
                Ok((store, _)) => store,
                Err(error) if is_away(&error) => {
                    tracing::debug!(%error, "the database is still away");
                    continue;
                }
                Err(error) => {
                    // It is there, and will not do by itself: somebody has to know.
                    if told != error.to_string() {
                        tracing::error!(%error, "the database cannot be used; old states are served");
                        told = error.to_string();
                    }
                    continue;
                }
            };
            match self.begin(&store).await {
                Ok(password) => {
                    if password.is_some() {
                        // It is shown to who starts a server, and in no log.
                        tracing::warn!(
                            "nobody has a password yet: `burgee user reset-password` gives one"
                        );
                    }
                    tracing::info!("the database is there: all is served");
                    return self.store.set(store);
                }
                Err(error) => {
                    tracing::warn!(%error, "management did not begin, trying again");
                    store.close().await;
                }
            }
        }
    }

    async fn serve_metrics(&self) -> anyhow::Result<SocketAddr> {
        let (counters, mails) = (Arc::clone(&self.api.metrics), Arc::clone(&self.mails));
        let published = self.published.clone();
        let outlets = self.config.decision_outlets.counters.clone();
        let text = move || {
            let text = metrics::joined(&counters.encode(), &published.encode());
            let text = metrics::joined(&text, &outlets.encode());
            match mails.get() {
                Some(mails) => metrics::joined(&text, &mails.encode()),
                None => text,
            }
        };
        let listen = self.metrics_listen;
        let health = burgee_edge::api::health(self.api.clone());
        metrics::serve(listen, text, health, self.stop_feed.clone())
            .await
            .with_context(|| format!("--metrics-listen: {listen} cannot be listened on"))
    }
}

/// Runs a task that never ends until `stop`.
async fn until(stop: CancellationToken, task: impl Future<Output = ()>) {
    stop.run_until_cancelled_owned(task).await;
}
