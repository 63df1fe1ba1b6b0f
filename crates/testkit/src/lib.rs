//! What tests of several crates share. Never part of the program.
//!
//! It knows neither the store nor the server, so that their tests can use it: a server is an
//! address here, and the one who tests starts it.

pub mod lan;
pub mod loopback;
pub mod nats;
pub mod network;
pub mod postgres;
pub mod sql;

#[cfg(feature = "client")]
pub mod agent;
#[cfg(feature = "client")]
pub mod api;
#[cfg(feature = "client")]
pub mod cluster;
#[cfg(feature = "client")]
pub mod sdk;
