//! The secrets that relays are configured with.

use burgee_domain::relay_key::{PREFIX, is_well_formed, make};

#[test]
fn a_key_is_its_prefix_and_32_bytes() {
    let key = make([0xfb; 32]);
    assert_eq!(key, format!("{PREFIX}{}-_s", "-_v7".repeat(10)));
    assert!(is_well_formed(&key));
}

#[test]
fn what_cannot_be_a_key() {
    let long = format!("{PREFIX}{}", "x".repeat(126));
    for text in [
        "", "rp", "bgt_0", "rp-a b", "rp-a+b", "rp-\0", "rp-é", &long,
    ] {
        assert!(!is_well_formed(text), "{text:?}");
    }
}
