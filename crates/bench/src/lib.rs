//! Measures a running Burgee from outside, as its SDKs see it.
//!
//! One scenario so far: [`hold`] opens many connections, each with a full sync, and keeps them; it
//! tells what a held connection costs the server and how long a push takes to reach all of them.
//! Figures are only comparable within one run on one machine.
#![forbid(unsafe_code)]

pub mod change;
pub mod client;
pub mod hold;
pub mod process;
