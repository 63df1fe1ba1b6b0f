//! `permessage-deflate` (RFC 7692), without taking context over: each message by itself.
//!
//! So nothing is kept for a connection, what is the same for many is packed once, and a thread
//! needs one inflater and one deflater, however many connections it has.

use std::cell::RefCell;

use bytes::Bytes;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::{MAX_MESSAGE, Violation, write};

/// How messages travel on a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coding {
    /// As they are.
    #[default]
    Clear,
    /// Each may be deflated.
    Deflate,
}

/// Messages that many get are deflated from this length on: a shorter one is a packet anyway.
pub const SHARED: usize = 1024;

/// Messages that are made for one client are deflated from this length on. `docs/benchmarks.md`
/// has what it costs and saves, by length.
pub const OWN: usize = 8 * 1024;

/// What a flush ends with: the sender leaves it out, the receiver puts it back.
const TAIL: [u8; 4] = [0, 0, 0xFF, 0xFF];

thread_local! {
    static INFLATER: RefCell<Decompress> = RefCell::new(Decompress::new(false));
    static DEFLATER: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), false));
}

/// The same frames, with those messages deflated that get shorter by it.
pub fn pack(frames: &Bytes) -> Bytes {
    if frames.len() < SHARED {
        return frames.clone();
    }
    let packed = pack_from(frames, SHARED);
    match packed.len() < frames.len() {
        true => packed.into(),
        false => frames.clone(),
    }
}

/// Deflates the message whose frame is the end of `out`, from `start` on, if it is long.
pub fn pack_own(out: &mut Vec<u8>, start: usize) {
    if out.len() - start >= OWN {
        let packed = pack_from(&out[start..], OWN);
        out.truncate(start);
        out.extend_from_slice(&packed);
    }
}

fn pack_from(frames: &[u8], least: usize) -> Vec<u8> {
    let mut packed = Vec::new();
    for frame in write::split(frames) {
        let is_packed = frame.payload.len() >= least
            && write::deflated_with(&mut packed, frame.payload.len(), |out| {
                deflate(frame.payload, out)
            });
        if !is_packed {
            packed.extend_from_slice(frame.whole);
        }
    }
    packed.shrink_to_fit();
    packed
}

/// Appends a message deflated; `false` where that is not shorter.
fn deflate(message: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    // What does not fit is not shorter.
    out.reserve(message.len() + TAIL.len());
    let whole = DEFLATER.with_borrow_mut(|deflater| {
        deflater.reset();
        let flushed = deflater.compress_vec(message, out, FlushCompress::Sync);
        flushed.is_ok() && deflater.total_in() == message.len() as u64
    });
    // A flush that filled the buffer may have more to say.
    let whole = whole && out.len() < out.capacity() && out.ends_with(&TAIL);
    out.truncate(out.len().saturating_sub(TAIL.len()).max(start));
    whole && out.len() - start < message.len()
}

/// The message that was deflated. Nothing beyond [`MAX_MESSAGE`] is inflated, however little it
/// was inflated from.
pub(super) fn inflate(deflated: &[u8]) -> Result<Vec<u8>, Violation> {
    let mut message = Vec::with_capacity(first_room(deflated.len()));
    INFLATER.with_borrow_mut(|inflater| {
        inflater.reset(false);
        inflate_piece(inflater, deflated, &mut message)?;
        inflate_piece(inflater, &TAIL, &mut message)
    })?;
    Ok(message)
}

/// Inflates a piece of a message. Blocks may follow one that says it is the last: a sender that
/// cannot flush ends its stream, and says no more than an empty block after it (RFC 7692 §7.2.3.4).
fn inflate_piece(
    inflater: &mut Decompress,
    mut piece: &[u8],
    message: &mut Vec<u8>,
) -> Result<(), Violation> {
    loop {
        let (before, length) = (inflater.total_in(), message.len());
        let status = inflater
            .decompress_vec(piece, message, FlushDecompress::None)
            .map_err(|_| Violation::NotDeflated)?;
        let used = (inflater.total_in() - before) as usize;
        piece = piece.get(used..).unwrap_or_default();
        if message.len() > MAX_MESSAGE {
            return Err(Violation::TooLong);
        }
        if status == Status::StreamEnd {
            inflater.reset(false);
        } else if message.len() == message.capacity() {
            // It may have more to say. One byte more than a message may have shows that.
            message.reserve_exact(message.len().min(MAX_MESSAGE + 1 - message.len()));
            continue;
        } else if used == 0 && message.len() == length {
            return Ok(());
        }
        if piece.is_empty() {
            return Ok(());
        }
    }
}

/// JSON is about a quarter of its length when it is deflated.
fn first_room(deflated: usize) -> usize {
    (4 * deflated).clamp(128, MAX_MESSAGE + 1)
}
