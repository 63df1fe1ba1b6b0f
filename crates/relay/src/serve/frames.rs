//! What is sent to relays after a change, read and packed once for all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use burgee_edge::source::{Changes, Position, Source, Unavailable};
use bytes::Bytes;

use super::Ended;
use crate::message::{Since, ToRelay, pack};

/// A packed message that takes a relay from one position of an environment to another.
pub(super) struct Frame {
    pub(super) to: Position,
    /// Where the environment was said to be when it was asked for: the source may be further.
    asked: Position,
    pub(super) packed: Bytes,
}

/// What came of asking for a frame.
pub(super) enum Made {
    /// This is to be sent.
    Frame(Arc<Frame>),
    /// The environment is gone.
    Gone,
    /// It cannot be read now.
    Unavailable(Unavailable),
}

/// The newest frames of each environment.
#[derive(Default)]
pub(super) struct Frames(Mutex<HashMap<String, Arc<Slot>>>);

/// An environment's frames: whoever makes one keeps the others waiting, who need the same one.
type Slot = tokio::sync::Mutex<HashMap<Position, Weak<Frame>>>;

impl Frames {
    /// The frame that takes from a position to where the environment is now, which is `to` or
    /// newer. The one that another relay is being sent at this moment, if it is the same.
    pub(super) async fn get(
        &self,
        source: &dyn Source,
        id: &str,
        from: Position,
        to: Position,
    ) -> Result<Made, Ended> {
        let slot = self.slot(id);
        let mut slot = slot.lock().await;
        slot.retain(|_, frame| frame.strong_count() > 0);
        let made = slot.get(&from).and_then(Weak::upgrade);
        // By the digest too: after a restore the same version is another one.
        if let Some(frame) = made.filter(|frame| frame.to == to || frame.asked == to) {
            return Ok(Made::Frame(frame));
        }
        let asked = to;
        let (to, message) = match message(source, id, from).await {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(Made::Gone),
            Err(unavailable) => return Ok(Made::Unavailable(unavailable)),
        };
        let packed = tokio::task::spawn_blocking(move || pack(&message)).await??;
        let packed = packed.into();
        let frame = Arc::new(Frame { to, asked, packed });
        slot.insert(from, Arc::downgrade(&frame));
        Ok(Made::Frame(frame))
    }

    fn slot(&self, id: &str) -> Arc<Slot> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody waits at those that nobody holds.
        slots.retain(|name, slot| name == id || Arc::strong_count(slot) > 1);
        Arc::clone(slots.entry(id.to_owned()).or_default())
    }
}

async fn message(
    source: &dyn Source,
    id: &str,
    from: Position,
) -> Result<Option<(Position, ToRelay)>, Unavailable> {
    let state = match from.version {
        0 => source.state(id).await?,
        _ => match source.changes(id, from).await? {
            Changes::Since(delta) => {
                let to = delta.position;
                let since = Since::new(id, from, delta);
                return Ok(Some((to, ToRelay::Delta(since))));
            }
            Changes::Reload(state) => Some(state),
            Changes::Gone => None,
        },
    };
    Ok(state.map(|state| (state.position, ToRelay::State(state.into()))))
}
