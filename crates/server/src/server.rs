//! Starting and stopping.
//!
//! Start: data → first set-up → feed → traffic → loops → metrics; stop the other way round, so
//! that nothing is told to anyone who is gone already.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use burgee_edge::api::Api;
use burgee_edge::driver;
use burgee_edge::hub::Hub;
use burgee_edge::metrics::{self, Metrics};
use burgee_edge::traffic::Traffic;
use burgee_relay::serve::Feeding;
use burgee_store::Store;
use burgee_store::dialect::Clock;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::app::{AppState, now};
use crate::auth::oidc::Providers;
use crate::auth::seal::Keyring;
use crate::config::Config;
use crate::events::Events;
use crate::feed::{self, LocalSource};
use crate::fetch::Fetcher;
use crate::mail::{Mailer, Post};
use crate::rates::Limiter;
use crate::sink::LocalSink;
use crate::{audit, demo, due, relays, retention, router, setup};

/// A running service.
pub struct Server {
    address: SocketAddr,
    metrics_address: SocketAddr,
    first_start: bool,
    owner_password: Option<String>,
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
        burgee_edge::allocator::give_large_blocks_back();
        let (store, first_start) = open(&config).await?;
        let (stop_edge, stop_feed) = (CancellationToken::new(), CancellationToken::new());
        let (api, relays, mut feeding) = feed_edge(&store, &stop_edge, &stop_feed);
        api.hub.ready().await;

