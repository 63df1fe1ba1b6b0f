//! TLS of our own: everything works over it, and who does not speak it, or slowly, disturbs nobody.

use std::fs;
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use burgee_edge::credential::Credential;
use burgee_edge::driver::Config;
use burgee_edge::tls::{Files, Tls};
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, HandshakeKind, ProtocolVersion, RootCertStore};
use tempfile::TempDir;

use crate::driver::value;
use crate::kit::client::{frame, now, token};
use crate::kit::edge::PATIENCE;
use crate::kit::{CLIENT_KEY, Client, Edge, SERVER_KEY};

const HELLO: &[u8] = b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn fixture(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls");
    tests.join(name)
}

/// The files that an edge reads, which can be replaced.
pub(crate) struct Served {
    folder: TempDir,
}

impl Served {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let served = Self { folder };
        served.certificate("first.crt");
        served.key("first.key");
        served
    }

    fn certificate(&self, name: &str) {
        self.put("tls.crt", name);
    }

    fn key(&self, name: &str) {
        self.put("tls.key", name);
    }

    fn put(&self, place: &str, name: &str) {
        fs::copy(fixture(name), self.folder.path().join(place)).unwrap();
    }

    pub(crate) fn config(&self) -> Config {
        let files = Files {
            certificate: self.folder.path().join("tls.crt"),
            key: self.folder.path().join("tls.key"),
        };
        Config {
            loops: 1,
            tls: Some(Tls::load(files).unwrap()),
            tls_look: Duration::from_millis(10),
            tick: Duration::from_millis(10),
            ..Config::default()
        }
    }
}

/// An edge with the first pair.
fn edge() -> (Edge, Served) {
    let served = Served::new();
    (Edge::start_with(served.config()), served)
}

/// A client that knows one certificate.
pub(crate) fn trusting(name: &str) -> Arc<ClientConfig> {
    of_version(name, &TLS13)
}

fn of_version(name: &str, version: &'static rustls::SupportedProtocolVersion) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_file(fixture(name)).unwrap();
    roots.add(certificate).unwrap();
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Arc::new(config)
}

fn streaming(edge: &Edge, config: &Arc<ClientConfig>, kind: &str, secret: &str) -> Client {
    let mut client = Client::secure(edge.address, config).unwrap();
    client.upgrade(&format!("type={kind}&token={}", token(secret, now())));
    client
}

/// A client SDK that has had its first answer.
fn client(edge: &Edge, config: &Arc<ClientConfig>, user: &str) -> Client {
    let mut client = streaming(edge, config, "client", CLIENT_KEY);
    assert_eq!(value(&client.sync_client(user), "greeting"), Some("hello"));
    client
}

fn await_line(edge: &Edge, line: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !edge.metrics.encode().lines().any(|found| found == line) {
        assert!(Instant::now() < deadline, "never {line}");
        std::thread::yield_now();
    }
}

