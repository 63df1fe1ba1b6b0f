//! `permessage-deflate` through a running edge: who gets what how, and what it does to others.

use burgee_edge::driver::Config;
use burgee_edge::frame::MAX_MESSAGE;
use burgee_edge::hub::Lookup;
use serde_json::{Value, json};

use crate::kit::client::{Received, frame};
use crate::kit::deflate::deflated;
use crate::kit::{CLIENT_KEY, Client, Edge, SERVER_KEY};

const DEFLATED: u8 = 0xC1;
const CLEAR: u8 = 0x81;

/// An edge with so many flags besides `greeting`, each with a value of its own.
fn edge(flags: usize) -> Edge {
    let edge = Edge::start_with(Config {
        loops: 1,
        ..Config::default()
    });
    let keys: Vec<_> = (0..flags)
        .map(|n| (format!("flag-{n}"), format!("value {n} of some length")))
        .collect();
    let values: Vec<_> = keys
        .iter()
        .map(|(key, value)| (&key[..], &value[..]))
        .collect();
    let (mut witness, _) = edge.client("witness");
    if flags > 0 {
        edge.feed.set_flags(&values);
        witness.json();
    }
    edge
}

fn server(edge: &Edge, timestamp: i64) -> (Client, Value) {
    let mut server = Client::deflating(edge.address, "server", SERVER_KEY);
    let answer = server.sync_server(timestamp);
    (server, answer)
}

fn client(edge: &Edge, user: &str) -> (Client, Value) {
    let mut client = Client::deflating(edge.address, "client", CLIENT_KEY);
    let answer = client.sync_client(user);
    (client, answer)
}

#[test]
fn a_server_sdk_gets_the_same_state_deflated() {
    let edge = edge(100);
    let (clear, expected) = edge.server();
    let (mut packed, answer) = server(&edge, 0);
    assert_eq!(answer, expected);
    assert_eq!((clear.last_frame.0, packed.last_frame.0), (CLEAR, DEFLATED));
    assert!(packed.last_frame.1 < clear.last_frame.1 / 4);
    packed.ping();
    assert_eq!(packed.last_frame.0, CLEAR, "a pong is too short");
}

#[test]
fn a_change_is_pushed_to_each_as_it_takes_it() {
    let edge = edge(100);
    let (mut clear, _) = edge.server();
    let (mut packed, _) = server(&edge, 0);
    let (mut other, _) = server(&edge, 0);
    // So small a state is sent whole.
    edge.feed.set_flag("flag-1", "changed");
    let pushed = clear.json();
    assert_eq!(pushed["data"]["eventType"], "full");
    for packed in [&mut packed, &mut other] {
        assert_eq!(packed.json(), pushed);
        assert_eq!(packed.last_frame.0, DEFLATED);
    }
    assert_eq!(clear.last_frame.0, CLEAR);
}

#[test]
fn steps_are_pushed_deflated_where_they_are_long() {
    let edge = edge(300);
    let (mut clear, _) = edge.server();
    let (mut packed, _) = server(&edge, 0);
    let long = "a long value, ".repeat(200);
    edge.feed
        .set_flags(&[("flag-1", "short"), ("flag-2", &long)]);
    let mut firsts = Vec::new();
    for _ in 0..2 {
        let pushed = clear.json();
        assert_eq!(pushed["data"]["eventType"], "patch");
        assert_eq!(packed.json(), pushed);
        firsts.push(packed.last_frame.0);
    }
    assert_eq!(firsts, [CLEAR, DEFLATED]);
}

#[test]
fn a_server_sdk_that_comes_back_gets_what_changed() {
    let edge = edge(300);
    let (mut clear, _) = edge.server();
    edge.feed.set_flag("flag-7", "changed");
    let pushed = clear.json();
    assert_eq!(pushed["data"]["eventType"], "patch");
    let Lookup::Known(access) = edge.hub.lookup(SERVER_KEY) else {
        panic!("its key is gone");
    };
    let timestamp = access.environment.current().last_stamp();
    let (_, nothing) = server(&edge, timestamp);
    assert_eq!(nothing["data"]["eventType"], "patch");
    let (_, change) = server(&edge, timestamp - 1);
    assert_eq!(change, pushed);
}

#[test]
fn a_client_sdks_answer_is_deflated_where_it_is_long() {
    let edge = edge(100);
    let (clear, expected) = edge.client("bob");
    let (mut packed, answer) = client(&edge, "bob");
    assert_eq!(answer, expected);
    assert!(packed.last_frame.1 < clear.last_frame.1 / 3);
    assert_eq!((clear.last_frame.0, packed.last_frame.0), (CLEAR, DEFLATED));
    edge.feed.set_flag("flag-1", "changed");
    let pushed = packed.json();
    assert_eq!(pushed["data"]["featureFlags"][0]["variation"], "changed");
    assert_eq!(packed.last_frame.0, CLEAR, "one flag is not much");
    let values: Vec<_> = (0..100).map(|n| format!("flag-{n}")).collect();
    let values: Vec<_> = values.iter().map(|key| (&key[..], "all changed")).collect();
    edge.feed.set_flags(&values);
    let pushed = packed.json();
    assert_eq!(
        pushed["data"]["featureFlags"].as_array().unwrap().len(),
        100
    );
    assert_eq!(packed.last_frame.0, DEFLATED);
}

#[test]
fn a_short_answer_is_what_everybody_gets() {
    let edge = edge(0);
    let (clear, expected) = edge.client("bob");
    let (packed, answer) = client(&edge, "bob");
    assert_eq!(answer, expected);
    assert_eq!(packed.last_frame, clear.last_frame);
}

