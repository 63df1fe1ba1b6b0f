//! When everything is told, by a clock that jumps to the next moment that somebody waits for.

use std::collections::BTreeSet;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{DuplexStream, duplex};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::*;
use crate::message::{Kind, WireKey};
use crate::serve::tests::{KEY, World, feed};
use crate::serve::upgrade::Places;

/// An agent's end.
struct Caller(WebSocketStream<DuplexStream>);

impl Caller {
    /// Is being fed from a world.
    async fn come(world: &Arc<World>) -> Self {
        let feeding = feed(world).await;
        let opened = world.opened();
        let place = Places::default().take(&opened.key);
        let peer = Peer {
            address: "192.0.2.1".into(),
            secret: KEY.into(),
            _place: place.unwrap(),
            opened,
        };
        let (near, far) = duplex(1 << 20);
        let near = WebSocketStream::from_raw_socket(near, Role::Server, None).await;
        tokio::spawn(async move {
            let (write, mut read) = near.split();
            let (say, mut said) = mpsc::channel(1);
            let opened = watch::Sender::new(peer.opened.clone());
            let mut conversation = Conversation::new(&feeding, &peer, opened.subscribe(), write);
            let listening = async {
                while let Some(Ok(Message::Text(text))) = read.next().await {
                    say.send(Said::read(&text).unwrap()).await.unwrap();
                }
            };
            let mut listed = None;
            tokio::select! {
                () = listening => {}
                over = conversation.run(&mut said, &mut listed) => panic!("{over}"),
            }
        });
        Self(WebSocketStream::from_raw_socket(far, Role::Client, None).await)
    }

    /// Asks for what it does not have; it has these environments.
    async fn ask(&mut self, has: &[&str]) {
        let envs: Vec<Value> = has
            .iter()
            .map(|id| json!({"envId": id, "timestamp": 1}))
            .collect();
        let data = json!({"timestamp": i32::from(!has.is_empty()), "envs": envs});
        let message = json!({"messageType": "data-sync", "data": data});
        let message = Message::text(message.to_string());
        self.0.send(message).await.unwrap();
    }

    /// The next message: what kind of it, the environments in it, and the SDK keys.
    async fn told(&mut self) -> (String, Vec<String>, Vec<String>) {
        let next = timeout(LONG_PATIENCE * 2, self.0.next()).await;
        let next = next.expect("something is said").unwrap().unwrap();
        let message: Value = serde_json::from_str(next.to_text().unwrap()).unwrap();
        let data = &message["data"];
        let items = data["items"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let secrets = items
            .iter()
            .flat_map(|it| it["secrets"].as_array().unwrap());
        (
            text(&data["eventType"]),
            items.iter().map(|it| text(&it["envId"])).collect(),
            secrets.map(|it| text(&it["value"])).collect(),
        )
    }
}

fn full(environments: &[&str], secrets: &[&str]) -> (String, Vec<String>, Vec<String>) {
    let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    ("rp_full".to_owned(), owned(environments), owned(secrets))
}

/// A world with `e` and its key, and with `x`.
fn world() -> Arc<World> {
    let world = World::wide();
    key(&world, Some("of-e"));
    world.put(1, 1);
    key(&world, None);
    world.put_in("x", 1, 1);
    Arc::new(world)
}

/// What is put from now on has this SDK key.
fn key(world: &World, secret: Option<&str>) {
    let key = |secret: &str| WireKey {
        secret: secret.to_owned(),
        kind: Kind::Server,
    };
    *world.keys.lock().unwrap() = secret.map(key).into_iter().collect();
}

fn unreadable(world: &World, id: &str) {
    world.unreadable.lock().unwrap().insert(id.to_owned());
}

#[tokio::test(start_paused = true)]
async fn a_revoked_key_is_told_of_though_another_environment_cannot_be_loaded() {
    let world = world();
    unreadable(&world, "x");
    let mut agent = Caller::come(&world).await;
    agent.ask(&[]).await;
    assert_eq!(agent.told().await, full(&["e"], &["of-e"]));
    world.put(2, 1);
    assert_eq!(agent.told().await.0, "rp_patch");
    assert_eq!(agent.told().await, full(&["e"], &[]));
    // It comes when it can be loaded.
    world.unreadable.lock().unwrap().clear();
    assert_eq!(agent.told().await, full(&["e", "x"], &[]));
}

#[tokio::test(start_paused = true)]
async fn an_environment_that_an_agent_has_is_not_taken_away_soon() {
    let world = world();
    unreadable(&world, "x");
    let mut agent = Caller::come(&world).await;
    agent.ask(&["e", "x"]).await;
    let began = Instant::now();
    assert_eq!(agent.told().await.0, "rp_patch");
    assert_eq!(agent.told().await, full(&["e"], &["of-e"]));
    assert!(began.elapsed() >= LONG_PATIENCE - Duration::from_secs(1));
    // What it has no more keeps no keys from it.
    world.put(2, 1);
    assert_eq!(agent.told().await.0, "rp_patch");
    assert_eq!(agent.told().await, full(&["e"], &[]));
    assert!(began.elapsed() < LONG_PATIENCE + PATIENCE);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_here_any_more_stays_as_the_agent_was_told_it() {
    let world = world();
    let mut agent = Caller::come(&world).await;
    agent.ask(&[]).await;
    assert_eq!(agent.told().await, full(&["e", "x"], &["of-e"]));
    world.mirror().keep(&BTreeSet::from(["e".to_owned()]));
    world.put(2, 1);
    assert_eq!(agent.told().await.0, "rp_patch");
    assert_eq!(agent.told().await, full(&["e", "x"], &[]));
}
