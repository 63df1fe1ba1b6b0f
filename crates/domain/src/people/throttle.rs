//! How long somebody has to wait after failed attempts to sign in.

/// So many failures cost nothing: people mistype.
pub const FREE_ATTEMPTS: u32 = 5;

/// The longest wait, in ms: a quarter of an hour. An account is never locked for good, since that
/// would let anybody lock anybody out.
pub const LONGEST_WAIT: i64 = 15 * 60 * 1_000;

/// How many ms must pass after the last of so many failures in a row before the next attempt is
/// looked at: 1 s after the sixth, and twice as long after each further one.
pub fn delay(failures: u32) -> i64 {
    match failures.checked_sub(FREE_ATTEMPTS) {
        None | Some(0) => 0,
        Some(beyond) => (1_000_i64 << (beyond - 1).min(20)).min(LONGEST_WAIT),
    }
}
