//! What management may do: typed commands in, a new state and its changes out.
//!
//! A change set goes `commands → change::apply → outcome::Outcome`; the store loads the
//! [`workspace::Workspace`] that the commands refer to, under locks, and writes the outcome in the
//! same transaction. Nothing here does IO, reads a clock or makes a random number: `now` and new
//! ids are arguments.
#![forbid(unsafe_code)]

pub mod access;
pub mod admission;
pub mod audit;
pub mod change;
mod check;
pub mod colour;
pub mod command;
pub mod compare;
pub mod conflict;
pub mod decision_log;
pub mod demo;
pub mod diff;
mod fault;
pub mod file;
pub mod forget;
pub mod id;
pub mod import;
pub mod key;
pub mod limits;
pub mod model;
pub mod outcome;
pub mod people;
pub mod plan;
pub mod position;
pub mod properties;
pub mod relay_key;
pub mod request;
pub mod sdk_key;
pub mod search;
pub mod served;
pub mod staleness;
pub mod still_evaluated;
pub mod user_property;
pub mod warnings;
pub mod workspace;

pub use check::{check_description, check_name};
pub use fault::Rejected;
