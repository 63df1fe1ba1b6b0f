//! Starting and stopping.
//!
//! Start: data → first set-up → feed → traffic → loops → metrics; stop the other way round, so
//! that nothing is told to anyone who is gone already.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use burgee_edge::driver;
use burgee_edge::hub::Hub;
use burgee_edge::metrics::Metrics;
use burgee_edge::traffic::Traffic;
use burgee_store::Store;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::app::AppState;
use crate::config::Config;
use crate::feed::{self, LocalSource};
use crate::sink::LocalSink;
use crate::{demo, metrics, router, setup};

/// A running service.
pub struct Server {
    address: SocketAddr,
    metrics_address: SocketAddr,
    first_start: bool,
    store: Store,
    edge: driver::Handle,
    feeding: Vec<JoinHandle<()>>,
    /// Told first: loops close their connections.
    stop_edge: CancellationToken,
    /// Told when all connections are gone: the rest ends.
    stop_feed: CancellationToken,
}

impl Server {
    /// Opens the data, binds the addresses, and returns when SDKs can be answered.
    pub async fn start(config: Config) -> anyhow::Result<Self> {
        let store = Store::open(config.location.clone())
            .await
            .context("the data did not open")?;
        store
            .migrate()
            .await
            .context("the database was not migrated")?;
        let first_start = setup::first_start(&store).await?;
        if config.demo {
            demo::seed(&store)
                .await
                .context("the demo data was not seeded")?;
        }
        let (stop_edge, stop_feed) = (CancellationToken::new(), CancellationToken::new());
        let counters = Arc::new(Metrics::default());
        let hub = Hub::new(
            Arc::new(LocalSource::new(store.clone())),
            Arc::clone(&counters),
        );
        let traffic = Traffic::new(uuid::Uuid::now_v7().to_string(), Arc::clone(&counters));
        let sink = Arc::new(LocalSink::new(store.clone()));
        let feeding = vec![
            tokio::spawn(Arc::clone(&hub).run(stop_feed.clone())),
            tokio::spawn(Arc::clone(&traffic).run(sink, stop_feed.clone())),
        ];
        let heard = tokio::spawn(until(stop_feed.clone(), feed::listen(store.clone())));
        let kept = tokio::spawn(until(
            stop_feed.clone(),
            crate::retention::run(store.clone()),
        ));
        hub.ready().await;

        let api = burgee_edge::api::Api {
            hub: Arc::clone(&hub),
            traffic: Arc::clone(&traffic),
            metrics: Arc::clone(&counters),
        };
        let state = AppState {
            store: store.clone(),
            hub: Arc::clone(&hub),
        };
        let (management, _) = router::router(state);
        let routes = burgee_edge::api::router(api.clone()).merge(management);
        let edge = driver::serve(
            config.listen,
            &api,
            routes,
            stop_edge.clone(),
            config.driver(),
        )
        .with_context(|| format!("--listen: {} cannot be listened on", config.listen))?;
        let text = move || counters.encode();
        let metrics_address =
            metrics::serve(config.metrics_listen, text, stop_feed.clone()).await?;
        Ok(Self {
            address: edge.local_addr(),
            metrics_address,
            first_start,
            store,
            edge,
            feeding: feeding.into_iter().chain([heard, kept]).collect(),
            stop_edge,
            stop_feed,
        })
    }

    /// Where SDKs and the API are answered.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where Prometheus metrics are answered.
    pub fn metrics_address(&self) -> SocketAddr {
        self.metrics_address
    }

    /// Whether the database was empty.
    pub fn is_first_start(&self) -> bool {
        self.first_start
    }

    /// Tells all connections to come back later (1001), waits for them to go, writes what is
    /// still buffered, and closes the data.
    pub async fn stop(self) {
        self.stop_edge.cancel();
        self.edge.ended().await;
        self.stop_feed.cancel();
        for task in self.feeding {
            if let Err(error) = task.await {
                tracing::error!(%error, "a background task ended badly");
            }
        }
        self.store.close().await;
    }
}

/// Runs a task that never ends until `stop`.
async fn until(stop: CancellationToken, task: impl Future<Output = ()>) {
    stop.run_until_cancelled_owned(task).await;
}
