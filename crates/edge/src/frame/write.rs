//! Making frames: never masked, never fragmented.

use super::{MAX_CONTROL, Opcode};

/// Set on the last, and here only, frame of a message.
const FIN: u8 = 0x80;

/// Set on a deflated message.
pub(super) const RSV1: u8 = 0x40;

/// Appends a text frame whose payload `write` appends: `about` so many bytes, at most. Returns
/// whether `write` said that there is one; where it said no, `out` is as before.
///
/// The header's length depends on the payload's. Room for it is left by `about`, and where that was
/// wrong, the payload is moved.
pub fn text_with(
    out: &mut Vec<u8>,
    about: usize,
    write: impl FnOnce(&mut Vec<u8>) -> bool,
) -> bool {
    first_with(out, FIN | Opcode::Text.bits(), about, write)
}

/// The same for a text that `write` appends deflated.
pub(super) fn deflated_with(
    out: &mut Vec<u8>,
    about: usize,
    write: impl FnOnce(&mut Vec<u8>) -> bool,
) -> bool {
    first_with(out, FIN | RSV1 | Opcode::Text.bits(), about, write)
}

fn first_with(
    out: &mut Vec<u8>,
    first: u8,
    about: usize,
    write: impl FnOnce(&mut Vec<u8>) -> bool,
) -> bool {
    let start = out.len();
    let (room, reserved) = header(first, about);
    out.reserve(reserved + about);
    out.extend_from_slice(&room[..reserved]);
    if !write(out) {
        out.truncate(start);
        return false;
    }
    let (header, len) = header(first, out.len() - start - reserved);
    out.splice(start..start + reserved, header[..len].iter().copied());
    true
}

/// Appends a text frame.
pub fn text(payload: &[u8], out: &mut Vec<u8>) {
    frame(Opcode::Text, payload, out);
}

/// Appends a pong. A ping's payload is never longer than a pong's may be.
pub fn pong(payload: &[u8], out: &mut Vec<u8>) {
    frame(Opcode::Pong, payload, out);
}

/// Whether a frame that was made here is a pong.
pub fn is_pong(frame: &[u8]) -> bool {
    frame.first() == Some(&(FIN | Opcode::Pong.bits()))
}

/// Appends a close frame; a reason that does not fit is cut.
pub fn close(code: u16, reason: &str, out: &mut Vec<u8>) {
    let reason = &reason[..reason.floor_char_boundary(MAX_CONTROL - 2)];
    let mut payload = Vec::with_capacity(2 + reason.len());
    payload.extend_from_slice(&code.to_be_bytes());
    payload.extend_from_slice(reason.as_bytes());
    frame(Opcode::Close, &payload, out);
}

/// Appends a close frame that says nothing more.
pub fn bare_close(out: &mut Vec<u8>) {
    frame(Opcode::Close, &[], out);
}

fn frame(opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
    let (header, len) = header(FIN | opcode.bits(), payload.len());
    out.extend_from_slice(&header[..len]);
    out.extend_from_slice(payload);
}

/// A frame that was made here.
pub(super) struct Made<'a> {
    pub(super) whole: &'a [u8],
    pub(super) payload: &'a [u8],
}

/// Frames that were made here, one by one.
pub(super) fn split(mut frames: &[u8]) -> impl Iterator<Item = Made<'_>> {
    std::iter::from_fn(move || {
        let (at, len) = match *frames.get(1)? {
            126 => (
                4,
                u16::from_be_bytes(*frames.get(2..)?.first_chunk()?).into(),
            ),
            127 => (10, u64::from_be_bytes(*frames.get(2..)?.first_chunk()?)),
            short => (2, u64::from(short)),
        };
        let (whole, rest) = frames.split_at_checked(at + len as usize)?;
        frames = rest;
        let payload = &whole[at..];
        Some(Made { whole, payload })
    })
}

/// The header of an unmasked frame with this first byte, and how much of it counts.
fn header(first: u8, payload: usize) -> ([u8; 10], usize) {
    let mut header = [0; 10];
    header[0] = first;
    let len = payload as u64;
    if let Ok(short) = u8::try_from(payload)
        && short < 126
    {
        header[1] = short;
        (header, 2)
    } else if let Ok(medium) = u16::try_from(payload) {
        header[1] = 126;
        header[2..4].copy_from_slice(&medium.to_be_bytes());
        (header, 4)
    } else {
        header[1] = 127;
        header[2..10].copy_from_slice(&len.to_be_bytes());
        (header, 10)
    }
}
