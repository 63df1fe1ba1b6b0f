//! Who has which version: what a change's author sees.

use burgee_edge::delivery::{ConnectionFilter, Level, Reporter};
use burgee_edge::driver::Config;
use burgee_edge::source::KeyKind;

use crate::driver::value;
use crate::kit::client::{now, token, upgrade};
use crate::kit::{CLIENT_KEY, Client, ENVIRONMENT, Edge, SERVER_KEY};

fn two_loops() -> Edge {
    Edge::start_with(Config {
        loops: 2,
        ..Config::default()
    })
}

/// Upgraded, with these headers.
fn saying(edge: &Edge, kind: &str, secret: &str, headers: &str) -> Client {
    let mut client = Client::connect(edge.address);
    let query = format!("type={kind}&token={}", token(secret, now()));
    let head = upgrade(&query).replace("Host:", &format!("{headers}Host:"));
    client.send_raw(head.as_bytes());
    assert!(client.read_head().starts_with("HTTP/1.1 101 "));
    client
}

fn without(level: Level, version: Option<i64>) -> ConnectionFilter {
    ConnectionFilter {
        kind: None,
        without: Some((level, version)),
    }
}

#[test]
fn a_change_is_written_to_everybody_and_received_when_they_say_something() {
    let edge = two_loops();
    let mut clients: Vec<_> = (0..12)
        .map(|n| edge.client(&format!("user-{n}")).0)
        .collect();
    clients.extend((0..3).map(|_| edge.server().0));
    for client in &mut clients {
        client.ping();
    }
    edge.await_report(|report| report.connections == 15 && report.versions[0].received == 15);

    let version = edge.feed.set_flag("greeting", "good evening");
    let report = edge.await_report(|it| it.at(version).is_some_and(|it| it.written == 15));
    assert_eq!(report.versions[0].version, version);
    assert!(report.versions[0].committed_at > 0);
    assert_eq!(report.versions[0].received, 0, "nobody has said anything");
    assert_eq!(report.versions[0].written_after.len(), 15);

    for client in &mut clients {
        assert_eq!(client.json()["messageType"], "data-sync");
        client.ping();
    }
    let report = edge.await_report(|it| it.at(version).is_some_and(|it| it.received == 15));
    assert_eq!(report.versions[0].received_after.len(), 15);
    assert!(
        edge.connections(without(Level::Received, Some(version)), 100)
            .is_empty()
    );
    // Nobody was there to wait for what they came to.
    assert!(report.versions[1].written_after.is_empty());
    let metrics = edge.metrics.encode();
    for name in [
        "burgee_delivery_written_seconds",
        "burgee_delivery_received_seconds",
    ] {
        let count = format!("{name}_count 15\n");
        assert!(metrics.contains(&count), "{count} in {metrics}");
    }
}

#[test]
fn a_peer_that_does_not_read_lags_until_it_does() {
    let edge = two_loops();
    let (mut witness, _) = edge.client("witness");
    witness.ping();
    let mut lazy = Client::narrow(edge.address);
    lazy.upgrade(&format!("type=client&token={}", token(CLIENT_KEY, now())));
    lazy.sync_client("lazy");
    lazy.ping();
    edge.await_report(|report| report.connections == 2 && report.versions[0].received == 2);

    let (mut version, mut newest) = (0, String::new());
    while edge.count(|counters| &counters.pushes_skipped) == 0 {
        newest = format!("{version}{}", "x".repeat(40_000));
        version = edge.feed.set_flag("greeting", &newest);
        witness.json();
        edge.await_report(|it| it.at(version).is_some_and(|it| it.written >= 1));
    }
    witness.ping();
    let report = edge.await_report(|it| it.at(version).is_some_and(|it| it.received == 1));
    assert_eq!(report.at(version).unwrap().written, 1);
    let laggards = edge.connections(without(Level::Written, Some(version)), 10);
    assert_eq!(laggards.len(), 1);
    assert!(laggards[0].stalled && laggards[0].written < Some(version));

    while value(&lazy.json(), "greeting") != Some(&newest) {}
    edge.await_report(|it| it.at(version).is_some_and(|it| it.written == 2));
    lazy.ping();
    let report = edge.await_report(|it| it.at(version).is_some_and(|it| it.received == 2));
    assert_eq!(
        report.at(version).unwrap().written_after.len(),
        2,
        "late, but there"
    );
}