#[test]
fn a_bomb_is_refused_and_disturbs_nobody() {
    let edge = edge(0);
    let (mut witness, _) = client(&edge, "witness");
    let (mut rude, _) = client(&edge, "rude");
    rude.send_raw(&frame(DEFLATED, &deflated(&vec![b' '; 64 << 20])));
    assert_eq!(rude.close_code(), Some(1009));
    rude.ends();
    witness.ping();
    assert_eq!(edge.count(|counters| &counters.closed_1009), 1);
}

#[test]
fn who_sends_more_than_is_handled_at_once_is_answered_in_turns() {
    let edge = edge(0);
    let (mut witness, _) = client(&edge, "witness");
    let (mut rude, _) = client(&edge, "rude");
    let ping = format!("{}{{\"messageType\":\"ping\"}}", " ".repeat(130_000));
    let ping = frame(DEFLATED, &deflated(ping.as_bytes()));
    // Much of it in one read, and its end without anything behind it.
    for times in [1, 100, 2, 300] {
        rude.send_raw(&ping.repeat(times));
        witness.ping();
        for _ in 0..times {
            assert_eq!(rude.json()["messageType"], "pong");
        }
    }
    let goodbye = frame(0x88, &1000_u16.to_be_bytes());
    rude.send_raw(&[ping.repeat(50), goodbye].concat());
    assert_eq!(rude.close_code(), Some(1000));
    rude.ends();
}

#[test]
fn who_did_not_agree_may_not_deflate() {
    let edge = edge(0);
    let (mut rude, _) = edge.client("rude");
    rude.send_raw(&frame(DEFLATED, &deflated(b"{}")));
    assert_eq!(rude.close_code(), Some(1002));
}

#[test]
fn what_is_deflated_badly_is_closed() {
    let edge = edge(0);
    for (bytes, code) in [
        (frame(DEFLATED, b"\x07"), 1007),
        (frame(0xC9, b"p"), 1002),
        (frame(0xC0, b"x"), 1002),
        (frame(0xC2, &deflated(b"x")), 1003),
        (frame(DEFLATED, &deflated(b"\xFF")), 1007),
    ] {
        let (mut rude, _) = client(&edge, "rude");
        rude.send_raw(&bytes);
        assert_eq!(rude.close_code(), Some(code));
    }
}

#[test]
fn the_longest_user_comes_deflated_and_in_pieces() {
    let edge = edge(0);
    let mut client = Client::deflating(edge.address, "client", CLIENT_KEY);
    let properties: Vec<_> = (0..100)
        .map(|n| json!({ "name": format!("p{n}"), "value": "v".repeat(1000) }))
        .collect();
    let sync = json!({ "messageType": "data-sync", "data": {
        "timestamp": 0, "user": { "keyId": "long", "customizedProperties": properties } } });
    let text = sync.to_string();
    assert!(text.len() < MAX_MESSAGE);
    let payload = deflated(text.as_bytes());
    let (first, last) = payload.split_at(payload.len() / 2);
    client.send_raw(&frame(0x41, first));
    client.send_raw(&frame(0x89, b"between"));
    assert_eq!(client.next(), Received::Pong(b"between".to_vec()));
    client.send_raw(&frame(0x80, last));
    assert_eq!(client.json()["data"]["userKeyId"], "long");
}

/// 60,000 letters that hardly deflate.
fn noise(seed: u32) -> String {
    let mut state = seed + 1;
    let letters = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        char::from(b'0' + (state % 64) as u8)
    });
    letters
        .filter(|letter| *letter != '\\')
        .take(60_000)
        .collect()
}

#[test]
fn a_herd_that_deflates_shares_one_buffer() {
    // Values that hardly deflate: more than a socket's buffers hold, deflated too.
    let edge = edge(0);
    let values: Vec<_> = (0..80).map(|n| (format!("flag-{n}"), noise(n))).collect();
    let values: Vec<_> = values
        .iter()
        .map(|(key, value)| (&key[..], &value[..]))
        .collect();
    let (mut witness, _) = edge.server();
    edge.feed.set_flags(&values);
    while witness.json()["data"]["eventType"] != "full" {}
    let mut herd: Vec<_> = (0..20)
        .map(|_| Client::deflating(edge.address, "server", SERVER_KEY))
        .collect();
    for client in &mut herd {
        client.send(&json!({ "messageType": "data-sync", "data": { "timestamp": 0 } }));
    }
    witness.ping();
    let mut lengths = Vec::new();
    for client in &mut herd {
        let state = client.json();
        assert_eq!(state["data"]["featureFlags"].as_array().unwrap().len(), 81);
        assert_eq!(client.last_frame.0, DEFLATED);
        lengths.push(client.last_frame.1);
    }
    assert!(
        lengths
            .iter()
            .all(|length| *length == lengths[0] && *length > 2_000_000)
    );
}

#[test]
fn a_slow_reader_that_deflates_gets_the_newest_state() {
    let edge = edge(0);
    let mut slow = Client::narrow(edge.address);
    let token = crate::kit::client::token(CLIENT_KEY, crate::kit::client::now());
    slow.upgrade_deflating(&format!("type=client&token={token}"));
    slow.sync_client("slow");
    let (mut witness, _) = edge.client("witness");
    let mut seed = 0;
    while edge.count(|counters| &counters.pushes_skipped) == 0 {
        seed += 1;
        edge.feed.set_flag("greeting", &noise(seed));
        witness.json();
    }
    edge.feed.set_flag("greeting", "the last");
    witness.json();
    loop {
        let message = slow.json();
        if message["data"]["featureFlags"][0]["variation"] == "the last" {
            break;
        }
    }
    slow.ping();
}
