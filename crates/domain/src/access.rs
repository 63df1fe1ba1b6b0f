//! Who may do what: policies, and what each command needs.
//!
//! A **policy** is a list of **statements**: an effect, actions and resources. A caller's
//! [`Rights`] are policies in layers, of which each must allow: one for a member, two for a
//! service token (its own statements, and what its maker may do at the time of use). A statement
//! that denies wins over all that allow; what no statement names is denied. The built-in `owner` alone
//! is denied nothing, so that no policy can lock an organization.
//!
//! Resources are named by a path, `project/web:env/prod:flag/checkout`; patterns over them may have
//! `*` anywhere in a key, may stop early (`project/web` covers all that is in it) and may ask for
//! tags (`flag/*;checkout,search`: at least one of them). Chosen because FeatBit's users know the
//! form; unlike there a pattern is checked when it is written, and keys match without regard to
//! case, as they are unique. `env/*@protected` means the environments that are marked so.
//!
//! Authority follows effect ([`needs`]): what a command needs is asked for in every environment
//! whose served state it changes, whether or not it names one.

mod action;
mod builtin;
mod decide;
mod give;
mod marks;
mod needs;
mod pattern;
mod policy;
mod resource;

pub use action::{ACTIONS, Action, ActionPattern, OWN};
pub use builtin::{ADMINISTRATOR, DEVELOPER, OWNER, READER, builtin, builtins};
pub use decide::{By, Decision, Rights};
pub use give::{GIVE, MayNotGive, may_give};
pub use marks::Marks;
pub(crate) use needs::is_metadata;
pub use needs::{Need, named, needs};
pub use pattern::{Pattern, PatternError};
pub use policy::{Effect, MAX_STATEMENTS, Policy, Statement, StatementInput, statements};
pub use resource::{Kind, Resource};
