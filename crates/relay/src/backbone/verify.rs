//! Comparing what is in NATS with what the database has: for each environment whether a relay that
//! starts now would serve the same.
//!
//! The database is read first, and a relay's state brought to just that position: so an environment
//! that is changed all the time is compared, too.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use burgee_edge::source::{Changes, Position, Source};
use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use serde::Serialize;
use tokio::time::{Instant, sleep};

use super::publish::{end_of, read_list};
use super::states::sorted;
use super::streams::{ALL, Asked, Streams, changes};
use super::wire::Head;
use super::writing::check;
use super::{Backbone, Fault};
use crate::message::{Whole, place};

/// How long servers may take to publish what was changed just now.
const PUBLISHING: Duration = Duration::from_secs(5);
/// The pause before an environment is looked at again.
const PAUSE: Duration = Duration::from_millis(250);

/// What is said of an environment.
#[derive(Debug)]
pub struct Finding {
    /// Its id.
    pub environment: String,
    /// What differs; nothing where a relay would serve the same.
    pub differs: Option<Differs>,
}

/// How NATS differs from the database.
#[derive(Debug)]
pub enum Differs {
    /// Nothing of it is there.
    Missing,
    /// The stream ends before the database.
    Behind {
        /// Where the stream ends.
        stream: i64,
        /// Where the database is.
        database: i64,
    },
    /// The stream ends at a place that the database's history does not have.
    OtherHistory {
        /// Where the stream ends.
        stream: i64,
        /// Where the database is.
        database: i64,
    },
    /// A relay that starts cannot be brought to the stream's end.
    Unreadable(Fault),
    /// It can, and serves something else than the database at the same position.
    Content(Vec<String>),
    /// That was not to be found out: whenever it was looked, it had been changed.
    Moving,
    /// It is in the list of environments, and not in the database.
    Gone,
    /// It is in the database, and not in the list.
    Unlisted,
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("it is not in the stream"),
            Self::Behind { stream, database } => {
                write!(
                    f,
                    "the stream ends at {stream}, the database is at {database}"
                )
            }
            Self::OtherHistory { stream, database } => write!(
                f,
                "the stream ends at {stream} of another history than the database's, at {database}"
            ),
            Self::Unreadable(fault) => write!(f, "a relay cannot start with it: {fault}"),
            Self::Content(what) => write!(f, "relays serve something else: {}", what.join(", ")),
            Self::Moving => f.write_str("not compared: it is changed all the time"),
            Self::Gone => f.write_str("it is listed, and not in the database"),
            Self::Unlisted => f.write_str("it is not listed"),
        }
    }
}

/// What is found at a look.
enum Found {
    Same,
    Differs(Differs),
    /// The stream has not come as far, or does not fit together, and may yet.
    NotYet(Differs),
    /// A relay cannot be brought to just this position: the stream passes over it, or begins after it.
    Passed,
}

/// Compares all environments. `installation` is the id that servers of this database publish for
/// ([`Publisher::run`](super::Publisher::run)).
///
/// # Errors
/// Where NATS or the database cannot be read at all; [`Fault::Foreign`] where NATS is another
/// installation's.
pub async fn verify(
    backbone: &Backbone,
    source: &dyn Source,
    installation: &str,
) -> Result<Vec<Finding>, Fault> {
    let streams = Streams::new(backbone.connect("burgee verify").await?);
    check(&streams.info().await?.config, installation)?;
    let mut findings = Vec::new();
    let heads = source.environments().await?;
    let listed = match streams.last(ALL, Asked::Leader).await? {
        Some(last) => read_list(&last.payload)?,
        None => BTreeSet::new(),
    };
    for head in &heads {
        let id = &head.environment;
        let differs = compare(&streams, source, id).await?;
        let unlisted = (!listed.contains(id)).then_some(Differs::Unlisted);
        findings.push(Finding {
            environment: id.clone(),
            differs: differs.or(unlisted),
        });
    }
    let there = |id: &String| heads.iter().any(|head| head.environment == *id);
    for id in listed.iter().filter(|id| !there(id)) {
        findings.push(Finding {
            environment: id.clone(),
            differs: Some(Differs::Gone),
        });
    }
    Ok(findings)
}

