//! What client SDKs are sent: for each flag the JSON of every answer it can give, made once.
//!
//! An answer lies in three pieces, since each has its own number: one head per flag (key, type,
//! options, timestamp), one piece per variation (its value, which may be 64 KiB), one per outcome
//! (reason, experiment). So what is kept grows with the flag, not with rules × values.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use burgee_eval::compile::CompiledFlag;
use burgee_eval::flag::Variation;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::User;
use serde::Serialize;

use super::encoded::Sync;
use super::ofrep::OfrepFlag;
use super::wire::{append_field, piece};

/// All flags of a snapshot, in its order.
pub(super) struct ClientState {
    flags: Vec<Arc<ClientFlag>>,
    size: usize,
}

/// About what a message has besides its flags: the user's key is most of it.
const ENVELOPE: usize = 192;

impl ClientState {
    /// Encodes a snapshot; shares what is encoded already.
    pub(super) fn new(snapshot: &Snapshot, before: Option<(&Snapshot, &Self)>) -> Self {
        let known = |flag: &Arc<CompiledFlag>| {
            let (old, encoded) = before?;
            let place = old
                .flags()
                .binary_search_by(|f| f.flag().key.cmp(&flag.flag().key))
                .ok()?;
            let same = Arc::ptr_eq(old.flags().get(place)?, flag);
            same.then(|| encoded.flags.get(place).cloned())?
        };
        let encode = |flag| known(flag).unwrap_or_else(|| Arc::new(ClientFlag::new(flag)));
        let flags: Vec<_> = snapshot.flags().iter().map(encode).collect();
        let size = ENVELOPE + flags.iter().map(|flag| flag.largest()).sum::<usize>();
        Self { flags, size }
    }

    /// About the most bytes of a message with everything.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// About the most bytes of a message with these flags.
    pub(super) fn size_of(&self, flags: impl Iterator<Item = usize>) -> usize {
        let flags = flags.filter_map(|index| self.flags.get(index));
        ENVELOPE + flags.map(|flag| flag.largest()).sum::<usize>()
    }

    /// Appends a message with everything. The newest flag in it carries a timestamp that is not
    /// below that of any flag that the user is *not* served: otherwise the SDK's next timestamp
    /// would lie before that flag, and it would be answered in full for ever.
    pub(super) fn full(&self, snapshot: &Snapshot, user: &User<'_>, out: &mut Vec<u8>) {
        let mut message = Message::begin(Sync::Full, user, out);
        let mut floor = 0;
        for (flag, encoded) in snapshot.flags().iter().zip(&self.flags) {
            match flag.evaluate(user) {
                Some(outcome) => message.add(encoded, outcome.get()),
                None => floor = floor.max(encoded.timestamp),
            }
        }
        message.raise(floor);
        message.end();
    }

    /// Appends a message with these flags. `false`, and nothing appended, where one of them serves
    /// the user nothing: what the SDK may have of it goes only with a full message.
    pub(super) fn patch(
        &self,
        snapshot: &Snapshot,
        user: &User<'_>,
        flags: impl Iterator<Item = usize>,
        out: &mut Vec<u8>,
    ) -> bool {
        let start = out.len();
        let mut message = Message::begin(Sync::Patch, user, out);
        for index in flags {
            let (Some(flag), Some(encoded)) = (snapshot.flags().get(index), self.flags.get(index))
            else {
                continue;
            };
            let Some(outcome) = flag.evaluate(user) else {
                out.truncate(start);
                return false;
            };
            message.add(encoded, outcome.get());
        }
        message.end();
        true
    }

    /// The answers by OFREP of the flag at a place.
    pub(super) fn ofrep(&self, place: usize, flag: &CompiledFlag) -> Option<&OfrepFlag> {
        let known = self.flags.get(place)?;
        Some(known.ofrep.get_or_init(|| Box::new(OfrepFlag::new(flag))))
    }

    /// The positions of flags that are newer than `timestamp`.
    pub(super) fn newer(&self, timestamp: i64) -> impl Iterator<Item = usize> {
        let flags = self.flags.iter().enumerate();
        flags
            .filter(move |(_, flag)| flag.timestamp > timestamp)
            .map(|(index, _)| index)
    }
}

/// A flag's answers.
struct ClientFlag {
    timestamp: i64,
    bytes: Box<[u8]>,
    head: Range<usize>,
    /// By outcome: its variation's piece, its own piece.
    outcomes: Box<[(Range<usize>, Range<usize>)]>,
    /// The same for OFREP, once somebody asked for it.
    ofrep: OnceLock<Box<OfrepFlag>>,
}

