//! The driver, through its sockets: what well-behaved peers see.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use burgee_edge::driver::Config;
use burgee_edge::source::KeyKind;
use serde_json::{Value, json};

use crate::kit::client::{Received, now, token};
use crate::kit::{CLIENT_KEY, Client, Edge, SERVER_KEY};

/// The value of a flag in a client's data-sync.
pub(crate) fn value<'a>(message: &'a Value, key: &str) -> Option<&'a str> {
    let flags = message["data"]["featureFlags"].as_array()?;
    let flag = flags.iter().find(|flag| flag["id"] == key)?;
    flag["variation"].as_str()
}

/// The value of a flag's only variation in a server's data-sync.
pub(crate) fn served<'a>(message: &'a Value, key: &str) -> Option<&'a str> {
    let flags = message["data"]["featureFlags"].as_array()?;
    let flag = flags.iter().find(|flag| flag["key"] == key)?;
    flag["variations"][0]["value"].as_str()
}

#[test]
fn a_client_is_answered_and_sees_a_change() {
    let edge = Edge::start();
    let (mut client, first) = edge.client("bob");
    assert_eq!(first["data"]["eventType"], "full");
    assert_eq!(first["data"]["userKeyId"], "bob");
    assert_eq!(value(&first, "greeting"), Some("hello"));
    edge.feed.set_flag("greeting", "good evening");
    let push = client.json();
    assert_eq!(push["data"]["eventType"], "patch");
    assert_eq!(value(&push, "greeting"), Some("good evening"));
}

#[test]
fn a_server_is_answered_and_sees_a_change() {
    let edge = Edge::start();
    let (mut server, first) = edge.server();
    assert_eq!(served(&first, "greeting"), Some("hello"));
    edge.feed.set_flag("greeting", "good evening");
    assert_eq!(served(&server.json(), "greeting"), Some("good evening"));
}

#[test]
fn a_change_of_three_flags_comes_whole() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    edge.feed.set_flags(&[("a", "1"), ("b", "2"), ("c", "3")]);
    let push = client.json();
    assert_eq!(value(&push, "a"), Some("1"));
    assert_eq!(value(&push, "b"), Some("2"));
    assert_eq!(value(&push, "c"), Some("3"));
}

#[test]
fn after_identify_pushes_are_for_the_new_user() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    let again = client.sync_client("alice");
    assert_eq!(again["data"]["userKeyId"], "alice");
    edge.feed.set_flag("greeting", "good evening");
    assert_eq!(client.json()["data"]["userKeyId"], "alice");
}

#[test]
fn pings_and_echoes_are_answered_on_both_levels() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    client.ping();
    client.send(&json!({ "messageType": "Echo", "data": { "a": [1, 2.50] } }));
    let echo = client.json();
    assert_eq!(
        echo,
        json!({ "messageType": "echo", "data": { "a": [1, 2.50] } })
    );
    client.send_raw(&crate::kit::client::frame(0x89, b"are you there"));
    assert_eq!(client.next(), Received::Pong(b"are you there".to_vec()));
}

#[test]
fn every_connection_of_many_ends_on_the_newest_version() {
    let edge = Edge::start_with(Config {
        loops: 2,
        ..Config::default()
    });
    let mut clients: Vec<_> = (0..600)
        .map(|n| edge.client(&format!("user-{n}")).0)
        .collect();
    for n in 0..50 {
        edge.feed.set_flag("greeting", &n.to_string());
    }
    for client in &mut clients {
        let mut last = -1;
        while last < 49 {
            let push = client.json();
            let seen = value(&push, "greeting").unwrap().parse().unwrap();
            assert!(seen > last, "{seen} came after {last}");
            last = seen;
        }
    }
}

#[test]
fn a_sync_during_changes_is_never_followed_by_something_older() {
    let edge = Edge::start();
    let feed = Arc::clone(&edge.feed);
    let writer = thread::spawn(move || {
        for n in 0..300 {
            feed.set_flag("greeting", &n.to_string());
        }
    });
    let mut clients = Vec::new();
    for n in 0..60 {
        let (client, first) = edge.client(&format!("user-{n}"));
        let seen: i64 = value(&first, "greeting").unwrap().parse().unwrap_or(-1);
        clients.push((client, seen));
    }
    writer.join().unwrap();
    for (client, last) in &mut clients {
        while *last < 299 {
            let push = client.json();
            let seen = value(&push, "greeting").unwrap().parse().unwrap();
            assert!(seen > *last, "{seen} came after {last}");
            *last = seen;
        }
    }
}

#[test]
fn what_is_refused_for_good_is_closed_4003() {
    let edge = Edge::start();
    let good = token(CLIENT_KEY, now());
    let unknown = token("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", now());
    let server = token(SERVER_KEY, now());
    for query in [
        format!("type=client&token={unknown}"),
        format!("type=client&token={server}"),
        format!("type=client&token=x{good}"),
        format!("type=client&version=3&token={good}"),
        format!("type=browser&token={good}"),
        format!("token={good}"),
        "type=client".to_owned(),
        String::new(),
    ] {
        let mut client = Client::upgraded(edge.address, &query);
        assert_eq!(client.close_code(), Some(4003), "{query}");
        client.ends();
    }
}

