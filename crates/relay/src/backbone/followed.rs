//! What a relay knows of an environment in the stream: what was read of it, and how it is brought
//! where that does not fit.
//!
//! NATS has replicas that lag, and can lose its end. So what says that an environment is at an earlier
//! version than here is believed at once only where a server said so after what is here came from
//! this very stream: that it is to be taken anew, as the database was restored. All else has its time
//! to become newer.

use std::time::Duration;

use async_nats::HeaderMap;
use burgee_edge::source::Position;
use tokio::time::Instant;

use super::Fault;
use super::bring::{Wanted, advance};
use super::publish::end_of;
use super::wire::{Gathering, Head, Said};
use crate::upstream::Upstream;

/// After what time an earlier version is believed: longer than servers take to fill again what the
/// stream lost.
const BELIEVED: Duration = Duration::from_secs(90);
/// The pause after the first attempt to bring it that failed; each further one doubles it.
const RETRY: Duration = Duration::from_secs(1);
/// How often it is doubled.
const DOUBLED: u32 = 5;

/// An environment that is followed, or is to be.
#[derive(Default)]
pub(super) struct Followed {
    /// Messages up to this one were read,
    read: u64,
    /// the last of which leads here; none where it cannot be read.
    end: Option<Position>,
    gathering: Gathering,
    /// Whether what is here is of this stream, and not from the disk or of one before.
    is_of_stream: bool,
    state: State,
}

/// How it stands with an environment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// It is where the stream is: what comes is taken.
    #[default]
    Level,
    /// Since then it is further than the stream.
    Ahead(Instant),
    /// It is to be brought, from then on; so many attempts failed.
    Due(Instant, u32),
    /// It is being brought, after so many attempts that failed.
    UnderWay(u32),
}

impl Followed {
    /// Takes a message of the environment `id`.
    pub(super) fn take(
        &mut self,
        upstream: &Upstream,
        (id, sequence): (&str, u64),
        headers: Option<&HeaderMap>,
        body: &[u8],
    ) {
        if sequence <= self.read {
            return;
        }
        self.read = sequence;
        let head = headers.ok_or(Fault::Headers("all")).and_then(Head::read);
        self.end = head.as_ref().ok().and_then(end_of);
        if let State::UnderWay(_) = self.state {
            return;
        }
        let here = upstream.mirror().position(id);
        let is_anew = head.as_ref().is_ok_and(|head| head.from.is_none());
        match head.and_then(|head| self.fits(upstream, head, body, here)) {
            Ok(true) => {
                self.is_of_stream = true;
                self.state = State::Level;
            }
            Ok(false) => self.want(here, is_anew),
            Err(fault) => {
                tracing::warn!(environment = id, %fault, "a change cannot be read");
                self.want(None, false);
            }
        }
    }

    /// Whether a message leaves the environment where the stream is.
    fn fits(
        &mut self,
        upstream: &Upstream,
        head: Head,
        body: &[u8],
        here: Option<Position>,
    ) -> Result<bool, Fault> {
        if Some(head.to) == here {
            self.gathering = Gathering::default();
            return Ok(true);
        }
        Ok(match self.gathering.take(head, body)? {
            Said::Part => self.end == here,
            Said::Anew | Said::Lost => false,
            Said::Since(since) => advance(upstream, *since),
        })
    }

    /// What is here (`here`) is not where the stream is.
    fn want(&mut self, here: Option<Position>, is_anew: bool) {
        let is_back = here
            .zip(self.end)
            .is_some_and(|(here, end)| end.version <= here.version);
        let is_sure = is_anew && self.is_of_stream;
        self.state = match self.state {
            due @ (State::Due(..) | State::UnderWay(_)) => due,
            ahead @ State::Ahead(_) if is_back && !is_sure => ahead,
            State::Level if is_back && !is_sure => State::Ahead(Instant::now()),
            State::Level | State::Ahead(_) => State::Due(Instant::now(), 0),
        };
    }

    /// Whether nobody has to wait for it: it is where the stream is, or further.
    pub(super) fn is_level(&self) -> bool {
        matches!(self.state, State::Level | State::Ahead(_))
    }

    /// Begins to bring it, where that is due. What is wanted then.
    pub(super) fn begin(&mut self, id: &str) -> Option<Wanted> {
        let now = Instant::now();
        let failed = match self.state {
            State::Due(at, failed) if at <= now => failed,
            State::Ahead(since) if since + BELIEVED <= now => 0,
            _ => return None,
        };
        self.state = State::UnderWay(failed);
        Some(Wanted {
            id: id.to_owned(),
            sequence: self.read,
            to: self.end,
        })
    }

    /// It was brought to the message with this number.
    pub(super) fn brought(&mut self, sequence: u64) {
        self.is_of_stream = true;
        self.gathering = Gathering::default();
        self.state = match self.read > sequence {
            true => State::Due(Instant::now(), 0),
            false => State::Level,
        };
    }

    /// It could not be brought.
    pub(super) fn failed(&mut self) {
        if let State::UnderWay(failed) = self.state {
            let pause = RETRY * 2_u32.pow(failed.min(DOUBLED));
            self.state = State::Due(Instant::now() + pause, failed + 1);
        }
    }

    /// Whoever brings it does so no more.
    pub(super) fn stop(&mut self) {
        if let State::UnderWay(failed) = self.state {
            self.state = State::Due(Instant::now(), failed);
        }
    }

    /// After which message it is read on.
    pub(super) fn read(&self) -> u64 {
        self.read
    }
}

#[cfg(test)]
mod tests;
