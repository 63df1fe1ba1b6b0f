//! Story tests: the same code on both databases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod audit;
mod change_sets;
mod decisions;
mod deliveries;
mod feed;
mod forget;
mod history;
mod images;
mod import;
mod kill;
mod kit;
mod lists;
mod people;
mod places;
mod relays;
mod room;
mod schedules;
mod sdk_keys;
mod segments;
mod set_up;
mod shape;
mod traffic;
mod users;
mod writers;
