//! Request heads and queries.

use burgee_edge::http::answer;
use burgee_edge::http::head::{BadUpgrade, Head, MAX_HEAD, Upgrade, parse};
use burgee_edge::http::query::parameter;

use crate::kit::client::upgrade;

const KEY: &[u8] = b"dGhlIHNhbXBsZSBub25jZQ==";

#[test]
fn an_upgrade_is_recognised_in_its_many_spellings() {
    let plain = upgrade("type=client&token=x");
    for request in [
        plain.clone(),
        plain.replace("Upgrade: websocket", "uPgRaDe:WebSocket"),
        plain.replace("Upgrade: websocket", "Upgrade: h2c, websocket"),
        plain.replace("Connection: Upgrade", "connection: keep-alive, upgrade"),
        plain.replace("/streaming?", "/Streaming/?"),
        plain.replace("\r\n", "\n"),
        plain.replace("Host", "Authorization: secret\r\nOrigin: http://x\r\nHost"),
    ] {
        let expected = Head::Streaming(Upgrade {
            len: request.len(),
            query: "type=client&token=x",
            key: Ok(KEY),
            deflate: None,
            agent: None,
        });
        let with_a_frame = format!("{request}\x01\x02");
        assert_eq!(parse(with_a_frame.as_bytes()), expected, "{request}");
    }
}

#[test]
fn everything_else_is_somebody_elses() {
    let plain = upgrade("type=client");
    let many = format!("Host: x\r\n{}", "X-A: b\r\n".repeat(70));
    for request in [
        "GET /health/liveness HTTP/1.1\r\n\r\n".to_owned(),
        plain.replace("websocket", "h2c"),
        plain.replace("websocket", "websockets"),
        plain.replace("Connection: Upgrade", "Connection: close"),
        plain.replace("Connection: Upgrade\r\n", ""),
        plain.replace("GET", "POST"),
        plain.replace("/streaming", "/streaming/x"),
        plain.replace("/streaming", "/"),
        plain.replace("Host: localhost\r\n", &many),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "no http\r\n\r\n".to_owned(),
    ] {
        assert_eq!(parse(request.as_bytes()), Head::Other, "{request}");
    }
}

#[test]
fn an_upgrade_that_cannot_be_made_says_why() {
    let plain = upgrade("type=client");
    let version = |with: &str| plain.replace("Sec-WebSocket-Version: 13\r\n", with);
    let why = |request: &str| match parse(request.as_bytes()) {
        Head::Streaming(upgrade) => upgrade.key.err(),
        other => panic!("{other:?}"),
    };
    assert_eq!(why(&version("")), Some(BadUpgrade::Version));
    assert_eq!(
        why(&version("Sec-WebSocket-Version: 8\r\n")),
        Some(BadUpgrade::Version)
    );
    assert_eq!(why(&plain.replace("-Key", "-Ke")), Some(BadUpgrade::Key));
    assert_eq!(why(&plain.replace("bm9uY2U", "")), None);
    assert_eq!(why(&plain.replace("nonce", "")), None);
    assert_eq!(
        why(&plain.replace("dGhlIHNhbXBsZSBub25jZQ==", "dGhl")),
        Some(BadUpgrade::Key)
    );
}

#[test]
fn a_head_is_waited_for_but_not_without_end() {
    let plain = upgrade("type=client");
    for cut in 0..plain.len() {
        assert_eq!(parse(&plain.as_bytes()[..cut]), Head::Partial);
    }
    for line in ["x", "\r\n", "\n"] {
        let endless = line.repeat(MAX_HEAD + 1);
        let (head, long) = endless.as_bytes().split_at(MAX_HEAD);
        assert_eq!(parse(head), Head::Partial, "{line:?}");
        assert_eq!(
            parse(&[head, &long[..1]].concat()),
            Head::TooLong,
            "{line:?}"
        );
    }
    // Lines that are empty may come before a head.
    let late = format!("\r\n\n\r\n{plain}");
    assert_eq!(parse(&late.as_bytes()[..late.len() - 1]), Head::Partial);
    assert!(matches!(parse(late.as_bytes()), Head::Streaming(it) if it.len == late.len()));
    let long = plain.replace("localhost", &"x".repeat(MAX_HEAD));
    assert_eq!(parse(long.as_bytes()), Head::TooLong);
}

#[test]
fn the_answer_is_the_rfcs() {
    // RFC 6455 §1.3's own example.
    let mut out = Vec::new();
    answer::switching_protocols(KEY, None, &mut out);
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"));
}

#[test]
fn parameters_are_decoded_but_a_plus_stays_a_plus() {
    for (query, value) in [
        ("token=a+b", Some("a+b")),
        ("token=a%2Bb%2f%20", Some("a+b/ ")),
        ("x=1&TOKEN=2&token=3", Some("2")),
        ("token=a=b", Some("a=b")),
        ("token", Some("")),
        ("token=100%", Some("100%")),
        ("token=%zz%2", Some("%zz%2")),
        ("tokens=1", None),
        ("", None),
    ] {
        let found = parameter(query, "token");
        let found = found.as_deref().map(|value| str::from_utf8(value).unwrap());
        assert_eq!(found, value, "{query}");
    }
}
