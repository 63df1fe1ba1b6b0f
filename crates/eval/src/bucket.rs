//! Where a user falls in a percentage rollout.
//!
//! The numbers must be those of every FeatBit SDK to the last bit, or moving a program from a
//! client to a server SDK would move its users. So it is MD5, not something faster; the text is fed
//! in parts, so that nothing is joined on the way.

use md5::{Digest, Md5};

/// The bucket of a text that is given in parts, in `[0, 1]`: the absolute value of the first four
/// bytes of its MD5, read as a little-endian `i32`, over 2³¹. Both ends can occur.
pub fn bucket(parts: &[&str]) -> f64 {
    let mut hash = Md5::new();
    for part in parts {
        hash.update(part.as_bytes());
    }
    let [a, b, c, d, ..]: [u8; 16] = hash.finalize().into();
    f64::from(i32::from_le_bytes([a, b, c, d])).abs() / 2_147_483_648.0
}
