//! Change sets from commands to outcomes.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod demo;
mod kit;
mod switch;
