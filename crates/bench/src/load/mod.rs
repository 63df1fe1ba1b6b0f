//! The generator: many SDKs in one thread.
//!
//! Open loop: connections are begun when a schedule says so, whatever the server does meanwhile,
//! and every time counts from the moment that was intended, so that a server which stalls cannot
//! hide what it kept waiting (no coordinated omission). One thread with one epoll and a small state
//! for each connection, because the generator has to be cheaper than what it measures.

mod addresses;
mod connection;
pub mod engine;
mod event;
pub mod http;
mod reader;
pub mod schedule;
mod shape;
mod socket;
pub mod tally;
mod user;

pub use addresses::Addresses;
pub use event::{Event, Failure, Key, Micros, What};
pub use shape::{Kind, Shape};
pub use user::{Sdk, token};
