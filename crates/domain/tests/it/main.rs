//! Change sets from commands to outcomes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod behind;
mod demo;
mod flags;
mod history;
mod import;
mod kit;
mod properties;
mod rejections;
mod sdk_key;
mod segments;
mod switch;
mod targeting;
mod vocabulary;
mod words;
