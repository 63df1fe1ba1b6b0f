//! Management, once the data is open: what it is made of, and its routes.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use burgee_edge::api::Api;
use burgee_store::Store;
use burgee_store::dialect::Clock;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::until;
use crate::app::{AppState, now};
use crate::auth::oidc::Providers;
use crate::auth::seal::Keyring;
use crate::config::Config;
use crate::delivery::Deliveries;
use crate::events::Events;
use crate::fetch::Fetcher;
use crate::mail::{Mailer, Post};
use crate::rates::Limiter;
use crate::{audit, demo, due, feed, retention, router, setup};

/// What management comes to.
pub(super) struct Management {
    pub(super) routes: Router,
    /// What `/metrics` says of mails.
    pub(super) mails: crate::mail::Counters,
    /// The one-time password of the owner's account, where it was given just now.
    pub(super) owner_password: Option<String>,
}

/// Makes management over an open store, beside an edge (its node's name, itself, where it listens), and
/// begins what it does by itself: until `stop`, counted by `tasks`. Streams to people end at `stop_edge`.
pub(super) async fn begin(
    config: &Config,
    store: &Store,
    edge: (&str, &Api, SocketAddr),
    (stop_edge, stop): (&CancellationToken, &CancellationToken),
    tasks: &TaskTracker,
) -> anyhow::Result<Management> {
    let events = Events::new(store.clone(), stop_edge.clone());
    let mut state = state(config, store, edge, events)?;
    let sending = start_mail(config, &mut state, stop)?;
    let mails = state.mail.counters().clone();
    let audit = audit::Keeping::new(store.clone(), state.keyring.clone());
    let owner_password = setup::first_password(store).await?;
    // From here on nothing fails: what is begun is begun once.
    if let Some(sending) = sending {
        tasks.spawn(sending);
    }
    let deliveries = Arc::clone(&state.deliveries);
    tasks.spawn(deliveries.tell(store.clone(), stop.clone()));
    keep_going(store, audit, stop, tasks);
    Ok(Management {
        routes: router::router(state),
        mails,
        owner_password,
    })
}

/// What is done by itself, by whichever server is first.
fn keep_going(store: &Store, audit: audit::Keeping, stop: &CancellationToken, tasks: &TaskTracker) {
    let changed = || store.changed();
    let end_keys = due::EndKeys(store.clone());
    let apply_steps = due::ApplySteps(store.clone());
    let end_relays = due::EndRelaySecrets(store.clone());
    tasks.spawn(until(stop.clone(), due::keep(changed(), audit)));
    tasks.spawn(until(stop.clone(), due::keep(changed(), end_keys)));
    tasks.spawn(until(stop.clone(), due::keep(changed(), apply_steps)));
    tasks.spawn(until(stop.clone(), due::keep(changed(), end_relays)));
    tasks.spawn(until(stop.clone(), retention::run(store.clone())));
    tasks.spawn(until(stop.clone(), feed::listen(store.clone())));
}

/// What handlers can reach. Without another word people reach the server where it listens.
fn state(
    config: &Config,
    store: &Store,
    (node, api, listening): (&str, &Api, SocketAddr),
    events: Arc<Events>,
) -> anyhow::Result<AppState> {
    let file = config.instance_key_file.as_deref();
    let keyring = file.map(Keyring::load).transpose()?;
    let url = config.url(listening);
    let secure = url.starts_with("https://");
    // A server that is itself reached without TLS may ask one on the same machine so.
    let fetcher = Fetcher::new(!secure)?;
    Ok(AppState {
        store: store.clone(),
        hub: Arc::clone(&api.hub),
        deliveries: Arc::new(Deliveries::new(
            node,
            api.metrics.delivery.clone(),
            listening,
        )),
        hide_addresses: config.hide_addresses,
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

/// What sends mail, where a mail server is configured.
fn start_mail(
    config: &Config,
    state: &mut AppState,
    stop: &CancellationToken,
) -> anyhow::Result<Option<impl Future<Output = ()> + Send + use<>>> {
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
    Ok(Some(sending))
}

/// Opens the data and sets up what is missing. Says whether the database was empty.
pub(super) async fn open(config: &Config) -> anyhow::Result<(Store, bool)> {
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
