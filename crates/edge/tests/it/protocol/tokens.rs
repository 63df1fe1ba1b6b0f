//! Connection tokens.

use burgee_edge::token::{self, Refused, TOLERANCE_MS};
use proptest::prelude::*;
use serde::Deserialize;

use crate::kit::client;

#[derive(Deserialize)]
struct Spec {
    tokens: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    sdk: String,
    secret: String,
    token: String,
    timestamp_ms: i64,
}

fn spec() -> Vec<Case> {
    let text = include_str!("../../../../../spec/tokens.json");
    let spec: Spec = serde_json::from_str(text).unwrap();
    assert!(!spec.tokens.is_empty());
    spec.tokens
}

#[test]
fn what_sdks_made_is_read() {
    for case in spec() {
        let token = token::decode(case.token.as_bytes());
        let token = token.unwrap_or_else(|| panic!("{}: {}", case.sdk, case.token));
        assert_eq!(token.secret.as_str(), case.secret);
        assert_eq!(token.at, case.timestamp_ms);
    }
}

#[test]
fn half_a_minute_either_way_is_tolerated() {
    let case = &spec()[0];
    let verify = |skew| token::verify(case.token.as_bytes(), case.timestamp_ms + skew);
    for skew in [-TOLERANCE_MS, -1, 0, 1, TOLERANCE_MS] {
        assert!(verify(skew).is_ok(), "{skew}");
    }
    for skew in [-TOLERANCE_MS - 1, TOLERANCE_MS + 1, i64::MIN / 2] {
        assert_eq!(verify(skew), Err(Refused::Expired), "{skew}");
    }
}

#[test]
fn what_does_not_have_the_layout_is_refused() {
    let good = &spec()[0].token;
    for bad in [
        "",
        "QQWB",
        "QQWBS",
        // A cut and a length beyond the text's end.
        &format!("UUU{}", &good[3..]),
        &format!("{}UU{}", &good[..3], &good[5..]),
        // No moment at all.
        &format!("{}QQ{}", &good[..3], &good[5..]),
        // Letters that are no digits.
        &format!("abc{}", &good[3..]),
        // Too long and too short for a secret.
        &format!("{good}AAAA"),
        &good[..good.len() - 4],
        // Blanks and bytes that no secret has.
        &format!("{} ", &good[..good.len() - 1]),
        &format!("{}é", &good[..good.len() - 2]),
    ] {
        assert_eq!(token::decode(bad.as_bytes()), None, "{bad}");
    }
}

proptest! {
    #[test]
    fn any_secret_and_moment_come_back(
        secret in "[A-Za-z0-9+/_-]{41,43}",
        at in 1_000_000_000_000_i64..9_999_999_999_999,
    ) {
        let padded = format!("{secret:=<44}");
        let token = token::decode(client::token(&padded, at).as_bytes()).unwrap();
        prop_assert_eq!(token.secret.as_str(), padded);
        prop_assert_eq!(token.at, at);
    }

    #[test]
    fn arbitrary_bytes_do_no_harm(bytes: Vec<u8>, digits in "[QBWSPHDXZU]{0,80}") {
        token::decode(&bytes);
        token::decode(digits.as_bytes());
    }
}
