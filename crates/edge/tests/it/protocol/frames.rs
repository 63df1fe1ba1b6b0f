//! RFC 6455: the cases of Autobahn's list that apply to a server without extensions, as a table,
//! and a comparison with another implementation.

use std::io::{self, Read, Write};

use burgee_edge::frame::deflate::Coding;
use burgee_edge::frame::read::{Event, Reader};
use burgee_edge::frame::{MAX_MESSAGE, write};
use proptest::prelude::*;
use tungstenite::protocol::{Role, WebSocket, WebSocketConfig};

use crate::kit::client::frame;

/// What a reader made of some bytes: events until a violation's code.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outcome {
    pub(super) events: Vec<String>,
    pub(super) violation: Option<u16>,
}

/// Feeds pieces to a reader until there is a close frame or a violation.
pub(super) fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, coding: Coding) -> Outcome {
    let mut reader = Reader::default();
    let mut outcome = Outcome::default();
    for piece in pieces {
        let mut input = piece.to_vec();
        let mut used = 0;
        while used < input.len() {
            match reader.next(&mut input[used..], coding) {
                Ok((len, event)) => {
                    used += len;
                    let Some(event) = event else {
                        assert_eq!(used, piece.len(), "without an event all is used");
                        break;
                    };
                    outcome.events.push(describe(&event));
                    if let Event::Close(_) = event {
                        return outcome;
                    }
                }
                Err(violation) => {
                    outcome.violation = Some(violation.code());
                    return outcome;
                }
            }
        }
    }
    outcome
}

fn describe(event: &Event<'_>) -> String {
    match event {
        Event::Text(text) => format!("text {text}"),
        Event::Ping(payload) => format!("ping {payload:?}"),
        Event::Pong => "pong".to_owned(),
        Event::Close(code) => format!("close {code:?}"),
    }
}

/// Asserts what some frames mean, however they are cut.
fn check(name: &str, frames: &[Vec<u8>], events: &[&str], violation: Option<u16>) {
    let bytes = frames.concat();
    let expected = Outcome {
        events: events.iter().map(|event| (*event).to_owned()).collect(),
        violation,
    };
    assert_eq!(read([&bytes[..]], Coding::Clear), expected, "{name}");
    assert_eq!(
        read(bytes.chunks(1), Coding::Clear),
        expected,
        "{name}, byte by byte"
    );
    for size in [2, 3, 7, 64] {
        assert_eq!(
            read(bytes.chunks(size), Coding::Clear),
            expected,
            "{name}, in pieces of {size}"
        );
    }
}

fn close(payload: &[u8]) -> Vec<u8> {
    frame(0x88, payload)
}

#[test]
fn texts_of_all_lengths() {
    for len in [0, 1, 125, 126, 127, 128, 65_535, 65_536, MAX_MESSAGE] {
        let text = "*".repeat(len);
        check(
            "1.1",
            &[frame(0x81, text.as_bytes())],
            &[&format!("text {text}")],
            None,
        );
    }
    check(
        "1.1 too long",
        &[frame(0x81, &vec![b'*'; MAX_MESSAGE + 1])],
        &[],
        Some(1009),
    );
}

#[test]
fn binary_is_not_spoken() {
    check("1.2", &[frame(0x82, b"\x00\xFF")], &[], Some(1003));
    check(
        "1.2 in two",
        &[frame(0x02, b"\x00"), frame(0x80, b"\x01")],
        &[],
        Some(1003),
    );
}

#[test]
fn pings_and_pongs() {
    check("2.1", &[frame(0x89, b"")], &["ping []"], None);
    check("2.3", &[frame(0x89, &[0, 0xFF])], &["ping [0, 255]"], None);
    let longest = [7; 125];
    check(
        "2.4",
        &[frame(0x89, &longest)],
        &[&format!("ping {longest:?}")],
        None,
    );
    check("2.5", &[frame(0x89, &[0; 126])], &[], Some(1002));
    check(
        "2.7 unsolicited",
        &[frame(0x8A, b""), frame(0x8A, b"x")],
        &["pong", "pong"],
        None,
    );
    let pings = vec![frame(0x89, b"a"); 10];
    check("2.10", &pings, &["ping [97]"; 10], None);
}

