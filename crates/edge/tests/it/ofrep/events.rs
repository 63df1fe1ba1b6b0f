//! Streams of events, over sockets.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use burgee_edge::credential::Credential;
use burgee_edge::driver::Config;
use serde_json::{Value, json};

use super::{ALL, Desk, flag};
use crate::kit::client::now;
use crate::kit::{CLIENT_KEY, Client, ENVIRONMENT, Edge, SERVER_KEY};

/// How long a window of credentials is, in ms.
const WINDOW: i64 = 12 * 60 * 60 * 1000;

/// What an edge serves when it has started.
const FIRST: i64 = 3;

/// Ticks are short and nobody is silent for too long.
fn config() -> Config {
    Config {
        loops: 1,
        tick: Duration::from_millis(10),
        heartbeat: Duration::from_millis(40),
        ..Config::default()
    }
}

/// Somebody who listens.
struct Stream {
    client: Client,
}

impl Stream {
    /// Listens with a key.
    fn open(edge: &Edge, secret: &str) -> Self {
        Self::after(edge, secret, "")
    }

    /// The same who has heard of an event.
    fn after(edge: &Edge, secret: &str, last: &str) -> Self {
        let mut client = Client::connect(edge.address);
        client.send_raw(request(secret, last).as_bytes());
        Self::begun(client)
    }

    /// What comes next on this connection is a stream.
    fn begun(mut client: Client) -> Self {
        let head = client.read_head();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        for header in [
            "content-type: text/event-stream\r\n",
            "cache-control: no-store\r\n",
            "access-control-allow-origin: *\r\n",
            "x-accel-buffering: no\r\n",
        ] {
            assert!(head.contains(header), "{header} in {head}");
        }
        for header in ["content-length", "transfer-encoding"] {
            assert!(
                !head.contains(header),
                "it has no end that is known: {head}"
            );
        }
        let retry = client.read_until("\n\n").unwrap();
        let retry = retry.trim_end().strip_prefix("retry: ").unwrap();
        assert!((1_500..3_000).contains(&retry.parse::<u64>().unwrap()));
        Self { client }
    }

    /// The next lines up to an empty one; none at the end.
    fn next(&mut self) -> Option<String> {
        self.client.read_until("\n\n")
    }

    /// The next event's id, beats passed over; none at the end.
    fn event(&mut self) -> Option<String> {
        loop {
            let text = self.next()?;
            if text == ":\n\n" {
                continue;
            }
            let lines: Vec<&str> = text.trim_end().lines().collect();
            let [event, id, data] = lines.as_slice() else {
                panic!("{text}");
            };
            assert_eq!(*event, "event: message");
            let id = id.strip_prefix("id: ").unwrap();
            let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            assert_eq!(data, json!({"type": "refetchEvaluation", "etag": id}));
            return Some(id.to_owned());
        }
    }

    /// Hears of a version, perhaps after earlier ones.
    fn hears_of(&mut self, version: i64) {
        while version_of(&self.event().unwrap()) < version {}
    }

    /// Nothing but beats is heard for a while.
    fn hears_nothing(&mut self) {
        for _ in 0..3 {
            assert_eq!(self.next().unwrap(), ":\n\n");
        }
    }
}

fn version_of(id: &str) -> i64 {
    id.split('.').next().unwrap().parse().unwrap()
}

fn address(secret: &str, at: i64) -> String {
    format!("/ofrep/v1/events/{}", Credential::issue(secret, at).text())
}

fn request(secret: &str, last: &str) -> String {
    let mut request = format!(
        "GET {} HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n\
         Accept: text/event-stream\r\nUser-Agent: Mozilla/5.0 (X11)\r\n",
        address(secret, now())
    );
    if !last.is_empty() {
        request += &format!("Last-Event-ID: {last}\r\n");
    }
    request + "\r\n"
}

