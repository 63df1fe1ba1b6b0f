//! HTTP/2: the same answers, many at once, and no more for a hostile peer than HTTP/1.1 gives.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, Method, Request, Response};
use burgee_edge::credential::Credential;
use burgee_edge::delivery::ConnectionFilter;
use burgee_edge::driver::Config;
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Channel, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::kit::client::now;
use crate::kit::edge::PATIENCE;
use crate::kit::{CLIENT_KEY, Client, Edge, SERVER_KEY};
use crate::tls::{Served, trusting};

const ALL: &str = "/ofrep/v1/evaluate/flags";

/// What an edge serves when it has started.
const FIRST: i64 = 3;

type Question = Request<BoxBody<Bytes, hyper::Error>>;

/// A request's method, path, headers and body.
type Asked<'a> = (Method, &'a str, &'a [(&'a str, &'a str)], &'a str);

/// Somebody who speaks HTTP/2.
struct Peer {
    address: SocketAddr,
    sender: SendRequest<BoxBody<Bytes, hyper::Error>>,
    connection: JoinHandle<Result<(), hyper::Error>>,
    runtime: Runtime,
}

#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
}

impl Peer {
    /// In the clear.
    fn connect(edge: &Edge) -> Self {
        Self::with_window(edge, 1 << 20)
    }

    /// One who takes so many bytes of each answer before it looks at them.
    fn with_window(edge: &Edge, window: u32) -> Self {
        let runtime = runtime();
        let stream = runtime.block_on(TcpStream::connect(edge.address)).unwrap();
        let address = stream.local_addr().unwrap();
        Self::speaking(runtime, stream, address, window)
    }

    fn secure(edge: &Edge, config: &Arc<ClientConfig>) -> Self {
        let runtime = runtime();
        let connector = TlsConnector::from(Arc::clone(config));
        let stream = runtime.block_on(async {
            let stream = TcpStream::connect(edge.address).await.unwrap();
            let name = ServerName::try_from("localhost").unwrap();
            connector.connect(name, stream).await.unwrap()
        });
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let address = stream.get_ref().0.local_addr().unwrap();
        Self::speaking(runtime, stream, address, 1 << 20)
    }

    fn speaking<S>(runtime: Runtime, stream: S, address: SocketAddr, window: u32) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, connection) = runtime
            .block_on(
                http2::Builder::new(TokioExecutor::new())
                    .initial_stream_window_size(window)
                    .handshake(TokioIo::new(stream)),
            )
            .unwrap();
        let connection = runtime.spawn(connection);
        Self {
            address,
            sender,
            connection,
            runtime,
        }
    }

    fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        let waited = self
            .runtime
            .block_on(async { timeout(PATIENCE, what).await });
        waited.unwrap()
    }

    /// Asks, and has the head of the answer.
    fn begin(&self, question: Question) -> Response<Incoming> {
        let asking = self.sender.clone().send_request(question);
        self.wait(asking).unwrap()
    }

    fn ask(&self, question: Question) -> Answer {
        let (head, body) = self.begin(question).into_parts();
        let body = self.wait(body.collect()).unwrap().to_bytes();
        Answer {
            status: head.status.as_u16(),
            headers: plain(&head.headers),
            body,
        }
    }

    /// Listens with a key.
    fn listen(&self, secret: &str) -> Stream<'_> {
        let response = self.begin(get(&events(secret)));
        assert_eq!(response.status(), 200);
        let headers = response.headers();
        assert_eq!(headers["content-type"], "text/event-stream");
        assert_eq!(headers["cache-control"], "no-store");
        assert!(!headers.contains_key("content-length"));
        Stream {
            peer: self,
            body: response.into_body(),
            read: String::new(),
        }
    }

    /// Waits until the other side has ended the connection; how it did.
    fn let_go(self) -> Result<(), hyper::Error> {
        let ended = async { timeout(PATIENCE, self.connection).await };
        let ended = self.runtime.block_on(ended).unwrap().unwrap();
        drop(self.sender);
        ended
    }
}

/// Somebody who listens.
struct Stream<'a> {
    peer: &'a Peer,
    body: Incoming,
    read: String,
}

