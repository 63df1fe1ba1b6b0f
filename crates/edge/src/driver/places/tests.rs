//! How the places are shared among keys.

use super::Places;
use crate::hub::KeyId;

/// How many connections with this key find room, one after the other.
fn fill(places: &Places, key: u32) -> usize {
    let mut held = 0;
    loop {
        if !places.take() {
            return held;
        }
        if !places.take_for(KeyId(key)) {
            places.free();
            return held;
        }
        held += 1;
    }
}

#[test]
fn a_key_that_is_alone_gets_nearly_all() {
    for limit in [512, 1_000, 19_488, 1_000_000] {
        let places = Places::new(limit);
        let held = fill(&places, 1);
        assert!(held * 20 >= limit * 19, "{held} of {limit}");
    }
    // Where there are few, all but one.
    assert!(fill(&Places::new(10), 1) >= 9);
    assert_eq!(fill(&Places::new(1), 1), 1);
}

#[test]
fn whoever_comes_later_finds_room() {
    let places = Places::new(19_488);
    fill(&places, 1);
    let second = fill(&places, 2);
    assert!(second > 500, "{second}");
    for key in 3..50 {
        fill(&places, key);
    }
    // With all client keys that somebody may have collected, there is room for server keys.
    let servers = std::iter::repeat_with(|| places.take())
        .take_while(|taken| *taken)
        .count();
    assert!(servers >= 19_488 / 64, "{servers}");
}

#[test]
fn what_a_key_gives_back_it_may_have_again() {
    let places = Places::new(100);
    let held = fill(&places, 1);
    for _ in 0..held {
        places.free_for(KeyId(1));
        places.free();
    }
    assert_eq!(fill(&places, 1), held);
}
