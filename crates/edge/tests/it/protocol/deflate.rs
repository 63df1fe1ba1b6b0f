//! RFC 7692: Autobahn's cases of `permessage-deflate` as a table, and what hostile peers send.
//! `e2e/websocket` has other implementations talk to a server.

use burgee_edge::frame::deflate::Coding;
use burgee_edge::frame::read::{Event, Reader};
use burgee_edge::frame::{MAX_MESSAGE, deflate, write};
use bytes::Bytes;
use flate2::{Compression, FlushCompress};
use proptest::prelude::*;

use super::frames::{Outcome, read};
use crate::kit::client::frame;
use crate::kit::deflate::{blocks, deflated, inflated};

/// A whole deflated text; the first and a further frame of one, the last.
const TEXT: u8 = 0xC1;
const FIRST: u8 = 0x41;
const MORE: u8 = 0x00;
const LAST: u8 = 0x80;

/// Asserts what some frames mean where messages may be deflated, however they are cut.
fn check(name: &str, frames: &[Vec<u8>], events: &[&str], violation: Option<u16>) {
    let bytes = frames.concat();
    let expected = Outcome {
        events: events.iter().map(|event| (*event).to_owned()).collect(),
        violation,
    };
    let read = |size| read(bytes.chunks(size), Coding::Deflate);
    assert_eq!(read(bytes.len()), expected, "{name}");
    for size in [1, 2, 3, 7, 64] {
        assert_eq!(read(size), expected, "{name}, in pieces of {size}");
    }
}

fn says(text: &str) -> String {
    format!("text {text}")
}

/// Text that deflates as well as JSON does.
fn json(length: usize) -> String {
    let entries = (0..).map(|n| format!("{{\"id\":{},\"on\":true}},", n * 7919 % 10_007));
    let mut text: String = entries.take(length / 12 + 1).collect();
    text.truncate(length);
    text
}

#[test]
fn messages_of_all_lengths_in_frames_of_all_lengths() {
    // Autobahn 12.1 to 12.3, and 13.1 and 13.2 by what is agreed to.
    for length in [
        16,
        64,
        256,
        1024,
        4096,
        8192,
        16_384,
        32_768,
        65_536,
        MAX_MESSAGE,
    ] {
        let text = json(length);
        let payload = deflated(text.as_bytes());
        check("12.1", &[frame(TEXT, &payload)], &[&says(&text)], None);
        for size in [256, 1024, 4096, 32_768] {
            let mut frames: Vec<_> = payload.chunks(size).map(|it| frame(MORE, it)).collect();
            frames[0][0] = FIRST;
            frames.push(frame(LAST, b""));
            check("12.1 in frames", &frames, &[&says(&text)], None);
        }
    }
}

#[test]
fn each_message_stands_by_itself() {
    // 12.4 and 12.5: thousand messages on one connection.
    let text = json(200);
    let frames = vec![frame(TEXT, &deflated(text.as_bytes())); 1000].concat();
    let expected = vec![says(&text); 1000];
    let outcome = read([&frames[..]], Coding::Deflate);
    assert_eq!((outcome.events, outcome.violation), (expected, None));
}

#[test]
fn the_rfcs_own_examples() {
    // RFC 7692 §7.2.3.
    let hello: [&[u8]; 5] = [
        b"\xf2\x48\xcd\xc9\xc9\x07\x00",
        // Not compressed.
        b"\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00",
        // A block that says it is the last.
        b"\xf3\x48\xcd\xc9\xc9\x07\x00\x00",
        // Two blocks.
        b"\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00",
        // The last one again, from a peer that adds nothing behind it.
        b"\xf3\x48\xcd\xc9\xc9\x07\x00",
    ];
    for payload in hello {
        check("whole", &[frame(TEXT, payload)], &["text Hello"], None);
        let (first, last) = payload.split_at(3);
        let cut = [frame(FIRST, first), frame(0x89, b"p"), frame(LAST, last)];
        check("7.2.3.1", &cut, &["ping [112]", "text Hello"], None);
    }
}

#[test]
fn an_empty_message_in_its_forms() {
    for payload in [&b"\x00"[..], b"", b"\x02\x00", b"\x03\x00"] {
        check("7.2.3.6", &[frame(TEXT, payload)], &["text "], None);
    }
    let frames = [frame(FIRST, b""), frame(MORE, b""), frame(LAST, b"\x00")];
    check("in frames", &frames, &["text "], None);
}

#[test]
fn a_message_of_several_streams_of_blocks() {
    let end = |text: &str| blocks(text.as_bytes(), Compression::best(), FlushCompress::Finish);
    let parts = [end("one,"), end(""), end("two,"), deflated(b"three")].concat();
    check(
        "several",
        &[frame(TEXT, &parts)],
        &["text one,two,three"],
        None,
    );
    // As many as there can be, of nothing.
    let nothing = [3, 0].repeat(MAX_MESSAGE / 2);
    check("nothing", &[frame(TEXT, &nothing)], &["text "], None);
    let stored = blocks(
        &json(5000).into_bytes(),
        Compression::none(),
        FlushCompress::Finish,
    );
    check(
        "stored",
        &[frame(TEXT, &stored)],
        &[&says(&json(5000))],
        None,
    );
}

