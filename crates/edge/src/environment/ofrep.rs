//! What OFREP's providers are answered: for each flag the JSON of every answer it can give, made
//! once, when somebody first asks for it in this way.
//!
//! An answer lies in pieces, as for client SDKs: a head (the key), one piece per variation (its
//! value, in the form that the variation has it, and its id), one per outcome (the reason), and,
//! for server keys alone, what FeatBit's SDKs would say of the outcome. So who asks costs a search,
//! an evaluation and four copies.

use std::ops::Range;

use burgee_eval::compile::CompiledFlag;
use burgee_eval::flag::{Variation, VariationType, parses_as};
use burgee_eval::outcome::Reason;
use burgee_eval::user::User;

use super::encoded::Encoded;
use super::wire::{append_field, piece};
use crate::source::KeyKind;

/// About the bytes of a flag in an answer; a longer one makes the buffer grow.
const FLAG: usize = 160;

/// A flag's answers.
pub(super) struct OfrepFlag {
    bytes: Box<[u8]>,
    head: Range<usize>,
    /// By outcome.
    outcomes: Box<[Pieces]>,
}

/// Where an answer's pieces lie.
struct Pieces {
    variation: Range<usize>,
    reason: Range<usize>,
    /// Without its closing brace.
    metadata: Range<usize>,
}

impl OfrepFlag {
    pub(super) fn new(flag: &CompiledFlag) -> Self {
        let mut bytes = Vec::new();
        let head = piece(&mut bytes, |out| {
            append_field(out, "{\"key\":", &flag.flag().key)
        });
        let kind = flag.flag().variation_type;
        let variations = flag.flag().variations.iter();
        let variations: Vec<_> = variations
            .map(|variation| piece(&mut bytes, |out| append_variation(kind, variation, out)))
            .collect();
        let outcomes = flag.outcomes().iter();
        let outcomes = outcomes.map(|outcome| Pieces {
            variation: variations
                .get(outcome.variation)
                .cloned()
                .unwrap_or_default(),
            reason: piece(&mut bytes, |out| {
                append_field(out, ",\"reason\":", &reason(flag, outcome.reason));
            }),
            metadata: piece(&mut bytes, |out| append_metadata(flag, outcome.reason, out)),
        });
        let outcomes = outcomes.collect();
        Self {
            bytes: bytes.into(),
            head,
            outcomes,
        }
    }

    fn piece(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }

    /// Appends what the flag gives a user. Where it gives nothing there is no value: a provider
    /// then takes the default in the program's code.
    fn append(&self, flag: &CompiledFlag, asker: &Asker<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(self.piece(&self.head));
        let outcome = flag.evaluate(asker.user);
        match outcome.and_then(|outcome| self.outcomes.get(outcome.get())) {
            None => out.extend_from_slice(br#","reason":"UNKNOWN""#),
            Some(pieces) => {
                out.extend_from_slice(self.piece(&pieces.variation));
                out.extend_from_slice(self.piece(&pieces.reason));
                if asker.kind == KeyKind::Server {
                    out.extend_from_slice(self.piece(&pieces.metadata));
                    asker.append_version(out);
                    out.push(b'}');
                }
            }
        }
        out.push(b'}');
    }
}

/// For whom and by which key is asked.
struct Asker<'a> {
    user: &'a User<'a>,
    kind: KeyKind,
    /// The environment's version, where it belongs to each flag's metadata.
    version: Option<i64>,
}

impl Asker<'_> {
    fn append_version(&self, out: &mut Vec<u8>) {
        if let Some(version) = self.version {
            out.extend_from_slice(b",\"version\":");
            out.extend_from_slice(itoa::Buffer::new().format(version).as_bytes());
        }
    }
}

