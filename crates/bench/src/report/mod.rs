//! What a scenario found: one document, from which every other form is made.

pub mod latency;
pub mod model;
