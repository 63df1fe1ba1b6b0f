//! Asking the loops. What they count is theirs alone, so that counting costs no lock: they answer
//! between two turns.

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::merge::{LoopReport, merge};
use super::{EnvironmentReport, Level};
use crate::source::KeyKind;

/// The loops of this process, to be asked. Cheap to clone; there are none before streaming begins.
#[derive(Clone, Default)]
pub struct Delivery(Arc<Mutex<Vec<Asked>>>);

/// One loop.
#[derive(Clone)]
pub(super) struct Asked {
    ask: Arc<dyn Fn(Survey) + Send + Sync>,
    /// Whether anything moved since it was asked for what moved.
    pub(super) moved: Arc<AtomicBool>,
}

/// A question to a loop, and where the answer goes. A loop that has ended answers nothing.
pub(crate) enum Survey {
    /// What moved since this was asked the last time.
    Moved {
        /// So many versions of each environment.
        versions: usize,
        reply: oneshot::Sender<Moved>,
    },
    /// What there is of an environment.
    Environment {
        id: Arc<str>,
        versions: usize,
        reply: oneshot::Sender<Vec<LoopReport>>,
    },
    /// Some of an environment's connections.
    Connections(Search, oneshot::Sender<Found>),
}

/// Environments that moved, by id, and what a loop has of each.
pub(crate) type Moved = Vec<(Arc<str>, Vec<LoopReport>)>;

/// Which connections are meant.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectionFilter {
    /// Those with keys of this kind.
    pub kind: Option<KeyKind>,
    /// Those that have not come so far with a version, which is the newest one where none is named.
    pub without: Option<(Level, Option<i64>)>,
}

/// A place in the list of all connections: of which loop, and where in its table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Which loop.
    pub of_loop: u32,
    /// The first place that is looked at.
    pub from: u32,
}

/// What a loop is to look for.
#[derive(Clone)]
pub(crate) struct Search {
    pub(crate) environment: Arc<str>,
    pub(crate) filter: ConnectionFilter,
    pub(crate) from: u32,
    pub(crate) most: usize,
    pub(crate) addresses: bool,
}

/// What it found, and where it has to go on if it is not through.
pub(crate) struct Found {
    pub(crate) connections: Vec<ConnectionView>,
    pub(crate) next: Option<u32>,
}

/// One connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionView {
    /// What its key may do.
    pub kind: KeyKind,
    /// What it says that it is, a name or `name/version`; empty where it says nothing.
    pub agent: Arc<str>,
    /// Where it comes from, as far as the kernel knows; none where it was not asked for.
    pub address: Option<SocketAddr>,
    /// Since when it is there, in ms since 1970, to the second.
    pub since: i64,
    /// The version that was written to it last; none before its first answer, and where that is
    /// older than those that are known.
    pub written: Option<i64>,
    /// The version that it received last; none as before.
    pub received: Option<i64>,
    /// Whether its peer does not take what is there for it.
    pub stalled: bool,
}

/// Some of the connections of an environment, in no order that means anything.
#[derive(Clone, Debug, Default)]
pub struct ConnectionPage {
    /// They.
    pub connections: Vec<ConnectionView>,
    /// Where the next ones are, if there may be some.
    pub next: Option<Place>,
}

impl Delivery {
    /// Adds a loop.
    pub(crate) fn add(&self, ask: impl Fn(Survey) + Send + Sync + 'static, moved: Arc<AtomicBool>) {
        let ask = Arc::new(ask);
        let mut loops = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        loops.push(Asked { ask, moved });
    }

    pub(super) fn loops(&self) -> Vec<Asked> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Where the connections of an environment (by id) are now, with so many of its newest
    /// versions.
    pub async fn environment(&self, id: &str, versions: usize) -> EnvironmentReport {
        let id: Arc<str> = id.into();
        let asked = self.loops().into_iter().map(|of_loop| {
            let id = Arc::clone(&id);
            of_loop.ask(|reply| Survey::Environment {
                id,
                versions,
                reply,
            })
        });
        // All of them are asked before the first is waited for.
        let mut reports = Vec::new();
        for answer in asked.collect::<Vec<_>>() {
            reports.extend(answer.await.unwrap_or_default());
        }
        merge(reports.iter())
    }

    /// Up to `most` connections of an environment (by id), from a place on. `addresses`: with where
    /// they come from, a question to the kernel for each.
    pub async fn connections(
        &self,
        environment: &str,
        filter: ConnectionFilter,
        from: Place,
        most: usize,
        addresses: bool,
    ) -> ConnectionPage {
        let loops = self.loops();
        let mut page = ConnectionPage::default();
        let mut place = from;
        while let Some(of_loop) = loops.get(place.of_loop as usize) {
            if page.connections.len() >= most {
                page.next = Some(place);
                break;
            }
            let search = Search {
                environment: environment.into(),
                filter,
                from: place.from,
                most: most - page.connections.len(),
                addresses,
            };
            let found = of_loop
                .ask(|reply| Survey::Connections(search, reply))
                .await;
            let next = found.ok().and_then(|found| {
                page.connections.extend(found.connections);
                found.next
            });
            place = match next {
                Some(from) => Place { from, ..place },
                None => Place {
                    of_loop: place.of_loop + 1,
                    from: 0,
                },
            };
        }
        page
    }
}

impl Asked {
    pub(super) fn ask<T>(
        &self,
        survey: impl FnOnce(oneshot::Sender<T>) -> Survey,
    ) -> oneshot::Receiver<T> {
        let (reply, answer) = oneshot::channel();
        (self.ask)(survey(reply));
        answer
    }
}