#[test]
fn clear_and_deflated_messages_take_turns() {
    let deflated = frame(TEXT, &deflated(b"two"));
    let frames = [
        frame(0x81, b"one"),
        deflated,
        frame(0x01, b"thr"),
        frame(0x80, b"ee"),
    ];
    check(
        "7.2.2",
        &frames,
        &["text one", "text two", "text three"],
        None,
    );
}

#[test]
fn only_a_messages_first_frame_may_say_that_it_is_deflated() {
    let payload = deflated(b"hello hello hello");
    let (first, last) = payload.split_at(4);
    for (name, frames) in [
        ("on a later frame", [frame(FIRST, first), frame(0xC0, last)]),
        (
            "on a later frame alone",
            [frame(0x01, first), frame(0xC0, last)],
        ),
        (
            "on a frame between",
            [frame(FIRST, first), frame(0x40, last)],
        ),
        ("on a ping", [frame(0xC9, b"p"), frame(0x89, b"")]),
        ("on a pong", [frame(0xCA, b"p"), frame(0x89, b"")]),
        ("on a close", [frame(0xC8, b""), frame(0x89, b"")]),
        ("with RSV2", [frame(0xE1, &payload), frame(0x89, b"")]),
        ("with RSV3", [frame(0xD1, &payload), frame(0x89, b"")]),
        ("RSV2 alone", [frame(0xA1, b"x"), frame(0x89, b"")]),
    ] {
        check(name, &frames, &[], Some(1002));
    }
}

#[test]
fn nothing_is_deflated_where_it_was_not_agreed() {
    let bytes = frame(TEXT, &deflated(b"hello"));
    for size in [1, bytes.len()] {
        let outcome = read(bytes.chunks(size), Coding::Clear);
        assert_eq!((outcome.events, outcome.violation), (vec![], Some(1002)));
    }
}

#[test]
fn a_deflated_message_is_a_text_all_the_same() {
    check("binary", &[frame(0xC2, &deflated(b"x"))], &[], Some(1003));
    check(
        "not UTF-8",
        &[frame(TEXT, &deflated(b"\xCE\xBA\xE1"))],
        &[],
        Some(1007),
    );
    let text = "Hello-µ@ßöäüàá-UTF-8!! κόσμε 𐀀";
    let payload = deflated(text.as_bytes());
    check("UTF-8", &[frame(TEXT, &payload)], &[&says(text)], None);
}

#[test]
fn what_cannot_be_inflated_is_refused() {
    for payload in [
        // A reserved kind of block; a stored one whose length is wrong; a distance to nowhere.
        &b"\x07"[..],
        b"\x00\x05\x00\x05\x00hello\x00",
        b"\x4a\x04\x04\x00",
        b"this is no deflate",
    ] {
        check("bad", &[frame(TEXT, payload)], &[], Some(1007));
        let cut = [frame(FIRST, payload), frame(LAST, b"\x00")];
        check("bad, cut", &cut, &[], Some(1007));
    }
}

#[test]
fn a_message_is_bounded_by_its_length_after_inflation() {
    let most = deflated(&vec![b'*'; MAX_MESSAGE]);
    check(
        "the most",
        &[frame(TEXT, &most)],
        &[&says(&"*".repeat(MAX_MESSAGE))],
        None,
    );
    let one_more = deflated(&vec![b'*'; MAX_MESSAGE + 1]);
    check("one more", &[frame(TEXT, &one_more)], &[], Some(1009));
    let bomb = deflated(&vec![0; 100 << 20]);
    assert!(bomb.len() < MAX_MESSAGE, "it is let in");
    for frames in [
        vec![frame(TEXT, &bomb)],
        vec![frame(FIRST, &bomb[..1000]), frame(LAST, &bomb[1000..])],
    ] {
        let outcome = read([&frames.concat()[..]], Coding::Deflate);
        assert_eq!((outcome.events, outcome.violation), (vec![], Some(1009)));
    }
    let header = [&[TEXT, 0xFF][..], &(MAX_MESSAGE as u64 + 1).to_be_bytes()].concat();
    check("announced", &[header], &[], Some(1009));
}

#[test]
fn nothing_is_kept_between_messages() {
    let payload = deflated(json(10_000).as_bytes());
    let (first, last) = payload.split_at(20);
    let mut reader = Reader::default();
    let mut input = [
        frame(FIRST, first),
        frame(LAST, last),
        frame(TEXT, &payload),
    ]
    .concat();
    let mut used = 0;
    while used < input.len() {
        let (len, event) = reader.next(&mut input[used..], Coding::Deflate).unwrap();
        used += len;
        assert!(matches!(event, Some(Event::Text(_))));
        assert_eq!(reader.heap_size(), 0);
    }
}

