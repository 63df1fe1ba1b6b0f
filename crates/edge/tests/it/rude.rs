//! Bad input and bad days: each peer here is answered clearly or closed, and none of them
//! disturbs another connection.

use std::net::Shutdown;

use burgee_edge::driver::Config;
use burgee_edge::frame::MAX_MESSAGE;
use serde_json::json;

use crate::kit::client::{Received, frame};
use crate::kit::{CLIENT_KEY, Client, Edge};

/// A first frame of a fragmented text, a further one, the last one.
const FIRST: u8 = 0x01;
const MORE: u8 = 0x00;
const LAST: u8 = 0x80;
const TEXT: u8 = 0x81;

/// Runs `rude` against an edge, and checks that somebody else saw nothing of it.
fn beside_a_witness(config: Config, rude: impl FnOnce(&Edge)) {
    let edge = Edge::start_with(config);
    let (mut witness, _) = edge.client("witness");
    rude(&edge);
    witness.ping();
    edge.feed.set_flag("greeting", "still here");
    assert_eq!(witness.json()["data"]["eventType"], "patch");
}

fn one_loop() -> Config {
    Config {
        loops: 1,
        ..Config::default()
    }
}

#[test]
fn what_is_no_message_is_passed_over() {
    beside_a_witness(one_loop(), |edge| {
        let (mut client, _) = edge.client("bob");
        for text in [
            "",
            "{",
            "null",
            "[1,2]",
            "{}",
            r#"{"messageType":7,"data":{}}"#,
            r#"{"messageType":"data-sync"}"#,
            r#"{"messageType":"data-sync","data":null}"#,
            r#"{"messageType":"data-sync","data":[]}"#,
            r#"{"messageType":"data-sync","data":{"timestamp":"now"}}"#,
            r#"{"messageType":"data-sync","data":{"timestamp":0,"user":"bob"}}"#,
            r#"{"messageType":"data-sync","data":{"timestamp":0}}"#,
            r#"{"messageType":"data-sync","data":{"timestamp":0,"user":{"name":"no key"}}}"#,
            r#"{"messageType":"data-sync","data":{"timestamp":0,"user":{"keyId":" "}}}"#,
            r#"{"messageType":"data-sync","data":{"timestamp":0,"user":{"keyId":{"half":"\ud800}}}}"#,
            r#"{"messageType":"rp-agent-status","data":{}}"#,
            r#"{"messageType":"of the future","data":{"x":1}}"#,
            &"[".repeat(100_000),
        ] {
            client.send_text(text);
            client.ping();
        }
    });
}

#[test]
fn properties_that_are_not_texts_are_taken_as_their_json() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    client.send(
        &json!({ "messageType": "DATA-SYNC", "data": { "timestamp": null, "user": {
            "keyId": 17, "name": null, "customizedProperties": [
                { "name": "age", "value": 42.50 },
                { "name": "vip", "value": true },
                { "name": "", "value": "" },
                { "name": "nothing", "value": null },
                { "name": "list", "value": ["a", 1] },
                { "value": "nameless" },
            ],
        }}}),
    );
    assert_eq!(client.json()["data"]["userKeyId"], "17");
}

#[test]
fn a_message_in_fragments_of_one_byte_is_read() {
    beside_a_witness(one_loop(), |edge| {
        let mut client = Client::streaming(edge.address, "client", CLIENT_KEY);
        let text = r#"{"messageType":"data-sync","data":{"timestamp":0,"user":{"keyId":"é"}}}"#;
        let bytes = text.as_bytes();
        let (last, rest) = bytes.split_last().unwrap();
        let (first, middle) = rest.split_first().unwrap();
        client.send_raw(&frame(FIRST, &[*first]));
        for byte in middle {
            client.send_raw(&frame(MORE, &[*byte]));
        }
        client.send_raw(&frame(LAST, &[*last]));
        assert_eq!(client.json()["data"]["userKeyId"], "é");
    });
}

#[test]
fn everything_in_packets_of_one_byte_is_read() {
    let edge = Edge::start();
    let mut client = Client::connect(edge.address);
    let token = crate::kit::client::token(CLIENT_KEY, crate::kit::client::now());
    let head = crate::kit::client::upgrade(&format!("type=client&token={token}"));
    for byte in head.as_bytes() {
        client.send_raw(&[*byte]);
    }
    assert!(client.read_head().starts_with("HTTP/1.1 101 "));
    for byte in frame(TEXT, br#"{"messageType":"ping","data":{}}"#) {
        client.send_raw(&[byte]);
    }
    assert_eq!(client.json()["messageType"], "pong");
}

