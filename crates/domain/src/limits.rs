//! How much of everything there may be, each with its reason.

/// The longest name, in characters. Names stand in lists and in match reasons.
pub const MAX_NAME: usize = 256;

/// The longest description, in characters: a paragraph for people; every server SDK downloads it.
pub const MAX_DESCRIPTION: usize = 2_000;

/// The longest comment on a change set, in characters: as a description.
pub const MAX_COMMENT: usize = 2_000;

/// The longest value of a variation or a condition, in bytes. A value is in every client's sync;
/// what is larger is a document, which belongs where documents are served.
pub const MAX_VALUE: usize = 64 * 1024;

/// The most variations of a flag: the reference portal's forms stop being usable far below, and
/// client SDKs download the list with every flag.
pub const MAX_VARIATIONS: usize = 100;

/// The most rules of a flag or a segment: they are tried one after the other for every user.
pub const MAX_RULES: usize = 200;

/// The most conditions of a rule, for the same reason.
pub const MAX_CONDITIONS: usize = 50;

/// The most segments that a condition names, for the same reason.
pub const MAX_CONDITION_SEGMENTS: usize = 100;

/// The most segments that the conditions of a change set name: all are loaded, under locks.
pub const MAX_SET_SEGMENTS: usize = 1_000;

/// The most scopes that a change set's base names: each is looked up, under locks.
pub const MAX_BASE: usize = 1_000;

/// The most parts of one rollout: every variation once, and room for split parts.
pub const MAX_PARTS: usize = 2 * MAX_VARIATIONS;

/// The most individual targets of a flag in one environment. More of them are a segment.
pub const MAX_FLAG_TARGETS: usize = 100_000;

/// The most included and excluded users of a segment: at 512 bytes each beyond the size limit
/// anyway; at usual lengths about 40 MB in every server SDK.
pub const MAX_SEGMENT_TARGETS: usize = 1_000_000;

/// The longest key of a user, in bytes: what end users are stored with.
pub const MAX_USER_KEY: usize = 512;

/// The longest name of a user's property, in characters: as any name. Of what users send, name and
/// value together have at most 1 KiB.
pub const MAX_PROPERTY: usize = 256;

/// The most tags of a flag or a segment. They are for finding things and for policies, which look
/// at each of them; server SDKs download them with the flag.
pub const MAX_TAGS: usize = 50;

/// The longest tag, in characters: a word or a few, which a list shows beside the name.
pub const MAX_TAG: usize = 64;

/// The longest id that a client may choose, in bytes: a UUID's text with room for imported ones.
pub const MAX_ID: usize = 128;

/// The most commands of a change set: it is applied in one transaction, under locks.
pub const MAX_COMMANDS: usize = 500;

/// The largest flag or segment, in bytes of JSON as it is sent: one message to an SDK holds it.
pub const MAX_ITEM: usize = 8 * 1024 * 1024;

/// From so many targets on an author is told that every server SDK downloads them all.
pub const WARN_TARGETS: usize = 1_000;

/// From so many bytes of JSON on an author is told the same.
pub const WARN_ITEM: usize = 256 * 1024;

/// How far a rollout's bounds may lie from where they should, to forgive sums of decimal fractions.
pub const ROLLOUT_TOLERANCE: f64 = 1e-9;
