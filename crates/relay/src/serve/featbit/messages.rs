//! Messages to an agent, made while they are written: a full state of many environments is never
//! there as a whole.

use std::collections::BTreeMap;

use burgee_edge::environment::{Encoded, WireItem};
use burgee_edge::source::SdkKey;
use futures_util::Sink;
use serde::Serialize;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::error::Error;
use tokio_tungstenite::tungstenite::protocol::frame::coding::Data;

use super::conversation::State;
use crate::serve::line::{Line, PART, Untaken};

/// What an agent is told through.
pub(super) struct Messages<W> {
    line: Line<W>,
    /// What of the message under way is not sent yet.
    piece: Vec<u8>,
}

/// An SDK key as agents keep it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Secret<'a> {
    r#type: &'a str,
    project_key: &'a str,
    env_id: &'a str,
    env_key: &'a str,
    value: &'a str,
}

impl<W> Messages<W>
where
    W: Sink<Message, Error = Error> + Unpin,
{
    pub(super) fn new(write: W) -> Self {
        Self {
            line: Line::new(write),
            piece: Vec::new(),
        }
    }

    /// Sends a short message.
    pub(super) async fn say(&mut self, text: String) -> Result<(), Untaken> {
        self.line.send(Message::text(text)).await
    }

    /// Sends everything of these environments, by their ids, which replaces all that the agent has;
    /// with the keys of their projects and of themselves.
    pub(super) async fn everything(
        &mut self,
        all: &BTreeMap<String, State>,
        names: &BTreeMap<String, (String, String)>,
    ) -> Result<(), Untaken> {
        self.begin("rp_full").await?;
        for (number, (id, state)) in all.iter().enumerate() {
            if number > 0 {
                self.put(b",").await?;
            }
            let secrets = secrets(id, &state.keys, names.get(id));
            self.environment(id, &secrets).await?;
            let items = state.encoded.items_after(0);
            self.items(items.clone().filter(|it| it.is_flag)).await?;
            self.put(SEGMENTS).await?;
            self.items(items.filter(|it| !it.is_flag)).await?;
            self.put(b"]}").await?;
        }
        self.end().await
    }

    /// Sends what of an environment came after `stamp`; false where that is nothing.
    ///
    /// An agent tells its SDKs the items of a message one by one, flags first, and some SDKs pass
    /// over what is older than what they have of anything: so a message ends where a flag comes
    /// after a segment.
    pub(super) async fn news(
        &mut self,
        id: &str,
        encoded: &Encoded,
        stamp: i64,
    ) -> Result<bool, Untaken> {
        let mut items = encoded.items_after(stamp).peekable();
        let any = items.peek().is_some();
        while items.peek().is_some() {
            self.begin("rp_patch").await?;
            self.environment(id, "[]").await?;
            let flags = std::iter::from_fn(|| items.next_if(|it| it.is_flag));
            self.items(flags).await?;
            self.put(SEGMENTS).await?;
            let segments = std::iter::from_fn(|| items.next_if(|it| !it.is_flag));
            self.items(segments).await?;
            self.put(b"]}").await?;
            self.end().await?;
        }
        Ok(any)
    }

    /// Says that nothing is new.
    pub(super) async fn nothing_new(&mut self) -> Result<(), Untaken> {
        self.begin("rp_patch").await?;
        self.end().await
    }

    async fn begin(&mut self, event: &str) -> Result<(), Untaken> {
        self.put(br#"{"messageType":"data-sync","data":{"eventType":""#)
            .await?;
        self.put(event.as_bytes()).await?;
        self.put(br#"","items":["#).await
    }

    async fn end(&mut self) -> Result<(), Untaken> {
        self.put(b"]}}").await?;
        self.flush(true).await
    }

    /// An environment up to where its flags begin.
    async fn environment(&mut self, id: &str, secrets: &str) -> Result<(), Untaken> {
        for part in [
            r#"{"envId":""#,
            id,
            r#"","secrets":"#,
            secrets,
            r#","featureFlags":["#,
        ] {
            self.put(part.as_bytes()).await?;
        }
        Ok(())
    }

    async fn items<'i>(
        &mut self,
        items: impl Iterator<Item = WireItem<'i>>,
    ) -> Result<(), Untaken> {
        for (number, item) in items.enumerate() {
            if number > 0 {
                self.put(b",").await?;
            }
            self.put(item.json).await?;
        }
        Ok(())
    }

    async fn put(&mut self, mut bytes: &[u8]) -> Result<(), Untaken> {
        while !bytes.is_empty() {
            let room = PART - self.piece.len();
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.piece.extend_from_slice(now);
            bytes = later;
            if self.piece.len() == PART {
                self.flush(false).await?;
            }
        }
        Ok(())
    }

    async fn flush(&mut self, is_last: bool) -> Result<(), Untaken> {
        let piece = std::mem::take(&mut self.piece);
        self.line.part(Data::Text, piece.into(), is_last).await
    }
}

const SEGMENTS: &[u8] = br#"],"segments":["#;

/// An environment's SDK keys as a JSON list.
fn secrets(id: &str, keys: &[SdkKey], name: Option<&(String, String)>) -> String {
    let (project, environment) = name.map_or(("", id), |(p, e)| (p.as_str(), e.as_str()));
    let secret = |key: &SdkKey| {
        let secret = Secret {
            r#type: key.kind.as_str(),
            project_key: project,
            env_id: id,
            env_key: environment,
            value: &key.secret,
        };
        // Texts alone: they can be written.
        serde_json::to_string(&secret).unwrap_or_default()
    };
    let secrets: Vec<String> = keys.iter().map(secret).collect();
    format!("[{}]", secrets.join(","))
}
