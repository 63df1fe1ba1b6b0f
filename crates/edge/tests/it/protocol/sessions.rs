//! Whole sessions: a head, frames, messages.

use burgee_edge::session::{Action, Flow, Session};
use burgee_edge::source::KeyKind;
use proptest::prelude::*;

use crate::kit::client::{frame, token, upgrade};
use crate::kit::deflate::deflated;
use crate::kit::{CLIENT_KEY, SERVER_KEY};

const NOW: i64 = 1_795_289_347_131;

/// What a session wanted, in words.
fn describe(action: &Action<'_>) -> String {
    match action {
        Action::Send(bytes) => format!("send {}", String::from_utf8_lossy(bytes)),
        Action::Admit(secret, kind) => format!("admit {} {kind:?}", secret.as_str()),
        Action::SyncClient(user, timestamp) => format!("sync {user:?} {timestamp}"),
        other => format!("{other:?}"),
    }
}

/// A driver that finds every key good and keeps what a session does not use.
struct Driver {
    session: Session,
    unused: Vec<u8>,
    actions: Vec<String>,
    over: bool,
    /// Whether keys have to be asked for.
    asks: bool,
}

impl Driver {
    fn new(asks: bool) -> Self {
        Self {
            session: Session::default(),
            unused: Vec::new(),
            actions: Vec::new(),
            over: false,
            asks,
        }
    }

    fn give(&mut self, bytes: &[u8]) {
        if self.over {
            return;
        }
        self.unused.extend_from_slice(bytes);
        let mut asked = false;
        let used = self.session.receive(&mut self.unused, NOW, &mut |action| {
            self.actions.push(describe(&action));
            asked |= self.asks && matches!(action, Action::Admit(..));
            self.over = matches!(
                action,
                Action::Close(_) | Action::Closed(_) | Action::Refuse(_) | Action::HandOver
            );
            match self.over || asked {
                true => Flow::Stop,
                false => Flow::Go,
            }
        });
        self.unused.drain(..used);
        if asked {
            self.session.admit();
            self.give(b"");
        }
    }
}

fn actions<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, asks: bool) -> Vec<String> {
    let mut driver = Driver::new(asks);
    for piece in pieces {
        driver.give(piece);
    }
    driver.actions
}

fn text(text: &str) -> Vec<u8> {
    frame(0x81, text.as_bytes())
}

