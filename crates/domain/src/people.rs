//! People: addresses, passwords, and how often somebody may try.
//!
//! Pure rules only. Hashing, sessions and clocks are the server's.

mod email;
mod password;
mod throttle;

pub use email::{Email, EmailError, MAX_EMAIL};
pub use password::{MAX_PASSWORD, MIN_PASSWORD, check_password};
pub use throttle::{FREE_ATTEMPTS, LONGEST_WAIT, delay};
