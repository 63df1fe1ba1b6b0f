//! Messages to an agent, in pieces of bounded size: a full state of many environments is never
//! there as a whole.

use std::collections::BTreeMap;

use burgee_edge::environment::{Encoded, WireItem};
use burgee_edge::source::SdkKey;
use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use serde::Serialize;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::error::Error;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::telling::State;
use crate::serve::Socket;

/// Bytes of a message that are sent at once: a WebSocket message may come in any number of frames.
const PIECE: usize = 64 * 1024;

/// A way to an agent.
pub(super) struct Line<'a> {
    write: SplitSink<&'a mut Socket, Message>,
    /// What of the message under way is not sent yet.
    piece: Vec<u8>,
    /// Whether some of it is.
    begun: bool,
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

impl<'a> Line<'a> {
    pub(super) fn new(write: SplitSink<&'a mut Socket, Message>) -> Self {
        Self {
            write,
            piece: Vec::new(),
            begun: false,
        }
    }

    /// Sends a short message.
    pub(super) async fn say(&mut self, text: String) -> Result<(), Error> {
        self.write.send(Message::text(text)).await
    }

    /// Sends everything of these environments, by their ids, which replaces all that the agent has;
    /// with the keys of their projects and of themselves.
    pub(super) async fn everything(
        &mut self,
        all: &BTreeMap<String, State>,
        names: &BTreeMap<String, (String, String)>,
    ) -> Result<(), Error> {
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
    ) -> Result<bool, Error> {
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
    pub(super) async fn nothing_new(&mut self) -> Result<(), Error> {
        self.begin("rp_patch").await?;
        self.end().await
    }

    async fn begin(&mut self, event: &str) -> Result<(), Error> {
        self.put(br#"{"messageType":"data-sync","data":{"eventType":""#)
            .await?;
        self.put(event.as_bytes()).await?;
        self.put(br#"","items":["#).await
    }

    async fn end(&mut self) -> Result<(), Error> {
        self.put(b"]}}").await?;
        self.flush(true).await
    }

    /// An environment up to where its flags begin.
    async fn environment(&mut self, id: &str, secrets: &str) -> Result<(), Error> {
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

    async fn items<'i>(&mut self, items: impl Iterator<Item = WireItem<'i>>) -> Result<(), Error> {
        for (number, item) in items.enumerate() {
            if number > 0 {
                self.put(b",").await?;
            }
            self.put(item.json).await?;
        }
        Ok(())
    }

    async fn put(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            let room = PIECE - self.piece.len();
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.piece.extend_from_slice(now);
            bytes = later;
            if self.piece.len() == PIECE {
                self.flush(false).await?;
            }
        }
        Ok(())
    }

    async fn flush(&mut self, last: bool) -> Result<(), Error> {
        let data = match std::mem::replace(&mut self.begun, !last) {
            true => Data::Continue,
            false => Data::Text,
        };
        let piece = std::mem::take(&mut self.piece);
        let frame = Frame::message(piece, OpCode::Data(data), last);
        self.write.send(Message::Frame(frame)).await
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
