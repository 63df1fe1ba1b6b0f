//! RFC 7692's side of a peer, made of the library's parts and nothing of the edge's.

use std::io::Read;

use flate2::read::DeflateDecoder;
use flate2::{Compress, Compression, FlushCompress};

/// The payload of a deflated message: flushed, without the flush's last four bytes.
pub(crate) fn deflated(message: &[u8]) -> Vec<u8> {
    let mut payload = blocks(message, Compression::default(), FlushCompress::Sync);
    assert!(payload.ends_with(&[0, 0, 0xFF, 0xFF]));
    payload.truncate(payload.len() - 4);
    payload
}

/// Blocks that end as `flush` says.
pub(crate) fn blocks(message: &[u8], level: Compression, flush: FlushCompress) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + message.len() / 8 + 64);
    let mut deflater = Compress::new(level, false);
    deflater.compress_vec(message, &mut out, flush).unwrap();
    assert_eq!(deflater.total_in(), message.len() as u64);
    out
}

/// The message of a payload.
pub(crate) fn inflated(payload: &[u8]) -> Vec<u8> {
    // An empty last block after the flush, so that the decoder finds an end.
    let whole = [payload, &[0, 0, 0xFF, 0xFF, 3, 0]].concat();
    let mut message = Vec::new();
    DeflateDecoder::new(&whole[..])
        .read_to_end(&mut message)
        .unwrap();
    message
}
