//! Frames cut anywhere.

use flate2::{Compress, Compression, FlushCompress};

use super::{Heard, Reader};
use crate::load::shape::{Kind, Searches, Shape};

fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        short @ 0..126 => bytes.push(short as u8),
        long => {
            bytes.push(126);
            bytes.extend((long as u16).to_be_bytes());
        }
    }
    bytes.extend(payload);
    bytes
}

/// A client's answer with two flags, one of whose values looks like more.
fn answer() -> String {
    let value = r#"{\"timestamp\":9999,\"variationType\":\"x\"}"#;
    let flag = |key: &str, stamp: i64| {
        format!(
            r#"{{"id":"{key}","variation":"{value}","variationType":"json","variationOptions":[{{"id":"1","value":"{value}"}}],"timestamp":{stamp}}}"#
        )
    };
    format!(
        r#"{{"messageType":"data-sync","data":{{"eventType":"full","userKeyId":"u","featureFlags":[{},{}]}}}}"#,
        flag("a", 1_790_000_000_123),
        flag("b", 1_780_000_000_000)
    )
}

fn heard(pieces: &[&[u8]]) -> Vec<Heard> {
    let (searches, mut reader, mut heard) = (Searches::new(), Reader::default(), Vec::new());
    for piece in pieces {
        reader.feed(&searches, piece, &mut heard);
    }
    assert!(reader.is_between_messages());
    heard
}

#[test]
fn messages_are_the_same_wherever_they_are_cut() {
    let (answer, pong) = (answer(), br#"{"messageType":"pong","data":{}}"#);
    let mut bytes = frame(0x81, answer.as_bytes());
    bytes.extend(frame(0x89, b"hello"));
    bytes.extend(frame(0x81, pong));
    bytes.extend(frame(0x88, &[0x03, 0xF3]));
    let expected = vec![
        Heard::Message(Shape {
            kind: Kind::Full,
            flags: 2,
            newest: 1_790_000_000_123,
            bytes: answer.len() as u64,
        }),
        Heard::Ping(b"hello".to_vec()),
        Heard::Message(Shape {
            kind: Kind::Pong,
            flags: 0,
            newest: 0,
            bytes: pong.len() as u64,
        }),
        Heard::Close(1011),
    ];
    assert_eq!(heard(&[&bytes]), expected);
    for cut in 1..bytes.len() {
        let (front, back) = bytes.split_at(cut);
        assert_eq!(heard(&[front, back]), expected, "cut at {cut}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(heard(&single), expected);
}

#[test]
fn deflated_messages_are_the_same_wherever_they_are_cut() {
    let answer = answer();
    let deflated = |text: &str| {
        let mut payload = Vec::with_capacity(text.len() + 64);
        let mut deflater = Compress::new(Compression::default(), false);
        let flushed = deflater.compress_vec(text.as_bytes(), &mut payload, FlushCompress::Sync);
        flushed.unwrap();
        payload.truncate(payload.len() - 4);
        payload
    };
    // More than is inflated at once.
    let long = answer.replace(
        "\"userKeyId\":\"u\"",
        &format!("\"u\":\"{}\"", "x".repeat(200_000)),
    );
    let bytes = [
        frame(0xC1, &deflated(&answer)),
        frame(0x81, answer.as_bytes()),
        frame(0xC1, &deflated(&long)),
    ]
    .concat();
    let heard = |pieces: &[&[u8]]| {
        let (searches, mut reader, mut heard) = (Searches::new(), Reader::new(true), Vec::new());
        for piece in pieces {
            reader.feed(&searches, piece, &mut heard);
        }
        assert!(reader.is_between_messages());
        heard
    };
    let message = |text: &str| {
        Heard::Message(Shape {
            kind: Kind::Full,
            flags: 2,
            newest: 1_790_000_000_123,
            bytes: text.len() as u64,
        })
    };
    let expected = vec![message(&answer), message(&answer), message(&long)];
    assert_eq!(heard(&[&bytes]), expected);
    for cut in 1..bytes.len() {
        let (front, back) = bytes.split_at(cut);
        assert_eq!(heard(&[front, back]), expected, "cut at {cut}");
    }
    let mut bad = Vec::new();
    Reader::new(true).feed(&Searches::new(), &frame(0xC1, b"\x07"), &mut bad);
    assert!(matches!(bad[..], [Heard::Bad(_)]), "{bad:?}");
}

#[test]
fn a_message_in_several_frames_is_one() {
    let answer = answer();
    let (front, back) = answer.as_bytes().split_at(answer.len() / 2);
    let mut bytes = frame(0x01, front);
    bytes.extend(frame(0x89, b""));
    bytes.extend(frame(0x80, back));
    let heard = heard(&[&bytes]);
    assert_eq!(heard[0], Heard::Ping(Vec::new()));
    let Heard::Message(shape) = &heard[1] else {
        panic!("{heard:?}")
    };
    assert_eq!((shape.kind, shape.flags), (Kind::Full, 2));
}

#[test]
fn server_payloads_are_as_new_as_their_newest_item() {
    let text = concat!(
        r#"{"messageType":"data-sync","data":{"eventType":"patch","featureFlags":["#,
        r#"{"id":"1","createdAt":"2026-11-22T00:00:00.999Z","updatedAt":"2026-11-22T00:31:19.583Z","variationType":"boolean"}],"#,
        r#""segments":[{"id":"2","updatedAt":"2026-11-22T00:31:20.001Z"}]}}"#
    );
    let heard = heard(&[&frame(0x81, text.as_bytes())]);
    let Heard::Message(shape) = &heard[0] else {
        panic!("{heard:?}")
    };
    assert_eq!((shape.kind, shape.flags), (Kind::Patch, 1));
    assert_eq!(shape.newest, 20_261_122_003_120_001);
}

#[test]
fn what_is_no_frame_of_a_server_is_told() {
    let mut reader = Reader::default();
    for bad in [
        &[0x81, 0x80][..],
        &[0xC1, 0x01],
        &[0x82, 0x01],
        &[0x80, 0x01],
        &[0x88, 0x7E, 0x01, 0x00],
    ] {
        let mut heard = Vec::new();
        reader.feed(&Searches::new(), bad, &mut heard);
        assert!(matches!(heard[..], [Heard::Bad(_)]), "{bad:x?}: {heard:?}");
    }
}
