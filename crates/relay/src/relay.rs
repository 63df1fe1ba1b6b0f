//! Starting and stopping a relay.

mod behind;
mod figures;
mod metrics;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use burgee_edge::api::Api;
use burgee_edge::driver;
use burgee_edge::hub::Hub;
use burgee_edge::metrics::{Metrics, serve};
use burgee_edge::sink::Sink;
use burgee_edge::source::{BoxFuture, Source};
use burgee_edge::tls::Tls;
use burgee_edge::traffic::Traffic;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::TlsFiles;
use crate::air_gapped::{Nowhere, StateFile};
use crate::backbone::Follow;
use crate::message::{Report, sent};
use crate::serve::Feeding;
use crate::upstream::{Address, Status, Upstream};

/// The grace of `burgee relay`.
pub const GRACE: Duration = Duration::from_secs(2);

/// The options of `burgee relay`.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where SDKs and further relays are answered. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// Lets other processes listen there too, each answering some of those who connect.
    pub share_port: bool,
    /// The certificate that all who connect there are shown; without one it is plain HTTP.
    pub tls: Option<TlsFiles>,
    /// Where Prometheus metrics are answered.
    pub metrics_listen: SocketAddr,
    /// Where its environments come from.
    pub from: From,
    /// How long it waits for its upstream, when it starts, before it serves what was on its disk: after
    /// a crash that is older than what its SDKs have.
    pub grace: Duration,
    /// Over how long a stopping relay spreads telling connections to come back.
    pub drain: Duration,
}

/// Where a relay's environments come from.
#[derive(Clone)]
pub enum From {
    /// A server, or another relay.
    Upstream {
        /// Where.
        address: Address,
        /// The relay key.
        key: String,
        /// Where the environments, and traffic that waits, are kept.
        folder: PathBuf,
        /// What it is called where relays are listed.
        name: String,
        /// How many bytes of traffic may wait on the disk.
        spool: u64,
    },
    /// NATS.
    Backbone {
        /// Which, and what of it.
        follow: Follow,
        /// As of an upstream.
        folder: PathBuf,
        /// As of an upstream.
        name: String,
        /// As of an upstream.
        spool: u64,
    },
    /// A file that `burgee export-state` wrote.
    File(PathBuf),
}

impl std::fmt::Debug for From {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Upstream { address, .. } => write!(f, "{address}"),
            Self::Backbone { follow, .. } => write!(f, "{:?}", follow.backbone),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A running relay.
pub struct Relay {
    address: SocketAddr,
    metrics_address: SocketAddr,
    edge: driver::Handle,
    hub: Arc<Hub>,
    upstream: Option<Arc<Upstream>>,
    tasks: Vec<JoinHandle<()>>,
    /// Told first: loops close their connections.
    stop_edge: CancellationToken,
    /// Told when all connections are gone.
    stop_rest: CancellationToken,
}

impl Relay {
    /// Opens the folder or the file, binds the addresses, and returns when SDKs are answered: as
    /// long as nothing is known of the environments they are told to come back.
    ///
    /// Needs tokio's runtime of several threads: what blocks is handed from one to the others.
    ///
    /// # Errors
    /// Where the folder, the file or an address cannot be used.
    pub async fn start(config: Config) -> anyhow::Result<Self> {
        burgee_edge::allocator::give_large_blocks_back();
        let (stop_edge, stop_rest) = (CancellationToken::new(), CancellationToken::new());
        let tls = config.tls.clone().map(Tls::load).transpose()?;
        let parts = Parts::open(&config.from)?;
        let counters = Arc::new(Metrics::default());
        let hub = Hub::new(Arc::clone(&parts.source), Arc::clone(&counters));
        let sender = uuid::Uuid::now_v7().to_string();
        let api = Api {
            traffic: Traffic::new(sender, Arc::clone(&counters)),
            hub: Arc::clone(&hub),
            metrics: Arc::clone(&counters),
        };
        let driver = driver::Config {
            tls,
            drain: config.drain,
            share_port: config.share_port,
            ..driver::Config::default()
        };
        let taken = || format!("--listen: {} cannot be listened on", config.listen);
        let listening = driver::listen(config.listen, &driver).with_context(taken)?;
        let routes = parts.routes(&api, &stop_edge);
        let edge = driver::serve(listening, &api, routes, stop_edge.clone(), driver)
            .with_context(taken)?;
        let tasks = parts.run(&config, &api, &edge, &stop_rest);
        let upstream = parts.upstream;
        let text = metrics::text(Arc::clone(&counters), upstream.clone());
        let listen = config.metrics_listen;
        let taken = || format!("--metrics-listen: {listen} cannot be listened on");
        let health = burgee_edge::api::health(api);
        let metrics_address = serve(listen, text, health, stop_rest.clone())
            .await
            .with_context(taken)?;
        Ok(Self {
            address: edge.local_addr(),
            metrics_address,
            edge,
            hub,
            upstream,
            tasks,
            stop_edge,
            stop_rest,
        })
    }

    /// Where SDKs are answered.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where Prometheus metrics, and health, are answered.
    pub fn metrics_address(&self) -> SocketAddr {
        self.metrics_address
    }

    /// Resolves once environments are served.
    pub async fn ready(&self) {
        self.hub.ready().await;
    }

