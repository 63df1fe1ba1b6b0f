//! How images lie in the log: compressed, and large ones as what differs from an earlier image.
//!
//! A large flag (a list of 100,000 targets) that is toggled would otherwise cost megabytes each
//! time. The difference is taken from the item's last *whole* image rather than from the image
//! before it: reading any version then takes two rows, and a damaged row spoils only itself. After
//! [`MAX_DIFFERENCES`] of them, or when a difference has grown to half a whole image, the next
//! image is whole again.

use std::io::{Read, Write};

use zstd::bulk::Compressor;
use zstd::stream::{read::Decoder, write::Encoder};

use crate::error::StoreError;

/// Images from this many bytes on are stored as a difference where that is possible.
pub(crate) const LARGE: usize = 64 * 1024;

/// So many differences follow a whole image at most: every 32nd image is whole.
pub(crate) const MAX_DIFFERENCES: i64 = 31;

/// zstd's default: images are written under locks, and a higher level gains little on JSON.
const LEVEL: i32 = 3;

/// Compresses a text.
pub(crate) fn pack(text: &[u8]) -> Result<Vec<u8>, StoreError> {
    zstd::bulk::compress(text, LEVEL).map_err(failed)
}

/// Compresses many texts, each by itself as [`pack`] does. What zstd works with is over a megabyte,
/// and making that anew for each of thousands of small images is most of the work.
pub(crate) struct Packer(Compressor<'static>);

impl Packer {
    pub(crate) fn new() -> Result<Self, StoreError> {
        Compressor::new(LEVEL).map(Self).map_err(failed)
    }

    pub(crate) fn pack(&mut self, text: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.0.compress(text).map_err(failed)
    }
}

/// Undoes [`pack`]; `size` is the text's length.
pub(crate) fn unpack(packed: &[u8], size: usize) -> Result<Vec<u8>, StoreError> {
    zstd::bulk::decompress(packed, size).map_err(failed)
}

/// Undoes [`pack`] where the text's length was not kept elsewhere.
pub(crate) fn unpack_unsized(packed: &[u8]) -> Result<Vec<u8>, StoreError> {
    zstd::decode_all(packed).map_err(failed)
}

/// Compresses a text as what differs from `base`.
pub(crate) fn pack_difference(text: &[u8], base: &[u8]) -> Result<Vec<u8>, StoreError> {
    let mut encoder = Encoder::with_ref_prefix(Vec::new(), LEVEL, base).map_err(failed)?;
    // Matches must reach back over all of the base.
    let reach = (text.len() + base.len()).next_power_of_two().ilog2();
    encoder
        .window_log(reach.clamp(17, 27))
        .and_then(|()| encoder.long_distance_matching(true))
        .and_then(|()| encoder.write_all(text))
        .map_err(failed)?;
    encoder.finish().map_err(failed)
}

/// Undoes [`pack_difference`].
pub(crate) fn unpack_difference(
    packed: &[u8],
    base: &[u8],
    size: usize,
) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::with_capacity(size);
    Decoder::with_ref_prefix(packed, base)
        .and_then(|mut decoder| decoder.read_to_end(&mut text))
        .map_err(failed)?;
    if text.len() != size {
        return Err(StoreError::corrupt("a stored image has not its size"));
    }
    Ok(text)
}

fn failed(error: std::io::Error) -> StoreError {
    StoreError::Other(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half a megabyte of keys that do not compress into nothing.
    fn targets() -> Vec<u8> {
        let keys: Vec<String> = (0..20_000u64)
            .map(|n| format!("{:016x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .collect();
        serde_json::to_vec(&keys).unwrap()
    }

    #[test]
    fn a_text_comes_back() {
        let text = targets();
        let packed = pack(&text).unwrap();
        assert!(packed.len() < text.len());
        assert_eq!(unpack(&packed, text.len()).unwrap(), text);
    }

    #[test]
    fn a_small_edit_of_a_large_text_is_small() {
        let before = targets();
        let mut after = b"[\"new\",".to_vec();
        after.extend_from_slice(&before[1..]);
        let difference = pack_difference(&after, &before).unwrap();
        assert!(difference.len() < 1_000, "{} bytes", difference.len());
        let read = unpack_difference(&difference, &before, after.len()).unwrap();
        assert_eq!(read, after);
    }

    #[test]
    fn a_difference_from_another_base_is_noticed() {
        let before = targets();
        let mut after = before.clone();
        after.truncate(before.len() - 1);
        let difference = pack_difference(&after, &before).unwrap();
        let read = unpack_difference(&difference, &vec![b'x'; before.len()], after.len());
        assert!(read.is_err() || read.unwrap() != after);
    }
}
