//! The tag of a bulk answer: who has it, has the answer.
//!
//! It is the position of the environment and a hash of all else that an answer depends on: the
//! request's body (the context), the environment, the kind of the key, the address of its event
//! stream, and our release. So it is known before anything is evaluated or even parsed, it is the
//! same on every node, and another context, for which the reference provider sends the tag of the
//! one before, has another one; so has another key, and a window of time later, when the address is
//! to be told again.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher as _};

use axum::http::{HeaderMap, HeaderValue, header};

use crate::environment::Encoded;
use crate::hub::Access;
use crate::source::KeyKind;

/// What answers look like may change with it.
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// `<version>.<digest>.<hash>`, the latter two in hexadecimal digits.
pub(super) struct Tag(String);

impl Tag {
    /// `credential` is in the address of the event stream.
    pub(super) fn of(state: &Encoded, access: &Access, body: &[u8], credential: &str) -> Self {
        let mut tag = String::with_capacity(64);
        // Writing to memory cannot fail.
        let _ = write!(
            tag,
            "\"{}.{:016x}\"",
            state.position(),
            hash(access, body, credential)
        );
        Self(tag)
    }

    /// As it is sent, in quotes.
    pub(super) fn value(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).unwrap_or(HeaderValue::from_static("\"\""))
    }

    /// Whether the request says that its sender has this. Some providers leave the quotes out.
    pub(super) fn is_named_in(&self, headers: &HeaderMap) -> bool {
        let named = headers.get_all(header::IF_NONE_MATCH).into_iter();
        let mut named = named.filter_map(|value| value.to_str().ok());
        named.any(|value| self.is_in(value))
    }

    /// Whether it is in a header's value.
    pub(super) fn is_in(&self, value: &str) -> bool {
        let own = bare(&self.0);
        value.split(',').any(|tag| bare(tag) == own)
    }

    /// As it is sent.
    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

/// A tag without its quotes and without the mark of a weak one.
fn bare(tag: &str) -> &str {
    let tag = tag.trim();
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let inner = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    inner.unwrap_or(tag)
}

/// The same in every process of a release: this hasher has no random key, and which function it is
/// changes with the compiler at most.
fn hash(access: &Access, body: &[u8], credential: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let parts = [
        access.environment.id().as_bytes(),
        RELEASE.as_bytes(),
        credential.as_bytes(),
        body,
    ];
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    hasher.write_u8(match access.kind {
        KeyKind::Client => 0,
        KeyKind::Server => 1,
    });
    hasher.finish()
}