#[derive(Serialize)]
struct VariationOption<'a> {
    id: &'a str,
    value: &'a str,
}

impl ClientFlag {
    fn new(flag: &CompiledFlag) -> Self {
        let mut bytes = Vec::new();
        let head = piece(&mut bytes, |out| append_head(flag, out));
        let variations = flag.flag().variations.iter();
        let variations: Vec<_> = variations
            .map(|variation| piece(&mut bytes, |out| append_variation(variation, out)))
            .collect();
        let outcomes = flag.outcomes().iter().map(|outcome| {
            let reason = flag.match_reason(outcome.reason);
            let own = piece(&mut bytes, |out| {
                append_field(out, ",\"matchReason\":", &reason);
                append_field(out, ",\"sendToExperiment\":", &outcome.send_to_experiment);
                out.push(b'}');
            });
            (
                variations
                    .get(outcome.variation)
                    .cloned()
                    .unwrap_or_default(),
                own,
            )
        });
        let outcomes = outcomes.collect();
        Self {
            timestamp: timestamp(flag),
            bytes: bytes.into(),
            head,
            outcomes,
            ofrep: OnceLock::new(),
        }
    }

    /// The most bytes that it adds to a message.
    fn largest(&self) -> usize {
        let outcomes = self.outcomes.iter();
        let largest = outcomes
            .map(|(variation, own)| variation.len() + own.len())
            .max();
        // And a comma.
        self.head.len() + largest.unwrap_or_default() + 1
    }

    fn piece(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}

/// What the SDK takes as the flag's version: never negative, so its digits can be counted.
fn timestamp(flag: &CompiledFlag) -> i64 {
    flag.timestamp().0.max(0)
}

/// The head ends with the timestamp's digits, so that [`Message::raise`] finds them.
fn append_head(flag: &CompiledFlag, out: &mut Vec<u8>) {
    let timestamp = timestamp(flag);
    let flag = flag.flag();
    let options = flag.variations.iter();
    let options: Vec<_> = options
        .map(|v| VariationOption {
            id: &v.id,
            value: &v.value,
        })
        .collect();
    append_field(out, "{\"id\":", &flag.key);
    append_field(out, ",\"variationType\":", &flag.variation_type.as_str());
    append_field(out, ",\"variationOptions\":", &options);
    append_field(out, ",\"timestamp\":", &timestamp);
}

fn append_variation(variation: &Variation, out: &mut Vec<u8>) {
    append_field(out, ",\"variation\":", &variation.value);
    append_field(out, ",\"variationId\":", &variation.id);
}

/// A message that is being written.
struct Message<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
    /// The highest timestamp so far and where its digits lie.
    newest: Option<(i64, Range<usize>)>,
}

impl<'a> Message<'a> {
    fn begin(sync: Sync, user: &User<'_>, out: &'a mut Vec<u8>) -> Self {
        let event = match sync {
            Sync::Full => r#"{"messageType":"data-sync","data":{"eventType":"full","userKeyId":"#,
            Sync::Patch => r#"{"messageType":"data-sync","data":{"eventType":"patch","userKeyId":"#,
        };
        append_field(out, event, &user.key);
        out.extend_from_slice(br#","featureFlags":["#);
        Self {
            out,
            empty: true,
            newest: None,
        }
    }

    fn add(&mut self, flag: &ClientFlag, outcome: usize) {
        let Some((variation, own)) = flag.outcomes.get(outcome) else {
            return;
        };
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        self.out.extend_from_slice(flag.piece(&flag.head));
        if self
            .newest
            .as_ref()
            .is_none_or(|(newest, _)| flag.timestamp > *newest)
        {
            let end = self.out.len();
            let digits = flag
                .timestamp
                .checked_ilog10()
                .map_or(1, |tens| tens as usize + 1);
            self.newest = Some((flag.timestamp, end.saturating_sub(digits)..end));
        }
        self.out.extend_from_slice(flag.piece(variation));
        self.out.extend_from_slice(flag.piece(own));
    }

    /// Raises the newest flag's timestamp to `floor`, if it is below.
    fn raise(&mut self, floor: i64) {
        if let Some((newest, digits)) = self.newest.take()
            && newest < floor
        {
            self.out.splice(digits, floor.to_string().into_bytes());
        }
    }

    fn end(self) {
        self.out.extend_from_slice(b"]}}");
    }
}
