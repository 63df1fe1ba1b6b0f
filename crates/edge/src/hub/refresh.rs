//! Bringing one environment up to date: fetch, compile, swap, tell.

use std::sync::Arc;
use std::time::SystemTime;

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;

use super::{Event, Hub};
use crate::environment::{Encoded, Environment, Update};
use crate::source::{Changes, Delta, SdkKey, State, Unavailable};

/// From this much work on, compiling moves off the async threads: below it takes well under a
/// millisecond.
const LARGE: usize = 200;

/// Roughly how much work compiling is, in flags; so many keys of users weigh as much as one.
fn work(flags: &[Flag], segments: &[Segment]) -> usize {
    const KEYS: usize = 64;
    let targets = flags
        .iter()
        .flat_map(|flag| &flag.target_users)
        .map(|list| list.key_ids.len());
    let members = segments
        .iter()
        .map(|segment| segment.included.len() + segment.excluded.len());
    flags.len() + segments.len() + targets.chain(members).sum::<usize>() / KEYS
}

/// Fetches what is new of an environment and puts it in place.
pub(super) async fn refresh(hub: &Arc<Hub>, id: &str) -> Result<(), Unavailable> {
    let began = SystemTime::now();
    let before = generation(hub, id);
    renew(hub, id).await?;
    // What was there when this process started is nobody's news.
    if before.is_some() && generation(hub, id) != before {
        trace(hub, id, began);
    }
    Ok(())
}

/// Which of its states an environment is at; none where it is not here.
fn generation(hub: &Hub, id: &str) -> Option<u32> {
    Some(hub.environment(id)?.current().generation())
}

/// Adds to the trace of a change how long it took to be served here.
fn trace(hub: &Hub, id: &str, began: SystemTime) {
    if let Some(environment) = hub.environment(id)
        && let arrival = environment.current().arrival()
        && let Some(trace) = arrival.trace
    {
        let when = (began, SystemTime::now());
        trace.record("take up a version", when, (id, arrival.version), []);
    }
}

async fn renew(hub: &Arc<Hub>, id: &str) -> Result<(), Unavailable> {
    let Some(environment) = hub.environment(id) else {
        if let Some(state) = hub.source.state(id).await? {
            add(hub, state).await?;
        }
        return Ok(());
    };
    let from = environment.current();
    match hub.source.changes(id, from.position()).await? {
        Changes::Since(delta) => advance(hub, environment, from, delta).await,
        Changes::Reload(state) => reload(hub, environment, from, state).await,
        Changes::Gone => {
            hub.remove(id);
            Ok(())
        }
    }
}

async fn add(hub: &Arc<Hub>, mut state: State) -> Result<(), Unavailable> {
    let id: Arc<str> = state.environment.as_str().into();
    let keys = std::mem::take(&mut state.keys);
    let large = work(&state.flags, &state.segments) > LARGE;
    let first = compile(large, move || Encoded::first(state)).await?;
    let environment = Arc::new(Environment::new(id, Arc::new(first)));
    hub.set_keys(&environment, &keys);
    hub.insert(environment);
    hub.progressed.notify_waiters();
    Ok(())
}

async fn advance(
    hub: &Arc<Hub>,
    environment: Arc<Environment>,
    from: Arc<Encoded>,
    mut delta: Delta,
) -> Result<(), Unavailable> {
    let keys = delta.keys.take();
    if delta.position != from.position() {
        let large = from.items().max(work(&delta.flags, &delta.segments)) > LARGE;
        let old = Arc::clone(&from);
        let (to, affected) = compile(large, move || old.apply(delta)).await?;
        let to = Arc::new(to);
        let update = Update::change(Arc::clone(&environment), from, to, &affected);
        replace(hub, &environment, keys.as_deref(), update);
    } else if let Some(keys) = keys {
        hub.renew_keys(&environment, &keys);
    }
    hub.progressed.notify_waiters();
    Ok(())
}

async fn reload(
    hub: &Arc<Hub>,
    environment: Arc<Environment>,
    from: Arc<Encoded>,
    mut state: State,
) -> Result<(), Unavailable> {
    let keys = std::mem::take(&mut state.keys);
    let large = work(&state.flags, &state.segments) > LARGE;
    let old = Arc::clone(&from);
    let to = Arc::new(compile(large, move || old.replaced(state)).await?);
    let update = Update::reload(Arc::clone(&environment), from, to);
    replace(hub, &environment, Some(&keys), update);
    hub.progressed.notify_waiters();
    Ok(())
}

/// Keys first: the connections of revoked ones need no news, and whoever waits for the new state
/// may count on its keys. Nothing is told of an environment that went meanwhile.
fn replace(hub: &Hub, environment: &Arc<Environment>, keys: Option<&[SdkKey]>, update: Update) {
    if keys.is_some_and(|keys| !hub.renew_keys(environment, keys)) {
        return;
    }
    environment.replace(Arc::clone(update.to()));
    hub.publish(Event::Update(Arc::new(update)));
}

async fn compile<T: Send + 'static>(
    large: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unavailable> {
    if !large {
        return Ok(work());
    }
    let failed = |error: tokio::task::JoinError| Unavailable(error.to_string());
    tokio::task::spawn_blocking(work).await.map_err(failed)
}
