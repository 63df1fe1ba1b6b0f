//! What traffic may be. A client key is public, so anyone may send anything: each of these bounds
//! what that can cost, in memory here and in rows in the store. (How many event names an environment
//! may have, the sink decides, which knows them all.)

/// Bytes of a user's key: what a target in a flag may have, so that every user can be one.
pub const USER_KEY: usize = 512;
/// Bytes of a user's name: it stands in lists.
pub const USER_NAME: usize = 256;
/// Properties kept of a user: far more than rules ask for, and with 1 KiB each a user is still one
/// message (128 KiB).
pub const PROPERTIES: usize = 100;
/// Bytes of a property, name and value together: a value that rules compare, not a document.
pub const PROPERTY: usize = 1024;
/// New users that one SDK key may bring in an hour: each is a row that stays. 28 a second are a
/// busy site's; somebody who makes users up fills the table no faster.
pub const NEW_USERS_PER_HOUR: u32 = 100_000;
/// Bytes of an event's name, and of its route, type and application: names that people
/// choose, as a user's.
pub const EVENT_TEXT: usize = 256;
/// Bytes of a track request. SDKs send up to 50 entries, seldom over 1 KiB each; as many requests
/// as there are connections may be in memory at once.
pub const TRACK_BODY: usize = 1024 * 1024;

/// Whether a text may be kept: U+0000 may not, since PostgreSQL cannot store it.
pub(super) fn fits(text: &str, most: usize) -> bool {
    text.len() <= most && !text.contains('\0')
}
