//! Environments to test with, and answers read back.

mod client;
mod decisions;
mod naive;
mod server;
mod update;
mod wire;

use std::sync::Arc;

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;
use burgee_eval::user::User;
use serde_json::{Value, json};

use super::{Encoded, Environment, Sync, Update};
use crate::frame::deflate::Coding;
use crate::source::{Delta, Position, State};

/// The time in these tests; stamps are small numbers after it.
pub(super) const T: i64 = 1_700_000_000_000;
/// "Now": long after any stamp.
pub(super) const NOW: i64 = T + 3_600_000;

/// A flag that is on and gives `yes` to everybody.
pub(super) fn flag(key: &str, stamp: i64) -> Flag {
    let flag = json!({
        "id": format!("id-{key}"), "createdAt": T, "updatedAt": T + stamp, "envId": "env",
        "name": key, "description": "", "key": key, "variationType": "string",
        "variations": [{"id": "v1", "value": "yes"}, {"id": "v2", "value": "no"}],
        "targetUsers": [], "rules": [], "isEnabled": true, "disabledVariationId": "v2",
        "fallthrough": {"dispatchKey": null, "includedInExpt": false,
            "variations": [{"id": "v1", "rollout": [0, 1], "exptRollout": 1}]},
        "exptIncludeAllTargets": false, "tags": [], "isArchived": false,
    });
    serde_json::from_value(flag).unwrap()
}

/// The same, with members of a segment getting `no`.
pub(super) fn flag_with_segment(key: &str, stamp: i64, segment: &str) -> Flag {
    let rule = json!({
        "id": "r", "name": "members", "dispatchKey": null, "includedInExpt": false,
        "conditions": [{"property": "User is in segment", "op": "",
            "value": json!([segment]).to_string()}],
        "variations": [{"id": "v2", "rollout": [0, 1], "exptRollout": 1}],
    });
    Flag {
        rules: vec![serde_json::from_value(rule).unwrap()],
        ..flag(key, stamp)
    }
}

/// The same, archived.
pub(super) fn archived(key: &str, stamp: i64) -> Flag {
    Flag {
        is_archived: true,
        ..flag(key, stamp)
    }
}

/// A flag that covers nobody.
pub(super) fn for_nobody(key: &str, stamp: i64) -> Flag {
    let mut flag = flag(key, stamp);
    flag.fallthrough.variations.clear();
    flag
}

/// A segment of these users.
pub(super) fn segment(id: &str, stamp: i64, included: &[&str]) -> Segment {
    let segment = json!({
        "id": id, "createdAt": T, "updatedAt": T + stamp, "envId": "env", "name": id,
        "description": "", "included": included, "excluded": [], "rules": [], "isArchived": false,
    });
    serde_json::from_value(segment).unwrap()
}

/// A large value, so that the environment is above the limit for full states.
pub(super) fn large(key: &str, stamp: i64) -> Flag {
    let mut flag = flag(key, stamp);
    flag.variations[0].value = "x".repeat(super::FULL_STATE_LIMIT);
    flag
}

pub(super) fn state(flags: Vec<Flag>, segments: Vec<Segment>) -> State {
    let stamps = flags.iter().map(|flag| flag.updated_at);
    let stamps = stamps.chain(segments.iter().map(|segment| segment.updated_at));
    State {
        environment: "env".into(),
        position: Position {
            version: 1,
            digest: 1,
        },
        committed_at: Millis(0),
        trace: None,
        last_stamp: stamps.max().unwrap_or_default(),
        flags,
        segments,
        keys: Vec::new(),
        decision_sample: 0,
    }
}

pub(super) fn encoded(flags: Vec<Flag>, segments: Vec<Segment>) -> Encoded {
    Encoded::first(state(flags, segments))
}

/// The step that these items make.
pub(super) fn step(
    from: impl Into<Arc<Encoded>>,
    flags: Vec<Flag>,
    segments: Vec<Segment>,
) -> Update {
    let from = from.into();
    let State {
        last_stamp,
        flags,
        segments,
        ..
    } = state(flags, segments);
    let position = Position {
        version: from.position().version + 1,
        digest: 2,
    };
    let last_stamp = last_stamp.max(Millis(from.last_stamp()));
    let (to, affected) = from.apply(Delta {
        position,
        committed_at: Millis(0),
        trace: None,
        last_stamp,
        flags,
        segments,
        keys: None,
        decision_sample: 0,
    });
    let to = Arc::new(to);
    let environment = Arc::new(Environment::new("env".into(), Arc::clone(&from)));
    Update::change(environment, from, to, &affected)
}

