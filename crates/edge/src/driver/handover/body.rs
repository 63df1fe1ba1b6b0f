//! A request's body that has to come in time.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// How long bodies may take to come.
pub(super) struct Patience {
    /// As long as there are places for slow ones.
    pub(super) usual: Duration,
    /// Without such a place.
    pub(super) short: Duration,
    /// One half of the connections: who sends bodies slowly cannot keep out those without.
    pub(super) places: Arc<Semaphore>,
}

/// A body with a deadline for all of it. A deadline for each piece would let a peer that sends a
/// byte now and then stay for ever.
pub(super) struct TimedBody {
    body: Incoming,
    patience: Arc<Patience>,
    /// Set when the body is waited for.
    waited_for: Option<Wait>,
    /// Told when the deadline passed.
    late: Arc<AtomicBool>,
}

struct Wait {
    deadline: Pin<Box<Sleep>>,
    /// A place among the slow ones.
    _place: Option<OwnedSemaphorePermit>,
}

impl TimedBody {
    pub(super) fn new(body: Incoming, patience: Arc<Patience>, late: Arc<AtomicBool>) -> Self {
        Self {
            body,
            patience,
            waited_for: None,
            late,
        }
    }
}

impl Patience {
    fn wait(&self) -> Wait {
        let place = Arc::clone(&self.places).try_acquire_owned().ok();
        let length = match place {
            Some(_) => self.usual,
            None => self.short,
        };
        Wait {
            deadline: Box::pin(sleep(length)),
            _place: place,
        }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            if frame.is_none() {
                this.waited_for = None;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let wait = this.waited_for.get_or_insert_with(|| this.patience.wait());
        ready!(wait.deadline.as_mut().poll(context));
        this.late.store(true, Relaxed);
        Poll::Ready(Some(Err("the body did not come in time".into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