#[test]
fn event_streams_go_on_from_a_connection_that_had_requests_before() {
    let (edge, _served) = edge();
    let mut client = Client::secure(edge.address, &trusting("first.crt")).unwrap();
    client.send_raw(HELLO);
    assert!(client.read_head().starts_with("HTTP/1.1 200 "));
    client.read_exactly("hello");
    let credential = Credential::issue(CLIENT_KEY, now()).text();
    let get = format!("GET /ofrep/v1/events/{credential} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.send_raw(get.as_bytes());
    let head = client.read_head();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    for value in ["un", "deux", "trois"] {
        let version = edge.feed.set_flag("greeting", value);
        let id = format!("\nid: {version}.");
        while !client.read_until("\n\n").unwrap().contains(&id) {}
    }
    edge.feed.revoke(CLIENT_KEY);
    // Told that nothing more comes: otherwise it would be an error.
    assert_eq!(client.read_bytes_to_end(), b"");
    edge.await_gone(|counters| &counters.sockets);
}

#[test]
fn sdks_and_requests_are_answered_over_both_versions() {
    for (version, named) in [
        (&TLS12, ProtocolVersion::TLSv1_2),
        (&TLS13, ProtocolVersion::TLSv1_3),
    ] {
        let (edge, _served) = edge();
        let config = of_version("first.crt", version);
        let mut sdk = client(&edge, &config, "bob");
        assert_eq!(sdk.tls().protocol_version(), Some(named));
        // Some offer what they do not speak then: it is what comes that counts.
        assert_eq!(sdk.tls().alpn_protocol(), Some(&b"h2"[..]));
        sdk.ping();
        edge.feed.set_flag("greeting", "good evening");
        assert_eq!(value(&sdk.json(), "greeting"), Some("good evening"));

        let mut http = Client::secure(edge.address, &config).unwrap();
        for _ in 0..2 {
            http.send_raw(HELLO);
            assert!(http.read_head().starts_with("HTTP/1.1 200 "));
            http.read_exactly("hello");
        }
        let body = "x".repeat(100_000);
        let post = "POST /count HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
        http.send_raw(post.as_bytes());
        http.send_raw(body.as_bytes());
        assert!(http.read_head().starts_with("HTTP/1.1 200 "));
        http.read_exactly("100000");
        // More than all buffers on the way hold; then it ends as it should.
        http.send_raw(b"GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert!(http.read_head().starts_with("HTTP/1.1 200 "));
        assert_eq!(http.read_to_end().len(), 16 * 1024 * 1024);
    }
}

#[test]
fn where_they_come_from_is_known_and_what_they_have_received() {
    let (edge, _served) = edge();
    let config = trusting("first.crt");
    let mut clients: Vec<_> = (0..3)
        .map(|n| client(&edge, &config, &n.to_string()))
        .collect();
    let version = edge.feed.set_flag("greeting", "good evening");
    edge.await_report(|it| it.at(version).is_some_and(|it| it.written == 3));
    for client in &mut clients {
        client.json();
        client.ping();
    }
    edge.await_report(|it| it.at(version).is_some_and(|it| it.received == 3));
    let filter = burgee_edge::delivery::ConnectionFilter {
        kind: None,
        without: None,
    };
    let mut seen: Vec<_> = edge
        .connections(filter, 10)
        .iter()
        .map(|it| it.address)
        .collect();
    let local = |client: &Client| Some(client.stream.local_addr().unwrap());
    let mut expected: Vec<_> = clients.iter().map(local).collect();
    seen.sort();
    expected.sort();
    assert_eq!(seen, expected);
}

#[test]
fn who_does_not_read_has_nothing_and_gets_the_newest_state_in_the_end() {
    let (edge, _served) = edge();
    let big = |word: &str| format!("{word} {}", "x".repeat(8 * 1024 * 1024));
    let config = trusting("first.crt");
    let mut witness = client(&edge, &config, "witness");
    let first = edge.feed.set_flag("greeting", &big("first"));
    assert!(
        value(&witness.json(), "greeting")
            .unwrap()
            .starts_with("first")
    );
    let mut client = Client::narrow(edge.address).shake(&config).unwrap();
    client.upgrade(&format!("type=server&token={}", token(SERVER_KEY, now())));
    client.ask_as_server(0);
    await_line(
        &edge,
        "burgee_edge_syncs_total{kind=\"server\",sync=\"full\"} 1",
    );
    let version = edge.feed.set_flag("greeting", &big("second"));
    assert!(
        value(&witness.json(), "greeting")
            .unwrap()
            .starts_with("second")
    );
    drop(witness);
    edge.await_gone(|counters| &counters.connections.client);
    edge.await_count(1, |counters| &counters.pushes_skipped);
    let report = edge.report();
    assert_eq!(report.at(first).map_or(0, |it| it.written), 0, "{report:?}");
    for word in ["first", "second"] {
        let state = client.json().to_string();
        assert!(state.contains(&format!("{word} xxx")), "{}", &state[..200]);
    }
    client.ping();
    edge.await_report(|it| it.at(version).is_some_and(|it| it.received == 1));
}

#[test]
fn ends_are_announced() {
    let (mut edge, _served) = edge();
    let config = trusting("first.crt");
    let mut sdk = client(&edge, &config, "bob");
    let mut idle = Client::secure(edge.address, &config).unwrap();
    idle.send_raw(HELLO);
    assert!(idle.read_head().starts_with("HTTP/1.1 200 "));
    idle.read_exactly("hello");
    edge.begin_shutdown();
    assert_eq!(sdk.close_code(), Some(1001));
    sdk.ends();
    idle.ends();
    edge.shut_down();
}

#[test]
fn what_is_no_tls_is_told_so_or_closed() {
    let (edge, _served) = edge();
    let mut witness = client(&edge, &trusting("first.crt"), "witness");
    let mut plain = Client::connect(edge.address);
    plain.send_raw(HELLO);
    assert!(plain.read_head().starts_with("HTTP/1.1 400 "));
    assert_eq!(
        plain.read_to_end(),
        "This port speaks TLS alone: use https:// or wss:\n"
    );
    // A record of TLS with nothing that can be understood in it.
    let mut garbage = Client::connect(edge.address);
    garbage.send_raw(b"\x16\x03\x01\x00\x05hello");
    garbage.ends();
    // A hand that is held out in a way that nobody knows; the alert is all that comes.
    let mut hello = Client::connect(edge.address);
    hello.send_raw(b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00");
    assert!(hello.read_bytes_to_end().starts_with(b"\x15\x03"));
    // Nobody speaks HTTP/3 here.
    let mut other = (*trusting("first.crt")).clone();
    other.alpn_protocols = vec![b"h3".to_vec()];
    assert!(Client::secure(edge.address, &Arc::new(other)).is_err());
    let mut gone = Client::connect(edge.address);
    gone.send_raw(b"\x16\x03\x01");
    gone.stream.shutdown(Shutdown::Write).unwrap();
    gone.ends();
    edge.await_count(5, |counters| &counters.tls.failed);
    assert_eq!(edge.count(|counters| &counters.tls.done), 1);
    witness.ping();
}

#[test]
fn handshakes_end_in_time_and_too_many_of_them_keep_nobody_out() {
    let served = Served::new();
    let edge = Edge::start_with(Config {
        head_timeout: Duration::from_millis(100),
        ..served.config()
    });
    let mut half = Client::connect(edge.address);
    half.send_raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc");
    half.ends();
    edge.await_count(1, |counters| &counters.tls.failed);
    // Its hands are shaken, if that was in time, and it says nothing.
    if let Ok(mut silent) = Client::secure(edge.address, &trusting("first.crt")) {
        silent.is_dropped();
    }
    edge.await_count(2, |counters| &counters.dropped_silent);

    let edge = Edge::start_with(Config {
        head_timeout: Duration::from_secs(3600),
        max_sockets: Some(64),
        ..served.config()
    });
    let config = trusting("first.crt");
    let mut held = client(&edge, &config, "held");
    let _half: Vec<_> = (0..200)
        .map(|_| {
            let mut half = TcpStream::connect(edge.address).unwrap();
            half.write_all(b"\x16\x03\x01").unwrap();
            half
        })
        .collect();
    client(&edge, &config, "new").ping();
    held.ping();
    edge.await_count(190, |counters| &counters.refused.handshake);
}

#[test]
fn a_new_pair_is_served_to_who_connects_then() {
    let (edge, served) = edge();
    let (first, second) = (trusting("first.crt"), trusting("second.crt"));
    let mut old = client(&edge, &first, "old");
    let resumed = Client::secure(edge.address, &first).unwrap();
    assert_eq!(resumed.tls().handshake_kind(), Some(HandshakeKind::Resumed));
    assert!(Client::secure(edge.address, &second).is_err());
    served.certificate("second.crt");
    // Whether it was looked at in between or not: the two are taken together.
    served.key("second.key");
    await_line(
        &edge,
        "burgee_edge_tls_certificate_expiry_timestamp_seconds 4387365362.0",
    );
    edge.feed.set_flag("greeting", "good evening");
    assert_eq!(value(&old.json(), "greeting"), Some("good evening"));
    let mut new = streaming(&edge, &second, "client", CLIENT_KEY);
    assert_eq!(
        value(&new.sync_client("new"), "greeting"),
        Some("good evening")
    );
    // Its tickets are no good any more: it is shown the new certificate, which it does not know.
    assert!(Client::secure(edge.address, &first).is_err());
    old.ping();
}

#[test]
fn a_pair_that_does_not_fit_is_refused_and_the_old_one_served_on() {
    let (edge, served) = edge();
    let mut config = (*trusting("first.crt")).clone();
    config.resumption = Resumption::disabled();
    let first = Arc::new(config);
    let wrong: [fn(&Served); 3] = [
        |served| served.key("second.key"),
        |served| fs::write(served.folder.path().join("tls.key"), "").unwrap(),
        |served| fs::remove_file(served.folder.path().join("tls.crt")).unwrap(),
    ];
    for refuse in wrong {
        refuse(&served);
        await_line(&edge, "burgee_edge_tls_files_refused 1");
        drop(client(&edge, &first, "bob"));
        served.certificate("first.crt");
        served.key("first.key");
        await_line(&edge, "burgee_edge_tls_files_refused 0");
    }
    await_line(
        &edge,
        "burgee_edge_tls_certificate_expiry_timestamp_seconds 4948965362.0",
    );
}

#[test]
fn a_flood_of_handshakes_is_no_reason_to_wait_for_those_who_are_there() {
    const FLOOD: usize = 300;
    let served = Served::new();
    // The dearer one.
    served.certificate("second.crt");
    served.key("second.key");
    let edge = Edge::start_with(Config {
        // Nobody is turned away, or late.
        tick: Duration::from_secs(3600),
        ..served.config()
    });
    let config = trusting("second.crt");
    let mut held = client(&edge, &config, "held");
    let name = "localhost".try_into().unwrap();
    let mut hello = Vec::new();
    let mut peer = rustls::ClientConnection::new(config, name).unwrap();
    peer.write_tls(&mut hello).unwrap();
    let flood: Vec<_> = (0..FLOOD)
        .map(|_| {
            let mut one = TcpStream::connect(edge.address).unwrap();
            one.write_all(&hello).unwrap();
            one
        })
        .collect();
    held.ping();
    let is_answered = |one: &&TcpStream| {
        one.set_nonblocking(true).unwrap();
        one.peek(&mut [0]).is_ok_and(|len| len > 0)
    };
    let answered = flood.iter().filter(is_answered).count();
    assert!(answered < FLOOD, "they all went first");
    for one in &flood {
        one.set_nonblocking(false).unwrap();
        one.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(one.peek(&mut [0]).unwrap(), 1);
    }
}

#[test]
fn who_sends_records_without_content_has_the_loop_for_a_moment() {
    let (edge, _served) = edge();
    let mut config = (*trusting("first.crt")).clone();
    config.enable_secret_extraction = true;
    let mut witness = client(&edge, &trusting("first.crt"), "witness");
    let mut records = client(&edge, &Arc::new(config), "bob").into_records();
    // A few are allowed, and what comes behind them is answered.
    let mut some: Vec<u8> = (0..10).flat_map(|_| records.seal(b"")).collect();
    let ping = frame(0x81, br#"{"messageType":"ping","data":null}"#);
    some.extend(records.seal(&ping));
    assert!(records.send(&some));
    assert_eq!(records.next_kind(), 23);
    // As many as it takes: rustls ends it, and the loop would.
    let deadline = Instant::now() + PATIENCE;
    loop {
        let many: Vec<u8> = (0..50_000).flat_map(|_| records.seal(b"")).collect();
        if !records.send(&many) {
            break;
        }
        assert!(Instant::now() < deadline, "they are read for ever");
    }
    witness.ping();
}

/// The first half of a record of the largest size.
fn half_a_record() -> Vec<u8> {
    let mut half = b"\x17\x03\x03\x40\x00".to_vec();
    half.resize(8 * 1024, 0);
    half
}

#[test]
fn a_record_that_does_not_end_is_a_message_that_does_not_end() {
    let served = Served::new();
    let edge = Edge::start_with(Config {
        message_timeout: Duration::from_millis(100),
        ..served.config()
    });
    let config = trusting("first.crt");
    let mut renews = client(&edge, &config, "renews");
    renews.renew_keys();
    for _ in 0..2 {
        let mut slow = client(&edge, &config, "slow");
        slow.stream.write_all(&half_a_record()).unwrap();
        assert_eq!(slow.close_code(), Some(1001));
    }
    // What is TLS's own is no message, however long it is ago.
    renews.ping();
}

#[test]
fn records_that_do_not_end_take_only_so_much_memory() {
    let served = Served::new();
    let edge = Edge::start_with(Config {
        kept_input: 30 * 1024,
        ..served.config()
    });
    let config = trusting("first.crt");
    let mut witness = client(&edge, &config, "witness");
    let mut many: Vec<_> = (0..4).map(|_| client(&edge, &config, "bob")).collect();
    for client in &mut many {
        client.stream.write_all(&half_a_record()).unwrap();
    }
    edge.await_count(1, |counters| &counters.closed_1001);
    witness.ping();
}

#[test]
fn what_is_encrypted_for_who_does_not_read_takes_only_so_much_memory() {
    const HOUR: Duration = Duration::from_secs(3600);
    let served = Served::new();
    let edge = Edge::start_with(Config {
        // Of four. Further ones wait for their turn from half of it on.
        kept_output: 64 * 1024,
        stall_timeout: HOUR,
        stall_timeout_in_herd: HOUR,
        ..served.config()
    });
    let config = trusting("first.crt");
    let mut witness = client(&edge, &config, "witness");
    edge.feed.set_flag("greeting", &"x".repeat(8 * 1024 * 1024));
    assert!(value(&witness.json(), "greeting").unwrap().len() > 1024);
    let mut idle: Vec<_> = (0..8)
        .map(|_| {
            let mut client = Client::narrow(edge.address).shake(&config).unwrap();
            client.upgrade(&format!("type=server&token={}", token(SERVER_KEY, now())));
            client.ask_as_server(0);
            client
        })
        .collect();
    edge.await_count(5, |counters| &counters.waiting);
    // When they read, all are served.
    for client in &mut idle {
        client.json();
    }
}
