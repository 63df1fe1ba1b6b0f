//! The audit log: the history of an organization, which nobody can change without it being seen.
//!
//! Its entries are the [change sets](crate::change_sets); administration, people and sign-ins are
//! among them. A job chains them in their order ([`Store::seal_audit`]), not the writers, which
//! would wait for each other. The chain is over digests of bodies (see
//! [`burgee_domain::audit`]), so that a body can be [redacted](Store::redact) and old entries
//! [pruned](Store::prune_audit), and what is left still [verifies](Store::verify_audit).
//!
//! Whoever can write to the database can also compute a chain anew. Therefore its end, and what is
//! left of pruned entries, are signed with the instance key by a [`Notary`], where there is one.

mod entry;
mod failures;
mod list;
mod prune;
mod redact;
mod seal;
mod verify;

pub use list::{AuditEntry, Redacted};
pub use prune::{LONGEST_DAYS, SHORTEST_DAYS};
pub use redact::{Body, Redaction};
pub use verify::{Bad, Verdict};

pub(crate) use entry::{kinds, search};
pub(crate) use failures::count as count_failure;

use burgee_domain::audit::Link;

/// Who signs a chain's end, and knows what was signed.
pub trait Notary: Sync {
    /// Whether there is a key: then an end that none of them signed is not ours.
    fn has_key(&self) -> bool {
        true
    }

    /// A signature of `link` for a purpose; none where there is no key.
    fn sign(&self, purpose: &str, link: &Link) -> Option<Vec<u8>>;

    /// Whether a signature is of this link and purpose. None: it was made by a key that is not
    /// known here.
    fn is_signed(&self, purpose: &str, link: &Link, signature: &[u8]) -> Option<bool>;
}

/// Nobody: without an instance key nothing is signed.
#[derive(Clone, Copy, Debug)]
pub struct NoNotary;

impl Notary for NoNotary {
    fn has_key(&self) -> bool {
        false
    }

    fn sign(&self, _purpose: &str, _link: &Link) -> Option<Vec<u8>> {
        None
    }

    fn is_signed(&self, _purpose: &str, _link: &Link, _signature: &[u8]) -> Option<bool> {
        None
    }
}

/// What a link is signed for: a signature does not fit elsewhere.
fn purpose(what: &str, organization: &str, number: i64) -> String {
    format!("audit/{what}/{organization}/{number}")
}
