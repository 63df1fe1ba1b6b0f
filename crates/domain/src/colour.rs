//! The colour of an environment, by which people know at a glance where they are.

use std::fmt;

/// A colour as screens take it: `#` and six digits, in lower case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Colour(u32);

/// A text is no colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a colour has the form #c8401f")]
pub struct NoColour;

/// What environments get when they are made, in their order: far apart from each other, and told
/// apart by the colour-blind too.
const GIVEN: [Colour; 8] = [
    Colour(0xc8_401f),
    Colour(0x0b_62d6),
    Colour(0x0e_6f4f),
    Colour(0x8a_4fb0),
    Colour(0xb0_7800),
    Colour(0x00_808a),
    Colour(0xa8_3260),
    Colour(0x4f_5c68),
];

impl Colour {
    /// Reads one, in any case.
    pub fn new(text: &str) -> Result<Self, NoColour> {
        let digits = text.strip_prefix('#').ok_or(NoColour)?;
        let valid = digits.len() == 6 && digits.bytes().all(|it| it.is_ascii_hexdigit());
        let number = valid.then(|| u32::from_str_radix(digits, 16).ok());
        number.flatten().map(Self).ok_or(NoColour)
    }

    /// What the environment at this place (from 0) of a project is given.
    pub fn of_place(place: i64) -> Self {
        let place = place.rem_euclid(GIVEN.len() as i64);
        GIVEN[usize::try_from(place).unwrap_or_default()]
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:06x}", self.0)
    }
}

impl fmt::Debug for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
