//! What TLS and event streams cost a loop: `cargo bench -p burgee-edge --bench tls`.
//!
//! Client SDKs connect, one after the other, from a process of their own, sync, and are held: without
//! TLS, with a certificate for P-256, with one for RSA of 2048 bits, and with the first again where they
//! resume. Then programs with OFREP listen for events instead, with and without TLS, and by HTTP/2, each
//! on a connection of its own or a hundred on one. Per connection, or stream:
//! what the process holds of memory when all are there, in bytes, and what its loop spent on it until
//! then, in microseconds of CPU (the HTTP server's part in the request for events is not in it).
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::panic,
    reason = "a program that measures and prints"
)]

#[path = "../tests/it/kit/mod.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "made for tests, of which this uses a part"
)]
mod kit;
#[path = "../tests/it/memory.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "made for tests, of which this uses a part"
)]
mod memory;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use burgee_edge::credential::Credential;
use burgee_edge::driver::Config;
use burgee_edge::tls::{Files, Tls};
use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use kit::client::{now, token};
use kit::{CLIENT_KEY, Client, Edge};
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

const CONNECTIONS: usize = 2_000;
/// Those that come again resume.
const RESUME: &str = "resume";
/// They listen for events.
const EVENTS: &str = "events";
/// The same by HTTP/2, one on each connection.
const HTTP2: &str = "http2";
/// The same, a hundred.
const SHARED: &str = "shared";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|it| it == "--connect") {
        return connect(&arguments[at + 1..]);
    }
    // cargo test --all-targets runs this too; then a few are enough.
    let count = match arguments.iter().any(|it| it == "--bench") {
        true => CONNECTIONS,
        false => 3,
    };
    println!("{count} connections each: bytes, µs of the loop");
    for (what, certificate, mode) in [
        ("without TLS", "", None),
        ("P-256", "first", None),
        ("RSA 2048", "second", None),
        ("P-256, resumed", "first", Some(RESUME)),
        ("events", "", Some(EVENTS)),
        ("events, P-256", "first", Some(EVENTS)),
        ("events, HTTP/2", "", Some(HTTP2)),
        ("the same, shared", "", Some(SHARED)),
    ] {
        let (bytes, micros) = measure(certificate, mode, count);
        println!("{what:16} {bytes:8.0} {micros:8.0}");
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tls")
        .join(name)
}

/// Per connection: bytes held, and microseconds of the loop's thread.
fn measure(certificate: &str, mode: Option<&str>, count: usize) -> (f64, f64) {
    let files = (!certificate.is_empty()).then(|| Files {
        certificate: fixture(&format!("{certificate}.crt")),
        key: fixture(&format!("{certificate}.key")),
    });
    let hour = Duration::from_secs(3600);
    let edge = Edge::start_with(Config {
        loops: 1,
        silence_timeout: hour,
        tls: files.map(|files| Tls::load(files).unwrap()),
        ..Config::default()
    });
    let more = [
        edge.address.to_string(),
        count.to_string(),
        certificate.to_owned(),
    ];
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg("--connect")
        .args(more)
        .args(mode)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    // The first is there, and with it what is there once.
    said.next().unwrap().unwrap();
    let (held, spent) = (resident(), cpu());
    let stdin = child.stdin.as_mut().unwrap();
    std::io::Write::write_all(stdin, b"\n").unwrap();
    said.next().unwrap().unwrap();
    let each = |more: f64| more / count as f64;
    let found = (each(resident() - held), each(cpu() - spent));
    drop(child.stdin.take());
    child.wait().unwrap();
    found
}

/// What this process holds, in bytes.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|it| it.starts_with("VmRSS:")).unwrap();
    let kib = line.split_ascii_whitespace().nth(1).unwrap();
    kib.parse::<f64>().unwrap() * 1024.0
}

/// What its loop has spent, in microseconds.
fn cpu() -> f64 {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let mut folders = tasks.map(|it| it.unwrap().path());
    let is_loop = |folder: &PathBuf| {
        fs::read_to_string(folder.join("comm")).is_ok_and(|name| name.trim() == "edge-0")
    };
    // A loop that was ended may not be gone yet: the newest counts.
    let folder = folders.by_ref().filter(is_loop).max().unwrap();
    let spent = fs::read_to_string(folder.join("schedstat")).unwrap();
    let nanos = spent.split_ascii_whitespace().next().unwrap();
    nanos.parse::<f64>().unwrap() / 1000.0
}

/// The other process: connects one, and when it is told the others, and holds them until its input
/// ends.
fn connect(arguments: &[String]) {
    let address: SocketAddr = arguments[0].parse().unwrap();
    let count: usize = arguments[1].parse().unwrap();
    let is = |mode: &str| arguments.get(3).is_some_and(|it| it == mode);
    let tls = (!arguments[2].is_empty()).then(|| trusting(&arguments[2], is(RESUME)));
    if is(HTTP2) || is(SHARED) {
        let streams = if is(SHARED) { 100 } else { 1 };
        return Runtime::new()
            .unwrap()
            .block_on(hold_by_http2(address, count, streams));
    }
    let listens = is(EVENTS);
    let one = |number: usize| {
        let mut client = match &tls {
            Some(tls) => Client::secure(address, tls).unwrap(),
            None => Client::connect(address),
        };
        if listens {
            let credential = Credential::issue(CLIENT_KEY, now()).text();
            let get = format!("GET /ofrep/v1/events/{credential} HTTP/1.1\r\nHost: x\r\n\r\n");
            client.send_raw(get.as_bytes());
            client.read_head();
            client.read_until("\nid: ").unwrap();
            return client;
        }
        client.upgrade(&format!("type=client&token={}", token(CLIENT_KEY, now())));
        client.sync_client(&format!("user-{number}"));
        client
    };
    let mut held = vec![one(0)];
    first_is_there();
    held.extend((1..=count).map(one));
    all_are_there();
}

/// Says so, and waits to be told to go on.
fn first_is_there() {
    println!("the first is there");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// Says so, and waits for the end.
fn all_are_there() {
    println!("all are there");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// Listens by HTTP/2, so many on each connection.
async fn hold_by_http2(address: SocketAddr, count: usize, streams: usize) {
    let mut held = vec![listen_by_http2(address, 1).await];
    first_is_there();
    for _ in 0..count.div_ceil(streams) {
        held.push(listen_by_http2(address, streams).await);
    }
    all_are_there();
}

async fn listen_by_http2(address: SocketAddr, streams: usize) -> Vec<Incoming> {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    let credential = Credential::issue(CLIENT_KEY, now()).text();
    let mut held = Vec::new();
    for _ in 0..streams {
        let get = Request::get(format!("http://x/ofrep/v1/events/{credential}"));
        let asking = sender.send_request(get.body(String::new()).unwrap());
        let mut events = asking.await.unwrap().into_body();
        let mut heard = String::new();
        while !heard.contains("\nid: ") {
            let data = events.frame().await.unwrap().unwrap().into_data().unwrap();
            heard += std::str::from_utf8(&data).unwrap();
        }
        held.push(events);
    }
    held
}

fn trusting(certificate: &str, resume: bool) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    let file = fixture(&format!("{certificate}.crt"));
    roots
        .add(CertificateDer::from_pem_file(file).unwrap())
        .unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    if !resume {
        config.resumption = Resumption::disabled();
    }
    Arc::new(config)
}
