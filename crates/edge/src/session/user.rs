//! A user as a held connection keeps it: one allocation, no more than its texts and their lengths.

use std::borrow::Cow;

use burgee_eval::user::User;

/// Lengths are written in digits of six bits, so that a length is ASCII and the record as a whole
/// stays a text, which needs no second check when it is read.
const DIGIT_BITS: u32 = 6;

/// Set on all digits of a length but its last.
const MORE: u8 = 1 << DIGIT_BITS;

/// Key, name, then names and values of properties, each a length and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptUser(Box<str>);

impl KeptUser {
    /// Packs a user.
    pub fn new(user: &User<'_>) -> Self {
        let texts = || {
            let properties = user
                .properties
                .iter()
                .flat_map(|(name, value)| [name, value]);
            [&user.key, &user.name].into_iter().chain(properties)
        };
        let len = texts().map(|text| digits(text.len()) + text.len()).sum();
        let mut record = String::with_capacity(len);
        for text in texts() {
            push_length(text.len(), &mut record);
            record.push_str(text);
        }
        Self(record.into_boxed_str())
    }

    /// Unpacks it; the texts stay where they are.
    pub fn user(&self) -> User<'_> {
        let mut rest = &*self.0;
        let mut next = || take(&mut rest).map(Cow::Borrowed);
        let key = next().unwrap_or_default();
        let name = next().unwrap_or_default();
        let properties = std::iter::from_fn(|| next().zip(next())).collect();
        User {
            key,
            name,
            properties,
        }
    }

    /// Bytes on the heap.
    pub fn heap_size(&self) -> usize {
        self.0.len()
    }
}

/// How many digits a length takes.
fn digits(length: usize) -> usize {
    let bits = usize::BITS - length.leading_zeros();
    bits.div_ceil(DIGIT_BITS).max(1) as usize
}

fn push_length(mut length: usize, record: &mut String) {
    loop {
        let digit = (length % usize::from(MORE)) as u8;
        length >>= DIGIT_BITS;
        if length == 0 {
            record.push(char::from(digit));
            return;
        }
        record.push(char::from(digit | MORE));
    }
}

/// Takes a length and its text off the front; `None` at the end.
fn take<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let mut length = 0;
    for (index, digit) in rest.bytes().enumerate() {
        let shift = u32::try_from(index).ok()?.checked_mul(DIGIT_BITS)?;
        length |= usize::from(digit & !MORE).checked_shl(shift)?;
        if digit & MORE == 0 {
            let (text, after) = rest[index + 1..].split_at_checked(length)?;
            *rest = after;
            return Some(text);
        }
    }
    None
}
