//! Messages of the stream: what came after a position, cut to what NATS takes, with its place in the
//! headers.

use std::fmt;
use std::str::FromStr;

use async_nats::HeaderMap;
use async_nats::jetstream::message::PublishMessage;
use burgee_edge::source::Position;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

use super::Fault;
use crate::message::{Since, sent, unpack};

/// A part has so many bytes at most: NATS takes messages of 1 MB where nobody changed that.
pub(super) const PART: usize = 512 * 1024;

const FROM: &str = "Burgee-From";
const POSITION: &str = "Burgee-Position";
const PART_NUMBER: &str = "Burgee-Part";
const PARTS: &str = "Burgee-Of";
const SUM: &str = "Burgee-Sum";
const WRITTEN: &str = "Burgee-Written";

/// A position as it stands in headers and names: `12-00a1b2c3d4e5f607`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(pub(super) Position);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:016x}", self.0.version, self.0.digest)
    }
}

impl FromStr for Place {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let bad = || Fault::Headers("a position is a version and a digest");
        let (version, digest) = text.split_once('-').ok_or_else(bad)?;
        Ok(Self(Position {
            version: version.parse().map_err(|_| bad())?,
            digest: u64::from_str_radix(digest, 16).map_err(|_| bad())?,
        }))
    }
}

/// Where a message of an environment's subject belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// It leads from here; `None` where it says that the whole state is to be taken anew.
    pub(super) from: Option<Position>,
    /// To here.
    pub(super) to: Position,
    /// It is this part, counted from 0,
    pub(super) part: usize,
    /// of so many.
    pub(super) of: usize,
    /// What all parts together hash to.
    pub(super) sum: String,
    /// How many bytes of changes the subject has had up to here, this part among them: by that it is
    /// known how much a reader has to read that starts. 0 where it was not said.
    pub(super) written: u64,
}

impl Head {
    /// Whether this is the last part, with which the change is whole.
    pub(super) fn is_last(&self) -> bool {
        self.part + 1 == self.of
    }

    /// A message with this place. Its id, by which NATS leaves out what it has already, is
    /// (environment, position, part, content); `attempt` makes it another one where what NATS had
    /// is gone since.
    pub(super) fn message(&self, environment: &str, attempt: u32) -> PublishMessage {
        let (to, sum) = (Place(self.to), &self.sum);
        let id = format!("{environment} {to} {} {sum} {attempt}", self.part);
        let message = PublishMessage::build()
            .message_id(id)
            .header(POSITION, to.to_string())
            .header(PART_NUMBER, self.part.to_string())
            .header(PARTS, self.of.to_string())
            .header(SUM, sum.clone())
            .header(WRITTEN, self.written.to_string());
        match self.from {
            Some(from) => message.header(FROM, Place(from).to_string()),
            None => message,
        }
    }

    /// The place of a message.
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, Fault> {
        let text = |name: &'static str| {
            let found = headers.get(name).ok_or(Fault::Headers(name));
            found.map(|value| value.as_str().to_owned())
        };
        let number = |name: &'static str| {
            text(name)?
                .parse::<usize>()
                .map_err(|_| Fault::Headers(name))
        };
        let from = headers.get(FROM).map(|it| it.as_str().parse::<Place>());
        Ok(Self {
            from: from.transpose()?.map(|place| place.0),
            to: text(POSITION)?.parse::<Place>()?.0,
            part: number(PART_NUMBER)?,
            of: number(PARTS)?,
            sum: text(SUM)?,
            written: match headers.get(WRITTEN) {
                Some(bytes) => bytes
                    .as_str()
                    .parse()
                    .map_err(|_| Fault::Headers(WRITTEN))?,
                None => 0,
            },
        })
    }
}

/// A packed change as messages, each with its place. `written` is how many bytes came before.
pub(super) fn parts(
    from: Position,
    to: Position,
    written: u64,
    packed: Vec<u8>,
) -> Vec<(Head, Bytes)> {
    let packed = Bytes::from(packed);
    let sum = sum(&packed);
    let of = packed.len().div_ceil(PART).max(1);
    let part = |part: usize| {
        let end = packed.len().min((part + 1) * PART);
        let body = packed.slice(part * PART..end);
        let head = Head {
            from: Some(from),
            to,
            part,
            of,
            sum: sum.clone(),
            written: written + end as u64,
        };
        (head, body)
    };
    (0..of).map(part).collect()
}

/// The message that says that the whole state is to be taken anew. `written` is as in [`parts`].
pub(super) fn anew(to: Position, written: u64) -> Head {
    Head {
        from: None,
        to,
        part: 0,
        of: 1,
        sum: sum(&[]),
        written,
    }
}

pub(super) fn sum(bytes: &[u8]) -> String {
    let hash = Sha1::digest(bytes);
    hash.iter().take(10).map(|it| format!("{it:02x}")).collect()
}

/// The parts of a change that have come.
#[derive(Default)]
pub(super) struct Gathering {
    head: Option<Head>,
    packed: Vec<u8>,
}

/// What a message of an environment says.
pub(super) enum Said {
    /// This is what came.
    Since(Box<Since>),
    /// The whole state is to be taken anew.
    Anew,
    /// More is to come.
    Part,
    /// This was the end of a change whose beginning did not come.
    Lost,
}

impl Gathering {
    /// Takes a message. Parts of a change lie one behind the other: whoever gave up in the middle of
    /// one left a beginning, which is forgotten.
    pub(super) fn take(&mut self, head: Head, body: &[u8]) -> Result<Said, Fault> {
        let before = self.head.take();
        let Some(from) = head.from else {
            return Ok(Said::Anew);
        };
        if head.part == 0 {
            self.packed.clear();
        } else {
            let fits = before.is_some_and(|it| it.sum == head.sum && it.part + 1 == head.part);
            if !fits {
                return Ok(if head.is_last() {
                    Said::Lost
                } else {
                    Said::Part
                });
            }
        }
        self.packed.extend_from_slice(body);
        if !head.is_last() {
            self.head = Some(head);
            return Ok(Said::Part);
        }
        let packed = std::mem::take(&mut self.packed);
        if sum(&packed) != head.sum {
            return Err(Fault::Broken(Place(head.to).to_string()));
        }
        let since: Since = unpack(&packed)?;
        match since.from == sent(from) && since.position == sent(head.to) {
            true => Ok(Said::Since(Box::new(since))),
            false => Err(Fault::Headers(POSITION)),
        }
    }
}

/// Names the newest whole state of an environment: the last message of `burgee.state.<id>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pointer {
    /// Where the state lies, and from where the stream goes on.
    #[serde(flatten)]
    pub(super) newest: Object,
    /// The one before it, which a reader that was away may go on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) previous: Option<Object>,
    /// When it was written, ms since 1970.
    pub(super) at: i64,
}

/// A whole state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Object {
    /// Its name in the environment's object store: its position.
    pub(super) name: String,
    /// Version and digest.
    pub(super) position: (i64, u64),
    /// The stream's messages from this one on have all that came after.
    pub(super) start: u64,
    /// How many bytes of changes the subject had had before that one.
    #[serde(default)]
    pub(super) written: u64,
    /// Its own bytes.
    #[serde(default)]
    pub(super) size: u64,
}
