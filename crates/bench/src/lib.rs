//! Measures a running Burgee from outside, as its SDKs see it.
//!
//! A scenario drives a target and gives what it found; the report is made from that alone.
//! Figures are only comparable within one run on one machine.
#![deny(unsafe_code)]

pub mod api;
pub mod ceiling;
pub mod evaluation;
pub mod fleet;
pub mod load;
mod made;
pub mod options;
pub mod progress;
pub mod report;
pub mod rig;
pub mod scenario;
pub mod target;
