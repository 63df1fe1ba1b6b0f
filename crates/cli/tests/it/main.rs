//! The program as people start, feed and kill it: every test runs the real `burgee`.

// Clippy's configuration frees test functions only; what they call is test code as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod adopting;
mod asking;
mod audit;
mod backup;
mod bench;
mod commands;
mod database_down;
mod decisions;
mod demo;
mod disk_full;
mod faults;
mod import;
mod kit;
mod organizations;
mod partitions;
mod people;
mod project_file;
mod stopping;
mod sudden_death;
mod tls;
mod tokens;
mod traces;
mod tracking;
mod wire;