#[test]
fn who_comes_with_a_clock_that_is_off_is_told_to_come_later() {
    let edge = Edge::start();
    // Whose clock it is, nobody here knows: the key may be good.
    for ago in [31_000, -31_000] {
        let token = token(CLIENT_KEY, now() - ago);
        let mut client = Client::upgraded(edge.address, &format!("type=client&token={token}"));
        assert_eq!(client.close_code(), Some(1011));
        client.ends();
    }
}

#[test]
fn versions_and_cases_that_the_reference_server_takes_are_taken() {
    let edge = Edge::start();
    let good = token(CLIENT_KEY, now());
    for query in [
        format!("type=client&version=&token={good}"),
        format!("type=client&version=1&token={good}"),
        format!("token={good}&TYPE=client&version=2"),
    ] {
        Client::upgraded(edge.address, &query).ping();
    }
}

#[test]
fn a_key_that_only_the_store_knows_is_asked_for() {
    const LATE: &str = "TGF0ZUxhdGVMYXRlTGF0ZUxhdGVMYXRlTGF0ZUxhdGVM";
    let edge = Edge::start();
    edge.feed.add_quietly(LATE, KeyKind::Client);
    let mut client = Client::streaming(edge.address, "client", LATE);
    let answer = client.sync_client("bob");
    assert_eq!(value(&answer, "greeting"), Some("hello"));
}

#[test]
fn while_keys_cannot_be_checked_unknown_ones_are_told_to_come_back() {
    let edge = Edge::start();
    edge.feed.set_reachable(false);
    let unknown = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB";
    let mut client = Client::streaming(edge.address, "client", unknown);
    assert_eq!(client.close_code(), Some(1011));
    // Who is known is served as before.
    let (mut known, _) = edge.client("bob");
    known.ping();
}

#[test]
fn a_revoked_key_closes_its_connections_at_once_and_no_others() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    let (mut server, _) = edge.server();
    edge.feed.revoke(CLIENT_KEY);
    assert_eq!(client.close_code(), Some(4003));
    client.ends();
    server.ping();
    let mut again = Client::streaming(edge.address, "client", CLIENT_KEY);
    assert_eq!(again.close_code(), Some(4003));
}

#[test]
fn a_key_is_in_use_as_long_as_somebody_is_connected_with_it() {
    let edge = Edge::start_with(Config {
        tick: Duration::from_millis(10),
        ..Config::default()
    });
    let (mut client, _) = edge.client("bob");
    let used = || {
        let used = edge.hub.used_keys();
        used.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(used(), [CLIENT_KEY], "somebody came with it");
    // Nobody comes any more, and nothing is said.
    while used() != [CLIENT_KEY] {
        std::thread::yield_now();
    }
    client.ping();
}

#[test]
fn a_deleted_environment_closes_its_connections() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    let (mut server, _) = edge.server();
    edge.feed.remove();
    assert_eq!(client.close_code(), Some(4003));
    assert_eq!(server.close_code(), Some(4003));
}

#[test]
fn a_restored_database_reaches_everyone() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    let (mut server, _) = edge.server();
    edge.feed.restore("greeting", "of long ago");
    assert_eq!(value(&client.json(), "greeting"), Some("of long ago"));
    assert_eq!(served(&server.json(), "greeting"), Some("of long ago"));
}

#[test]
fn a_shutdown_closes_1001_and_ends_the_sockets() {
    let mut edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    let (mut server, _) = edge.server();
    edge.begin_shutdown();
    assert_eq!(client.close_code(), Some(1001));
    assert_eq!(server.close_code(), Some(1001));
    client.ends();
    server.ends();
    edge.shut_down();
    assert!(std::net::TcpStream::connect(edge.address).is_err());
}

#[test]
fn a_clients_close_is_answered_with_its_code() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    client.send_raw(&crate::kit::client::frame(0x88, &4003_u16.to_be_bytes()));
    assert_eq!(client.next(), Received::Close(Some(4003)));
    client.ends();
    let (mut client, _) = edge.client("bob");
    client.send_raw(&crate::kit::client::frame(0x88, b""));
    assert_eq!(client.next(), Received::Close(None));
    client.ends();
    edge.await_count(2, |counters| &counters.closed_by_peer);
}

