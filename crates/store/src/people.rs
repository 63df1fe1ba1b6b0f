//! People: accounts, their sessions, and what they are in an organization.
//!
//! An **account** is a person who signs in, whichever organizations they are a **member** of; a
//! member has policies, directly and by **groups**. Secrets are stored as hashes, a second factor's
//! seed sealed by the caller. Whatever changes what somebody may do is a row of the organization's
//! history, written in the same transaction.

pub mod accounts;
pub mod colleagues;
pub mod groups;
mod holders;
pub mod links;
pub mod members;
pub mod membership;
mod own;
pub mod policies;
pub(crate) mod record;
mod reviewers;
pub mod second_factor;
pub mod sessions;
mod settings;
pub mod sign_on;