#[test]
fn reserved_bits_and_opcodes() {
    for rsv in [0x10, 0x20, 0x40, 0x30, 0x70] {
        check(
            "3",
            &[frame(0x81, b"ok"), frame(0x81 | rsv, b"x")],
            &["text ok"],
            Some(1002),
        );
        check("3 ping", &[frame(0x89 | rsv, b"")], &[], Some(1002));
        check("3 close", &[frame(0x88 | rsv, b"")], &[], Some(1002));
    }
    for opcode in [0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF] {
        check("4", &[frame(0x80 | opcode, b"x")], &[], Some(1002));
    }
}

#[test]
fn fragmentation() {
    let ping = || frame(0x89, b"p");
    check(
        "5.1",
        &[frame(0x09, b"a"), frame(0x80, b"b")],
        &[],
        Some(1002),
    );
    check(
        "5.2",
        &[frame(0x0A, b"a"), frame(0x80, b"b")],
        &[],
        Some(1002),
    );
    check(
        "5.3",
        &[frame(0x01, b"a"), frame(0x80, b"b")],
        &["text ab"],
        None,
    );
    check(
        "5.6",
        &[frame(0x01, b"a"), ping(), frame(0x80, b"b")],
        &["ping [112]", "text ab"],
        None,
    );
    check(
        "5.9",
        &[frame(0x80, b"x"), frame(0x81, b"y")],
        &[],
        Some(1002),
    );
    check(
        "5.12",
        &[frame(0x00, b"x"), frame(0x81, b"y")],
        &[],
        Some(1002),
    );
    check(
        "5.15",
        &[frame(0x01, b"a"), frame(0x80, b"b"), frame(0x00, b"c")],
        &["text ab"],
        Some(1002),
    );
    check(
        "5.18",
        &[frame(0x01, b"a"), frame(0x81, b"b")],
        &[],
        Some(1002),
    );
    check(
        "5.19",
        &[
            frame(0x01, b"1"),
            frame(0x00, b"2"),
            ping(),
            frame(0x00, b"3"),
            frame(0x00, b""),
            ping(),
            frame(0x80, b"4"),
        ],
        &["ping [112]", "ping [112]", "text 1234"],
        None,
    );
    check(
        "6.1",
        &[frame(0x01, b""), frame(0x00, b""), frame(0x80, b"")],
        &["text "],
        None,
    );
    let half = vec![b'*'; MAX_MESSAGE / 2 + 1];
    check(
        "too long together",
        &[frame(0x01, &half), frame(0x80, &half)],
        &[],
        Some(1009),
    );
}

#[test]
fn utf8() {
    let text = "Hello-µ@ßöäüàá-UTF-8!! κόσμε 𐀀 \u{10FFFF} \u{FFFE}";
    let expected = format!("text {text}");
    check("6.2", &[frame(0x81, text.as_bytes())], &[&expected], None);
    let fragments: Vec<_> = text.bytes().map(|byte| frame(0x00, &[byte])).collect();
    let cut = [vec![frame(0x01, b"")], fragments, vec![frame(0x80, b"")]].concat();
    check("6.2 within characters", &cut, &[&expected], None);
    let invalid: [&[u8]; 14] = [
        b"\xCE\xBA\xE1\xBD\xB9\xCF\x83\xCE\xBC\xCE\xB5\xED\xA0\x80edited",
        b"\xF8\x88\x80\x80\x80",
        b"\xFC\x84\x80\x80\x80\x80",
        b"\xF7\xBF\xBF\xBF",
        b"\xF4\x90\x80\x80",
        b"\x80",
        b"\xBF",
        b"\xC0\x80",
        b"\xC1\xBF",
        b"\xE0\x80\x80",
        b"\xED\xBF\xBF",
        b"\xCE",
        b"\xF0\x90\x80",
        b"\xFE\xFF",
    ];
    for bytes in invalid {
        check("6.3", &[frame(0x81, bytes)], &[], Some(1007));
        let (first, rest) = bytes.split_at(1);
        check(
            "6.4",
            &[frame(0x01, first), frame(0x80, rest)],
            &[],
            Some(1007),
        );
    }
}

