//! The immutable, encoded state of an environment at one position.

use burgee_eval::user::User;
use bytes::Bytes;

use crate::source::{Position, State};

/// What kind of answer a data-sync got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sync {
    /// Everything; replaces what the SDK has.
    Full,
    /// What changed; perhaps nothing.
    Patch,
}

/// Everything a server SDK is answered with, ready for the socket.
#[derive(Clone, Debug)]
pub struct ServerAnswer {
    /// Complete unmasked WebSocket text frames, one message each, to be sent in one write. Shared
    /// by all who get the same answer; never empty.
    pub frames: Bytes,
    /// Full or patch.
    pub sync: Sync,
}

/// The state of an environment at one position, compiled and encoded.
pub struct Encoded {
    generation: u32,
    position: Position,
    last_stamp: i64,
}

impl Encoded {
    pub(crate) fn build(state: State, generation: u32) -> Self {
        Self {
            generation,
            position: state.position,
            last_stamp: state.last_stamp.0,
        }
    }

    /// Counts the states of this environment in this process, from 1, without gaps: what a
    /// connection remembers as the state it was answered from. Unlike the position's version it
    /// never goes back (a restored database may).
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Where this state stands in the environment's history.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The highest stamp given out, in ms since 1970.
    pub fn last_stamp(&self) -> i64 {
        self.last_stamp
    }

    /// Appends the JSON text of the answer to a client SDK's data-sync (one message). `timestamp`
    /// is what the SDK sent (0: everything), `now` is in ms since 1970.
    pub fn client_sync(
        &self,
        user: &User<'_>,
        timestamp: i64,
        now: i64,
        out: &mut Vec<u8>,
    ) -> Sync {
        let _ = (timestamp, now);
        out.extend_from_slice(
            br#"{"messageType":"data-sync","data":{"eventType":"full","userKeyId":"#,
        );
        // Writing to memory and from a text cannot fail.
        let _ = serde_json::to_writer(&mut *out, &user.key);
        out.extend_from_slice(br#","featureFlags":[]}}"#);
        Sync::Full
    }

    /// The answer to a server SDK's data-sync; arguments as in [`Self::client_sync`].
    pub fn server_sync(&self, timestamp: i64, now: i64) -> ServerAnswer {
        let _ = (timestamp, now);
        let text = br#"{"messageType":"data-sync","data":{"eventType":"full","featureFlags":[],"segments":[]}}"#;
        let mut frames = vec![0x81, text.len() as u8];
        frames.extend_from_slice(text);
        ServerAnswer {
            frames: frames.into(),
            sync: Sync::Full,
        }
    }
}