#[test]
fn a_message_that_is_too_long_is_closed_1009() {
    beside_a_witness(one_loop(), |edge| {
        let (mut client, _) = edge.client("bob");
        let message = frame(TEXT, &vec![b'x'; 10 * 1024 * 1024]);
        // The server stops reading somewhere in the middle; its close frame arrives all the same.
        let _ = client.try_send_raw(&message);
        assert_eq!(client.close_code(), Some(1009));

        let (mut client, _) = edge.client("bob");
        client.send_raw(&frame(FIRST, &vec![b'x'; MAX_MESSAGE]));
        client.send_raw(&frame(LAST, b"x"));
        assert_eq!(client.close_code(), Some(1009));
    });
}

#[test]
fn a_message_of_the_greatest_length_is_read() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    let mut text = r#"{"messageType":"ping","data":""#.to_owned();
    text.push_str(&"x".repeat(MAX_MESSAGE - text.len() - 2));
    text.push_str("\"}");
    client.send_text(&text);
    assert_eq!(client.json()["messageType"], "pong");
}

#[test]
fn a_text_that_is_not_utf8_is_closed_1007() {
    beside_a_witness(one_loop(), |edge| {
        let (mut client, _) = edge.client("bob");
        client.send_raw(&frame(TEXT, b"{\"messageType\":\"ping\xFF\"}"));
        assert_eq!(client.close_code(), Some(1007));
        client.ends();
    });
}

#[test]
fn bytes_that_are_no_frames_are_closed_1002() {
    beside_a_witness(one_loop(), |edge| {
        let (mut client, _) = edge.client("bob");
        let _ = client.try_send_raw(&[0x42; 4096]);
        assert_eq!(client.close_code(), Some(1002));
        client.ends();
    });
}

#[test]
fn who_says_nothing_is_dropped() {
    beside_a_witness(one_loop(), |_| {});
    let edge = Edge::start_with(Edge::hasty());
    let mut silent = Client::connect(edge.address);
    silent.ends();
    let mut dribbling = Client::connect(edge.address);
    dribbling.send_raw(b"GET /streaming HTTP/1.1\r\n");
    dribbling.ends();
    // Empty lines are no head, and nobody's turn.
    let mut empty = Client::connect(edge.address);
    empty.send_raw(b"\r\n\r\n\n\n");
    empty.ends();
    edge.await_count(3, |counters| &counters.dropped_silent);
    edge.await_count(0, |counters| &counters.handed_over);
}

