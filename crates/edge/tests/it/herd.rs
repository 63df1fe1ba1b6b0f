//! Large states, and many who want them at once.

use std::time::Duration;

use burgee_edge::driver::Config;
use serde_json::{Value, json};

use crate::kit::client::{now, token};
use crate::kit::{CLIENT_KEY, Client, Edge, SERVER_KEY};

const FLAGS: usize = 50;
const HOUR: Duration = Duration::from_secs(3600);

/// An edge whose state is 3 MB: more than a socket's buffers hold.
fn large_edge(config: Config) -> Edge {
    let edge = Edge::start_with(config);
    let big = "x".repeat(60_000);
    let keys: Vec<_> = (0..FLAGS).map(|n| format!("flag-{n}")).collect();
    let flags: Vec<_> = keys
        .iter()
        .map(|key| (key.as_str(), big.as_str()))
        .collect();
    let (mut witness, _) = edge.client("witness");
    edge.feed.set_flags(&flags);
    witness.json();
    edge
}

fn two_at_once() -> Config {
    Config {
        loops: 1,
        states_in_flight: 2,
        // However slowly the test goes.
        stall_timeout: HOUR,
        stall_timeout_in_herd: HOUR,
        ..Config::default()
    }
}

/// A server SDK that has asked for everything, and reads nothing yet.
fn asking(edge: &Edge) -> Client {
    let mut client = Client::streaming(edge.address, "server", SERVER_KEY);
    client.send(&json!({ "messageType": "data-sync", "data": { "timestamp": 0 } }));
    client
}

fn flags(message: &Value) -> usize {
    message["data"]["featureFlags"].as_array().unwrap().len()
}

#[test]
fn only_so_many_large_states_are_on_their_way_at_once() {
    let edge = large_edge(two_at_once());
    let mut herd: Vec<_> = (0..12).map(|_| asking(&edge)).collect();
    edge.await_count(10, |counters| &counters.waiting);
    // Who wants little is served meanwhile.
    let mut witness = Client::streaming(edge.address, "client", crate::kit::CLIENT_KEY);
    witness.ping();
    for client in &mut herd {
        assert_eq!(flags(&client.json()), FLAGS + 1);
        client.ping();
    }
    assert_eq!(edge.count(|counters| &counters.waiting), 0);
}

#[test]
fn who_waits_gets_what_is_newest_when_its_turn_comes() {
    let edge = large_edge(two_at_once());
    let (mut witness, _) = edge.client("bob");
    let mut herd: Vec<_> = (0..4).map(|_| asking(&edge)).collect();
    edge.await_count(2, |counters| &counters.waiting);
    edge.feed.set_flag("greeting", "newer");
    witness.json();
    for (place, client) in herd.iter_mut().enumerate() {
        let mut message = client.json();
        if place < 2 {
            // These were answered before the change, and hear of it afterwards.
            assert!(!message.to_string().contains("newer"));
            message = client.json();
        }
        assert!(message.to_string().contains("newer"), "place {place}");
        client.ping();
    }
}

#[test]
fn who_goes_away_while_it_waits_or_is_served_frees_its_place() {
    let edge = large_edge(two_at_once());
    let served: Vec<_> = (0..2).map(|_| asking(&edge)).collect();
    let waiting: Vec<_> = (0..3).map(|_| asking(&edge)).collect();
    edge.await_count(3, |counters| &counters.waiting);
    let mut last = asking(&edge);
    drop(waiting);
    drop(served);
    assert_eq!(flags(&last.json()), FLAGS + 1);
}

#[test]
fn who_holds_a_place_and_does_not_read_loses_it() {
    let edge = large_edge(Config {
        silence_timeout: std::time::Duration::from_secs(60),
        sync_timeout: std::time::Duration::from_secs(60),
        states_in_flight: 2,
        ..Edge::hasty()
    });
    let deaf: Vec<_> = (0..3).map(|_| asking(&edge)).collect();
    // Two of them hold the places there are.
    edge.await_count(1, |counters| &counters.waiting);
    let mut patient = asking(&edge);
    assert_eq!(flags(&patient.json()), FLAGS + 1);
    assert!(edge.count(|counters| &counters.dropped_slow) >= 1);
    drop(deaf);
}

