//! Ordinary HTTP beside streaming: who is slow there keeps out nobody.

use std::io::Read;
use std::time::Duration;

use burgee_edge::driver::Config;

use crate::kit::client::upgrade;
use crate::kit::{Client, Edge};

const HELLO: &[u8] = b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
const HALF: &[u8] = b"POST /count HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nx";

/// Deadlines of an hour, so that those that a test is about are the only ones.
fn patient() -> Config {
    let hour = Duration::from_secs(3600);
    Config {
        loops: 1,
        tick: Duration::from_millis(10),
        body_timeout: hour,
        body_timeout_when_busy: hour,
        http_idle_timeout: hour,
        stall_timeout: hour,
        ..Config::default()
    }
}

fn asking(edge: &Edge, request: &[u8]) -> Client {
    let mut client = Client::connect(edge.address);
    client.send_raw(request);
    client
}

fn hello(edge: &Edge) -> Client {
    let mut client = asking(edge, HELLO);
    let head = client.read_head();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    client.read_exactly("hello");
    client
}

#[test]
fn a_body_that_does_not_come_is_waited_for_only_so_long() {
    let edge = Edge::start_with(Config {
        body_timeout: Duration::from_millis(50),
        ..patient()
    });
    let mut slow = asking(&edge, HALF);
    let head = slow.read_head();
    assert!(head.starts_with("HTTP/1.1 408 "), "{head}");
    assert!(head.contains("connection: close\r\n"), "{head}");
    // In the words of who waited for it.
    slow.read_exactly("Failed to buffer the request body: the body did not come in time");
    slow.ends();
}

#[test]
fn slow_bodies_leave_half_of_the_places_to_others() {
    let edge = Edge::start_with(Config {
        http_connections: 4,
        body_timeout_when_busy: Duration::from_millis(50),
        ..patient()
    });
    let mut slow = Vec::new();
    for count in 1..=4 {
        slow.push(asking(&edge, HALF));
        edge.await_count(count, |counters| &counters.handed_over);
    }
    // Which two have a place is the runtime's choice.
    let answered = loop {
        let answered: Vec<_> = slow.iter().map(has_something).collect();
        if answered.iter().filter(|answered| **answered).count() == 2 {
            break answered;
        }
    };
    hello(&edge);
    for (client, answered) in slow.iter_mut().zip(answered) {
        if answered {
            assert!(client.read_head().starts_with("HTTP/1.1 408 "));
        } else {
            client.send_raw(b"x");
            assert!(client.read_head().starts_with("HTTP/1.1 200 "));
        }
    }
}

fn has_something(client: &Client) -> bool {
    client.stream.set_nonblocking(true).unwrap();
    let found = client.stream.peek(&mut [0]).is_ok();
    client.stream.set_nonblocking(false).unwrap();
    found
}

#[test]
fn who_does_not_take_an_answer_loses_its_place() {
    let edge = Edge::start_with(Config {
        http_connections: 1,
        stall_timeout: Duration::from_millis(50),
        ..patient()
    });
    let _deaf = asking(&edge, b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    edge.await_count(1, |counters| &counters.handed_over);
    let mut refused = asking(&edge, HELLO);
    assert!(refused.read_head().starts_with("HTTP/1.1 503 "));
    edge.await_count(2, |counters| {
        // Asks until there is a place.
        let _ = asking(&edge, HELLO).read_head();
        &counters.handed_over
    });
}

#[test]
fn who_asks_nothing_more_is_closed() {
    let edge = Edge::start_with(Config {
        http_idle_timeout: Duration::from_millis(50),
        ..patient()
    });
    hello(&edge).ends();
}

#[test]
fn sockets_with_ordinary_http_count_among_all() {
    let edge = Edge::start_with(Config {
        max_sockets: Some(4),
        ..patient()
    });
    let _idle = hello(&edge);
    let _streaming = ["first", "second", "third"].map(|user| edge.client(user));
    let mut fifth = Client::connect(edge.address);
    assert!(fifth.read_head().starts_with("HTTP/1.1 503 "));
}

#[test]
fn all_loops_have_their_sockets_from_one_budget() {
    let edge = Edge::start_with(Config {
        loops: 2,
        max_sockets: Some(2),
        ..patient()
    });
    // The kernel chooses the loop: both sockets come to the same one now and then.
    for _ in 0..8 {
        let both = [edge.client("first"), edge.client("second")];
        drop(both);
        edge.await_gone(|counters| &counters.sockets);
    }
}

#[test]
fn who_is_refused_while_it_speaks_reads_why() {
    let edge = Edge::start_with(Config {
        max_sockets: Some(1),
        ..patient()
    });
    let (_first, _) = edge.client("first");
    for _ in 0..20 {
        let mut refused = asking(&edge, upgrade("type=client").as_bytes());
        // Until the end: a reset would be an error.
        let mut answer = String::new();
        refused.stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    }
}