/// Compares an environment, for as long as servers may take to publish it.
async fn compare(
    streams: &Streams,
    source: &dyn Source,
    id: &str,
) -> Result<Option<Differs>, Fault> {
    let until = Instant::now() + PUBLISHING;
    let mut database = source.state(id).await?.map(sorted);
    loop {
        // It is gone, which the list says.
        let Some(state) = &database else {
            return Ok(None);
        };
        let late = Instant::now() > until;
        match look(streams, source, state).await? {
            Found::Same => return Ok(None),
            Found::Differs(differs) => return Ok(Some(differs)),
            Found::NotYet(differs) if late => return Ok(Some(differs)),
            Found::NotYet(_) => {}
            Found::Passed if late => return Ok(Some(Differs::Moving)),
            Found::Passed => database = source.state(id).await?.map(sorted),
        }
        sleep(PAUSE).await;
    }
}

/// Compares a state of the database with what the stream has now.
async fn look(streams: &Streams, source: &dyn Source, state: &Whole) -> Result<Found, Fault> {
    let (id, at) = (&*state.environment, place(state.position));
    let Some(last) = streams.last(&changes(id), Asked::Leader).await? else {
        return Ok(Found::NotYet(Differs::Missing));
    };
    let Some(end) = end_of(&Head::read(&last.headers)?) else {
        return Ok(Found::NotYet(Differs::Missing));
    };
    let (stream, database) = (end.version, at.version);
    if end != at {
        match source.changes(id, end).await? {
            Changes::Since(_) if stream < database => {
                return Ok(Found::NotYet(Differs::Behind { stream, database }));
            }
            // It went on since the state was read.
            Changes::Since(_) => {}
            Changes::Reload(now) => {
                return Ok(Found::Differs(Differs::OtherHistory {
                    stream,
                    database: now.position.version,
                }));
            }
            Changes::Gone => return Ok(Found::Same),
        }
    }
    Ok(match start(streams, id, at, last.sequence).await {
        Ok(Some(relay)) => match differences(state, &relay) {
            None => Found::Same,
            Some(differs) => Found::Differs(differs),
        },
        Ok(None) => Found::Passed,
        // A state may be in the middle of being replaced.
        Err(fault) => Found::NotYet(Differs::Unreadable(fault)),
    })
}

/// An environment as a relay would have it that starts now and has come to this position; none where it
/// does not come by there. The stream ends with the message of this number, there or after it.
async fn start(
    streams: &Streams,
    id: &str,
    to: Position,
    last: u64,
) -> Result<Option<Whole>, Fault> {
    let broken = || Fault::Broken(format!("{id} at {}", to.version));
    let pointer = streams.pointer(id, Asked::Leader).await?;
    let (pointer, _) = pointer.ok_or_else(broken)?;
    if pointer.newest.position.0 > to.version {
        return Ok(None);
    }
    let mirror = streams.started(id, &pointer.newest, last, Some(to)).await?;
    match mirror.position(id) {
        Some(at) if at == to => Ok(mirror.state(id).map(sorted)),
        Some(at) if at.version > to.version => Ok(None),
        _ => Err(broken()),
    }
}

fn differences(database: &Whole, relay: &Whole) -> Option<Differs> {
    let mut found = Vec::new();
    let flags = (&*database.flags, &*relay.flags);
    named(&mut found, "flag", flags, |flag: &Flag| &flag.key);
    let segments = (&*database.segments, &*relay.segments);
    named(&mut found, "segment", segments, |it: &Segment| &it.id);
    if text(&database.keys) != text(&relay.keys) {
        found.push("SDK keys".to_owned());
    }
    if database.last_stamp != relay.last_stamp {
        found.push("the last stamp".to_owned());
    }
    if database.decision_sample != relay.decision_sample {
        found.push("of which users decisions are logged".to_owned());
    }
    (!found.is_empty()).then_some(Differs::Content(found))
}

/// Names the items that differ.
fn named<T: Serialize>(
    found: &mut Vec<String>,
    kind: &str,
    (database, relay): (&[T], &[T]),
    name: impl Fn(&T) -> &str,
) {
    let texts = |items: &[T]| -> BTreeSet<(String, Option<String>)> {
        let items = items.iter();
        items.map(|it| (name(it).to_owned(), text(it))).collect()
    };
    let (database, relay) = (texts(database), texts(relay));
    let names: BTreeSet<&String> = database
        .symmetric_difference(&relay)
        .map(|(name, _)| name)
        .collect();
    found.extend(names.into_iter().map(|name| format!("{kind} {name}")));
}

fn text(items: &(impl Serialize + ?Sized)) -> Option<String> {
    serde_json::to_string(items).ok()
}
