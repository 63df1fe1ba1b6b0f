//! What a scenario found: one document, from which every other form is made.

pub mod goal;
pub mod html;
pub mod json;
pub mod latency;
pub mod merge;
pub mod model;
pub mod number;
pub mod progress;
pub mod sheet;
pub mod text;

#[cfg(test)]
mod tests;