/// The first byte and the message of each frame.
fn frames(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut frames = Vec::new();
    while let [first, short, rest @ ..] = bytes {
        let (len, rest) = match short {
            126 => (
                u16::from_be_bytes(*rest.first_chunk().unwrap()).into(),
                &rest[2..],
            ),
            127 => (u64::from_be_bytes(*rest.first_chunk().unwrap()), &rest[8..]),
            short => (u64::from(*short), rest),
        };
        let (payload, rest) = rest.split_at(len as usize);
        let message = match first & 0x40 {
            0 => payload.to_vec(),
            _ => inflated(payload),
        };
        frames.push((*first, message));
        bytes = rest;
    }
    frames
}

#[test]
fn long_messages_are_packed_and_short_ones_are_not() {
    let lengths = [
        10,
        200,
        5_000,
        deflate::SHARED - 1,
        deflate::SHARED,
        70_000,
        300_000,
    ];
    let texts = lengths.map(json);
    let mut clear = Vec::new();
    for text in &texts {
        write::text(text.as_bytes(), &mut clear);
    }
    let clear = Bytes::from(clear);
    let packed = deflate::pack(&clear);
    assert!(
        packed.len() < clear.len() / 2,
        "{} of {}",
        packed.len(),
        clear.len()
    );
    let expected = texts.map(|text| {
        let first = if text.len() >= deflate::SHARED {
            0xC1
        } else {
            0x81
        };
        (first, text.into_bytes())
    });
    assert_eq!(frames(&packed), expected);
}

#[test]
fn what_does_not_get_shorter_stays_as_it_is() {
    // Bytes of no pattern, by a generator of Marsaglia's: a text in name only.
    let mut state = 2_463_534_242_u32;
    let text: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    })
    .take(50_000)
    .collect();
    let mut clear = Vec::new();
    write::text(&text, &mut clear);
    let clear = Bytes::from(clear);
    let packed = deflate::pack(&clear);
    assert_eq!(packed.as_ptr(), clear.as_ptr(), "the very same");
    assert_eq!(packed, clear);
    let short = clear.slice(..100);
    assert_eq!(deflate::pack(&short), short);
}

#[test]
fn of_what_has_gathered_the_last_message_alone_is_packed() {
    let (before, text) = (json(20_000), json(deflate::OWN));
    let mut out = Vec::new();
    write::text(before.as_bytes(), &mut out);
    let start = out.len();
    write::text(text.as_bytes(), &mut out);
    let whole = out.clone();
    deflate::pack_own(&mut out, start);
    assert_eq!(out[..start], whole[..start]);
    assert!(out.len() < whole.len());
    assert_eq!(frames(&out), [(0x81, before.into()), (0xC1, text.into())]);
    let mut short = Vec::new();
    write::text(&json(deflate::OWN - 100).into_bytes(), &mut short);
    let before = short.clone();
    deflate::pack_own(&mut short, 0);
    assert_eq!(short, before);
}

/// A frame, most often sound where messages may be deflated.
fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let first = prop_oneof![
        8 => prop::sample::select(vec![0xC1, 0x41, 0x81, 0x00, 0x80, 0x89]),
        1 => prop::sample::select(vec![0x88, 0xC9, 0x40, 0xC0, 0xC2, 0xE1]),
    ];
    let payload = prop_oneof![
        6 => "[a-zµ€𐀀]{0,40}".prop_map(|text| deflated(text.as_bytes())),
        2 => prop::collection::vec(any::<u8>(), 0..20),
        1 => (0_usize..300_000).prop_map(|length| deflated(&vec![b'x'; length])),
    ];
    (first, payload).prop_map(|(first, payload)| frame(first, &payload))
}

proptest! {
    #[test]
    fn what_is_deflated_is_read(texts in prop::collection::vec("\\PC{0,200}", 1..6), cut in 1_usize..50) {
        let mut bytes = Vec::new();
        for text in &texts {
            let payload = deflated(text.as_bytes());
            let mut frames: Vec<_> = payload.chunks(cut).map(|it| frame(MORE, it)).collect();
            frames[0][0] |= FIRST;
            frames.last_mut().unwrap()[0] |= LAST;
            bytes.extend(frames.concat());
        }
        let expected: Vec<_> = texts.iter().map(|text| says(text)).collect();
        prop_assert_eq!(read(bytes.chunks(cut), Coding::Deflate).events, expected);
    }

    #[test]
    fn cuts_make_no_difference(
        frames in prop::collection::vec(any_frame(), 1..8),
        size in 1_usize..40,
    ) {
        let bytes = frames.concat();
        let whole = read([&bytes[..]], Coding::Deflate);
        prop_assert_eq!(read(bytes.chunks(size), Coding::Deflate), whole);
    }
}
