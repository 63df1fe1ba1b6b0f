//! Plain requests, which the HTTP server never sees, are answered as it would.

use std::time::Duration;

use burgee_edge::driver::Config;

use super::ALL;
use crate::kit::{CLIENT_KEY, Client, Edge, SERVER_KEY};

const USER: &str = r#"{"context":{"targetingKey":"u","plan":"pro"}}"#;

/// What is not plain: there is a query, which says nothing.
const BY_THE_ROUTER: &str = "?nothing=asked";

fn config() -> Config {
    Config {
        loops: 1,
        tick: Duration::from_millis(10),
        ..Config::default()
    }
}

fn request(path: &str, headers: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn by(key: &str) -> String {
    format!("Authorization: Bearer {key}\r\nContent-Type: application/json\r\n")
}

/// The status line and the headers in order, but for the date; and the body.
fn answer(client: &mut Client) -> (Vec<String>, String) {
    let head = client.read_head();
    let mut lines: Vec<String> = head.trim_end().lines().map(str::to_owned).collect();
    let dates = lines
        .iter()
        .filter(|line| line.starts_with("date: "))
        .count();
    assert_eq!(dates, 1, "{head}");
    lines.retain(|line| !line.starts_with("date: "));
    lines[1..].sort();
    let length = lines.iter();
    let length = length.filter_map(|line| line.strip_prefix("content-length: "));
    let length = length.map(|length| length.parse::<usize>().unwrap()).sum();
    let body = client.read_bytes(length);
    (lines, String::from_utf8(body).unwrap())
}

fn ask(edge: &Edge, request: &str) -> (Vec<String>, String) {
    let mut client = Client::connect(edge.address);
    client.send_raw(request.as_bytes());
    answer(&mut client)
}

/// Asks in both ways; the answers are the same but for the date.
fn same(edge: &Edge, path: &str, headers: &str, body: &str) -> (Vec<String>, String) {
    let plain = ask(edge, &request(path, headers, body));
    let routed = ask(
        edge,
        &request(&format!("{path}{BY_THE_ROUTER}"), headers, body),
    );
    assert_eq!(plain, routed, "{path} {headers} {body}");
    plain
}

#[test]
fn every_answer_is_the_routers() {
    let edge = Edge::start_with(config());
    let one = format!("{ALL}/greeting");
    for key in [CLIENT_KEY, SERVER_KEY] {
        for path in [ALL, &one] {
            let (head, body) = same(&edge, path, &by(key), USER);
            assert_eq!(head[0], "HTTP/1.1 200 OK");
            assert!(body.contains(r#""value":"hello""#), "{body}");
        }
        let (head, _) = same(&edge, ALL, &by(key), USER);
        let tag = head.iter().find_map(|line| line.strip_prefix("etag: "));
        let tag = tag.unwrap();
        for has in [tag, tag.trim_matches('"'), &format!("\"other\", W/{tag}")] {
            let has = format!("{}If-None-Match: {has}\r\n", by(key));
            let (head, body) = same(&edge, ALL, &has, USER);
            assert_eq!((&*head[0], &*body), ("HTTP/1.1 304 Not Modified", ""));
        }
        let has = format!("{}If-None-Match: \"other\"\r\n", by(key));
        assert_eq!(same(&edge, ALL, &has, USER).0[0], "HTTP/1.1 200 OK");
    }
    let text = format!("X-API-Key: {CLIENT_KEY}\r\nContent-Type: text/plain\r\n");
    let bare = format!("Authorization: {CLIENT_KEY}\r\n");
    for (path, headers, body, status) in [
        (ALL, &*bare, USER, "200 OK"),
        (ALL, &*by("unknown"), USER, "401 Unauthorized"),
        (ALL, "", USER, "401 Unauthorized"),
        (ALL, &*text, USER, "400 Bad Request"),
        (ALL, &*by(CLIENT_KEY), "", "400 Bad Request"),
        (ALL, &*by(CLIENT_KEY), "{", "400 Bad Request"),
        (
            ALL,
            &*by(CLIENT_KEY),
            r#"{"context":{}}"#,
            "400 Bad Request",
        ),
        (&*one, &*by(CLIENT_KEY), "[]", "400 Bad Request"),
        (
            &*format!("{ALL}/no%20flag"),
            &*by(CLIENT_KEY),
            USER,
            "404 Not Found",
        ),
        (&*format!("{ALL}/"), &*by(CLIENT_KEY), USER, "404 Not Found"),
        (&*format!("{ALL}s"), &*by(CLIENT_KEY), USER, "404 Not Found"),
    ] {
        let (head, _) = same(&edge, path, headers, body);
        assert_eq!(head[0], format!("HTTP/1.1 {status}"), "{path} {headers}");
    }
}

#[test]
fn requests_come_in_any_pieces_and_others_follow_on_the_same_connection() {
    let edge = Edge::start_with(config());
    let one = request(ALL, &by(CLIENT_KEY), USER);
    let expected = ask(&edge, &one);
    let mut client = Client::connect(edge.address);
    client.send_raw(one.repeat(3).as_bytes());
    for _ in 0..3 {
        assert_eq!(answer(&mut client), expected);
    }
    for at in [1, 40, one.len() - USER.len(), one.len() - 1] {
        let (first, rest) = one.split_at(at);
        // Together with a whole one, so that it is looked at when the rest is not there.
        client.send_raw(format!("{one}{first}").as_bytes());
        assert_eq!(answer(&mut client), expected);
        client.send_raw(rest.as_bytes());
        assert_eq!(answer(&mut client), expected);
    }
    let hello = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.send_raw(format!("{one}{hello}{one}").as_bytes());
    assert_eq!(answer(&mut client), expected);
    assert_eq!(answer(&mut client).1, "hello");
    assert_eq!(answer(&mut client), expected);
}

#[test]
fn what_does_not_come_is_waited_for_as_everywhere() {
    let edge = Edge::start_with(Config {
        http_idle_timeout: Duration::from_millis(150),
        body_timeout: Duration::from_millis(50),
        ..config()
    });
    let one = request(ALL, &by(CLIENT_KEY), USER);
    let mut silent = Client::connect(edge.address);
    silent.send_raw(one.as_bytes());
    answer(&mut silent);
    silent.ends();
    let mut slow = Client::connect(edge.address);
    slow.send_raw(&one.as_bytes()[..one.len() - 1]);
    assert_eq!(answer(&mut slow).0[0], "HTTP/1.1 408 Request Timeout");
    slow.ends();
}

#[test]
fn a_shutdown_ends_who_asks_nothing() {
    let edge = Edge::start_with(config());
    let mut client = Client::connect(edge.address);
    client.send_raw(request(ALL, &by(CLIENT_KEY), USER).as_bytes());
    answer(&mut client);
    edge.begin_shutdown();
    client.ends();
}
