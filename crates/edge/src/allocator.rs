//! What the system's allocator gives back to the system.
//!
//! glibc maps a large block and gives it back when it is freed, until one is freed: from then on it
//! keeps blocks of that size in its heap, and twice as much of what is free. One password's hash
//! (19 MiB, for a moment) would cost the process 9 MiB for good, and 18,000 connections that come 2;
//! whoever holds them in 32 MiB notices. A threshold that is set stays where it is.

/// From so many bytes on a block is mapped by itself: glibc's own first value.
#[cfg(target_env = "gnu")]
const LARGE: libc::c_int = 128 * 1024;

/// Keeps large blocks out of the heap, so that they are given back when they are freed. For the
/// start of a process.
pub fn give_large_blocks_back() {
    #[cfg(target_env = "gnu")]
    #[allow(unsafe_code, reason = "libc has no safe form of it")]
    // SAFETY: it changes numbers of the allocator's, under its own lock; any value is allowed.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}
