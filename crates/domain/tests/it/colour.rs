//! The colours of environments.

use burgee_domain::colour::Colour;
use burgee_domain::key::Key;

#[test]
fn a_colour_has_one_form() {
    assert_eq!(Colour::new("#C8401F").unwrap().to_string(), "#c8401f");
    assert_eq!(Colour::new("#00000a").unwrap().to_string(), "#00000a");
    for text in [
        "", "#", "c8401f", "#c8401", "#c8401f0", "#c8401g", "#+8401f", "red",
    ] {
        assert!(Colour::new(text).is_err(), "{text}");
    }
}

#[test]
fn production_warns_whenever_it_is_made_and_the_others_differ() {
    let key = |it: &str| Key::new(it).unwrap();
    let warns = Colour::new("#c8401f").unwrap();
    let mut taken = Vec::new();
    for name in [
        "dev",
        "staging",
        "Production",
        "test",
        "qa",
        "eu",
        "us",
        "asia",
    ] {
        let given = Colour::given(&key(name), &taken);
        assert_eq!(given == warns, name == "Production", "{name}");
        assert!(!taken.contains(&given), "{name}");
        taken.push(given);
    }
    for name in ["one", "more", "prod-eu"] {
        let given = Colour::given(&key(name), &taken);
        assert_eq!(given == warns, name == "prod-eu", "{name}");
    }
}