#[test]
fn ordinary_http_is_served_on_the_same_port_and_kept_alive() {
    let edge = Edge::start();
    let mut client = Client::connect(edge.address);
    for _ in 0..3 {
        client.send_raw(b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let head = client.read_head();
        assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
        client.read_exactly("hello");
    }
}

#[test]
fn a_request_whose_body_is_split_anywhere_is_handed_over_whole() {
    let edge = Edge::start();
    let body = "x".repeat(100_000);
    let request = format!(
        "POST /count HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\
         Content-Length: 100000\r\n\r\n{body}"
    );
    for cut in [1, 16, 60, 100, 150, 70_000] {
        let mut client = Client::connect(edge.address);
        let (first, second) = request.as_bytes().split_at(cut);
        client.send_raw(first);
        edge.await_count(1, |counters| &counters.bytes_in);
        client.send_raw(second);
        assert!(client.read_head().starts_with("HTTP/1.1 200 OK"));
        client.read_exactly("100000");
    }
}

#[test]
fn an_answer_that_comes_before_the_whole_request_is_seen() {
    let edge = Edge::start();
    let mut client = Client::connect(edge.address);
    // The route takes less.
    client.send_raw(b"POST /count HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99000000\r\n\r\n");
    let mut sent = 0;
    while sent < 20_000_000 && client.try_send_raw(&[b'x'; 10_000]).is_ok() {
        sent += 10_000;
    }
    assert_eq!(sent, 20_000_000, "it was cut off in the middle of a word");
    assert!(client.read_head().starts_with("HTTP/1.1 413 "));
}

#[test]
fn an_upgrade_that_cannot_be_made_is_refused_in_http() {
    let edge = Edge::start();
    let upgrade = crate::kit::client::upgrade("type=client");
    for (request, answer) in [
        (
            upgrade.replace("Version: 13", "Version: 8"),
            "HTTP/1.1 426 ",
        ),
        (
            upgrade.replace("dGhlIHNhbXBsZSBub25jZQ==", "short"),
            "HTTP/1.1 400 ",
        ),
        // No upgrade: somebody else's request.
        (upgrade.replace("websocket", "h2c"), "HTTP/1.1 404 "),
        (upgrade.replace("GET", "POST"), "HTTP/1.1 404 "),
        ("nonsense\r\n\r\n".to_owned(), "HTTP/1.1 400 "),
    ] {
        let mut client = Client::connect(edge.address);
        client.send_raw(request.as_bytes());
        let head = client.read_head();
        assert!(head.starts_with(answer), "{request}{head}");
    }
}

#[test]
fn another_implementation_gets_along_with_it() {
    use tungstenite::Message;
    let edge = Edge::start();
    let token = token(SERVER_KEY, now());
    let url = format!("ws://{}/streaming?type=server&token={token}", edge.address);
    let (mut socket, _) = tungstenite::connect(url).unwrap();
    for len in [0, 1, 100, 125, 126, 1000, 65_535, 65_536, 100_000] {
        let echo = json!({ "messageType": "echo", "data": "x".repeat(len) }).to_string();
        socket.send(Message::text(echo.as_str())).unwrap();
        let answer: Value =
            serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
        assert_eq!(answer["data"].as_str().unwrap().len(), len);
    }
    socket.send(Message::Ping("are you there".into())).unwrap();
    assert_eq!(
        socket.read().unwrap(),
        Message::Pong("are you there".into())
    );
    socket.close(None).unwrap();
    let end = loop {
        match socket.read() {
            Ok(_) => {}
            Err(end) => break end,
        }
    };
    assert!(matches!(end, tungstenite::Error::ConnectionClosed), "{end}");
}

#[test]
fn a_shutdown_ends_however_deaf_a_peer_is() {
    let mut edge = Edge::start_with(Config {
        drain: std::time::Duration::from_millis(50),
        ..Edge::hasty()
    });
    let (_deaf, _) = edge.client("deaf");
    let big = "x".repeat(60_000);
    for n in 0..100 {
        edge.feed.set_flag("greeting", &format!("{n} {big}"));
    }
    edge.shut_down();
    assert!(std::net::TcpStream::connect(edge.address).is_err());
}

#[test]
fn what_the_loops_do_is_in_the_metrics() {
    let edge = Edge::start();
    let (mut client, _) = edge.client("bob");
    let (mut server, _) = edge.server();
    edge.feed.set_flag("greeting", "good evening");
    client.json();
    server.json();
    let mut refused = Client::upgraded(edge.address, "type=nobody");
    refused.close_code();
    let text = edge.metrics.encode();
    for line in [
        "burgee_edge_connections{kind=\"client\"} 1",
        "burgee_edge_connections{kind=\"server\"} 1",
        "burgee_edge_accepted_total 3",
        "burgee_edge_pushes_total{kind=\"server\"} 1",
        "burgee_edge_closes_total{code=\"4003\"} 1",
        "burgee_edge_closes_total{code=\"1011\"} 0",
        "burgee_edge_syncs_total{kind=\"client\",sync=\"full\"} 1",
        "burgee_edge_closed_before_sync_total{reason=\"refused\"} 1",
        "burgee_edge_closed_before_sync_total{reason=\"peer\"} 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn a_port_that_is_taken_is_noticed_however_many_loops_there_are() {
    for loops in [1, 2] {
        let config = Config {
            loops,
            ..Config::default()
        };
        let first = Edge::start_with(config.clone());
        let second = Edge::start_at(first.address, config.clone());
        let error = second.err().unwrap();
        assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
        drop(first);
    }
    let shared = Config {
        loops: 2,
        share_port: true,
        ..Config::default()
    };
    let first = Edge::start_with(shared.clone());
    assert!(Edge::start_at(first.address, shared).is_ok());
}