impl Stream<'_> {
    /// What comes up to an empty line; none at the end.
    fn next(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.read.find("\n\n") {
                return Some(self.read.drain(..end + 2).collect());
            }
            let frame = self.peer.wait(self.body.frame())?;
            let data = frame.ok()?.into_data().unwrap();
            self.read += std::str::from_utf8(&data).unwrap();
        }
    }

    /// The version that the next event tells; none at the end.
    fn event(&mut self) -> Option<i64> {
        loop {
            let text = self.next()?;
            let id = text.lines().find_map(|line| line.strip_prefix("id: "));
            if let Some(id) = id {
                let (version, _) = id.split_once('.').unwrap();
                return Some(version.parse().unwrap());
            }
        }
    }

    /// Hears of a version, perhaps after earlier ones: after how many.
    fn hears_of(&mut self, version: i64) -> usize {
        let mut before = 0;
        while self.event().unwrap() < version {
            before += 1;
        }
        before
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

/// Headers but those that say when, belong to one connection, or say that nothing comes.
fn plain(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &axum::http::HeaderValue| value.to_str().unwrap().to_owned();
    let headers = headers.iter();
    let mut plain: Vec<_> = headers
        .map(|(name, value)| (name.to_string(), text(value)))
        .filter(|it| !["date", "connection"].contains(&it.0.as_str()))
        .filter(|it| it != &("content-length".to_owned(), "0".to_owned()))
        .collect();
    plain.sort();
    plain
}

fn question(method: Method, path: &str, headers: &[(&str, &str)], body: &str) -> Question {
    let mut request = Request::builder()
        .method(method)
        .uri(format!("http://localhost{path}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = Full::new(Bytes::from(body.to_owned()));
    request
        .body(body.map_err(|never| match never {}).boxed())
        .unwrap()
}

fn get(path: &str) -> Question {
    question(Method::GET, path, &[], "")
}

fn events(secret: &str) -> String {
    format!(
        "/ofrep/v1/events/{}",
        Credential::issue(secret, now()).text()
    )
}

/// A question whose body is sent by hand.
fn slow() -> (
    http_body_util::channel::Sender<Bytes, hyper::Error>,
    Question,
) {
    let (sender, body) = Channel::new(1);
    let request = Request::builder()
        .method(Method::POST)
        .uri("http://localhost/count");
    (sender, request.body(body.boxed()).unwrap())
}

/// The same by HTTP/1.1.
fn by_http1(edge: &Edge, question: Question) -> Answer {
    let runtime = runtime();
    runtime.block_on(async {
        let stream = TcpStream::connect(edge.address).await.unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        let (mut head, body) = question.into_parts();
        head.headers.insert("host", "localhost".parse().unwrap());
        head.uri = head.uri.path_and_query().unwrap().as_str().parse().unwrap();
        let answer = sender
            .send_request(Request::from_parts(head, body))
            .await
            .unwrap();
        let (head, body) = answer.into_parts();
        Answer {
            status: head.status.as_u16(),
            headers: plain(&head.headers),
            body: body.collect().await.unwrap().to_bytes(),
        }
    })
}

fn config() -> Config {
    Config {
        loops: 1,
        tick: Duration::from_millis(10),
        heartbeat: Duration::from_millis(40),
        ..Config::default()
    }
}

#[test]
fn the_same_is_answered_as_by_http1() {
    let edge = Edge::start_with(config());
    let peer = Peer::connect(&edge);
    let context = json!({"context": {"targetingKey": "u"}}).to_string();
    let (key, json) = (
        ("x-api-key", CLIENT_KEY),
        ("content-type", "application/json"),
    );
    let bearer = format!("Bearer {SERVER_KEY}");
    let bearer = ("authorization", bearer.as_str());
    let whole = question(Method::POST, ALL, &[key, json], &context);
    let tag = peer.ask(whole).headers;
    let tag = tag.into_iter().find(|(name, _)| name == "etag").unwrap().1;
    let one = format!("{ALL}/greeting");
    let none = format!("{ALL}/there-is-none");
    let body = "x".repeat(100_000);
    let asked: [Asked<'_>; 12] = [
        (Method::GET, "/hello", &[], ""),
        (Method::HEAD, "/hello", &[], ""),
        (Method::GET, "/nowhere", &[], ""),
        (Method::POST, "/count", &[], &body),
        (Method::POST, ALL, &[key, json], &context),
        (Method::POST, ALL, &[bearer, json], &context),
        (
            Method::POST,
            ALL,
            &[key, json, ("if-none-match", &tag)],
            &context,
        ),
        (Method::POST, &one, &[bearer, json], &context),
        (Method::POST, &none, &[key, json], &context),
        (Method::POST, &one, &[json], &context),
        (Method::POST, &one, &[key, json], "{\"context\":[]}"),
        (
            Method::OPTIONS,
            ALL,
            &[
                ("origin", "https://app.example"),
                ("access-control-request-method", "POST"),
            ],
            "",
        ),
    ];
    let mut statuses = Vec::new();
    for (method, path, headers, body) in asked {
        let answer = peer.ask(question(method.clone(), path, headers, body));
        let other = by_http1(&edge, question(method, path, headers, body));
        assert_eq!(answer, other, "{path}");
        statuses.push(answer.status);
    }
    let expected = [200, 200, 404, 200, 200, 200, 304, 200, 404, 401, 400, 200];
    assert_eq!(statuses, expected);
}

#[test]
fn who_offers_it_by_tls_is_answered_by_it_and_nobody_else_is() {
    let served = Served::new();
    let edge = Edge::start_with(served.config());
    let config = trusting("first.crt");
    let peer = Peer::secure(&edge, &config);
    assert_eq!(peer.ask(get("/hello")).body, "hello");
    let large = peer.ask(get("/large")).body;
    assert_eq!(large.len(), 16 * 1024 * 1024);
    assert!(large.iter().all(|byte| *byte == b'x'));
    let mut stream = peer.listen(CLIENT_KEY);
    stream.hears_of(edge.feed.set_flag("greeting", "bonjour"));
    let mut other = (*config).clone();
    for offer in [vec![], vec![b"http/1.1".to_vec()]] {
        other.alpn_protocols.clone_from(&offer);
        let mut client = Client::secure(edge.address, &Arc::new(other.clone())).unwrap();
        client.send_raw(b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(client.read_head().starts_with("HTTP/1.1 200 "));
        assert_eq!(
            client.tls().alpn_protocol(),
            offer.first().map(Vec::as_slice)
        );
    }
}

#[test]
fn streams_of_events_are_held_beside_other_requests_on_one_connection() {
    let mut edge = Edge::start_with(config());
    let peer = Peer::connect(&edge);
    let mut streams: Vec<_> = (0..90).map(|_| peer.listen(CLIENT_KEY)).collect();
    let mut other = peer.listen(SERVER_KEY);
    for stream in &mut streams {
        stream.hears_of(FIRST);
    }
    for value in ["un", "deux", "trois"] {
        let version = edge.feed.set_flag("greeting", value);
        for stream in streams.iter_mut().chain([&mut other]) {
            stream.hears_of(version);
        }
        let one = format!("{ALL}/greeting");
        let (key, json) = (
            ("x-api-key", CLIENT_KEY),
            ("content-type", "application/json"),
        );
        let context = json!({"context": {"targetingKey": "u"}}).to_string();
        let answer = peer.ask(question(Method::POST, &one, &[key, json], &context));
        let answer: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(answer["value"], value);
    }
    let all = edge.connections(ConnectionFilter::default(), 200);
    assert_eq!(all.len(), 91);
    assert!(all.iter().all(|it| it.address == Some(peer.address)));
    // Who goes away is heard of.
    streams.truncate(50);
    edge.await_report(|it| it.connections == 51);
    edge.feed.revoke(CLIENT_KEY);
    for stream in &mut streams {
        assert_eq!(stream.event(), None);
    }
    drop(streams);
    other.hears_of(edge.feed.set_flag("greeting", "quatre"));
    edge.shut_down();
    assert_eq!(other.event(), None);
    drop(other);
    peer.let_go().unwrap();
}

#[test]
fn a_slow_listener_is_told_once_of_what_came_meanwhile() {
    let edge = Edge::start_with(config());
    let (slow, quick) = (Peer::with_window(&edge, 1024), Peer::connect(&edge));
    let (mut slow, mut quick) = (slow.listen(CLIENT_KEY), quick.listen(CLIENT_KEY));
    let mut last = 0;
    for number in 0..200 {
        last = edge.feed.set_flag("greeting", &number.to_string());
        quick.hears_of(last);
    }
    let told = slow.hears_of(last);
    assert!(told < 100, "{told} of 200");
}

#[test]
fn requests_that_are_too_many_for_all_connections_come_later() {
    let edge = Edge::start_with(Config {
        http_connections: 2,
        ..config()
    });
    let peer = Peer::connect(&edge);
    let mut open = Vec::new();
    for _ in 0..2 {
        let (sender, question) = slow();
        let asking = peer.sender.clone().send_request(question);
        open.push((sender, peer.runtime.spawn(asking)));
    }
    // Their turns come in their order.
    let refused = peer.ask(get("/hello"));
    assert_eq!(refused.status, 503);
    assert!(
        refused
            .headers
            .contains(&("retry-after".into(), "1".into()))
    );
    let why: Value = serde_json::from_slice(&refused.body).unwrap();
    assert_eq!(why["errorCode"], "GENERAL");
    assert_eq!(edge.count(|it| &it.http_refused), 1);
    for (mut sender, asking) in open {
        peer.wait(sender.send_data(Bytes::from_static(b"four")))
            .unwrap();
        drop(sender);
        let answer = peer.wait(asking).unwrap().unwrap();
        assert_eq!(
            peer.wait(answer.into_body().collect()).unwrap().to_bytes(),
            "4"
        );
    }
    assert_eq!(peer.ask(get("/hello")).status, 200);
}

#[test]
fn who_listens_takes_no_place_from_who_asks() {
    let edge = Edge::start_with(Config {
        http_connections: 2,
        ..config()
    });
    let listening = || {
        let peer = Peer::connect(&edge);
        let events = peer.begin(get(&events(CLIENT_KEY)));
        assert_eq!(events.status(), 200);
        (peer, events)
    };
    let peers: Vec<_> = (0..8).map(|_| listening()).collect();
    edge.await_report(|it| it.connections == 8);
    for (peer, _) in &peers {
        assert_eq!(peer.ask(get("/hello")).body, "hello");
    }
}

#[test]
fn who_says_nothing_is_not_waited_for() {
    let edge = Edge::start_with(Config {
        http_idle_timeout: Duration::from_millis(60),
        ..Edge::hasty()
    });
    // Nothing but the first lines, before the first request and in the middle of it.
    for said in [
        &b""[..],
        b"SM\r\n\r\n",
        b"SM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x20",
    ] {
        let mut client = Client::connect(edge.address);
        client.send_raw(b"PRI * HTTP/2.0\r\n\r\n");
        client.send_raw(said);
        client.read_bytes_to_end();
    }
    let peer = Peer::connect(&edge);
    assert_eq!(peer.ask(get("/hello")).status, 200);
    peer.let_go().unwrap();
    edge.await_gone(|counters| &counters.sockets);
}

#[test]
fn who_has_asked_nothing_takes_no_place_from_who_asks() {
    let edge = Edge::start_with(Config {
        http_connections: 4,
        ..config()
    });
    let silent = || {
        let mut client = Client::connect(edge.address);
        client.send_raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        // A frame of settings: it is served.
        client.read_bytes(9);
        client
    };
    let mut all: Vec<_> = (0..4).map(|_| silent()).collect();
    let peer = Peer::connect(&edge);
    assert_eq!(peer.ask(get("/hello")).status, 200);
    // Twice as many may say nothing.
    all.extend((0..4).map(|_| silent()));
    let mut one_more = Client::connect(edge.address);
    one_more.send_raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    one_more.is_dropped();
    assert_eq!(edge.count(|it| &it.http_refused), 1);
    assert_eq!(peer.ask(get("/hello")).status, 200);
    drop(all);
}

#[test]
fn who_does_not_take_its_answers_is_let_go() {
    let edge = Edge::start_with(Edge::hasty());
    let peer = Peer::with_window(&edge, 1024);
    let answers: Vec<_> = (0..4).map(|_| peer.begin(get("/large"))).collect();
    peer.let_go().unwrap_err();
    drop(answers);
}

#[test]
fn who_listens_on_and_does_not_take_short_answers_is_let_go() {
    let edge = Edge::start_with(Config {
        heartbeat: Duration::from_millis(40),
        ..Edge::hasty()
    });
    for path in ["/hello", "/pieces"] {
        let peer = Peer::with_window(&edge, 1);
        let mut events = peer.begin(get(&events(CLIENT_KEY))).into_body();
        let answers: Vec<_> = (0..4).map(|_| peer.begin(get(path))).collect();
        peer.wait(async { while let Some(Ok(_)) = events.frame().await {} });
        peer.let_go().unwrap_err();
        drop(answers);
    }
}

#[test]
fn requests_that_are_given_up_at_once_harm_nobody() {
    let edge = Edge::start_with(config());
    let (peer, other) = (Peer::connect(&edge), Peer::connect(&edge));
    for _ in 0..5_000 {
        let asking = peer.sender.clone().send_request(get("/large"));
        peer.wait(async {
            tokio::select! {
                biased;
                _ = asking => {}
                () = tokio::task::yield_now() => {}
            }
        });
    }
    assert_eq!(other.ask(get("/hello")).body, "hello");
    drop(peer);
    drop(other);
    edge.await_gone(|counters| &counters.sockets);
}

#[test]
fn what_was_asked_before_a_shutdown_is_answered() {
    let mut edge = Edge::start_with(config());
    let peer = Peer::connect(&edge);
    let (mut sender, question) = slow();
    let asking = peer.sender.clone().send_request(question);
    let asking = peer.runtime.spawn(asking);
    // Both come in this order.
    assert_eq!(peer.ask(get("/hello")).status, 200);
    edge.begin_shutdown();
    edge.await_closed();
    peer.wait(sender.send_data(Bytes::from_static(b"four")))
        .unwrap();
    drop(sender);
    let answer = peer.wait(asking).unwrap().unwrap();
    assert_eq!(
        peer.wait(answer.into_body().collect()).unwrap().to_bytes(),
        "4"
    );
    peer.let_go().unwrap();
    edge.shut_down();
}
