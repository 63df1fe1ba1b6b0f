//! Comparing what is in NATS with what the database has: for each environment whether a relay that
//! starts now would serve the same.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use burgee_edge::source::{Changes, Position, Source};
use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use serde::Serialize;
use tokio::time::{Instant, sleep};

use super::publish::{end_of, read_list, sorted};
use super::streams::{ALL, Asked, From, Streams, changes};
use super::wire::Head;
use super::{Backbone, Fault};
use crate::message::{Whole, place, sent};
use crate::mirror::Mirror;

/// How long servers may take to publish what was changed just now.
const PUBLISHING: Duration = Duration::from_secs(5);

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
            Self::Gone => f.write_str("it is listed, and not in the database"),
            Self::Unlisted => f.write_str("it is not listed"),
        }
    }
}

/// Compares all environments.
///
/// # Errors
/// Where NATS or the database cannot be read at all.
pub async fn verify(backbone: &Backbone, source: &dyn Source) -> Result<Vec<Finding>, Fault> {
    let streams = Streams::new(backbone.connect("burgee verify").await?);
    let mut findings = Vec::new();
    let heads = source.environments().await?;
    let listed = match streams.last(ALL, Asked::Leader).await? {
        Some(last) => read_list(&last.payload)?,
        None => BTreeSet::new(),
    };
    for head in &heads {
        let id = &head.environment;
        let until = Instant::now() + PUBLISHING;
        let differs = loop {
            let differs = compare(&streams, source, id).await?;
            let behind = matches!(differs, Some(Differs::Behind { .. } | Differs::Missing));
            if !behind || Instant::now() > until {
                break differs;
            }
            sleep(PUBLISHING / 20).await;
        };
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

async fn compare(
    streams: &Streams,
    source: &dyn Source,
    id: &str,
) -> Result<Option<Differs>, Fault> {
    let Some(last) = streams.last(&changes(id), Asked::Leader).await? else {
        return Ok(Some(Differs::Missing));
    };
    let Some(end) = end_of(&Head::read(&last.headers)?) else {
        return Ok(Some(Differs::Missing));
    };
    let database = match source.changes(id, end).await? {
        Changes::Since(delta) if delta.position == end => None,
        Changes::Since(delta) => {
            return Ok(Some(Differs::Behind {
                stream: end.version,
                database: delta.position.version,
            }));
        }
        Changes::Reload(state) => Some(state.position),
        Changes::Gone => return Ok(None),
    };
    if let Some(database) = database {
        return Ok(Some(Differs::OtherHistory {
            stream: end.version,
            database: database.version,
        }));
    }
    let started = match start(streams, id, end, last.sequence).await {
        Ok(started) => started,
        Err(fault) => return Ok(Some(Differs::Unreadable(fault))),
    };
    let Some(state) = source.state(id).await? else {
        return Ok(None);
    };
    let state = sorted(state);
    // Something was changed in between: the positions agreed a moment ago.
    if state.position != started.position {
        return Ok(None);
    }
    Ok(differences(&state, &started))
}

/// An environment as a relay would have it that starts now.
async fn start(streams: &Streams, id: &str, end: Position, last: u64) -> Result<Whole, Fault> {
    let broken = || Fault::Broken(format!("{id} at {}", end.version));
    let pointer = streams.pointer(id, Asked::Leader).await?;
    let (pointer, _) = pointer.ok_or_else(broken)?;
    let whole = streams.state(id, &pointer.newest).await?;
    let at = whole.position;
    let range = (pointer.newest.start, last);
    let mut mirror = Mirror::default();
    mirror.put(whole);
    for since in streams.chain(id, range, From::State(at)).await? {
        mirror.advance(since).map_err(|_| broken())?;
    }
    let state = mirror.state(id).ok_or_else(broken)?;
    let state = sorted(state);
    match place(state.position) == end || state.position > sent(end) {
        true => Ok(state),
        false => Err(broken()),
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