impl Encoded {
    /// Appends the answer for one flag, and gives its place; none, and nothing appended, where there
    /// is no such flag, or it is archived. With a server key its metadata has the environment's
    /// version.
    pub fn ofrep_flag(
        &self,
        key: &str,
        user: &User<'_>,
        kind: KeyKind,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let flags = self.snapshot().flags();
        let place = flags.binary_search_by(|flag| flag.flag().key.as_str().cmp(key));
        let place = place.ok()?;
        let flag = flags.get(place)?;
        let pieces = self.client().ofrep(place, flag)?;
        if flag.flag().is_archived {
            return None;
        }
        let asker = Asker {
            user,
            kind,
            version: Some(self.position().version),
        };
        pieces.append(flag, &asker, out);
        Some(place)
    }

    /// Appends the list of the answers of all flags, by key. The environment's version is in none
    /// of them, so that a flag's bytes change with it alone.
    pub fn ofrep_flags(&self, user: &User<'_>, kind: KeyKind, out: &mut Vec<u8>) {
        let flags = self.snapshot().flags();
        out.reserve(flags.len() * FLAG);
        let asker = Asker {
            user,
            kind,
            version: None,
        };
        out.push(b'[');
        let mut first = true;
        for (place, flag) in flags.iter().enumerate() {
            if flag.flag().is_archived {
                continue;
            }
            if let Some(pieces) = self.client().ofrep(place, flag) {
                if !std::mem::take(&mut first) {
                    out.push(b',');
                }
                pieces.append(flag, &asker, out);
            }
        }
        out.push(b']');
    }
}

/// OpenFeature's reason. Not `DISABLED` for a flag that is off: it serves its off variation, and one
/// provider gives the program's default for that word, whatever the value is. Not `DEFAULT`, which
/// OFREP does not have. What serves everybody the same is `STATIC`.
fn reason(flag: &CompiledFlag, reason: Reason) -> &'static str {
    match reason {
        _ if flag.splits(reason) => "SPLIT",
        // What another flag serves is as much of the user as a rule is.
        Reason::Targeted | Reason::Rule(_) | Reason::Prerequisite(_) => "TARGETING_MATCH",
        Reason::Default if flag.needs().len() > 0 => "TARGETING_MATCH",
        Reason::Disabled | Reason::Default => "STATIC",
    }
}

fn append_variation(kind: VariationType, variation: &Variation, out: &mut Vec<u8>) {
    append_value(kind, &variation.value, out);
    append_field(out, ",\"variant\":", &variation.id);
}

/// The value as JSON, in the form that the variation has it: `100` and `100.0` are two things to
/// some providers. One that is not of its type goes out as a text, for the provider to refuse; JSON's
/// `null` as no value, as OFREP has none for it.
fn append_value(kind: VariationType, value: &str, out: &mut Vec<u8>) {
    let is_bool = |word: &&str| kind == VariationType::Boolean && value.eq_ignore_ascii_case(word);
    let literal = match ["true", "false"].into_iter().find(is_bool) {
        Some(word) => Some(word),
        None if kind == VariationType::String => None,
        None => Some(value.trim()).filter(|value| parses_as(kind, value).is_ok()),
    };
    match literal {
        Some("null") => {}
        Some(literal) => {
            out.extend_from_slice(b",\"value\":");
            out.extend_from_slice(literal.as_bytes());
        }
        None => append_field(out, ",\"value\":", &value),
    }
}

fn append_metadata(flag: &CompiledFlag, reason: Reason, out: &mut Vec<u8>) {
    let said = flag.match_reason(reason);
    append_field(out, ",\"metadata\":{\"matchReason\":", &said);
    match reason {
        Reason::Rule(position) => {
            if let Some(rule) = flag.flag().rules.get(position) {
                append_field(out, ",\"ruleId\":", &rule.id);
            }
        }
        Reason::Prerequisite(position) => {
            if let Some(needed) = flag.flag().prerequisites.get(position) {
                append_field(out, ",\"prerequisite\":", &needed.flag);
            }
        }
        Reason::Disabled | Reason::Targeted | Reason::Default => {}
    }
}
