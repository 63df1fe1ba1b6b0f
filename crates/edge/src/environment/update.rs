//! The step from one state of an environment to the next, as connections are told it.

use std::sync::{Arc, OnceLock};

use burgee_eval::snapshot::Affected;
use burgee_eval::user::User;
use bytes::Bytes;

use super::{Encoded, Environment};
use crate::frame::deflate::Coding;

/// The step between two neighbouring states. Everything that is the same for many connections is
/// worked out once here.
pub struct Update {
    environment: Arc<Environment>,
    from: Arc<Encoded>,
    to: Arc<Encoded>,
    client: ClientStep,
    client_size: usize,
    server: OnceLock<Bytes>,
    server_deflated: OnceLock<Bytes>,
    /// Whether the new state follows from the old one.
    continuous: bool,
}

/// What a step is for client connections.
enum ClientStep {
    /// Nobody's result differs.
    Nothing,
    /// These flags' results may differ.
    Flags(Box<[usize]>),
    /// A flag went, or the histories have nothing to do with each other.
    Full,
}

impl Update {
    /// A step that follows from the state before.
    pub(crate) fn change(
        environment: Arc<Environment>,
        from: Arc<Encoded>,
        to: Arc<Encoded>,
        affected: &Affected,
    ) -> Self {
        let results: Box<[usize]> = affected.results().collect();
        let client = match results.is_empty() {
            _ if affected.any_gone() => ClientStep::Full,
            true => ClientStep::Nothing,
            false => ClientStep::Flags(results),
        };
        let client_size = match &client {
            ClientStep::Nothing => 0,
            ClientStep::Flags(flags) => to.client().size_of(flags.iter().copied()),
            ClientStep::Full => to.client_size(),
        };
        Self {
            environment,
            from,
            to,
            client,
            client_size,
            server: OnceLock::new(),
            server_deflated: OnceLock::new(),
            continuous: true,
        }
    }

    /// A state that replaces one of another history, or one too far back.
    pub(crate) fn reload(
        environment: Arc<Environment>,
        from: Arc<Encoded>,
        to: Arc<Encoded>,
    ) -> Self {
        Self {
            environment,
            from,
            client_size: to.client_size(),
            to,
            client: ClientStep::Full,
            server: OnceLock::new(),
            server_deflated: OnceLock::new(),
            continuous: false,
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

    /// Whether the new state follows from the old one. Where it does not (a restored database), a
    /// connection that missed the step cannot catch up by its stamp.
    pub fn continues(&self) -> bool {
        self.continuous
    }

    /// Whether anybody's result may differ.
    pub fn matters(&self) -> bool {
        !matches!(self.client, ClientStep::Nothing)
    }

    /// About the most bytes that [`Self::client_patch`] appends, unless it has to send everything.
    pub fn client_size(&self) -> usize {
        self.client_size
    }

    /// Appends the JSON text of the one message that a client connection gets; `false` (and nothing
    /// appended) where the step changes nothing for clients.
    pub fn client_patch(&self, user: &User<'_>, out: &mut Vec<u8>) -> bool {
        let (client, snapshot) = (self.to.client(), self.to.snapshot());
        let sent = match &self.client {
            ClientStep::Nothing => return false,
            ClientStep::Flags(flags) => client.patch(snapshot, user, flags.iter().copied(), out),
            ClientStep::Full => false,
        };
        if !sent {
            client.full(snapshot, user, out);
        }
        true
    }

    /// The places of the flags that [`Self::client_patch`] tells a client of. (Where one of them
    /// serves a user nothing, that client is sent all: the others as they were.)
    pub fn told(&self) -> impl Iterator<Item = usize> {
        let (flags, all) = match &self.client {
            ClientStep::Nothing => (&[][..], 0),
            ClientStep::Flags(flags) => (&flags[..], 0),
            ClientStep::Full => (&[][..], self.to.snapshot().flags().len()),
        };
        flags.iter().copied().chain(0..all)
    }

    /// What every server connection with this coding gets: complete unmasked text frames, for one
    /// write. Empty where the step changes nothing for server SDKs. Made once, by whoever asks
    /// first.
    pub fn server_frames(&self, coding: Coding) -> Bytes {
        let frames = match coding {
            Coding::Clear => &self.server,
            Coding::Deflate => &self.server_deflated,
        };
        frames
            .get_or_init(|| self.make_server_frames(coding))
            .clone()
    }

    fn make_server_frames(&self, coding: Coding) -> Bytes {
        let (from, to) = (&self.from, self.to.server());
        match self.continuous {
            true => {
                let frames = to.pushed_since(from.server().newest(), coding);
                frames.unwrap_or_default()
            }
            false => to.pushed_instead(from.last_stamp(), coding),
        }
    }
}
