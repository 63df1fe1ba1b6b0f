//! The chain of the audit log: what each entry is bound to, so that nobody changes, removes or
//! moves one without it being seen.
//!
//! The chain is taken over digests of bodies, not over bodies: an entry's body (what was asked for
//! and answered) can be redacted or pruned, and the chain still verifies. A digest is salted; the
//! salt goes with the body, so that nobody tries out afterwards what a redacted body said.

use sha2::{Digest, Sha256};

/// A link of the chain: SHA-256.
pub type Link = [u8; 32];

/// What stays of an entry when its body is redacted.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// Its place in the organization's history, from 1 on.
    pub number: i64,
    /// The change set's id.
    pub id: &'a str,
    /// `member`, `token`, `operator` or `system`.
    pub actor_kind: &'a str,
    /// The member's or token's id.
    pub actor_id: &'a str,
    /// Their name at the time.
    pub actor_name: &'a str,
    /// When it was asked for, in ms since 1970.
    pub at: i64,
    /// The version of the commands' vocabulary.
    pub vocabulary: i64,
    /// The id of the project that it is about, where no version says so.
    pub project: Option<&'a str>,
}

/// Where an organization's chain begins: no two have the same, so that none stands in for another.
pub fn origin(organization: &str) -> Link {
    let mut hash = Sha256::new();
    field(&mut hash, b"burgee audit 1");
    field(&mut hash, organization.as_bytes());
    hash.finalize().into()
}

/// The digest of a body's fields, which stands for it in the chain.
pub fn body_digest(salt: &[u8], fields: &[&[u8]]) -> Link {
    let mut hash = Sha256::new();
    field(&mut hash, salt);
    fields.iter().for_each(|it| field(&mut hash, it));
    hash.finalize().into()
}

/// The link after an entry.
pub fn link(previous: Link, head: &Head<'_>, body: Link) -> Link {
    let mut hash = Sha256::new();
    hash.update(previous);
    hash.update(head.number.to_be_bytes());
    for text in [head.id, head.actor_kind, head.actor_id, head.actor_name] {
        field(&mut hash, text.as_bytes());
    }
    hash.update(head.at.to_be_bytes());
    hash.update(head.vocabulary.to_be_bytes());
    // None and the empty text are not the same.
    field(&mut hash, &[u8::from(head.project.is_some())]);
    field(&mut hash, head.project.unwrap_or_default().as_bytes());
    field(&mut hash, &body);
    hash.finalize().into()
}

/// Led by its length, so that no two lists of fields read the same.
fn field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: Head<'static> = Head {
        number: 7,
        id: "id",
        actor_kind: "member",
        actor_id: "1",
        actor_name: "ada",
        at: 5,
        vocabulary: 1,
        project: None,
    };

    #[test]
    fn every_part_of_a_head_is_bound() {
        let others = [
            Head { number: 8, ..HEAD },
            Head {
                id: "other",
                ..HEAD
            },
            Head {
                actor_kind: "token",
                ..HEAD
            },
            Head {
                actor_id: "2",
                ..HEAD
            },
            Head {
                actor_name: "eve",
                ..HEAD
            },
            Head { at: 6, ..HEAD },
            Head {
                vocabulary: 2,
                ..HEAD
            },
            Head {
                project: Some(""),
                ..HEAD
            },
            Head {
                id: "idm",
                actor_kind: "ember",
                ..HEAD
            },
        ];
        let body = body_digest(b"salt", &[b"a"]);
        let linked = link(origin("acme"), &HEAD, body);
        for other in others {
            assert_ne!(link(origin("acme"), &other, body), linked, "{other:?}");
        }
        assert_ne!(link(origin("acne"), &HEAD, body), linked);
        assert_ne!(
            link(origin("acme"), &HEAD, body_digest(b"salt", &[b"b"])),
            linked
        );
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let digest = body_digest(b"s", &[b"ab", b"c"]);
        assert_ne!(digest, body_digest(b"s", &[b"a", b"bc"]));
        assert_ne!(digest, body_digest(b"", &[b"ab", b"c"]));
    }
}
