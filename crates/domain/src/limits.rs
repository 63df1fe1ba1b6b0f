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

/// The most prerequisites of a flag: each is another flag that is evaluated for every user.
pub const MAX_PREREQUISITES: usize = 10;

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

/// The most policies of an organization: they are listed whole, and people have to know them.
pub const MAX_POLICIES: i64 = 500;

/// The most groups of an organization, for the same reason.
pub const MAX_GROUPS: i64 = 500;

/// The most members of an organization, and so of a group: who has a policy is looked for among all
/// of them.
pub const MAX_MEMBERS: i64 = 10_000;

/// The most invitations of an organization that nobody has followed yet: each is a letter.
pub const MAX_INVITATIONS: i64 = 1_000;

/// The most service tokens of an organization that work: they are listed whole.
pub const MAX_SERVICE_TOKENS: i64 = 1_000;

/// The most personal tokens of a member that work: nobody keeps an eye on more.
pub const MAX_PERSONAL_TOKENS: i64 = 50;

/// The most keys for relays of an organization that are not revoked: many relays share one.
pub const MAX_RELAY_KEYS: i64 = 200;

/// The most environments that a relay's key names; one for all of them names none.
pub const MAX_RELAY_ENVIRONMENTS: usize = 500;

/// The most relays of a key that are remembered.
pub const MAX_RELAY_AGENTS: i64 = 5_000;

/// The most projects of an organization: a change of a shared segment locks them all.
pub const MAX_PROJECTS: i64 = 500;

/// The most environments of a project: every change set of the project locks them all.
pub const MAX_ENVIRONMENTS: i64 = 1_000;

/// The most SDK keys of an environment that are not revoked: they are looked through in one answer.
pub const MAX_SDK_KEYS: i64 = 100;

/// The most flags of a project that are not deleted: all that are on go to every server SDK, and
/// the index of them is one answer.
pub const MAX_FLAGS: i64 = 20_000;

/// The most segments of one scope (the organization, a project, an environment) that are not
/// deleted: all of them go to every server SDK.
pub const MAX_SEGMENTS: i64 = 5_000;

/// The most properties of end users that a project knows: as many as are told of those that users
/// have, all in one answer.
pub const MAX_USER_PROPERTIES: i64 = 500;