/// A question for all flags.
fn question(hint: &str) -> String {
    let body = r#"{"context":{"targetingKey":"u"}}"#;
    format!(
        "POST {ALL}{hint} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {CLIENT_KEY}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Asks for all flags on a connection that is kept.
fn bulk(client: &mut Client, hint: &str) -> Value {
    client.send_raw(question(hint).as_bytes());
    answered(client)
}

fn answered(client: &mut Client) -> Value {
    let head = client.read_head();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    let length = head.split("content-length: ").nth(1).unwrap();
    let length: usize = length.lines().next().unwrap().parse().unwrap();
    serde_json::from_slice(&client.read_bytes(length)).unwrap()
}

#[test]
fn a_change_is_told_and_who_asks_again_has_it() {
    let edge = Edge::start_with(config());
    let mut asking = Client::connect(edge.address);
    let first = bulk(&mut asking, "");
    let uri = address(CLIENT_KEY, now());
    let streams = json!([{"type": "sse", "endpoint": {"requestUri": uri}}]);
    assert_eq!(first["eventStreams"], streams);
    let mut stream = Stream::open(&edge, CLIENT_KEY);
    // It may have changed between the answer and now.
    assert_eq!(version_of(&stream.event().unwrap()), FIRST);
    stream.hears_nothing();
    let version = edge.feed.set_flag("greeting", "bonjour");
    let told = stream.event().unwrap();
    assert_eq!(version_of(&told), version);
    let again = bulk(&mut asking, &format!("?flagConfigEtag={told}"));
    assert_eq!(again["flags"][0]["value"], "bonjour");
    assert_eq!(again["eventStreams"], streams, "the stream stays");
}

#[test]
fn who_comes_back_is_told_of_what_it_has_missed_alone() {
    let edge = Edge::start_with(config());
    let mut stream = Stream::open(&edge, CLIENT_KEY);
    let old = stream.event().unwrap();
    drop(stream);
    let mut stream = Stream::after(&edge, CLIENT_KEY, &old);
    stream.hears_nothing();
    let version = edge.feed.set_flag("greeting", "bonjour");
    stream.hears_of(version);
    // What is not one of ours says nothing.
    for last in [old.as_str(), "3.ffffffffffffffff", "x", "7"] {
        let mut stream = Stream::after(&edge, SERVER_KEY, last);
        assert_eq!(version_of(&stream.event().unwrap()), version, "{last}");
    }
}

#[test]
fn a_node_that_is_behind_says_nothing_of_what_is_older() {
    let patient = Config {
        heartbeat: Duration::from_secs(3600),
        ..config()
    };
    let edge = Edge::start_with(patient);
    let ahead = format!("{}.{:016x}", FIRST + 2, 0xab);
    let mut stream = Stream::after(&edge, CLIENT_KEY, &ahead);
    let mut other = Stream::open(&edge, CLIENT_KEY);
    assert_eq!(version_of(&other.event().unwrap()), FIRST);
    for version in FIRST + 1..=FIRST + 3 {
        assert_eq!(
            edge.feed.set_flag("greeting", &format!("{version}")),
            version
        );
        other.hears_of(version);
    }
    let first = version_of(&stream.event().unwrap());
    assert!(first >= FIRST + 2, "{first}");
}

#[test]
fn a_version_that_does_not_come_is_not_awaited_for_ever() {
    let edge = Edge::start_with(config());
    // As after a restore, while nobody listened.
    let mut stream = Stream::after(&edge, CLIENT_KEY, "900.00000000000000ab");
    assert_eq!(version_of(&stream.event().unwrap()), FIRST);
    stream.hears_nothing();
}

#[test]
fn a_history_that_is_replaced_is_told() {
    let edge = Edge::start_with(config());
    let mut stream = Stream::open(&edge, CLIENT_KEY);
    stream.hears_of(FIRST);
    edge.feed.restore("greeting", "of yore");
    assert_eq!(stream.event().unwrap(), format!("1.{:016x}", 0xb4c));
}

#[test]
fn what_changes_nobodys_flags_is_not_told() {
    let edge = Edge::start_with(config());
    let mut stream = Stream::open(&edge, CLIENT_KEY);
    stream.hears_of(FIRST);
    let version = edge.feed.world.keys(ENVIRONMENT, |keys| keys.reverse());
    edge.await_report(|report| report.versions[0].version == version);
    stream.hears_nothing();
    stream.hears_of(edge.feed.set_flag("greeting", "bonjour"));
}

#[test]
fn what_comes_at_one_moment_is_told_once_and_the_last_of_it_always() {
    let edge = Edge::start_with(Config {
        tick: Duration::from_millis(500),
        heartbeat: Duration::from_secs(3600),
        ..config()
    });
    let mut streams: Vec<_> = (0..300).map(|_| Stream::open(&edge, CLIENT_KEY)).collect();
    for stream in &mut streams {
        stream.hears_of(FIRST);
    }
    let told = edge.count(|counters| &counters.pushes.client);
    let mut last = 0;
    for number in 0..50 {
        last = edge.feed.set_flag("greeting", &number.to_string());
    }
    for stream in &mut streams {
        stream.hears_of(last);
    }
    let told = edge.count(|counters| &counters.pushes.client) - told;
    assert!(told < 300 * 25, "{told} events for 50 changes to 300");
}

#[test]
fn a_connection_that_had_other_requests_before_listens() {
    let edge = Edge::start_with(config());
    let mut client = Client::connect(edge.address);
    for _ in 0..3 {
        bulk(&mut client, "");
    }
    client.send_raw(request(CLIENT_KEY, "").as_bytes());
    let mut stream = Stream::begun(client);
    stream.hears_of(FIRST);
    // The same without waiting for the answer before.
    let mut client = Client::connect(edge.address);
    let both = question("") + &question("") + &request(CLIENT_KEY, "");
    client.send_raw(both.as_bytes());
    answered(&mut client);
    answered(&mut client);
    let mut eager = Stream::begun(client);
    eager.hears_of(FIRST);
    let version = edge.feed.set_flag("greeting", "bonjour");
    for stream in [&mut stream, &mut eager] {
        stream.hears_of(version);
    }
}

#[test]
fn the_answer_before_a_stream_comes_whole_to_who_takes_it_slowly() {
    let edge = Edge::start_with(config());
    let mut client = Client::narrow(edge.address);
    let large = "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned();
    client.send_raw((large + &request(CLIENT_KEY, "")).as_bytes());
    let head = client.read_head();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let large = client.read_bytes(16 * 1024 * 1024);
    assert!(large.iter().all(|byte| *byte == b'x'));
    Stream::begun(client).hears_of(FIRST);
}

#[test]
fn what_a_listener_says_is_thrown_away() {
    let edge = Edge::start_with(config());
    let mut stream = Stream::open(&edge, CLIENT_KEY);
    stream.hears_of(FIRST);
    for _ in 0..64 {
        stream.client.send_raw(&[0x81; 64 * 1024]);
    }
    stream.hears_of(edge.feed.set_flag("greeting", "bonjour"));
}

#[test]
fn a_credential_is_good_on_every_node_for_its_time() {
    let (edge, other) = (Edge::start_with(config()), Edge::start_with(config()));
    // One node's clock may be ahead, and two further windows are good.
    for at in [now() + WINDOW, now(), now() - WINDOW, now() - 2 * WINDOW] {
        for node in [&edge, &other] {
            let mut client = Client::connect(node.address);
            let get = format!(
                "GET {} HTTP/1.1\r\nHost: x\r\n\r\n",
                address(CLIENT_KEY, at)
            );
            client.send_raw(get.as_bytes());
            Stream::begun(client).hears_of(FIRST);
        }
    }
}

#[tokio::test]
async fn who_has_no_good_credential_is_told_why_and_where_there_is_one() {
    let desk = Desk::open(vec![flag("f", "string", &["A"], json!({}))]).await;
    let get = async |uri: String| {
        let request = Request::get(uri).header("origin", "https://app.example");
        desk.send(request.body(Body::empty()).unwrap()).await
    };
    let good = address("env-client", now());
    assert_eq!(get(good.clone()).await.status, 200);
    for at in [now() - 3 * WINDOW, now() + 2 * WINDOW] {
        let answer = get(address("env-client", at)).await;
        let (code, words) = answer.refusal(401);
        assert_eq!(code, "GENERAL");
        assert!(
            words.starts_with("the event stream's address has expired"),
            "{words}"
        );
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
    }
    let middle = good.len() - 20;
    let swapped = if good[middle..].starts_with('A') {
        "B"
    } else {
        "A"
    };
    let forged = format!("{}{swapped}{}", &good[..middle], &good[middle + 1..]);
    for uri in [
        address("nobody's", now()),
        forged,
        good[..good.len() - 1].to_owned(),
        format!("{good}AAAA"),
        "/ofrep/v1/events/env-client".to_owned(),
        "/ofrep/v1/events/%ff".to_owned(),
    ] {
        let (_, words) = get(uri.clone()).await.refusal(401);
        assert!(words.starts_with("there is no such event stream"), "{uri}");
    }
    desk.world.revoke("env", "env-client");
    while desk.api.hub.keys_of("env").len() > 1 {
        desk.api.hub.progress().await;
    }
    get(good.clone()).await.refusal(401);
    get("/ofrep/v1/events".to_owned()).await.refusal(404);
    for method in ["HEAD", "POST", "DELETE"] {
        let request = Request::builder().method(method).uri(&good);
        let answer = desk.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, 404, "{method}");
    }
}

#[test]
fn a_revoked_key_ends_its_streams_alone() {
    let edge = Edge::start_with(config());
    let mut stream = Stream::open(&edge, CLIENT_KEY);
    let mut other = Stream::open(&edge, SERVER_KEY);
    for stream in [&mut stream, &mut other] {
        stream.hears_of(FIRST);
    }
    edge.feed.revoke(CLIENT_KEY);
    assert_eq!(stream.event(), None);
    other.hears_nothing();
    // Not to begin anew either.
    let mut client = Client::connect(edge.address);
    client.send_raw(request(CLIENT_KEY, "").as_bytes());
    let head = client.read_head();
    assert!(head.starts_with("HTTP/1.1 401 "), "{head}");
    // An environment that goes takes all with it.
    edge.feed.remove();
    assert_eq!(other.event(), None);
    edge.await_gone(|counters| &counters.listeners);
    edge.await_gone(|counters| &counters.connections.server);
}

#[test]
fn streams_are_counted_as_connections_are() {
    let edge = Edge::start_with(config());
    let mut streams = [
        Stream::open(&edge, CLIENT_KEY),
        Stream::open(&edge, CLIENT_KEY),
        Stream::open(&edge, SERVER_KEY),
    ];
    for stream in &mut streams {
        stream.hears_of(FIRST);
    }
    assert_eq!(edge.count(|counters| &counters.connections.client), 2);
    assert_eq!(edge.count(|counters| &counters.connections.server), 1);
    assert_eq!(edge.count(|counters| &counters.listeners), 3);
    let text = edge.metrics.encode();
    assert!(text.contains("\nburgee_edge_event_streams 3\n"), "{text}");
    // How far they have come is known as it is of others: received shows with a beat.
    let version = edge.feed.set_flag("greeting", "bonjour");
    for stream in &mut streams {
        stream.hears_of(version);
    }
    let all = edge.connections(Default::default(), 16);
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|it| &*it.agent == "browser"));
    edge.await_report(|report| {
        let newest = &report.versions[0];
        newest.version == version && newest.received == 3
    });
    drop(streams);
    edge.await_gone(|counters| &counters.listeners);
    edge.await_gone(|counters| &counters.sockets);
}

