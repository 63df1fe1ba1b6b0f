//! What the libraries that read numbers say, in words that name the rule.

/// The types of whole numbers as serde names them, with what they can hold.
const NUMBERS: [(&str, i128, i128); 8] = [
    ("u8", 0, u8::MAX as i128),
    ("u16", 0, u16::MAX as i128),
    ("u32", 0, u32::MAX as i128),
    ("u64", 0, u64::MAX as i128),
    ("usize", 0, usize::MAX as i128),
    ("i32", i32::MIN as i128, i32::MAX as i128),
    ("i64", i64::MIN as i128, i64::MAX as i128),
    ("isize", isize::MIN as i128, isize::MAX as i128),
];

/// What Rust says of a text that is no number, of any type.
const NO_NUMBER: [&str; 4] = [
    "invalid digit found in string",
    "cannot parse integer from empty string",
    "number too large to fit in target type",
    "number too small to fit in target type",
];

/// A message about a value that is not of its type, without Rust's names for types.
pub(crate) fn in_words(message: &str) -> String {
    if NO_NUMBER.contains(&message) {
        return "must be a whole number, and not that large".to_owned();
    }
    let Some((head, tail)) = message.split_once(", expected ") else {
        return message.to_owned();
    };
    let (name, place) = tail.split_once(' ').unwrap_or((tail, ""));
    let number = NUMBERS.iter().find(|(number, _, _)| *number == name);
    match number {
        None => message.to_owned(),
        Some((_, least, most)) => {
            let said = format!("{head}, expected a whole number from {least} to {most} {place}");
            said.trim_end().to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn limits_are_named_and_types_are_not() {
        for (said, told) in [
            (
                "invalid value: integer `99999`, expected u16 at line 1 column 9",
                "invalid value: integer `99999`, expected a whole number from 0 to 65535 at line 1 column 9",
            ),
            (
                "invalid type: string \"x\", expected u8",
                "invalid type: string \"x\", expected a whole number from 0 to 255",
            ),
            (
                "invalid digit found in string",
                "must be a whole number, and not that large",
            ),
            ("missing field `key`", "missing field `key`"),
            (
                "invalid type: map, expected a string",
                "invalid type: map, expected a string",
            ),
        ] {
            assert_eq!(in_words(said), told);
        }
    }
}
