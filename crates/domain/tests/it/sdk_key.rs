//! The secrets that SDKs are configured with.

use burgee_domain::sdk_key;
use uuid::Uuid;

#[test]
fn a_key_is_a_random_part_and_the_environments_id_in_net_byte_order() {
    let environment: Uuid = "226b9bf8-4af3-4ffa-9b01-162270e4cd40".parse().unwrap();
    let key = sdk_key::make(environment, [0xfb; 16]);
    assert_eq!(key.len(), sdk_key::LENGTH);
    assert_eq!(&key[..22], "-_v7-_v7-_v7-_v7-_v7-w");
    assert_eq!(&key[22..], "-JtrIvNK-k-bARYicOTNQA");
    assert!(sdk_key::is_well_formed(&key));
}

#[test]
fn what_cannot_be_a_key() {
    for text in [
        "",
        "short",
        &"x".repeat(43),
        &"x".repeat(45),
        &format!("{} ", "x".repeat(43)),
    ] {
        assert!(!sdk_key::is_well_formed(text), "{text:?}");
    }
}
