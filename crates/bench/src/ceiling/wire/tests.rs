use serde_json::Value;

use super::*;

/// A frame's text, whatever its length.
fn text(frame: &[u8]) -> Value {
    let head = match frame[1] {
        126 => 4,
        127 => 10,
        _ => 2,
    };
    serde_json::from_slice(&frame[head..]).unwrap()
}

#[test]
fn the_state_is_as_long_as_asked_and_valid() {
    for (size, header) in [(900, 4), (3021, 4), (5_000_000, 10)] {
        let fixed = Fixed::new(true, 1_795_306_188_662, size);
        assert_eq!(fixed.state.len(), size + header);
        let state = text(&fixed.state);
        assert_eq!(state["data"]["eventType"], "full");
        assert_eq!(state["data"]["featureFlags"][0]["variation"], "true");
        let patch = text(&fixed.patch);
        assert_eq!(patch["data"]["eventType"], "patch");
        assert_eq!(patch["data"]["featureFlags"][0]["id"], "returns-true");
    }
}

#[test]
fn a_ping_is_told_from_a_data_sync() {
    let frame_of = |text: &str| {
        let mut frame = vec![0x81, 0x80 | text.len() as u8, 1, 2, 3, 4];
        frame.extend_from_slice(text.as_bytes());
        frame
    };
    let reply = |text: &str| frame(&frame_of(text)).unwrap().reply;
    assert_eq!(reply(r#"{"messageType":"ping","data":{}}"#), Reply::Pong);
    assert_eq!(reply(r#"{"messageType":"ping","data":null}"#), Reply::Pong);
    let sync = r#"{"messageType":"data-sync","data":{"timestamp":0}}"#;
    assert_eq!(reply(sync), Reply::State);
}

#[test]
fn the_accept_header_is_the_one_of_the_rfc() {
    assert_eq!(
        &accept_of(b"dGhlIHNhbXBsZSBub25jZQ=="),
        b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    );
}

#[test]
fn half_a_head_is_none() {
    let mut accept = [0; 28];
    assert!(request(b"POST /x HTTP/1.1\r\nContent-Le", &mut accept).is_none());
}
