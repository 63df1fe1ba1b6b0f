//! What must be true when a disaster is over.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Instant;

use serde_json::Value;

use super::Cluster;
use super::watchers::{Seen, Watch, Watchers};
use crate::api::PATIENCE;
use crate::sdk::{Kind, Sdk};

/// What of the past may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Nothing that was acknowledged.
    None,
    /// The same; but a relay that was killed has on its disk what it knew up to a second before, and
    /// serves that where its upstream tells it nothing within two seconds: the first state that it
    /// gives an SDK after each death may be older. What comes after that may not.
    OfARelaysSecond,
    /// What the database lost, which was struck from the ledger
    /// ([`Ledger::strike_lost`](super::ledger::Ledger::strike_lost)): SDKs may have gone back.
    OfTheDatabase,
}

impl Cluster {
    /// Waits until all that runs agrees, without anybody's help, and checks it:
    ///
    /// - every change that was acknowledged is in the history, once, and is served by every node;
    /// - every SDK that stayed or came back has the newest state;
    /// - no SDK was sent what it would refuse (older stamps), was told never to come back, or saw an
    ///   older state after a newer one.
    ///
    /// People must have ended writing.
    ///
    /// # Panics
    /// Where one of it is not so.
    pub async fn verdict(&self, watchers: Watchers, loss: Loss) {
        let apis = self.apis();
        self.ledger.settle(&apis[0]).await;
        let states = self.agree().await;
        for api in &apis {
            for node in self.nodes() {
                self.ledger.check(api, node.address, &self.keys).await;
            }
        }
        self.everybody_has(&watchers, &states).await;
        for (watch, seen) in watchers.end() {
            assert!(seen.connections > 0, "{watch:?} never connected");
            assert_eq!(seen.faults, [""; 0], "{watch:?}");
            let of_relay = self.relays.iter().any(|it| it.address == watch.address);
            if loss != Loss::OfTheDatabase {
                assert_eq!(seen.went_back, [""; 0], "{watch:?}");
            }
            if loss == Loss::None || (loss == Loss::OfARelaysSecond && !of_relay) {
                assert_eq!(seen.went_back_by_death, [""; 0], "{watch:?}");
            }
        }
    }

    /// Waits until all nodes serve the same; what that is, for each kind of SDK. A relay may have to
    /// notice first that its line is dead (30 s), and to come back to who sends it nothing but what a
    /// kernel repeats now and then.
    async fn agree(&self) -> BTreeMap<&'static str, Value> {
        let until = Instant::now() + PATIENCE * 3;
        loop {
            let states: Vec<_> = self.nodes().map(|node| self.state(node.address)).collect();
            if states.iter().all(|it| *it == states[0]) {
                return states.into_iter().next().expect("there is a node");
            }
            let differ = || {
                let all = self.nodes().zip(&states);
                let all = all.map(|(node, state)| format!("{}: {state:?}", node.name));
                all.collect::<Vec<_>>().join("\n")
            };
            assert!(Instant::now() < until, "nodes differ:\n{}", differ());
            tokio::time::sleep(super::LOOK).await;
        }
    }

    fn state(&self, node: SocketAddr) -> BTreeMap<&'static str, Value> {
        let user = serde_json::json!({ "keyId": "watcher", "name": "watcher",
            "customizedProperties": [] });
        let (client, server) = &self.keys.prod;
        let client = Sdk::client(node, client, &user);
        let server = Sdk::server(node, server);
        BTreeMap::from([
            ("client", shown(Kind::Client, &client.flags)),
            ("server", shown(Kind::Server, &server.flags)),
        ])
    }

    async fn everybody_has(&self, watchers: &Watchers, states: &BTreeMap<&'static str, Value>) {
        let until = Instant::now() + PATIENCE;
        let lags = |(watch, seen): &(Watch, Seen)| {
            let state = match watch.kind {
                Kind::Client => &states["client"],
                Kind::Server => &states["server"],
            };
            shown(watch.kind, &seen.flags) != *state
        };
        loop {
            let lagging: Vec<(Watch, Seen)> = watchers.seen().into_iter().filter(lags).collect();
            if lagging.is_empty() {
                return;
            }
            let many = lagging.len();
            let first = &lagging[0];
            assert!(
                Instant::now() < until,
                "{many} lag: {first:?}\nof {states:?}"
            );
            tokio::time::sleep(super::LOOK).await;
        }
    }
}

/// What a program sees of flags: not their stamps, which an SDK that was ahead is told higher ones of.
fn shown(kind: Kind, flags: &BTreeMap<String, Value>) -> Value {
    let strip = |(key, flag): (&String, &Value)| {
        let mut flag = flag.clone();
        if let Some(flag) = flag.as_object_mut() {
            match kind {
                Kind::Client => flag.remove("timestamp"),
                Kind::Server => flag.remove("updatedAt"),
            };
        }
        (key.clone(), flag)
    };
    Value::Object(flags.iter().map(strip).collect())
}
