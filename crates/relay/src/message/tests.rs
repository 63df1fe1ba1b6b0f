//! What peers of another version say, and what a log may show.

use super::packed::unpack_known;
use super::*;

const LIMIT: u64 = 1 << 20;

#[test]
fn a_message_of_a_kind_that_is_not_known_is_passed_over() {
    for newer in [
        serde_json::json!({"moonPhase": {"phase": [1, 2, 3]}}),
        serde_json::json!("moonrise"),
    ] {
        let packed = pack(&newer).unwrap();
        let read = unpack_known::<ToRelay>(&packed, LIMIT).unwrap();
        assert!(read.is_none(), "{newer}");
    }
    // One of a known kind with something unknown in it is another matter.
    let bad = serde_json::json!({"state": {"environment": "e"}});
    assert!(unpack_known::<ToRelay>(&pack(&bad).unwrap(), LIMIT).is_err());
    let bad = serde_json::json!({"found": {"question": 1, "answer": "perhaps"}});
    assert!(unpack_known::<ToRelay>(&pack(&bad).unwrap(), LIMIT).is_err());
    let known = unpack_known(&pack(&ToRelay::Level).unwrap(), LIMIT);
    assert!(matches!(known, Ok(Some(ToRelay::Level))));
}

#[test]
fn a_log_shows_no_keys() {
    let secret = || Secret("rp-hidden".into());
    let asked = ToUpstream::FindRelay {
        question: 1,
        secret: secret(),
    };
    let used = ToUpstream::KeysUsed(vec![secret()]);
    assert!(!format!("{asked:?} {used:?}").contains("hidden"));
    let text = serde_json::to_string(&used).unwrap();
    assert_eq!(text, r#"{"keysUsed":["rp-hidden"]}"#);
}
