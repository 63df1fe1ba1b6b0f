#![no_main]

use burgee_edge::session::{Action, Flow, Session};
use libfuzzer_sys::fuzz_target;

const NOW: i64 = 1_795_289_347_131;

/// An upgrade with a token that is good at `NOW`.
const HEAD: &[u8] = b"GET /streaming?type=client&token=\
    QWPBSJbHZhYIsSkmJB-dG_YGsLwTVBXUHWZUSPXBSBDDU4LkC5RYRBhVWlqSoA HTTP/1.1\r\n\
    Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// With this its messages may be deflated.
const OFFER: &[u8] = b"Sec-WebSocket-Extensions: permessage-deflate\r\n";

/// What a session wants, given these pieces.
fn actions<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    let mut session = Session::default();
    let mut unused = Vec::new();
    let mut actions = Vec::new();
    for piece in pieces {
        unused.extend_from_slice(piece);
        let mut over = false;
        let used = session.receive(&mut unused, NOW, &mut |action| {
            actions.push(format!("{action:?}"));
            over = matches!(
                action,
                Action::Close(_) | Action::Closed(_) | Action::Refuse(_) | Action::HandOver
            );
            if over { Flow::Stop } else { Flow::Go }
        });
        unused.drain(..used);
        if over {
            break;
        }
    }
    actions
}

fuzz_target!(|input: (u8, u8, Vec<u8>)| {
    let (start, size, bytes) = input;
    let head: &[&[u8]] = match start % 4 {
        0 => &[],
        1 => &[HEAD, b"\r\n"],
        2 => &[HEAD, OFFER, b"\r\n"],
        _ => &[HEAD, b"Sec-WebSocket-Extensions: "],
    };
    let bytes = [&head.concat()[..], &bytes].concat();
    let cut = bytes.chunks(usize::from(size).max(1));
    assert_eq!(actions([&bytes[..]].into_iter()), actions(cut));
});
