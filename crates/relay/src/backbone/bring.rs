//! Bringing an environment to where the stream ends: by the changes from where the relay has it, where
//! the stream has them; else by the newest whole state and the changes after it.
//!
//! Changes are taken as they are read, each of which is a step that servers took. A whole state is
//! older than what leads on from it, so both are put together first: nobody is served a step back.

use burgee_edge::source::Position;

use super::Fault;
use super::streams::{Asked, Streams};
use super::wire::{Object, Pointer};
use crate::message::{Since, sent};
use crate::mirror::Mirror;
use crate::upstream::Upstream;

/// Where an environment is to be brought.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// Its id.
    pub(super) id: String,
    /// The number of its last message.
    pub(super) sequence: u64,
    /// Where that leads; none where it cannot be read.
    pub(super) to: Option<Position>,
}

/// Brings an environment. Gives what is to take its place, where changes did not lead there.
pub(super) async fn bring(
    upstream: &Upstream,
    streams: &Streams,
    wanted: &Wanted,
) -> Result<Option<Mirror>, Fault> {
    let id = &wanted.id;
    let to = wanted.to.ok_or(Fault::Headers("all"))?;
    let here = upstream.mirror().position(id);
    if here == Some(to) {
        return Ok(None);
    }
    let pointer = streams.pointer(id, Asked::Anyone).await?;
    let missing = || Fault::Broken(format!("any state of {id}"));
    let (pointer, _) = pointer.ok_or_else(missing)?;
    if let Some(here) = here
        && let Some(first) = start(&pointer, here, to)
        && lead(upstream, streams, wanted, (here, first)).await?
    {
        return Ok(None);
    }
    let started = streams
        .started(id, &pointer.newest, wanted.sequence, None)
        .await?;
    // A state may be newer than the end of the stream: it was read from the database after it.
    let reached = started.position(id) == Some(to) || pointer.newest.position.0 > to.version;
    match reached {
        true => Ok(Some(started)),
        false => Err(Fault::Broken(format!("{id} at {}", to.version))),
    }
}

/// From which message on the stream has all that came after `here`, if that leads to `to`.
fn start(pointer: &Pointer, here: Position, to: Position) -> Option<u64> {
    let mut known = [Some(&pointer.newest), pointer.previous.as_ref()]
        .into_iter()
        .flatten();
    let before = |state: &&Object| state.position.0 <= here.version && here.version < to.version;
    Some(known.find(before)?.start)
}

/// Takes the changes that lead on from where an environment is; whether they lead to the end.
async fn lead(
    upstream: &Upstream,
    streams: &Streams,
    wanted: &Wanted,
    (here, first): (Position, u64),
) -> Result<bool, Fault> {
    let range = (first, wanted.sequence);
    let mut chain = streams.chain(&wanted.id, range, here.version).await?;
    while let Some(since) = chain.next().await? {
        advance(upstream, since);
    }
    Ok(upstream.mirror().position(&wanted.id) == wanted.to)
}

/// Takes a change where it begins at the place where the environment is. Whether the environment is
/// where it leads.
pub(super) fn advance(upstream: &Upstream, since: Since) -> bool {
    let id = since.environment.clone();
    let here = upstream.mirror().position(&id).map(sent);
    if here == Some(since.position) {
        return true;
    }
    let fits = upstream.mirror().advance(since).is_ok();
    if fits {
        upstream.learned(id);
    }
    fits
}
