//! Story tests through the real port: what people and SDKs do with a running server. Where the
//! database matters, the same story is told on both.

// Clippy's configuration frees test functions only; what they call is test code as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod access;
mod audit;
mod change_sets;
mod conditions;
mod conflicts;
mod decisions;
mod deliveries;
mod events;
mod examples;
mod explained;
mod feed;
mod flag_index;
mod kit;
mod lists;
mod manners;
mod nasty;
mod openapi;
mod past;
mod people;
mod permissions;
mod places;
mod planned;
mod prerequisites;
mod project_files;
mod protection;
mod rates;
mod relaying;
mod relays;
mod requests;
mod rude;
mod rules;
mod schedules;
mod sdk_keys;
mod search;
mod segments;
mod served;
mod settings;
mod single;
mod users;
mod warnings;
mod writers;