    /// Resolves while there is no connection to the upstream.
    pub async fn disconnected(&self) {
        if let Some(upstream) = &self.upstream {
            upstream.disconnected().await;
        }
    }

    /// Resolves while traffic waits on the disk.
    pub async fn spooled(&self) {
        if let Some(upstream) = &self.upstream {
            upstream.spooled().await;
        }
    }

    /// Resolves when streaming ended without being told to: a loop panicked.
    pub async fn failed(&self) {
        self.stop_edge.cancelled().await;
    }

    /// Tells all connections to come back later (1001), waits for them to go, and sends or keeps
    /// what is still buffered.
    pub async fn stop(self) {
        self.stop_edge.cancel();
        self.edge.ended().await;
        self.stop_rest.cancel();
        for task in self.tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, "a background task ended badly");
            }
        }
        if let Some(upstream) = &self.upstream {
            upstream.keep_now().await;
        }
    }
}

/// What a relay is made of, apart from the edge.
struct Parts {
    source: Arc<dyn Source>,
    sink: Arc<dyn Sink>,
    upstream: Option<Arc<Upstream>>,
}

impl Parts {
    fn open(from: &From) -> anyhow::Result<Self> {
        match from {
            From::Upstream {
                folder,
                name,
                spool,
                ..
            }
            | From::Backbone {
                folder,
                name,
                spool,
                ..
            } => {
                let opened = Upstream::open(folder, name.clone(), *spool);
                let place = || format!("the folder {} cannot be used", folder.display());
                let upstream = opened.with_context(place)?;
                Ok(Self {
                    source: Arc::clone(&upstream) as _,
                    sink: Arc::clone(&upstream) as _,
                    upstream: Some(upstream),
                })
            }
            From::File(path) => {
                let place = || format!("the file {} cannot be served", path.display());
                let file = StateFile::open(path.clone()).with_context(place)?;
                Ok(Self {
                    source: Arc::new(file),
                    sink: Arc::new(Nowhere),
                    upstream: None,
                })
            }
        }
    }

    /// What is answered besides streaming. Without an upstream nobody can say which relay keys are
    /// good, so that none is fed.
    fn routes(&self, api: &Api, stop: &CancellationToken) -> axum::Router {
        let routes = burgee_edge::api::router(api.clone());
        let Some(upstream) = &self.upstream else {
            return routes;
        };
        let feeding = Feeding::new(
            Arc::clone(&api.hub),
            Arc::clone(&self.source),
            Arc::clone(&self.sink),
            Arc::new(behind::Behind(Arc::clone(upstream))),
            stop.clone(),
        );
        routes.merge(feeding.router())
    }

    fn run(
        &self,
        config: &Config,
        api: &Api,
        edge: &driver::Handle,
        stop: &CancellationToken,
    ) -> Vec<JoinHandle<()>> {
        let (hub, sink) = (&api.hub, &self.sink);
        let mut tasks = vec![
            tokio::spawn(Arc::clone(hub).run(stop.clone())),
            tokio::spawn(Arc::clone(hub).tell_of_use(Arc::clone(sink), stop.clone())),
            tokio::spawn(Arc::clone(&api.traffic).run(Arc::clone(sink), stop.clone())),
        ];
        if let Some(upstream) = &self.upstream {
            let status = status(upstream, hub, edge);
            let following = following(upstream, &config.from, status);
            let keeping = Arc::clone(upstream).keep();
            let making_do = Arc::clone(upstream).make_do(config.grace);
            let ended = Arc::clone(upstream);
            // The connection is needed to send what is left: it ends some time after the rest.
            let after = stop.clone();
            let delivery = api.metrics.delivery.clone();
            let telling = figures::tell(Arc::clone(upstream), delivery, stop.clone());
            tasks.push(tokio::spawn(telling));
            tasks.push(tokio::spawn(async move {
                tokio::select! {
                    () = following => {}
                    () = keeping => {}
                    () = making_do => {}
                    () = late(after) => {}
                }
                // Whoever still waits for the upstream keeps what it has on the disk.
                ended.let_go();
            }));
        }
        tasks
    }
}

/// Follows where a relay's environments come from, and never ends.
fn following(upstream: &Arc<Upstream>, from: &From, status: Status) -> BoxFuture<'static, ()> {
    let upstream = Arc::clone(upstream);
    match from {
        From::Upstream { address, key, .. } => {
            Box::pin(upstream.follow(address.clone(), key.clone(), status))
        }
        From::Backbone { follow, .. } => Box::pin(upstream.follow_backbone(follow.clone(), status)),
        From::File(_) => Box::pin(std::future::pending()),
    }
}

/// Resolves when what is left in memory has had its time.
async fn late(stop: CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(LAST).await;
}

/// How long the connection to the upstream outlives the connections of SDKs.
const LAST: Duration = Duration::from_secs(1);

/// What the relay tells of itself.
fn status(upstream: &Arc<Upstream>, hub: &Arc<Hub>, edge: &driver::Handle) -> Status {
    let agent = upstream.agent().clone();
    let (hub, counters) = (Arc::clone(hub), edge.counters().to_vec());
    Arc::new(move || Report {
        agent: agent.clone(),
        connections: counters.iter().map(|it| it.streaming()).sum(),
        environments: hub
            .positions()
            .into_iter()
            .map(|(id, at)| (id, sent(at)))
            .collect(),
        key: String::new(),
        address: String::new(),
        via: None,
    })
}
