//! At the limits: more sockets than there may be, and more than the process may open. Who is there
//! is served, who comes is refused with what SDKs retry on, and it is over by itself.

use std::io::Read;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use burgee_edge::driver::Config;
use burgee_edge::source::KeyKind;

use crate::kit::client::{now, token, upgrade};
use crate::kit::{CLIENT_KEY, Client, Edge, SERVER_KEY};

fn places(count: usize) -> Config {
    Config {
        loops: 1,
        max_sockets: Some(count),
        ..Config::default()
    }
}

/// A socket that asked to stream with this key, and the head of the answer.
fn ask(address: SocketAddr, kind: &str, secret: &str) -> (Client, String) {
    let mut client = Client::connect(address);
    let token = token(secret, now());
    // A server that is out of descriptors may have answered already.
    let _ = client.try_send_raw(upgrade(&format!("type={kind}&token={token}")).as_bytes());
    let head = client.read_head();
    (client, head)
}

/// Opens connections with the client key until one is refused.
fn fill(address: SocketAddr) -> (Vec<Client>, String) {
    let mut held = Vec::new();
    loop {
        let (client, head) = ask(address, "client", CLIENT_KEY);
        if !head.starts_with("HTTP/1.1 101 ") {
            return (held, head);
        }
        held.push(client);
    }
}

#[test]
fn a_client_key_leaves_room_to_others() {
    const OTHER: &str = "TGF0ZUxhdGVMYXRlTGF0ZUxhdGVMYXRlTGF0ZUxhdGVM";
    let edge = Edge::start_with(places(64));
    edge.feed.add_quietly(OTHER, KeyKind::Client);
    // Known from here on.
    Client::streaming(edge.address, "client", OTHER).sync_client("bob");
    let (mut held, refusal) = fill(edge.address);
    assert!(held.len() > 58, "{}", held.len());
    assert!(refusal.starts_with("HTTP/1.1 503 "), "{refusal}");
    assert!(refusal.contains("\r\nRetry-After: "), "{refusal}");
    assert_eq!(edge.count(|counters| &counters.refused.key), 1);
    let mut other = Client::streaming(edge.address, "client", OTHER);
    other.sync_client("bob");
    edge.server().0.ping();
    for client in &mut held {
        client.ping();
    }
    // What is given back may be had again.
    drop((held.pop(), other));
    while !ask(edge.address, "client", CLIENT_KEY)
        .1
        .starts_with("HTTP/1.1 101 ")
    {}
}

#[test]
fn who_says_nothing_gives_its_place_to_who_does() {
    let edge = Edge::start_with(places(64));
    let mut silent: Vec<_> = (0..200).map(|_| Client::connect(edge.address)).collect();
    edge.await_count(200, |counters| &counters.accepted);
    edge.client("bob").0.ping();
    edge.server().0.ping();
    // The first that came was told so; the last ones are still waited for.
    assert!(silent[0].read_head().starts_with("HTTP/1.1 503 "));
    let token = token(SERVER_KEY, now());
    let last = silent.last_mut().unwrap();
    last.upgrade(&format!("type=server&token={token}"));
    last.ping();
    assert!(edge.count(|counters| &counters.refused.handshake) >= 190);
}

#[test]
fn a_process_without_descriptors_refuses_and_recovers() {
    let (child, address) = confined();
    let (mut held, refusal) = fill(address);
    assert!(held.len() > 10, "{}", held.len());
    assert!(refusal.starts_with("HTTP/1.1 503 "), "{refusal}");
    let mut tries = 1;
    for _ in 0..200 {
        let (mut refused, head) = ask(address, "server", SERVER_KEY);
        tries += 1;
        assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
        refused.is_refused();
    }
    for client in &mut held {
        client.ping();
    }
    // Ordinary requests need one more descriptor than their socket's.
    held.truncate(held.len() - 8);
    let metrics = loop {
        let mut client = Client::connect(address);
        let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let _ = client.try_send_raw(request);
        tries += 1;
        if client.read_head().starts_with("HTTP/1.1 200 ") {
            break client.read_to_end();
        }
    };
    held[0].ping();
    // One failure for each that was refused, and perhaps one for each tick: it did not spin.
    let errors = counter(&metrics, "accept_errors_total");
    let refused = counter(&metrics, "refused_total{reason=\"descriptors\"}");
    assert!(refused >= 201, "{refused}");
    assert!(errors < 2 * tries + 100, "{errors} for {tries} tries");
    drop(child);
}

