//! What an agent says.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A message that means something.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// It is there.
    Ping,
    /// The same is to be sent back.
    Echo(Value),
    /// It wants what it does not have.
    Sync(Since),
    /// How it is.
    Status(Status),
}

/// What an agent has.
#[derive(Debug, PartialEq)]
pub(super) enum Since {
    /// Nothing.
    Nothing,
    /// What came up to these timestamps, by environments' ids.
    These(BTreeMap<String, i64>),
}

/// How an agent says that it is.
#[derive(Debug, PartialEq)]
pub(super) struct Status {
    /// As people named it.
    pub(super) agent: String,
    /// The version of its program, where it says.
    pub(super) version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    message_type: String,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
struct Sync {
    #[serde(default)]
    timestamp: Option<i64>,
    #[serde(default)]
    envs: Vec<Place>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    env_id: String,
    timestamp: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reported {
    agent_id: String,
    /// A JSON text.
    #[serde(default)]
    status: String,
}

impl Said {
    /// Reads a message; none where it means nothing, which is not held against an agent.
    pub(super) fn read(text: &str) -> Option<Self> {
        let read = serde_json::from_str(text).and_then(Self::of);
        read.unwrap_or_else(|error| {
            tracing::debug!(%error, "an agent of FeatBit's is not understood");
            None
        })
    }

    fn of(Envelope { message_type, data }: Envelope) -> Result<Option<Self>, serde_json::Error> {
        let is = |name| message_type.eq_ignore_ascii_case(name);
        Ok(if is("ping") {
            Some(Self::Ping)
        } else if is("echo") {
            Some(Self::Echo(data))
        } else if is("data-sync") && data.is_object() {
            Some(Self::Sync(serde_json::from_value::<Sync>(data)?.into()))
        } else if is("rp-agent-status") {
            let told: Reported = serde_json::from_value(data)?;
            (!told.agent_id.trim().is_empty()).then(|| Self::Status(told.into()))
        } else {
            None
        })
    }
}

impl From<Sync> for Since {
    fn from(Sync { timestamp, envs }: Sync) -> Self {
        match timestamp {
            None | Some(0) => Self::Nothing,
            Some(_) => Self::These(
                envs.into_iter()
                    .map(|it| (it.env_id, it.timestamp))
                    .collect(),
            ),
        }
    }
}

impl From<Reported> for Status {
    fn from(Reported { agent_id, status }: Reported) -> Self {
        let status: Value = serde_json::from_str(&status).unwrap_or_default();
        Self {
            agent: agent_id,
            version: status["version"].as_str().unwrap_or_default().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Said, Since, Status};
    use serde_json::json;

    #[test]
    fn what_agents_say_is_read_as_they_write_it() {
        let full = r#"{"messageType":"data-sync","data":{"timestamp":0}}"#;
        assert_eq!(Said::read(full), Some(Said::Sync(Since::Nothing)));
        let patch = r#"{"messageType":"Data-Sync","data":{"timestamp":7,
            "envs":[{"envId":"a","timestamp":7},{"envId":"b","timestamp":0}]}}"#;
        let these = [("a".to_owned(), 7), ("b".to_owned(), 0)].into();
        assert_eq!(Said::read(patch), Some(Said::Sync(Since::These(these))));
        let status = json!({"messageType": "rp-agent-status", "data": {"agentId": "eu-1",
            "status": r#"{"serves":"web:prod","dataVersion":7,"syncState":"Stable"}"#}});
        let expected = Status {
            agent: "eu-1".into(),
            version: String::new(),
        };
        assert_eq!(
            Said::read(&status.to_string()),
            Some(Said::Status(expected))
        );
        let null = r#"{"messageType":"ping","data":null}"#;
        assert_eq!(Said::read(null), Some(Said::Ping));
        let echo = r#"{"messageType":"ECHO","data":[1]}"#;
        assert_eq!(Said::read(echo), Some(Said::Echo(json!([1]))));
    }

    #[test]
    fn what_means_nothing_is_passed_over() {
        for text in [
            "",
            "{",
            "[]",
            r#"{"messageType":7}"#,
            r#"{"messageType":"made-up","data":{}}"#,
            r#"{"messageType":"data-sync","data":[]}"#,
            r#"{"messageType":"data-sync","data":{"timestamp":"soon"}}"#,
            r#"{"messageType":"data-sync","data":{"timestamp":1,"envs":[{"envId":1}]}}"#,
            r#"{"messageType":"rp-agent-status","data":{"agentId":" "}}"#,
            r#"{"messageType":"rp-agent-status","data":{"status":"{}"}}"#,
        ] {
            assert_eq!(Said::read(text), None, "{text}");
        }
    }
}