#[test]
fn a_slow_server_sdk_is_given_what_changed_since() {
    let edge = large_edge(two_at_once());
    let mut slow = asking(&edge);
    let (mut witness, _) = edge.client("bob");
    for n in 0..5 {
        edge.feed.set_flag("greeting", &format!("step {n}"));
        witness.json();
    }
    assert_eq!(flags(&slow.json()), FLAGS + 1);
    let catching_up = slow.json();
    assert_eq!(catching_up["data"]["eventType"], "patch");
    assert!(catching_up.to_string().contains("step 4"));
    slow.ping();
}

#[test]
fn a_restored_database_reaches_who_was_slow_or_waited() {
    let edge = large_edge(two_at_once());
    let mut herd: Vec<_> = (0..3).map(|_| asking(&edge)).collect();
    edge.await_count(1, |counters| &counters.waiting);
    let (mut witness, _) = edge.client("bob");
    edge.feed.restore("greeting", "of long ago");
    witness.json();
    for client in &mut herd {
        let mut message = client.json();
        if flags(&message) > 1 {
            message = client.json();
        }
        assert_eq!(message["data"]["eventType"], "full");
        assert_eq!(flags(&message), 1);
        assert!(message.to_string().contains("of long ago"));
        client.ping();
    }
}

#[test]
fn large_pushes_wait_for_their_turn_as_well() {
    let edge = large_edge(Config {
        state_turn: HOUR,
        ..two_at_once()
    });
    let mut servers: Vec<_> = (0..6).map(|_| edge.server().0).collect();
    let big = "y".repeat(60_000);
    let keys: Vec<_> = (0..FLAGS).map(|n| format!("flag-{n}")).collect();
    let values: Vec<_> = keys
        .iter()
        .map(|key| (key.as_str(), big.as_str()))
        .collect();
    edge.feed.set_flags(&values);
    edge.await_count(4, |counters| &counters.waiting);
    // All at once: nobody knows whose turn it is.
    std::thread::scope(|scope| {
        for server in &mut servers {
            scope.spawn(|| {
                let mut seen = 0;
                while seen < FLAGS {
                    seen += flags(&server.json());
                }
                server.ping();
            });
        }
    });
}

/// A client SDK that has asked for everything, and reads nothing yet.
fn asking_as(edge: &Edge, user: &str) -> Client {
    let mut client = Client::streaming(edge.address, "client", CLIENT_KEY);
    client.ask_as(user);
    client
}

#[test]
fn large_answers_to_clients_wait_for_their_turn_too() {
    let edge = large_edge(two_at_once());
    let mut herd: Vec<_> = (0..8)
        .map(|n| asking_as(&edge, &format!("user-{n}")))
        .collect();
    edge.await_count(6, |counters| &counters.waiting);
    for (n, client) in herd.iter_mut().enumerate() {
        let answer = client.json();
        assert_eq!(flags(&answer), FLAGS + 1);
        assert_eq!(answer["data"]["userKeyId"], format!("user-{n}"));
        client.ping();
    }
    assert_eq!(edge.count(|counters| &counters.waiting), 0);
}

#[test]
fn large_pushes_to_clients_wait_for_their_turn_too() {
    let edge = large_edge(two_at_once());
    let mut clients: Vec<_> = (0..6).map(|_| edge.client("bob").0).collect();
    let big = "y".repeat(60_000);
    let keys: Vec<_> = (0..FLAGS).map(|n| format!("flag-{n}")).collect();
    let values: Vec<_> = keys
        .iter()
        .map(|key| (key.as_str(), big.as_str()))
        .collect();
    edge.feed.set_flags(&values);
    edge.await_count(4, |counters| &counters.waiting);
    std::thread::scope(|scope| {
        for client in &mut clients {
            scope.spawn(|| {
                assert!(client.json().to_string().contains("yyy"));
                client.ping();
            });
        }
    });
}

#[test]
fn who_waits_is_answered_otherwise_and_may_change_its_mind() {
    let edge = large_edge(two_at_once());
    let mut served: Vec<_> = (0..2).map(|_| asking(&edge)).collect();
    let mut client = asking_as(&edge, "bob");
    edge.await_count(1, |counters| &counters.waiting);
    client.ping();
    client.ask_as("alice");
    client.ping();
    for server in &mut served {
        server.json();
    }
    assert_eq!(client.json()["data"]["userKeyId"], "alice");
    client.ping();
}

