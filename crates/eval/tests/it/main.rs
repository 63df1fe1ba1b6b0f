//! The crate seen from outside: the cases of `spec/`, what must hold for any flag, and snapshots.

mod build;
mod compile;
mod properties;
mod snapshot;
mod spec;
