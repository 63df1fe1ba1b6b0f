//! Taking the mask off a payload.

/// XORs `payload` with the mask, `phase` bytes of the frame's payload having gone before.
pub(super) fn unmask(payload: &mut [u8], mask: [u8; 4], phase: usize) {
    let mut mask = mask;
    mask.rotate_left(phase % 4);
    let [a, b, c, d] = mask;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let (words, rest) = payload.as_chunks_mut::<8>();
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ wide).to_ne_bytes();
    }
    for (byte, mask) in rest.iter_mut().zip([a, b, c, d, a, b, c, d]) {
        *byte ^= mask;
    }
}