#[test]
fn closing() {
    check("7.1", &[close(b"")], &["close None"], None);
    check(
        "7.1 and on",
        &[close(b""), frame(0x81, b"x")],
        &["close None"],
        None,
    );
    check(
        "7.1 within",
        &[frame(0x01, b"a"), close(b"")],
        &["close None"],
        None,
    );
    check("7.3.2", &[close(b"\x03")], &[], Some(1002));
    let longest = [&1000_u16.to_be_bytes()[..], &[b'*'; 123]].concat();
    check("7.3.5", &[close(&longest)], &["close Some(1000)"], None);
    check(
        "7.3.6",
        &[close(&[longest, vec![b'*']].concat())],
        &[],
        Some(1002),
    );
    check(
        "7.5.1",
        &[close(b"\x03\xE8\xCE\xBA\xE1\xBD\xB9\xED\xA0\x80")],
        &[],
        Some(1007),
    );
    for code in [
        1000_u16, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999,
    ] {
        let close = close(&code.to_be_bytes());
        check("7.7", &[close], &[&format!("close Some({code})")], None);
    }
    for code in [
        0_u16, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535,
    ] {
        check("7.9", &[close(&code.to_be_bytes())], &[], Some(1002));
    }
}

#[test]
fn a_frame_without_a_mask_is_refused() {
    check("5.1 of the RFC", &[vec![0x81, 0x01, b'x']], &[], Some(1002));
}

#[test]
fn a_length_beyond_everything_is_refused_at_the_header() {
    for len in [MAX_MESSAGE as u64 + 1, 10 << 20, 1 << 63, u64::MAX] {
        let header = [&[0x81, 0xFF][..], &len.to_be_bytes()].concat();
        check("length", &[header], &[], Some(1009));
    }
}

#[test]
fn nothing_is_kept_between_messages() {
    let mut reader = Reader::default();
    let mut input = [frame(0x01, b"a"), frame(0x89, b"p"), frame(0x80, b"b")].concat();
    let mut used = 0;
    while used < input.len() {
        let (len, event) = reader.next(&mut input[used..], Coding::Clear).unwrap();
        used += len;
        let ends = event.is_some_and(|event| matches!(event, Event::Text(_)));
        assert_eq!(reader.heap_size() == 0, ends);
    }
}

#[test]
fn frames_of_all_lengths_are_written_as_the_rfc_says() {
    for len in [0, 1, 125, 126, 65_535, 65_536, 70_000] {
        let payload = vec![b'x'; len];
        let mut plain = Vec::new();
        write::text(&payload, &mut plain);
        for about in [0, 125, 1_000, len, 100_000] {
            let mut behind_others = vec![1, 2, 3];
            assert!(write::text_with(&mut behind_others, about, |out| {
                out.extend_from_slice(&payload);
                true
            }));
            assert_eq!(behind_others[3..], plain);
        }
        let message = theirs(plain, Role::Client).remove(0).unwrap();
        assert_eq!(message, tungstenite::Message::text("x".repeat(len)));
    }
    let mut out = vec![1, 2, 3];
    assert!(!write::text_with(&mut out, 1_000, |_| false));
    assert_eq!(out, [1, 2, 3]);
}

#[test]
fn a_reason_that_does_not_fit_is_cut_between_characters() {
    let mut out = Vec::new();
    write::close(4003, &"é".repeat(100), &mut out);
    assert_eq!(out.len(), 2 + 2 + 122);
    assert!(matches!(
        theirs(out, Role::Client).remove(0),
        Ok(tungstenite::Message::Close(Some(close))) if u16::from(close.code) == 4003
    ));
}

