//! Commands on a flag as all environments have it.

pub mod create;
pub mod life;
pub mod metadata;
pub mod variations;
