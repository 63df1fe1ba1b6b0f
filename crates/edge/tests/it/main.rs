//! The edge's tests through its front doors.

mod driver;
mod hub;
mod kit;
mod memory;
