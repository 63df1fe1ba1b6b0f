//! What happens, told to those who listen (`GET /api/v1/events`).
//!
//! Each organization that somebody listens to has one *tail*: a task that follows its history in
//! the database, woken by this process's own commits and polling for those of others, and that
//! tells all its streams. So a change reaches a listener whichever process made it, and the
//! database is asked once, not once for each listener. The history's numbers have no gaps and are
//! in the order of commits, so a stream that knows one number knows what it has missed.
//!
//! What waits for whom is counted where something was done about requests, environments or people:
//! the tail reads what waits once, however much was done, and each stream counts what of it is its
//! caller's. It is no part of the history, so it has no number: every stream begins with it.
//!
//! A stream is one listener: it keeps what its caller may see, looks again and again whether its
//! session or token still stands, and ends with it. It is told by a bounded channel: who reads too
//! slowly is cut off, comes back with the last number, and gets what it missed.

mod body;
mod counting;
mod first_use;
mod moves;
mod stream;
mod tail;
pub mod view;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_store::news::Happened;
use burgee_store::requests::Waiting;
use burgee_store::{Store, StoreError};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

pub use body::EventBody;
pub use stream::{Start, listen};

/// How many streams a session or a token may have: a browser's tabs share fewer.
pub const MOST_OF_ONE: usize = 8;

/// How many streams there may be of an organization. Each is a connection for ordinary HTTP.
pub const MOST_OF_ORGANIZATION: usize = 500;

/// How much news a stream may be behind before it is cut off.
const BEHIND: usize = 256;

/// Something to be told.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// A change set was applied.
    Happened(Arc<Happened>),
    /// An environment was seen for the first time.
    Seen(Arc<view::Seen>),
    /// Connections of an environment came, went, or got further.
    Moved(Arc<view::DeliveryMoved>),
    /// Other requests may wait, or for others.
    Waiting(Arc<Waiting>),
}

/// All listening of this process.
pub struct Events {
    store: Store,
    tails: Mutex<HashMap<Id<Organization>, Tail>>,
    stop: CancellationToken,
}

/// An organization's listeners.
struct Tail {
    news: broadcast::Sender<News>,
    /// How many streams each session or token has.
    open: HashMap<String, usize>,
    /// Ends the task.
    stop: CancellationToken,
}

/// Why nobody more can listen.
#[derive(Debug)]
pub enum Refused {
    /// There are too many streams of this session or token, or of the organization.
    Full,
    /// The database did not answer.
    Store(StoreError),
}

impl Events {
    /// Nobody listens yet. All listening ends with `stop`.
    pub fn new(store: Store, stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            store,
            tails: Mutex::default(),
            stop,
        })
    }

    /// A place to listen to an organization for `who` (a session or a token). The first one starts
    /// its tail.
    async fn subscribe(
        self: &Arc<Self>,
        organization: &Id<Organization>,
        who: &str,
    ) -> Result<Subscription, Refused> {
        // Before the place is taken: what comes after this number is told.
        let length = self.store.history_length(organization).await;
        let length = length.map_err(Refused::Store)?;
        let mut tails = self.tails.lock().unwrap_or_else(PoisonError::into_inner);
        let tail = tails.entry(organization.clone()).or_insert_with(|| {
            let (news, _) = broadcast::channel(BEHIND);
            let stop = self.stop.child_token();
            let following = tail::follow(
                self.store.clone(),
                organization.clone(),
                length,
                news.clone(),
            );
            tokio::spawn(stop.clone().run_until_cancelled_owned(following));
            Tail {
                news,
                open: HashMap::new(),
                stop,
            }
        });
        let all: usize = tail.open.values().sum();
        let own = tail.open.entry(who.to_owned()).or_default();
        if *own >= MOST_OF_ONE || all >= MOST_OF_ORGANIZATION {
            return Err(Refused::Full);
        }
        *own += 1;
        Ok(Subscription {
            news: tail.news.subscribe(),
            events: Arc::clone(self),
            organization: organization.clone(),
            who: who.to_owned(),
        })
    }

    fn leave(&self, organization: &Id<Organization>, who: &str) {
        let mut tails = self.tails.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(tail) = tails.get_mut(organization) else {
            return;
        };
        if let Some(own) = tail.open.get_mut(who) {
            *own -= 1;
            if *own == 0 {
                tail.open.remove(who);
            }
        }
        if tail.open.is_empty() {
            tail.stop.cancel();
            tails.remove(organization);
        }
    }
}

/// A place among an organization's listeners; given back when it is dropped.
struct Subscription {
    news: broadcast::Receiver<News>,
    events: Arc<Events>,
    organization: Id<Organization>,
    who: String,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.events.leave(&self.organization, &self.who);
    }
}
