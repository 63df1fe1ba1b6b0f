//! The colour of an environment, by which people know at a glance where they are.

use std::fmt;

use crate::key::Key;

/// A colour as screens take it: `#` and six digits, in lower case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Colour(u32);

/// A text is no colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a colour has the form #c8401f")]
pub struct NoColour;

/// What environments get when they are made: far apart from each other, and told apart by the
/// colour-blind too. The first warns, and is kept for where it is serious.
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

/// How the keys of environments begin in which people work.
const PRODUCTION: [&str; 2] = ["prod", "live"];

impl Colour {
    /// Reads one, in any case.
    pub fn new(text: &str) -> Result<Self, NoColour> {
        let digits = text.strip_prefix('#').ok_or(NoColour)?;
        let valid = digits.len() == 6 && digits.bytes().all(|it| it.is_ascii_hexdigit());
        let number = valid.then(|| u32::from_str_radix(digits, 16).ok());
        number.flatten().map(Self).ok_or(NoColour)
    }

    /// What a new environment is given beside those of a project that have these: the one that
    /// warns, where it is called production; otherwise the first other one that is free.
    pub fn given(key: &Key, taken: &[Self]) -> Self {
        let (warns, others) = (GIVEN[0], &GIVEN[1..]);
        if PRODUCTION.iter().any(|it| key.folded().starts_with(it)) {
            return warns;
        }
        let free = others.iter().find(|it| !taken.contains(it));
        *free.unwrap_or(&others[taken.len() % others.len()])
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
