//! Everything at once: peers come, go, change their user and vanish while flags change.

use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use burgee_edge::driver::Config;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::driver::{served, value};
use crate::kit::client::{Received, frame};
use crate::kit::{CLIENT_KEY, Client, Edge};

/// What a peer does after it has connected.
#[derive(Clone, Copy, Debug)]
enum Deed {
    /// Becomes somebody else.
    Identify,
    Ping,
    /// Waits for a push.
    Listen,
    /// Says goodbye and leaves.
    Close,
    /// Leaves without a word.
    Vanish,
    /// Sends what is no frame.
    Babble,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        4 => Just(Deed::Identify),
        3 => Just(Deed::Ping),
        4 => Just(Deed::Listen),
        1 => Just(Deed::Close),
        2 => Just(Deed::Vanish),
        1 => Just(Deed::Babble),
    ];
    prop::collection::vec(deed, 1..12)
}

/// A client SDK, and the newest step that it has seen.
struct Peer {
    client: Client,
    user: String,
    seen: i64,
}

impl Peer {
    fn connect(edge: &Edge, user: &str) -> Self {
        let mut peer = Self {
            client: Client::streaming(edge.address, "client", CLIENT_KEY),
            user: user.to_owned(),
            seen: -1,
        };
        peer.sync(user);
        peer
    }

    /// Becomes a user; what comes before the answer is for the old one, and is never older than
    /// what was there.
    fn sync(&mut self, user: &str) {
        self.client.ask_as(user);
        loop {
            let message = self.client.json();
            if message["messageType"] == "pong" {
                continue;
            }
            let whose = message["data"]["userKeyId"].as_str().unwrap_or_default();
            let done = whose == user;
            assert!(done || whose == self.user, "{message}");
            self.see(&message);
            if done {
                self.user = user.to_owned();
                return;
            }
        }
    }

    fn see(&mut self, message: &serde_json::Value) {
        if let Some(step) = value(message, "step") {
            let step = step.parse().unwrap();
            assert!(step >= self.seen, "{step} came after {}", self.seen);
            self.seen = step;
        }
    }

    fn listen(&mut self) {
        if let Received::Json(message) = self.client.next() {
            self.see(&message);
        }
    }

    /// Does it; false when that was the last.
    fn does(&mut self, deed: Deed, number: usize) -> bool {
        match deed {
            Deed::Identify => self.sync(&format!("user-{number}")),
            Deed::Ping => self.client.send_text(r#"{"messageType":"ping"}"#),
            Deed::Listen => self.listen(),
            Deed::Close => self.client.send_raw(&frame(0x88, b"")),
            Deed::Vanish => self.client.stream.shutdown(Shutdown::Both).unwrap(),
            Deed::Babble => self.client.send_raw(&[0xFF; 64]),
        }
        !matches!(deed, Deed::Close | Deed::Vanish | Deed::Babble)
    }
}

#[test]
fn nobody_who_stays_loses_a_change_while_others_come_and_go() {
    const LAST: i64 = 150;
    let edge = Edge::start_with(Config {
        loops: 2,
        ..Config::default()
    });
    edge.feed.set_flag("step", "0");
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for visitor in 0..4 {
            let (edge, over) = (&edge, &over);
            scope.spawn(move || {
                let mut runner = TestRunner::deterministic();
                let mut round = visitor * 1_000_000;
                while !over.load(SeqCst) {
                    let deeds = deeds().new_tree(&mut runner).unwrap().current();
                    let mut peer = Peer::connect(edge, &format!("visitor-{round}"));
                    for deed in deeds {
                        round += 1;
                        // Who listens from now on would listen in vain.
                        if over.load(SeqCst) || !peer.does(deed, round) {
                            break;
                        }
                    }
                }
            });
        }
        let mut staying: Vec<_> = (0..40)
            .map(|n| Peer::connect(&edge, &format!("staying-{n}")))
            .collect();
        let (mut server, first) = edge.server();
        assert!(served(&first, "step").is_some());
        for step in 1..=LAST {
            edge.feed.set_flag("step", &step.to_string());
            // A loop looks whether its counts add up when it is asked.
            let report = edge.report();
            let sdks = report.sdks.iter().map(|sdk| sdk.connections);
            assert_eq!(sdks.sum::<u64>(), report.connections);
            // In step with one of them: so that the others meet the change at all stages.
            let pace = &mut staying[step as usize % 40];
            while pace.seen < step {
                pace.listen();
            }
        }
        for peer in &mut staying {
            while peer.seen < LAST {
                peer.listen();
            }
        }
        while served(&server.json(), "step") != Some(&LAST.to_string()) {}
        over.store(true, SeqCst);
        // Whoever waits for a push gets one more.
        edge.feed.set_flag("step", &(LAST + 1).to_string());
    });
    edge.await_gone(|counters| &counters.sockets);
    let report = edge.report();
    assert_eq!(
        (report.connections, report.sdks.len(), report.versions.len()),
        (0, 0, 0)
    );
}