fn counter(metrics: &str, name: &str) -> usize {
    let name = format!("burgee_edge_{name} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
    line.unwrap().parse().unwrap()
}

#[test]
fn in_an_overload_streams_are_refused_and_other_requests_are_not() {
    let edge = Edge::start_with(Config {
        loops: 1,
        // What lasts for two of them lasts.
        tick: Duration::from_millis(1),
        ..Config::default()
    });
    let mut refused = 0;
    while edge.count(|counters| &counters.refused.overload) == 0 {
        let rush: Vec<_> = (0..4).map(|_| rush(edge.address)).collect();
        let mut other = Client::connect(edge.address);
        other.send_raw(b"GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let head = other.read_head();
        assert!(!head.starts_with("HTTP/1.1 503 "), "{head}");
        let heads = rush.into_iter().flat_map(|rush| rush.join().unwrap());
        refused = heads.filter(|head| is_busy(head)).count();
    }
    assert!(refused > 0);
    edge.await_gone(|counters| &counters.sockets);
    // It is over when nobody waited for once: who is refused until then comes again, as told.
    let asked = upgrade(&format!("type=client&token={}", token(CLIENT_KEY, now())));
    let mut heads = (0..10_000).map(|_| {
        let mut client = Client::connect(edge.address);
        client.send_raw(asked.as_bytes());
        client.read_head()
    });
    let head = heads.find(|head| !is_busy(head)).unwrap_or_default();
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
}

/// Many who ask for a stream at the same time; what each is answered.
fn rush(address: SocketAddr) -> JoinHandle<Vec<String>> {
    std::thread::spawn(move || {
        let asked = upgrade(&format!("type=client&token={}", token(CLIENT_KEY, now())));
        let mut clients: Vec<_> = (0..200).map(|_| Client::connect(address)).collect();
        for client in &mut clients {
            let _ = client.try_send_raw(asked.as_bytes());
        }
        clients.iter_mut().map(Client::read_head).collect()
    })
}

fn is_busy(head: &str) -> bool {
    head.starts_with("HTTP/1.1 503 ") && head.contains("\r\nRetry-After: ")
}

/// A process of its own that may open few files, with an edge that takes more sockets than that.
fn confined() -> (Confined, SocketAddr) {
    let test = "limits::serves_until_its_input_ends";
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -n 64; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut said = String::new();
    let mut byte = [0];
    let address = loop {
        assert_eq!(output.read(&mut byte).unwrap(), 1, "{said}");
        said.push(char::from(byte[0]));
        if let Some((_, address)) = said.split_once(LISTENS)
            && let Some((address, _)) = address.split_once('\n')
        {
            break address.parse().unwrap();
        }
    };
    child.stdout = Some(output);
    (Confined(child), address)
}

/// Ends when it is dropped.
struct Confined(Child);

impl Drop for Confined {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

const LISTENS: &str = "listens on ";

#[test]
#[ignore = "the other half of a test that needs a process of its own"]
fn serves_until_its_input_ends() {
    let edge = Edge::start_with(places(10_000));
    println!("{LISTENS}{}", edge.address);
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn who_ends_before_its_first_answer_is_counted_by_reason() {
    let edge = Edge::start_with(Config {
        silence_timeout: Duration::from_secs(60),
        max_sockets: Some(4),
        ..Edge::hasty()
    });
    // One that synced, and ordinary HTTP: not counted.
    let (synced, _) = edge.client("bob");
    drop(synced);
    let mut http = Client::connect(edge.address);
    http.send_raw(b"GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    http.read_to_end();

    drop(Client::streaming(edge.address, "client", CLIENT_KEY));
    edge.await_count(1, |counters| &counters.unsynced.peer);
    // Without a request, and without a data-sync.
    Client::connect(edge.address).ends();
    Client::streaming(edge.address, "server", SERVER_KEY).close_code();
    let mut unreadable = Client::streaming(edge.address, "server", SERVER_KEY);
    let _ = unreadable.try_send_raw(&[0x42; 100]);
    unreadable.close_code();
    Client::upgraded(edge.address, "type=nobody").close_code();
    edge.feed.set_reachable(false);
    Client::streaming(edge.address, "client", &"B".repeat(44)).close_code();
    edge.await_gone(|counters| &counters.sockets);
    let (_held, _) = fill(edge.address);

    for (reason, least, counted) in [
        ("peer", 1, edge.count(|counters| &counters.unsynced.peer)),
        (
            "silent",
            2,
            edge.count(|counters| &counters.unsynced.silent),
        ),
        (
            "protocol",
            1,
            edge.count(|counters| &counters.unsynced.protocol),
        ),
        (
            "refused",
            1,
            edge.count(|counters| &counters.unsynced.refused),
        ),
        (
            "unavailable",
            1,
            edge.count(|counters| &counters.unsynced.unavailable),
        ),
        ("busy", 1, edge.count(|counters| &counters.unsynced.busy)),
    ] {
        assert_eq!(counted, least, "{reason}");
    }
}
