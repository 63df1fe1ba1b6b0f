//! A shutdown that spreads those who come back.

use std::net::TcpStream;
use std::time::Duration;

use burgee_edge::driver::Config;
use serde_json::json;

use crate::kit::client::Received;
use crate::kit::{Client, Edge};

/// One loop that closes a quarter at each step, of which the second is not seen by any test.
fn in_quarters() -> Config {
    Config {
        loops: 1,
        drain: Duration::from_secs(4 * 3600),
        drain_step: Duration::from_secs(3600),
        head_timeout: Duration::from_secs(3600),
        tick: Duration::from_millis(10),
        ..Config::default()
    }
}

/// Whether a connection is served; otherwise it was told to come back.
fn is_served(client: &mut Client) -> bool {
    client
        .try_send_raw(&crate::kit::client::frame(
            0x81,
            json!({ "messageType": "ping", "data": null })
                .to_string()
                .as_bytes(),
        ))
        .is_ok()
        && match client.next() {
            Received::Json(pong) => pong["messageType"] == "pong",
            Received::Close(code) => {
                assert_eq!(code, Some(1001));
                false
            }
            other => panic!("{other:?}"),
        }
}

#[test]
fn a_drain_tells_some_at_a_time_and_serves_the_others() {
    let edge = Edge::start_with(in_quarters());
    let mut clients: Vec<Client> = (0..40)
        .map(|n| edge.client(&format!("user-{n}")).0)
        .collect();
    edge.begin_shutdown();
    edge.await_count(10, |counters| &counters.closed_1001);
    assert!(TcpStream::connect(edge.address).is_err(), "it listens");
    clients.retain_mut(is_served);
    assert_eq!(clients.len(), 30);

    edge.feed.set_flag("greeting", "still here");
    for client in &mut clients {
        let pushed = client.json();
        let flags = pushed["data"]["featureFlags"].as_array().unwrap();
        assert_eq!(flags[0]["variation"], "still here", "{pushed}");
    }
    assert_eq!(edge.count(|counters| &counters.closed_1001), 10);
    // Whoever is left does not keep the process: the loops are told to end.
    drop(clients);
}

#[test]
fn after_the_window_nobody_is_left() {
    let mut edge = Edge::start_with(Config {
        drain: Duration::from_millis(200),
        drain_step: Duration::from_millis(20),
        ..in_quarters()
    });
    let mut clients: Vec<Client> = (0..40)
        .map(|n| edge.client(&format!("user-{n}")).0)
        .collect();
    edge.shut_down();
    for client in &mut clients {
        assert_eq!(client.close_code(), Some(1001));
    }
    assert_eq!(
        edge.metrics.encode().matches("code=\"1001\"} 40").count(),
        1
    );
}

#[test]
fn who_has_not_asked_yet_is_answered_while_it_may_and_readiness_says_no() {
    let edge = Edge::start_with(in_quarters());
    let mut clients: Vec<Client> = (0..8).map(|_| Client::connect(edge.address)).collect();
    edge.await_count(8, |counters| &counters.accepted);
    edge.begin_shutdown();
    edge.await_count(2, |counters| &counters.unsynced.shutdown);
    let mut answered = 0;
    for client in &mut clients {
        let request = b"GET /health/readiness HTTP/1.1\r\nHost: localhost\r\n\r\n";
        if client.try_send_raw(request).is_ok()
            && let Some(head) = client.try_read_head()
        {
            assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
            assert!(head.contains("connection: close\r\n"), "{head}");
            answered += 1;
        }
    }
    assert_eq!(answered, 6);
}

#[test]
fn a_request_under_way_is_answered() {
    let mut edge = Edge::start_with(Config {
        drain: Duration::from_secs(3600),
        ..in_quarters()
    });
    let mut client = Client::connect(edge.address);
    client.send_raw(b"POST /count HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nx");
    edge.await_count(1, |counters| &counters.handed_over);
    edge.begin_shutdown();
    edge.await_closed();
    client.send_raw(b"y");
    let head = client.read_head();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    client.read_exactly("2");
    client.ends();
    // Nobody is left: it does not wait for the window.
    edge.shut_down();
}