#[test]
fn streams_take_the_places_that_their_key_may_have_and_give_them_back() {
    let edge = Edge::start_with(Config {
        max_sockets: Some(64),
        ..config()
    });
    let mut held = Vec::new();
    let refusal = loop {
        let mut client = Client::connect(edge.address);
        client.send_raw(request(CLIENT_KEY, "").as_bytes());
        let head = client.read_head();
        match head.starts_with("HTTP/1.1 200 ") {
            true => held.push(client),
            false => break head,
        }
    };
    assert!(refusal.starts_with("HTTP/1.1 503 "), "{refusal}");
    assert!(refusal.contains("\r\nRetry-After: "), "{refusal}");
    assert!((50..64).contains(&held.len()), "{}", held.len());
    // Room is left to server keys.
    edge.server().0.ping();
    drop(held);
    edge.await_gone(|counters| &counters.listeners);
    let held: Vec<_> = (0..50).map(|_| Stream::open(&edge, CLIENT_KEY)).collect();
    assert_eq!(held.len(), 50);
}

#[test]
fn a_shutdown_ends_streams_in_its_turns() {
    let mut edge = Edge::start_with(Config {
        drain: Duration::from_secs(4 * 3600),
        drain_step: Duration::from_secs(3600),
        ..config()
    });
    let mut streams: Vec<_> = (0..40).map(|_| Stream::open(&edge, CLIENT_KEY)).collect();
    for stream in &mut streams {
        stream.hears_of(FIRST);
    }
    edge.begin_shutdown();
    edge.await_count(10, |counters| &counters.closed_1001);
    let version = edge.feed.set_flag("greeting", "still here");
    let mut served = 0;
    for stream in &mut streams {
        // A beat or two may have come before the end.
        served += usize::from(stream.event().is_some_and(|id| version_of(&id) == version));
    }
    assert_eq!(served, 30);
    drop(streams);
    edge.await_gone(|counters| &counters.sockets);
    edge.shut_down();
}

#[test]
fn who_does_not_take_its_events_is_let_go() {
    let edge = Edge::start_with(Config {
        send_buffer: 4 * 1024,
        stall_timeout: Duration::from_millis(200),
        ..config()
    });
    let mut client = Client::narrow(edge.address);
    client.send_raw(request(CLIENT_KEY, "").as_bytes());
    let mut other = Stream::open(&edge, CLIENT_KEY);
    let mut number = 0;
    while edge.count(|counters| &counters.dropped_slow) == 0 {
        number += 1;
        other.hears_of(edge.feed.set_flag("greeting", &number.to_string()));
    }
    client.is_dropped();
    other.hears_nothing();
    assert_eq!(edge.count(|counters| &counters.listeners), 1);
}
