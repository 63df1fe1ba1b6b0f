//! Commands on segments of an environment, a project or the organization.

pub mod create;
pub mod life;
pub mod members;
pub mod metadata;
pub mod rules;
