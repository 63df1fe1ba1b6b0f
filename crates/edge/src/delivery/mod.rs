//! Which connections have which version of their environment, and how long that took.
//!
//! A connection *has written* a version when all its bytes were handed to the socket, and *has
//! received* it when later something came from the peer while the kernel held nothing that the peer
//! had not acknowledged. Each loop counts its own connections by the versions that it knows
//! (`driver/progress.rs`); what is here adds the loops up when somebody asks ([`Delivery`]), and is
//! the shape in which a node tells others of it ([`NodeReport`]). Why so:
//! `docs/adr/0017-delivery-is-counted-where-connections-are.md`.

mod ask;
mod merge;
mod report;
mod reporter;
mod times;

pub use ask::{ConnectionFilter, ConnectionPage, ConnectionView, Delivery, Place};
pub(crate) use ask::{Found, Search, Survey};
pub(crate) use merge::{LoopReport, LoopStep};
pub use report::{EnvironmentReport, NodeKind, NodeReport, SdkReport, TOLD, VersionReport};
pub use reporter::Reporter;
pub use times::Times;

/// How far a connection has come with a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Its bytes were handed to the socket.
    Written,
    /// The peer has acknowledged them.
    Received,
}

/// A value for each level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerLevel<T> {
    /// Of [`Level::Written`].
    pub written: T,
    /// Of [`Level::Received`].
    pub received: T,
}

impl<T> PerLevel<T> {
    /// The one of a level.
    pub fn of(&self, level: Level) -> &T {
        match level {
            Level::Written => &self.written,
            Level::Received => &self.received,
        }
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, level: Level) -> &mut T {
        match level {
            Level::Written => &mut self.written,
            Level::Received => &mut self.received,
        }
    }
}

#[cfg(test)]
mod tests;
