//! Addresses of this machine that nobody else has.

use std::hash::{BuildHasher, RandomState};
use std::net::Ipv4Addr;

/// An address of this machine that nobody else has: one of its 16 million, so that what was killed finds
/// its ports free when it comes back.
pub fn own_address() -> Ipv4Addr {
    let random = RandomState::new().hash_one(());
    let [a, b, c, ..] = random.to_le_bytes();
    // Not 127.0.0.x, which others use.
    Ipv4Addr::new(127, a.max(1), b, c.clamp(1, 254))
}
