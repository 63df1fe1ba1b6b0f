//! Change sets from commands to outcomes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod access;
mod admission;
mod behind;
mod colour;
mod demo;
mod flags;
mod history;
mod import;
mod json_diff;
mod kit;
mod people;
mod plans;
mod prerequisites;
mod properties;
mod rejections;
mod relay_key;
mod requests;
mod schedule;
mod sdk_key;
mod search;
mod segments;
mod switch;
mod targeting;
mod vocabulary;
mod warnings;
mod words;
