//! One connection's state: connect → upgrade → sync → held, with at most one request on its way.

use mio::net::TcpStream;

use super::event::{Awaited, Micros};
use super::reader::Reader;

/// The longest head of an answer to an upgrade that is read.
pub(super) const MAX_HEAD: usize = 4096;

/// A connection. Kept small: there are as many as the process may open.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) generation: u32,
    /// The number of the user whom it speaks for.
    pub(super) user: u32,
    /// What it waits for.
    pub(super) awaited: Option<Awaited>,
    /// The upgrade was answered.
    pub(super) is_open: bool,
    /// The upgrade could not be sent at once.
    pub(super) is_unsent: bool,
    /// The first `data-sync` was answered.
    pub(super) is_synced: bool,
    /// When the connect was to be.
    pub(super) intended: Micros,
    /// When the request that is on its way was to be.
    pub(super) asked: Micros,
    /// The newest version that came.
    pub(super) newest: i64,
    /// What is begun and not whole.
    pub(super) begun: Begun,
}

/// Bytes that came and are not understood yet.
#[derive(Debug, Default)]
pub(super) enum Begun {
    /// There are none.
    #[default]
    Nothing,
    /// The beginning of the answer to the upgrade.
    Head(Vec<u8>),
    /// The beginning of a message.
    Message(Box<Reader>),
}

/// The answer to an upgrade.
pub(super) enum Head<'a> {
    /// It is not whole yet.
    Begun,
    /// Upgraded; what follows the head.
    Upgraded(&'a [u8]),
    /// Another status.
    Refused(u16),
    /// No HTTP.
    Nonsense,
}

/// Reads the answer to an upgrade.
pub(super) fn head(bytes: &[u8]) -> Head<'_> {
    let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") else {
        return match bytes.len() > MAX_HEAD {
            true => Head::Nonsense,
            false => Head::Begun,
        };
    };
    let status = bytes.strip_prefix(b"HTTP/1.1 ").and_then(|rest| {
        let digits = std::str::from_utf8(rest.get(..3)?).ok()?;
        digits.parse().ok()
    });
    match status {
        Some(101) => Head::Upgraded(&bytes[end + 4..]),
        Some(status) => Head::Refused(status),
        None => Head::Nonsense,
    }
}
