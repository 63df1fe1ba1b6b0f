//! People: addresses, passwords, how often somebody may try, and what a provider of single sign-on
//! may say of them.
//!
//! Pure rules only. Hashing, sessions and clocks are the server's.

mod email;
mod password;
pub mod sign_on;
mod throttle;

pub use email::{Email, EmailError, MAX_EMAIL};
pub use password::{MAX_PASSWORD, MIN_PASSWORD, check_password};
pub use throttle::{FREE_ATTEMPTS, LONGEST_WAIT, delay};