#[test]
fn who_leaves_leaves_nothing_behind() {
    let edge = two_loops();
    let mut reporter = Reporter::new(edge.metrics.delivery.clone(), 4);
    let kept = edge.client("stays").0;
    let mut gone: Vec<_> = (0..8)
        .map(|n| edge.client(&format!("user-{n}")).0)
        .collect();
    gone.push(Client::streaming(edge.address, "server", SERVER_KEY));
    gone[0].ping();
    let report = edge.await_report(|report| report.connections == 10);
    assert_eq!(
        report.versions[0].written, 9,
        "one has not asked for anything"
    );
    let version = edge.feed.set_flag("greeting", "good evening");
    edge.await_report(|it| it.at(version).is_some_and(|it| it.written == 9));
    drop(gone);
    let report = edge.await_report(|report| report.connections == 1);
    assert_eq!((report.versions[0].written, report.sdks.len()), (1, 1));
    assert_eq!(edge.moved(&mut reporter), [(ENVIRONMENT.into(), report)]);
    assert_eq!(edge.moved(&mut reporter), [], "nothing moved since");
    drop(kept);
    edge.await_gone(|counters| &counters.sockets);
    let moved = edge.moved(&mut reporter);
    assert_eq!((moved.len(), moved[0].1.connections), (1, 0));
    assert!(reporter.all().is_empty());
}

#[test]
fn a_revoked_key_takes_its_connections_out_at_once() {
    let edge = two_loops();
    let (_client, _) = edge.client("bob");
    let (server, _) = edge.server();
    edge.await_report(|report| report.connections == 2);
    edge.feed.revoke(SERVER_KEY);
    let report = edge.await_report(|report| report.connections == 1);
    assert_eq!(report.sdks[0].kind, "client");
    drop(server);
}

#[test]
fn sdks_are_known_by_what_they_say_and_found_page_by_page() {
    let edge = two_loops();
    let node = "X-User-Agent: NodeJS-Server-SDK/1.3.0\r\nUser-Agent: node\r\n";
    let mut clients: Vec<_> = (0..5)
        .map(|_| saying(&edge, "server", SERVER_KEY, node))
        .collect();
    let browser = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0\r\n";
    clients.push(saying(&edge, "client", CLIENT_KEY, browser));
    clients.push(saying(&edge, "client", CLIENT_KEY, ""));
    for client in &mut clients[..3] {
        client.sync_server(0);
    }
    let report = edge.await_report(|report| report.connections == 7);
    let sdks = report.sdks.iter();
    let sdks: Vec<_> = sdks
        .map(|it| (&*it.kind, &*it.agent, it.connections))
        .collect();
    let node = ("server", "NodeJS-Server-SDK/1.3.0", 5);
    assert_eq!(sdks, [node, ("client", "", 1), ("client", "browser", 1)]);

    let version = report.versions[0].version;
    edge.await_report(|report| report.versions[0].written == 3);
    let all = edge.connections(ConnectionFilter::default(), 2);
    assert_eq!(all.len(), 7);
    let ours: Vec<_> = clients
        .iter()
        .map(|it| it.stream.local_addr().ok())
        .collect();
    for view in &all {
        assert!(ours.contains(&view.address) && (now() - view.since).abs() < 60_000);
    }
    let written = all.iter().filter(|view| view.written == Some(version));
    assert_eq!(written.count(), 3);
    let clients_alone = ConnectionFilter {
        kind: Some(KeyKind::Client),
        without: Some((Level::Received, None)),
    };
    assert_eq!(edge.connections(clients_alone, 200).len(), 2);
    assert_eq!(edge.connections(without(Level::Written, None), 3).len(), 4);
}

#[test]
fn another_history_begins_from_nobody() {
    let edge = two_loops();
    let (mut client, _) = edge.client("bob");
    let before = edge.feed.set_flag("greeting", "good evening");
    client.json();
    edge.feed.restore("greeting", "restored");
    client.json();
    let report = edge.await_report(|it| it.versions[0].version < before);
    let report = match report.versions[0].written {
        1 => report,
        _ => edge.await_report(|it| it.versions[0].written == 1),
    };
    assert!(report.at(before).is_none(), "that version is gone");
}