#[test]
fn who_never_syncs_is_closed_however_much_it_pings() {
    let edge = Edge::start_with(Edge::hasty());
    let mut silent = Client::streaming(edge.address, "client", CLIENT_KEY);
    assert_eq!(silent.close_code(), Some(1001));
    let mut pinging = Client::streaming(edge.address, "client", CLIENT_KEY);
    let code = loop {
        let _ = pinging.try_send_raw(&frame(TEXT, br#"{"messageType":"ping","data":{}}"#));
        match pinging.next() {
            Received::Json(_) => {}
            Received::Close(code) => break code,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(code, Some(1001));
}

#[test]
fn who_falls_silent_after_its_sync_is_closed_1001() {
    let edge = Edge::start_with(Edge::hasty());
    let (mut silent, _) = edge.client("bob");
    assert_eq!(silent.close_code(), Some(1001));
    silent.ends();
}

#[test]
fn a_peer_that_never_answers_our_close_is_dropped() {
    let edge = Edge::start_with(Edge::hasty());
    let (client, _) = edge.client("bob");
    edge.feed.revoke(CLIENT_KEY);
    edge.await_count(1, |counters| &counters.closed_4003);
    // It neither answers nor closes; its place is free all the same.
    edge.await_gone(|counters| &counters.sockets);
    drop(client);
}

#[test]
fn a_client_that_never_reads_is_dropped_and_delays_nobody() {
    let edge = Edge::start_with(Config {
        silence_timeout: std::time::Duration::from_secs(60),
        sync_timeout: std::time::Duration::from_secs(60),
        ..Edge::hasty()
    });
    let (mut witness, _) = edge.client("witness");
    let (mut deaf, _) = edge.client("deaf");
    let big = "x".repeat(60_000);
    let mut sent = 0;
    // It asks, and never takes an answer, until it is cut off.
    while edge.count(|counters| &counters.dropped_slow) == 0 {
        if sent < 200 {
            edge.feed.set_flag("greeting", &format!("{sent}{big}"));
            assert_eq!(witness.json()["messageType"], "data-sync");
            sent += 1;
        }
        let sync = json!({ "messageType": "data-sync",
            "data": { "timestamp": 0, "user": { "keyId": "deaf" } } });
        deaf.stream.set_nonblocking(true).unwrap();
        let _ = deaf.try_send_raw(&frame(TEXT, sync.to_string().as_bytes()));
    }
    witness.ping();
}

#[test]
fn a_slow_reader_gets_the_newest_state_and_nothing_older_after_it() {
    let edge = Edge::start_with(one_loop());
    let (mut slow, _) = edge.client("slow");
    let (mut witness, _) = edge.client("witness");
    let big = "x".repeat(60_000);
    for n in 1..=200 {
        edge.feed.set_flag("greeting", &format!("{n} {big}"));
        witness.json();
    }
    assert!(edge.count(|counters| &counters.pushes_skipped) > 0);
    let mut last = 0;
    let mut messages = 0;
    while last < 200 {
        let message = slow.json();
        let text = message["data"]["featureFlags"][0]["variation"]
            .as_str()
            .unwrap()
            .to_owned();
        let seen: i32 = text.split(' ').next().unwrap().parse().unwrap();
        assert!(seen > last, "{seen} came after {last}");
        last = seen;
        messages += 1;
    }
    assert!(messages < 200, "it was spared nothing");
}

#[test]
fn peers_that_vanish_are_forgotten() {
    let edge = Edge::start();
    for _ in 0..20 {
        let (client, _) = edge.client("bob");
        client.stream.shutdown(Shutdown::Both).unwrap();
        let mut half = Client::connect(edge.address);
        half.send_raw(b"GET /stre");
    }
    edge.await_gone(|counters| &counters.sockets);
}

#[test]
fn the_first_after_a_long_silence_is_not_taken_for_silent() {
    let edge = Edge::start_with(Edge::hasty());
    let elsewhere = Edge::start_with(Edge::hasty());
    // As long as it takes to be dropped over there, nothing happens here.
    Client::connect(elsewhere.address).ends();
    let mut client = Client::streaming(edge.address, "client", CLIENT_KEY);
    client.ping();
}

#[test]
fn who_is_too_many_is_told_to_come_back() {
    let edge = Edge::start_with(Config {
        max_sockets: Some(2),
        ..one_loop()
    });
    let (mut first, _) = edge.client("first");
    let (second, _) = edge.client("second");
    let mut third = Client::connect(edge.address);
    let head = third.read_head();
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    assert!(head.contains("\r\nRetry-After: "), "{head}");
    third.is_refused();
    first.ping();
    drop(second);
    edge.await_count(1, |counters| &counters.closed_by_peer);
    edge.client("third").0.ping();
}

#[test]
fn ordinary_http_that_is_too_much_is_told_to_come_back() {
    let edge = Edge::start_with(Config {
        http_connections: 2,
        ..one_loop()
    });
    let request = b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let ask = || {
        let mut client = Client::connect(edge.address);
        client.send_raw(request);
        client
    };
    let mut idle = ask();
    assert!(idle.read_head().starts_with("HTTP/1.1 200 "));
    idle.read_exactly("hello");
    // The second takes its time.
    let mut slow = Client::connect(edge.address);
    slow.send_raw(b"POST /count HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n");
    edge.await_count(2, |counters| &counters.handed_over);
    assert!(ask().read_head().starts_with("HTTP/1.1 503 "));
    // More than half of the places were taken when it came: it may not stay.
    slow.send_raw(b"x");
    assert!(slow.read_head().contains("\r\nconnection: close\r\n"));
    slow.read_exactly("1");
    slow.ends();
    idle.send_raw(request);
    assert!(idle.read_head().starts_with("HTTP/1.1 200 "));
    // Streaming has nothing to do with it.
    edge.client("bob").0.ping();
}

#[test]
fn a_message_that_is_never_completed_is_closed_1001() {
    let hour = std::time::Duration::from_secs(3600);
    beside_a_witness(
        Config {
            silence_timeout: hour,
            message_timeout: std::time::Duration::from_millis(50),
            ..Edge::hasty()
        },
        |edge| {
            let (mut client, _) = edge.client("bob");
            client.send_raw(&frame(FIRST, b"{"));
            assert_eq!(client.close_code(), Some(1001));
            // Pings in between do not prolong it.
            let (mut pinging, _) = edge.client("bob");
            pinging.send_raw(&frame(FIRST, b"{"));
            let code = loop {
                let _ = pinging.try_send_raw(&frame(0x89, b""));
                match pinging.next() {
                    Received::Pong(_) => {}
                    Received::Close(code) => break code,
                    other => panic!("{other:?}"),
                }
            };
            assert_eq!(code, Some(1001));
        },
    );
}

#[test]
fn incomplete_messages_take_only_so_much_memory() {
    beside_a_witness(
        Config {
            kept_input: 300 * 1024,
            ..one_loop()
        },
        |edge| {
            let mut rude: Vec<_> = (0..4).map(|_| edge.client("bob").0).collect();
            for client in &mut rude {
                client.send_raw(&frame(FIRST, &[b'x'; 100 * 1024]));
            }
            edge.await_count(1, |counters| &counters.closed_1001);
        },
    );
}