/// A socket that has some bytes to read and then ends.
struct Recorded(io::Cursor<Vec<u8>>);

impl Read for Recorded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Recorded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What tungstenite makes of some bytes.
fn theirs(bytes: Vec<u8>, role: Role) -> Vec<tungstenite::Result<tungstenite::Message>> {
    let config = WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE));
    let socket = Recorded(io::Cursor::new(bytes));
    let mut socket = WebSocket::from_raw_socket(socket, role, Some(config));
    let mut results = Vec::new();
    while results.last().is_none_or(tungstenite::Result::is_ok) {
        results.push(socket.read());
    }
    results
}

/// The same in our words.
fn their_outcome(bytes: Vec<u8>) -> Outcome {
    use tungstenite::error::CapacityError;
    use tungstenite::{Error, Message};
    let mut outcome = Outcome::default();
    for result in theirs(bytes, Role::Server) {
        outcome.violation = match result {
            Ok(Message::Close(close)) => {
                let code = close.map(|close| u16::from(close.code));
                // It calls a code that may not be sent a close with 1002.
                if code == Some(1002) {
                    outcome.violation = code;
                } else {
                    outcome.events.push(format!("close {code:?}"));
                }
                return outcome;
            }
            Ok(message) => {
                outcome.events.push(match message {
                    Message::Text(text) => format!("text {text}"),
                    Message::Ping(payload) => format!("ping {:?}", &payload[..]),
                    Message::Pong(_) => "pong".to_owned(),
                    other => format!("{other:?}"),
                });
                None
            }
            Err(Error::Protocol(
                tungstenite::error::ProtocolError::ResetWithoutClosingHandshake,
            )) => None,
            Err(Error::Protocol(_)) => Some(1002),
            Err(Error::Utf8(_)) => Some(1007),
            Err(Error::Capacity(CapacityError::MessageTooLong { .. })) => Some(1009),
            Err(_) => None,
        };
    }
    outcome
}

/// A frame, most often sound.
fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let first = prop_oneof![
        8 => prop::sample::select(vec![0x81, 0x01, 0x00, 0x80, 0x89, 0x8A]),
        1 => prop::sample::select(vec![0x88, 0x08, 0x09, 0xC1, 0x83, 0x8B]),
    ];
    let payload = prop_oneof![
        6 => "[a-zµ€𐀀]{0,9}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..6),
        1 => (120_usize..300).prop_map(|len| vec![b'x'; len]),
        1 => (900_u16..5100).prop_map(|code| code.to_be_bytes().to_vec()),
    ];
    (first, payload).prop_map(|(first, payload)| frame(first, &payload))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn we_read_what_tungstenite_reads(frames in prop::collection::vec(any_frame(), 1..12)) {
        let bytes = frames.concat();
        let ours = read([&bytes[..]], Coding::Clear);
        let theirs = their_outcome(bytes);
        if theirs.violation == Some(1007) && ours != theirs {
            // It looks into fragments; we look when the message is whole.
            prop_assert!(ours.events.starts_with(&theirs.events));
            let more = &ours.events[theirs.events.len()..];
            prop_assert!(!more.iter().any(|event| event.starts_with("text")));
        } else {
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn cuts_make_no_difference(
        frames in prop::collection::vec(any_frame(), 1..8),
        sizes in prop::collection::vec(1_usize..40, 1..20),
    ) {
        let bytes = frames.concat();
        let mut pieces = Vec::new();
        let mut rest = &bytes[..];
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        prop_assert_eq!(read(pieces, Coding::Clear), read([&bytes[..]], Coding::Clear));
    }

    #[test]
    fn arbitrary_bytes_do_no_harm(bytes: Vec<u8>) {
        let codes = [None, Some(1002), Some(1003), Some(1007), Some(1009)];
        let outcome = read([&bytes[..]], Coding::Clear);
        prop_assert!(codes.contains(&outcome.violation));
    }
}