        let counters = Arc::clone(&api.metrics);
        let (listen, driver) = (config.listen, config.driver());
        let taken = || format!("--listen: {listen} cannot be listened on");
        let listening = driver::listen(listen, &driver).with_context(taken)?;
        let events = Events::new(store.clone(), stop_edge.clone());
        let mut state = state(&config, listening.local_addr(), &store, &api, events)?;
        feeding.extend(start_mail(&config, &mut state, &stop_feed)?);
        let mails = state.mail.counters().clone();
        let audit = audit::Keeping::new(store.clone(), state.keyring.clone());
        feeding.push(tokio::spawn(until(
            stop_feed.clone(),
            due::keep(store.changed(), audit),
        )));
        let owner_password = setup::first_password(&store).await?;
        let management = router::router(state);
        let routes = burgee_edge::api::router(api.clone());
        let routes = routes.merge(relays.router()).merge(management);
        let edge = driver::serve(listening, &api, routes, stop_edge.clone(), driver)
            .with_context(taken)?;
        let text = move || metrics::joined(&counters.encode(), &mails.encode());
        let listen = config.metrics_listen;
        let metrics_address = metrics::serve(listen, text, stop_feed.clone())
            .await
            .with_context(|| format!("--metrics-listen: {listen} cannot be listened on"))?;
        Ok(Self {
            address: edge.local_addr(),
            metrics_address,
            first_start,
            owner_password,
            store,
            edge,
            feeding,
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
        for task in self.feeding {
            if let Err(error) = task.await {
                tracing::error!(%error, "a background task ended badly");
            }
        }
        self.store.close().await;
    }
}

/// What handlers can reach. Without another word people reach the server where it listens.
fn state(
    config: &Config,
    listening: SocketAddr,
    store: &Store,
    api: &Api,
    events: Arc<Events>,
) -> anyhow::Result<AppState> {
    let file = config.instance_key_file.as_deref();
    let keyring = file.map(Keyring::load).transpose()?;
    let url = config.public_url.clone();
    let url = url.unwrap_or_else(|| format!("http://{listening}"));
    let secure = url.starts_with("https://");
    // A server that is itself reached without TLS may ask one on the same machine so.
    let fetcher = Fetcher::new(!secure)?;
    Ok(AppState {
        store: store.clone(),
        hub: Arc::clone(&api.hub),
        events,
        keyring: keyring.map(Arc::new),
        providers: Arc::new(Providers::new(fetcher)),
        mail: Mailer::none(),
        resets: Arc::default(),
        limiter: Arc::new(Limiter::new(config.rates)),
        throttle: Arc::default(),
        trusted_proxies: config.trusted_proxies.clone().into(),
        secure_cookies: secure,
        public_url: url.trim_end_matches('/').into(),
    })
}

/// Begins to send mail, where a mail server is configured; the task that does.
fn start_mail(
    config: &Config,
    state: &mut AppState,
    stop: &CancellationToken,
) -> anyhow::Result<Option<JoinHandle<()>>> {
    let Some(server) = &config.smtp_url else {
        return Ok(None);
    };
    let from = config.mail_from.as_deref().unwrap_or_default();
    let post = Post::new(
        server,
        from,
        state.store.clone(),
        Arc::clone(&state.public_url),
    )?;
    let (mailer, sending) = Mailer::new(post, stop.clone());
    state.mail = mailer;
    Ok(Some(tokio::spawn(sending)))
}

/// Opens the data and sets up what is missing. Says whether the database was empty.
async fn open(config: &Config) -> anyhow::Result<(Store, bool)> {
    let opened = Store::open(config.location.clone()).await;
    let store = opened.context("the data did not open")?;
    let migrated = store.migrate().await;
    migrated.context("the database was not migrated")?;
    let first_start = setup::first_start(&store).await?;
    // Before anybody is let in: what ended while no server ran.
    let ended = store.end_sdk_keys(Clock::Shared(now())).await;
    ended.context("keys that were rotated were not ended")?;
    let ended = store.end_relay_secrets(Clock::Shared(now())).await;
    ended.context("secrets of relay keys that were rotated were not ended")?;
    if config.demo {
        let seeded = demo::seed(&store).await;
        seeded.context("the demo data was not seeded")?;
    }
    Ok((store, first_start))
}

/// Makes the edge's state, what feeds relays from it, and the tasks between it and the store.
fn feed_edge(
    store: &Store,
    stop_edge: &CancellationToken,
    stop: &CancellationToken,
) -> (Api, Arc<Feeding>, Vec<JoinHandle<()>>) {
    let metrics = Arc::new(Metrics::default());
    let source = Arc::new(LocalSource::new(store.clone()));
    let hub = Hub::new(Arc::clone(&source) as _, Arc::clone(&metrics));
    let traffic = Traffic::new(uuid::Uuid::now_v7().to_string(), Arc::clone(&metrics));
    let sink = Arc::new(LocalSink::new(store.clone()));
    let relays = Feeding::new(
        Arc::clone(&hub),
        source,
        Arc::clone(&sink) as _,
        relays::access(store),
        stop_edge.clone(),
    );
    let end_keys = due::EndKeys(store.clone());
    let end_secrets = due::EndRelaySecrets(store.clone());
    let apply_steps = due::ApplySteps(store.clone());
    let tasks = vec![
        tokio::spawn(Arc::clone(&hub).run(stop.clone())),
        tokio::spawn(Arc::clone(&hub).tell_of_use(Arc::clone(&sink) as _, stop.clone())),
        tokio::spawn(Arc::clone(&traffic).run(sink, stop.clone())),
        tokio::spawn(until(stop.clone(), feed::listen(store.clone()))),
        tokio::spawn(until(stop.clone(), due::keep(store.changed(), end_keys))),
        tokio::spawn(until(stop.clone(), due::keep(store.changed(), end_secrets))),
        tokio::spawn(until(stop.clone(), due::keep(store.changed(), apply_steps))),
        tokio::spawn(until(stop.clone(), retention::run(store.clone()))),
    ];
    let api = Api {
        hub,
        traffic,
        metrics,
    };
    (api, relays, tasks)
}

/// Runs a task that never ends until `stop`.
async fn until(stop: CancellationToken, task: impl Future<Output = ()>) {
    stop.run_until_cancelled_owned(task).await;
}
