//! One environment as the edge serves it: compiled once, encoded once, shared by everyone.
//!
//! An [`Encoded`] is immutable. When a change arrives the hub makes the next one, which shares all
//! that did not change, swaps it in ([`Environment::current`]) and publishes the step between the
//! two as an [`Update`]. What is sent, and when it is `full` or `patch`, is in `docs/protocol.md`.

mod arrival;
mod client;
mod encoded;
mod ofrep;
mod server;
mod update;
mod wire;

use std::sync::Arc;

use arc_swap::ArcSwap;

pub use arrival::Arrival;
pub use encoded::{CLOCK_TOLERANCE, Encoded, ServerAnswer, Sync};
pub use server::{FULL_STATE_LIMIT, WireItem};
pub use update::Update;

/// An environment that the edge knows, whatever state it is in.
pub struct Environment {
    id: Arc<str>,
    current: ArcSwap<Encoded>,
}

impl Environment {
    pub(crate) fn new(id: Arc<str>, first: Arc<Encoded>) -> Self {
        Self {
            id,
            current: ArcSwap::new(first),
        }
    }

    /// The environment's id.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// What is served now. Take it once for an answer and use only that: the next call may give a
    /// newer one.
    pub fn current(&self) -> Arc<Encoded> {
        self.current.load_full()
    }

    pub(crate) fn replace(&self, next: Arc<Encoded>) {
        self.current.store(next);
    }
}

#[cfg(test)]
mod tests;