pub(super) fn user(key: &str) -> User<'_> {
    User {
        key: key.into(),
        ..User::default()
    }
}

/// The answer to a client's data-sync.
pub(super) fn client_sync(state: &Encoded, key: &str, timestamp: i64) -> Answer {
    let mut out = Vec::new();
    let sync = state.client_sync(&user(key), timestamp, NOW, &mut out);
    let answer = Answer::parse(&out);
    assert_eq!(answer.is_full(), sync == Sync::Full);
    assert_eq!(answer.0["data"]["userKeyId"], key);
    answer
}

/// The answers to a server's data-sync.
pub(super) fn server_sync(state: &Encoded, timestamp: i64) -> Vec<Answer> {
    let answer = state.server_sync(timestamp, NOW, Coding::Clear);
    let answers = frames(&answer.frames);
    assert!(
        answers
            .iter()
            .all(|one| one.is_full() == (answer.sync == Sync::Full))
    );
    answers
}

/// A data-sync message.
pub(super) struct Answer(pub(super) Value);

impl Answer {
    pub(super) fn parse(json: &[u8]) -> Self {
        let message: Value = serde_json::from_slice(json).unwrap();
        assert_eq!(message["messageType"], "data-sync");
        Self(message)
    }

    pub(super) fn is_full(&self) -> bool {
        match self.0["data"]["eventType"].as_str().unwrap() {
            "full" => true,
            "patch" => false,
            other => panic!("eventType {other}"),
        }
    }

    pub(super) fn list(&self, name: &str) -> &[Value] {
        self.0["data"][name].as_array().unwrap()
    }

    /// Keys of flags, ids of segments.
    pub(super) fn names(&self) -> Vec<&str> {
        let name = |item: &Value, field: &str| item[field].as_str().map(str::to_owned);
        assert!(
            self.list("featureFlags")
                .iter()
                .all(|flag| name(flag, "id").is_some())
        );
        let flags = self.list("featureFlags").iter();
        let flags = flags.map(|flag| flag.get("key").unwrap_or(&flag["id"]).as_str().unwrap());
        let segments = self.0["data"]["segments"].as_array().into_iter().flatten();
        flags
            .chain(segments.map(|segment| segment["id"].as_str().unwrap()))
            .collect()
    }

    /// What a client gets of a flag: value, reason and timestamp less the base time.
    pub(super) fn client_flag(&self, key: &str) -> Option<(&str, &str, i64)> {
        let flag = self
            .list("featureFlags")
            .iter()
            .find(|flag| flag["id"] == key)?;
        let timestamp = flag["timestamp"].as_i64().unwrap() - T;
        Some((
            flag["variation"].as_str()?,
            flag["matchReason"].as_str()?,
            timestamp,
        ))
    }

    /// The highest stamp in a server's message, less the base time.
    pub(super) fn newest(&self) -> i64 {
        let items = self
            .list("featureFlags")
            .iter()
            .chain(self.list("segments"));
        let stamps = items.map(|item| {
            let stamp: Millis = serde_json::from_value(item["updatedAt"].clone()).unwrap();
            stamp.0 - T
        });
        stamps.max().unwrap()
    }
}

/// Takes a buffer of unmasked text frames apart.
pub(super) fn frames(mut bytes: &[u8]) -> Vec<Answer> {
    let mut answers = Vec::new();
    while let [0x81, length, rest @ ..] = bytes {
        let (length, rest) = match length {
            126 => (
                u16::from_be_bytes(rest[..2].try_into().unwrap()) as usize,
                &rest[2..],
            ),
            127 => (
                u64::from_be_bytes(rest[..8].try_into().unwrap()) as usize,
                &rest[8..],
            ),
            length => (*length as usize, rest),
        };
        answers.push(Answer::parse(&rest[..length]));
        bytes = &rest[length..];
    }
    assert!(
        bytes.is_empty(),
        "not a text frame: {:?}",
        &bytes[..bytes.len().min(4)]
    );
    answers
}