#[test]
fn slow_readers_of_a_shared_state_do_not_hold_up_others() {
    let edge = large_edge(Config {
        state_turn: Duration::from_millis(50),
        tick: Duration::from_millis(10),
        ..two_at_once()
    });
    let mut slow: Vec<_> = (0..2).map(|_| asking(&edge)).collect();
    let mut patient = asking(&edge);
    assert_eq!(flags(&patient.json()), FLAGS + 1);
    // They were not given up for it.
    for client in &mut slow {
        assert_eq!(flags(&client.json()), FLAGS + 1);
        client.ping();
    }
}

#[test]
fn who_holds_an_answer_of_its_own_has_to_take_it_in_time_while_others_wait() {
    let edge = large_edge(Config {
        stall_timeout: HOUR,
        stall_timeout_in_herd: Duration::from_millis(50),
        tick: Duration::from_millis(10),
        ..two_at_once()
    });
    let _deaf: Vec<_> = (0..2).map(|_| asking_as(&edge, "deaf")).collect();
    let mut patient = asking_as(&edge, "bob");
    assert_eq!(flags(&patient.json()), FLAGS + 1);
}

#[test]
fn a_second_stall_has_all_the_time_that_the_first_had() {
    let edge = large_edge(Config {
        stall_timeout: Duration::from_secs(2),
        tick: Duration::from_millis(10),
        ..two_at_once()
    });
    // Until somebody who says nothing has been dropped elsewhere.
    let pass = |length| {
        let elsewhere = Edge::start_with(Config {
            head_timeout: length,
            ..Edge::hasty()
        });
        Client::connect(elsewhere.address).ends();
    };
    let mut slow = Client::narrow(edge.address);
    let token = token(CLIENT_KEY, now());
    slow.upgrade(&format!("type=client&token={token}"));
    assert_eq!(slow.sync_client("slow")["messageType"], "data-sync");
    // For longer than a stall may last it has nothing to take.
    pass(Duration::from_millis(2_500));
    let big = "y".repeat(60_000);
    let keys: Vec<_> = (0..FLAGS).map(|n| format!("flag-{n}")).collect();
    let values: Vec<_> = keys
        .iter()
        .map(|key| (key.as_str(), big.as_str()))
        .collect();
    let before = edge.count(|counters| &counters.pushes.client);
    edge.feed.set_flags(&values);
    edge.await_count(before + 1, |counters| &counters.pushes.client);
    pass(Duration::from_millis(200));
    assert_eq!(flags(&slow.json()), FLAGS);
}

#[test]
fn answers_of_their_own_wait_for_their_turn_by_their_bytes() {
    // Each is 3 MB; what the sockets take of it is less than one.
    let edge = large_edge(Config {
        kept_output: 6 * 1024 * 1024,
        states_in_flight: 64,
        ..two_at_once()
    });
    let mut herd: Vec<_> = (0..8)
        .map(|n| asking_as(&edge, &format!("user-{n}")))
        .collect();
    edge.await_count(5, |counters| &counters.waiting);
    for client in &mut herd {
        assert_eq!(flags(&client.json()), FLAGS + 1);
        client.ping();
    }
    assert_eq!(edge.count(|counters| &counters.waiting), 0);
}

#[test]
fn who_lets_small_answers_gather_beyond_what_is_kept_for_all_is_dropped() {
    let edge = Edge::start_with(Config {
        kept_output: 128 * 1024,
        ..two_at_once()
    });
    let (mut witness, _) = edge.client("witness");
    // It stands in an answer twice.
    edge.feed.set_flag("greeting", &"x".repeat(20_000));
    witness.json();
    // Each asks for more than sockets hold, and takes nothing.
    let sync = json!({ "messageType": "data-sync",
        "data": { "timestamp": 0, "user": { "keyId": "deaf" } } });
    let sync = crate::kit::client::frame(0x81, sync.to_string().as_bytes());
    let _deaf: Vec<_> = (0..16)
        .map(|_| {
            let mut client = Client::narrow(edge.address);
            let token = token(CLIENT_KEY, now());
            client.upgrade(&format!("type=client&token={token}"));
            client.send_raw(&sync.repeat(100));
            client
        })
        .collect();
    edge.await_count(1, |counters| &counters.dropped_slow);
    witness.ping();
}
