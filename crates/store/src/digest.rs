//! SHA-256 in the forms that are stored.

use sha2::{Digest, Sha256};

/// The 32 bytes.
pub(crate) fn bytes(data: &[u8]) -> [u8; 32] {
    Sha256::digest(data).into()
}

/// The 64 hexadecimal characters.
pub(crate) fn hex(data: &[u8]) -> String {
    bytes(data)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
