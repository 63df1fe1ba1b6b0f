//! The step from one state of an environment to the next, as connections are told it.

use std::sync::Arc;

use burgee_eval::user::User;
use bytes::Bytes;

use super::{Encoded, Environment};

/// The step between two neighbouring states. Everything that is the same for many connections is
/// worked out once here.
pub struct Update {
    environment: Arc<Environment>,
    from: Arc<Encoded>,
    to: Arc<Encoded>,
}

impl Update {
    pub(crate) fn new(environment: Arc<Environment>, from: Arc<Encoded>, to: Arc<Encoded>) -> Self {
        Self {
            environment,
            from,
            to,
        }
    }

    /// Whose state it is.
    pub fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// The state before. A connection that was answered from an older generation than this one's
    /// missed a step: it gets `to`'s answer to a data-sync with timestamp 0 instead.
    pub fn from(&self) -> &Arc<Encoded> {
        &self.from
    }

    /// The state after. A connection that was answered from this generation, or a newer one, has
    /// nothing to get.
    pub fn to(&self) -> &Arc<Encoded> {
        &self.to
    }

    /// Appends the JSON text of the one message that a client connection gets; `false` (and nothing
    /// appended) where the step changes nothing for clients.
    pub fn client_patch(&self, user: &User<'_>, out: &mut Vec<u8>) -> bool {
        self.to.client_sync(user, 0, 0, out);
        true
    }

    /// What every server connection gets: complete unmasked text frames, for one write. Empty where
    /// the step changes nothing for server SDKs.
    pub fn server_frames(&self) -> Bytes {
        self.to.server_sync(0, 0).frames
    }
}
