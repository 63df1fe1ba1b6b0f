//! The header of an unmasked WebSocket text frame, for messages that are the same for everyone and
//! so are framed once, here, instead of once per connection.

/// The longest header of an unmasked frame.
pub(super) const MAX_HEADER: usize = 10;

/// FIN and the opcode for text.
const FINAL_TEXT: u8 = 0x81;

/// Appends the header of a final text frame with a payload of `length` bytes (RFC 6455 §5.2).
pub(super) fn append_text_header(length: usize, out: &mut Vec<u8>) {
    out.push(FINAL_TEXT);
    match length {
        0..=125 => out.push(length as u8),
        126..=0xffff => {
            out.push(126);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        _ => {
            out.push(127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
}
