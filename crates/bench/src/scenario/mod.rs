//! What can be measured. A scenario is a function: it drives one target once and gives what it
//! found; several runs, the ceiling beside them and the report are its callers' business.

pub mod audience;
mod beats;
pub mod capacity;
pub(crate) mod change;
pub mod churn;
pub mod connect;
mod drive;
pub mod evaluate;
pub mod growth;
pub mod herd;
pub mod hold;
pub mod overload;
pub mod push;
pub mod ramp;
pub(crate) mod requests;
pub mod seed;
pub mod track;

use crate::options::Options;
use crate::progress::Progress;
use crate::report::model::Subject;
use crate::target::Target;

/// Drives a target once. What the target gets wrong is counted in `Subject::errors`.
///
/// # Errors
/// The measurement itself was not possible: the target is not there, the generator may not open
/// enough sockets.
pub type Run = fn(&Options, &Target, &mut dyn Progress) -> anyhow::Result<Subject>;
