//! Tests of the instrument itself, over real sockets.

// Clippy's configuration frees test functions only; what they call is test code as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod ceiling;
mod scenarios;
mod server;
