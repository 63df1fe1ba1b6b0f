//! The border: what users may write. Everything past these checks is safe for every SDK.
//!
//! Each check gets the pointer of the field that it looks at, and answers the value as it is kept
//! (trimmed, defaults filled in) or a [`Fault`] that names the field and the rule it broke.

pub(crate) mod condition;
pub(crate) mod rollout;
pub(crate) mod rule;
pub(crate) mod text;
pub(crate) mod users;
pub(crate) mod variation;

use crate::fault::Fault;

/// What every check answers.
pub(crate) type Checked<T> = Result<T, Fault>;