/// A whole session of a client SDK.
fn client_session() -> Vec<u8> {
    let head = upgrade(&format!("type=client&token={}", token(CLIENT_KEY, NOW)));
    [
        head.into_bytes(),
        text(r#"{"messageType":"data-sync","data":{"timestamp":5,"user":{"keyId":"bob"}}}"#),
        text(r#"{"messageType":"ping","data":null}"#),
        frame(0x89, b"ping"),
        frame(0x01, br#"{"messageType":"echo","#),
        frame(0x80, br#""data":{"a":1}}"#),
        frame(0x88, &1000_u16.to_be_bytes()),
    ]
    .concat()
}

#[test]
fn a_session_of_a_client_from_beginning_to_end() {
    let bytes = client_session();
    let actions = actions([&bytes[..]], false);
    assert!(actions[0].starts_with("send HTTP/1.1 101 "));
    assert_eq!(actions[1], format!("admit {CLIENT_KEY} Client"));
    assert!(actions[2].starts_with("sync User { key: \"bob\""));
    assert!(actions[3].ends_with(r#"{"messageType":"pong","data":{}}"#));
    assert!(actions[4].ends_with("ping"));
    assert!(actions[5].ends_with(r#"{"messageType":"echo","data":{"a":1}}"#));
    assert_eq!(actions[6], "Closed(Some(1000))");
    assert_eq!(actions.len(), 7);
}

/// The head of a client that offers `permessage-deflate`.
fn offering(query: &str) -> Vec<u8> {
    let offer = "Sec-WebSocket-Extensions: permessage-deflate\r\nHost:";
    upgrade(query).replace("Host:", offer).into_bytes()
}

#[test]
fn deflated_messages_are_read_once_that_was_agreed() {
    let query = format!("type=client&token={}", token(CLIENT_KEY, NOW));
    let ping = frame(0xC1, &deflated(br#"{"messageType":"ping"}"#));
    let agreed = actions([&[offering(&query), ping.clone()].concat()[..]], false);
    assert!(agreed[0].contains("\r\nSec-WebSocket-Extensions: permessage-deflate; "));
    assert_eq!(agreed[1], "Deflate");
    assert!(agreed[2].starts_with("admit "));
    assert!(agreed[3].ends_with(r#"{"messageType":"pong","data":{}}"#));
    let not_offered = actions([&[upgrade(&query).into_bytes(), ping].concat()[..]], false);
    assert!(not_offered[1].starts_with("admit "));
    assert_eq!(
        not_offered[2..],
        ["Close(Close { code: 1002, reason: \"\" })"]
    );
}

#[test]
fn of_what_is_inflated_only_so_much_is_handled_at_once() {
    let query = format!("type=client&token={}", token(CLIENT_KEY, NOW));
    let ping = format!("{}{{\"messageType\":\"ping\"}}", " ".repeat(100_000));
    let pings = frame(0xC1, &deflated(ping.as_bytes())).repeat(20);
    let mut session = Session::default();
    let mut unused = [offering(&query), pings].concat();
    let mut pongs = 0;
    let mut calls = 0;
    while !unused.is_empty() {
        let before = pongs;
        let used = session.receive(&mut unused, NOW, &mut |action| {
            pongs += usize::from(describe(&action).ends_with(r#""pong","data":{}}"#));
            Flow::Go
        });
        assert!(used > 0 && pongs - before <= 3);
        unused.drain(..used);
        calls += 1;
    }
    assert_eq!((pongs, calls), (20, 7));
}

#[test]
fn a_server_syncs_without_a_user() {
    let head = upgrade(&format!(
        "type=server&version=2&token={}",
        token(SERVER_KEY, NOW)
    ));
    let sync = r#"{"data":{"timestamp":17},"messageType":"data-sync"}"#;
    let bytes = [head.into_bytes(), text(sync)].concat();
    let actions = actions([&bytes[..]], false);
    assert_eq!(
        actions[1..],
        [
            format!("admit {SERVER_KEY} Server"),
            "SyncServer(17)".to_owned()
        ]
    );
}

#[test]
fn a_token_survives_what_is_done_to_it_on_the_way() {
    let secret = "JbHZ+YIsSkmJB/dG_YGsLwTVDDU4LkC5RYRBhVWlqSoA";
    let plain = token(secret, NOW);
    for token in [
        plain.clone(),
        plain.replace('+', "%2B").replace('/', "%2F"),
        plain.replace('+', "%20"),
    ] {
        let head = upgrade(&format!("type=client&token={token}"));
        let actions = actions([head.as_bytes()], false);
        assert_eq!(actions[1], format!("admit {secret} Client"));
    }
}

#[test]
fn a_session_can_stop_at_any_action_and_go_on_later() {
    let bytes = client_session();
    let expected = actions([&bytes[..]], false);
    let mut session = Session::default();
    let mut unused = bytes;
    let mut seen = Vec::new();
    while seen.len() < expected.len() {
        let mut asked = false;
        let used = session.receive(&mut unused, NOW, &mut |action| {
            seen.push(describe(&action));
            asked = matches!(action, Action::Admit(..));
            // The head's answer and its key are one step.
            match action {
                Action::Send(bytes) if bytes.starts_with(b"HTTP") => Flow::Go,
                _ => Flow::Stop,
            }
        });
        unused.drain(..used);
        if asked {
            session.admit();
        }
    }
    assert_eq!(seen, expected);
    assert_eq!(unused, b"");
}

#[test]
fn ordinary_http_is_handed_over_untouched() {
    let mut session = Session::default();
    let mut request = b"POST /x HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi".to_vec();
    let before = request.clone();
    let mut seen = Vec::new();
    let used = session.receive(&mut request, NOW, &mut |action| {
        seen.push(describe(&action));
        Flow::Stop
    });
    assert_eq!(
        (used, request, seen),
        (0, before, vec!["HandOver".to_owned()])
    );
}

#[test]
fn what_is_passed_over_is_said() {
    let head = upgrade(&format!("type=client&token={}", token(CLIENT_KEY, NOW)));
    let sync = |user: &str| {
        text(&format!(
            r#"{{"messageType":"data-sync","data":{{"timestamp":0,"user":{user}}}}}"#
        ))
    };
    let long = "n".repeat(257);
    let bytes = [
        head.into_bytes(),
        text("not json"),
        text(r#"{"messageType":"news","data":{}}"#),
        sync(r#"{"keyId":" "}"#),
        sync(&format!(
            r#"{{"keyId":"u","name":"{long}","customizedProperties":[null,1]}}"#
        )),
    ]
    .concat();
    let actions = actions([&bytes[..]], false);
    let expected = [
        "PassedOver(Message, 1)",
        "PassedOver(MessageType, 1)",
        "PassedOver(UserKey, 1)",
        "PassedOver(UserName, 1)",
        "PassedOver(Property, 2)",
        r#"sync User { key: "u", name: "", properties: [], kinds: [] } 0"#,
    ];
    assert_eq!(actions[2..], expected);
}

/// Something that may come after the head, most often sound.
fn any_piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(text(r#"{"messageType":"ping","data":{}}"#)),
        Just(text(
            r#"{"messageType":"data-sync","data":{"timestamp":1,"user":{"keyId":"é"}}}"#
        )),
        Just(text("not json")),
        Just(frame(0x89, b"p")),
        Just(frame(0x01, b"{\"messageType\":")),
        Just(frame(0x80, b"\"ping\"}")),
        Just(frame(0x88, b"")),
        Just(frame(0xC1, &deflated(br#"{"messageType":"ping"}"#))),
        Just(frame(0x41, b"\xf2\x48")),
        Just(frame(0xC1, b"\x07")),
        prop::collection::vec(any::<u8>(), 0..20),
    ]
}

/// The first bytes of a connection, most often sound.
fn any_start() -> impl Strategy<Value = Vec<u8>> {
    let query = format!("type=client&token={}", token(CLIENT_KEY, NOW));
    let client = upgrade(&query);
    let expired = upgrade(&format!("type=client&token={}", token(CLIENT_KEY, 0)));
    prop_oneof![
        6 => Just(client.into_bytes()),
        6 => Just(offering(&query)),
        1 => Just(expired.into_bytes()),
        1 => Just(b"GET / HTTP/1.1\r\n\r\n".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..50),
    ]
}

proptest! {
    #[test]
    fn cuts_make_no_difference(
        start in any_start(),
        pieces in prop::collection::vec(any_piece(), 0..8),
        size in 1_usize..60,
        asks: bool,
    ) {
        let bytes = [start, pieces.concat()].concat();
        let whole = actions([&bytes[..]], asks);
        prop_assert_eq!(actions(bytes.chunks(size), !asks), whole);
    }

    #[test]
    fn arbitrary_bytes_do_no_harm(bytes: Vec<u8>) {
        actions([&bytes[..]], false);
    }
}

#[test]
fn the_kind_in_the_url_is_the_kind_that_is_asked_for() {
    for (kind, expected) in [("client", KeyKind::Client), ("server", KeyKind::Server)] {
        let head = upgrade(&format!("type={kind}&token={}", token(CLIENT_KEY, NOW)));
        let actions = actions([head.as_bytes()], false);
        assert_eq!(actions[1], format!("admit {CLIENT_KEY} {expected:?}"));
    }
}
