//! Commands that only an import makes: a flag or a segment as FeatBit serves it in one environment.
//!
//! They are forgiving where other commands are not: what FeatBit would serve is taken over, also
//! where a condition never matches. Refused is only what cannot be represented.

pub mod flag;
pub mod segment;
mod targeting;
mod wire;
