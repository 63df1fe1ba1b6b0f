//! Users as connections keep them.

use std::borrow::Cow;

use burgee_edge::driver::CONNECTION_SIZE;
use burgee_edge::session::user::KeptUser;
use burgee_eval::user::User;
use proptest::prelude::*;

#[test]
fn a_user_with_three_properties_takes_little_more_than_its_texts() {
    let user = User {
        key: "user-12345".into(),
        name: "Somebody".into(),
        properties: vec![
            ("country".into(), "fr".into()),
            ("plan".into(), "pro".into()),
            ("age".into(), "42".into()),
        ],
        ..User::default()
    };
    let texts = "user-12345Somebodycountryfrplanproage42".len();
    let kept = KeptUser::new(&user).heap_size();
    assert_eq!(kept, texts + 8);
    // With its record and its place in a list: far within the 320 bytes that a held connection
    // may cost (docs/adr/0001-streaming-driver.md).
    println!("{CONNECTION_SIZE} + {kept} bytes");
    assert!(CONNECTION_SIZE + kept + size_of::<u32>() <= 200);
}

#[test]
fn texts_of_all_lengths_are_kept() {
    for len in [0, 1, 63, 64, 65, 4095, 4096, 262_143, 262_144] {
        let user = User {
            key: "k".into(),
            name: "é".repeat(len).into(),
            properties: vec![("p".into(), "x".repeat(len).into())],
            ..User::default()
        };
        assert_eq!(KeptUser::new(&user).user(), user);
    }
}

proptest! {
    #[test]
    fn any_user_comes_back(
        key: String,
        name: String,
        properties: Vec<(String, String)>,
    ) {
        let owned = |(name, value)| (Cow::Owned(name), Cow::Owned(value));
        let user = User {
            key: key.into(),
            name: name.into(),
            properties: properties.into_iter().map(owned).collect(),
            ..User::default()
        };
        let kept = KeptUser::new(&user);
        prop_assert_eq!(kept.user(), user);
    }
}
