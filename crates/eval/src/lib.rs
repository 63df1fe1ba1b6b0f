//! What a flag means: pure data in, an answer out.
//!
//! The way of a flag through this crate: JSON ([`flag::Flag`], [`segment::Segment`]: the shape on
//! the wire, in the store and in the import is one) → [`compile`] → [`snapshot::Snapshot`] →
//! [`CompiledFlag::evaluate`](compile::CompiledFlag::evaluate). There is no IO here, no clock, no async and no logger: whoever needs the time
//! passes it in. What cannot be compiled never matches and leaves a [`compile::Warning`]; it never
//! fails another condition, another flag or a load.
//!
//! The meaning of each operator, and why where the official SDKs disagree, is in
//! `docs/evaluation.md`; the cases that prove it are in `spec/`.
#![forbid(unsafe_code)]

pub mod bucket;
pub mod compile;
pub mod condition;
pub mod context;
mod evaluate;
pub mod explain;
pub mod flag;
pub mod json;
mod keys;
mod ledger;
pub mod operator;
pub mod outcome;
mod rollout;
pub mod segment;
pub mod snapshot;
mod standalone;
pub mod time;
pub mod user;
mod warning;
