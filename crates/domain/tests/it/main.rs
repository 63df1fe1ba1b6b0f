//! Change sets from commands to outcomes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod demo;
mod import;
mod kit;
mod switch;
