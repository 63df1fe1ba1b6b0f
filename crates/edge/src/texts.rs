//! Several texts in one allocation, no longer than the texts and their lengths: what is kept of
//! many (the user of a held connection, an event that waits to be written) is kept like this.

/// Lengths are written in digits of six bits, so that a length is ASCII and the record as a whole
/// stays a text, which needs no second check when it is read.
const DIGIT_BITS: u32 = 6;

/// Set on all digits of a length but its last.
const MORE: u8 = 1 << DIGIT_BITS;

/// Texts in their order, each a length and the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Texts(Box<str>);

impl Texts {
    /// Packs texts.
    pub fn new<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let len = texts
            .clone()
            .map(|text| digits(text.len()) + text.len())
            .sum();
        let mut record = String::with_capacity(len);
        for text in texts {
            push_length(text.len(), &mut record);
            record.push_str(text);
        }
        Self(record.into_boxed_str())
    }

    /// The texts, where they lie.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || take(&mut rest))
    }

    /// The first `N` texts; empty ones in the place of those that there are not.
    pub fn first<const N: usize>(&self) -> [&str; N] {
        let mut texts = self.iter();
        std::array::from_fn(|_| texts.next().unwrap_or_default())
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
fn take<'t>(rest: &mut &'t str) -> Option<&'t str> {
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
