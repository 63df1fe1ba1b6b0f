//! Story tests: the same code on both databases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod kit;
mod set_up;
