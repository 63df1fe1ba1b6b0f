//! What tests of several crates share. Never part of the program.

pub mod postgres;
