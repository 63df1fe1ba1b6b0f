//! The crate seen from outside: the cases of `spec/`, what must hold for any flag, and snapshots.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test that is how one fails"
)]

mod allocation;
mod build;
mod compile;
mod context;
mod explain;
mod prerequisites;
mod properties;
mod snapshot;
mod spec;
