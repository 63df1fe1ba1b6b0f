//! The colours of environments.

use burgee_domain::colour::Colour;

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
fn neighbours_are_given_different_colours() {
    for place in 0..20 {
        assert_ne!(Colour::of_place(place), Colour::of_place(place + 1));
    }
}
