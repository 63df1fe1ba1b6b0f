//! Commands on a flag's targeting in one environment. The first one releases the flag there.

pub mod defaults;
pub mod prerequisites;
pub mod rules;
pub mod switch;
pub mod targets;
pub mod tracking;
