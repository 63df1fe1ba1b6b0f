//! What is agreed to of what clients offer.

use burgee_edge::http::answer;
use burgee_edge::http::extensions::agree;
use burgee_edge::http::head::{Head, parse};

use crate::kit::client::upgrade;

const AGREED: &str = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
const WITH_WINDOW: &str = "permessage-deflate; server_no_context_takeover; \
     client_no_context_takeover; server_max_window_bits=15";

fn agreed(value: &str) -> Option<&'static str> {
    agree([value.as_bytes()].into_iter())
}

#[test]
fn what_clients_offer_is_agreed_to() {
    for offer in [
        // Chromium, Firefox and Node's `ws`; OkHttp; Java-WebSocket; Python's `websockets`.
        "permessage-deflate; client_max_window_bits",
        "permessage-deflate",
        "permessage-deflate; client_no_context_takeover; server_no_context_takeover",
        "permessage-deflate; client_max_window_bits=12",
        // Other spellings.
        "Permessage-Deflate;Client_No_Context_Takeover",
        " permessage-deflate\t;  client_max_window_bits = \"10\" ",
        "permessage-deflate; client_max_window_bits=8",
        ", permessage-deflate,",
        // The first that can be met.
        "x-webkit-deflate-frame, permessage-deflate; client_max_window_bits",
        "x; a=\"b\"; c, permessage-deflate",
        "permessage-deflate; server_max_window_bits=10, permessage-deflate",
        "permessage-deflate; of_the_future, permessage-deflate",
    ] {
        assert_eq!(agreed(offer), Some(AGREED), "{offer}");
    }
}

#[test]
fn a_window_that_is_named_is_answered() {
    for offer in [
        "permessage-deflate; server_max_window_bits=15",
        "permessage-deflate; server_max_window_bits=\"15\"; client_max_window_bits=15",
        "permessage-deflate; server_max_window_bits=9, \
         permessage-deflate; server_max_window_bits=15, permessage-deflate",
    ] {
        assert_eq!(agreed(offer), Some(WITH_WINDOW), "{offer}");
    }
}

#[test]
fn what_cannot_be_met_or_is_not_sound_is_declined() {
    for offer in [
        "",
        ",",
        "x-webkit-deflate-frame",
        "permessage-bzip2",
        // Autobahn 13.3 and 13.5: what is shared has the largest window.
        "permessage-deflate; server_max_window_bits=9",
        "permessage-deflate; server_no_context_takeover; server_max_window_bits=14",
        // Unknown, twice, values that may not be.
        "permessage-deflate; window=15",
        "permessage-deflate; client_max_window_bits; client_max_window_bits",
        "permessage-deflate; server_no_context_takeover; SERVER_no_context_takeover",
        "permessage-deflate; server_no_context_takeover=1",
        "permessage-deflate; client_no_context_takeover=true",
        "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=7",
        "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_max_window_bits=015",
        "permessage-deflate; server_max_window_bits=+15",
        "permessage-deflate; client_max_window_bits=7",
        "permessage-deflate; client_max_window_bits=08",
        "permessage-deflate; client_max_window_bits=256",
        "permessage-deflate; client_max_window_bits=x",
        // Against the grammar, and with it all that the header says.
        "permessage-deflate;",
        "permessage-deflate; ;",
        "permessage-deflate; =",
        "permessage-deflate; client_max_window_bits=",
        "permessage-deflate; client_max_window_bits=\"",
        "permessage-deflate; client_max_window_bits=\"\"",
        "permessage-deflate; client_max_window_bits=\"1\\5\"",
        "permessage-deflate permessage-deflate",
        "permessage-deflate, ?",
        "permessage-deflate, x=1",
        "permessage-deflate; client_max_window_bits=1 5",
    ] {
        assert_eq!(agreed(offer), None, "{offer}");
    }
    assert_eq!(agree([&b"permessage-deflate; \xFF"[..]].into_iter()), None);
}

#[test]
fn several_headers_are_one_list() {
    let offers = [
        "x; y=",
        "permessage-deflate; server_max_window_bits=8",
        "permessage-deflate",
    ];
    assert_eq!(agree(offers.iter().map(|it| it.as_bytes())), Some(AGREED));
    let head = upgrade("type=client").replace(
        "Host:",
        "SEC-websocket-EXTENSIONS: x\r\nSec-WebSocket-Extensions: permessage-deflate\r\nHost:",
    );
    let Head::Streaming(upgrade) = parse(head.as_bytes()) else {
        panic!("{head}");
    };
    assert_eq!(upgrade.deflate, Some(AGREED));
}

#[test]
fn the_answer_says_what_was_agreed_and_nothing_where_nothing_was() {
    let text = |extension| {
        let mut out = Vec::new();
        answer::switching_protocols(b"dGhlIHNhbXBsZSBub25jZQ==", extension, &mut out);
        String::from_utf8(out).unwrap()
    };
    let with = text(Some(AGREED));
    let line = format!("\r\nSec-WebSocket-Extensions: {AGREED}\r\n\r\n");
    assert!(with.ends_with(&line), "{with}");
    assert_eq!(with.replace(&line, "\r\n\r\n"), text(None));
    assert!(!text(None).contains("Extensions"));
}
