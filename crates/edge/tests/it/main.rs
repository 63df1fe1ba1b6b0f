//! The edge's tests through its front doors.

// Clippy's configuration frees test functions only; what they call is test code as well.
#![allow(clippy::unwrap_used, clippy::panic)]

mod api;
mod churn;
mod deflate;
mod delivery;
mod description;
mod drain;
mod driver;
mod herd;
mod http;
mod http2;
mod hub;
mod kit;
mod limits;
mod memory;
mod ofrep;
mod protocol;
mod rude;
mod tls;
mod traffic;
