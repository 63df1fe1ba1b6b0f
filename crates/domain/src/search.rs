//! Finding things by a few letters of their key or name, misspelt ones too.
//!
//! What somebody types is split into words; each has to be found in the key or in the name: as the
//! whole, at its beginning, at the beginning of one of its words, anywhere, or with a letter wrong
//! (two from eight letters on; none below four, where a wrong letter is another word).

/// The longest text that is looked for, in characters.
pub const MAX_QUERY: usize = 100;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    whole: String,
    words: Vec<String>,
}

impl Query {
    /// Reads what somebody typed. None: nothing is in it to look for.
    pub fn new(text: &str) -> Option<Self> {
        let whole = text.trim().to_lowercase();
        let words: Vec<String> = whole.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self { whole, words })
    }

    /// The longest of its words: whatever is found without a wrong letter holds it.
    pub fn longest(&self) -> &str {
        let longest = self.words.iter().max_by_key(|word| word.chars().count());
        longest.map_or("", String::as_str)
    }

    /// Whether a wrong letter would be forgiven in any word.
    pub fn forgives(&self) -> bool {
        self.words
            .iter()
            .any(|word| forgiven(word.chars().count()) > 0)
    }

    /// How well something with this key and name is what is looked for; none: it is not.
    pub fn score(&self, key: &str, name: &str) -> Option<u32> {
        let (key, name) = (Text::new(key), Text::new(name));
        if key.folded == self.whole || name.folded == self.whole {
            return Some(WHOLE);
        }
        let scores = self.words.iter().map(|word| {
            // A key is what is typed more often; names tell apart what keys do not.
            let of_key = key.score(word).map(|score| score + 1);
            of_key.max(name.score(word))
        });
        // The worst word decides: all are meant.
        scores.min().flatten()
    }
}

const WHOLE: u32 = 1_000;
const BEGINS: u32 = 800;
const WORD_BEGINS: u32 = 600;
const HOLDS: u32 = 400;
const MISSPELT: u32 = 200;

/// How much each wrong letter costs.
const WRONG: u32 = 50;

/// A key or a name, to be looked through.
struct Text {
    folded: String,
    words: Vec<String>,
}

impl Text {
    fn new(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut before = ' ';
        for letter in text.chars() {
            // `newCart` has two words, as `new-cart` does.
            let begins =
                !before.is_alphanumeric() || before.is_lowercase() && letter.is_uppercase();
            if letter.is_alphanumeric() {
                if begins {
                    words.push(String::new());
                }
                if let Some(word) = words.last_mut() {
                    word.extend(letter.to_lowercase());
                }
            }
            before = letter;
        }
        Self {
            folded: text.to_lowercase(),
            words,
        }
    }

    fn score(&self, word: &str) -> Option<u32> {
        if self.folded.starts_with(word) {
            return Some(BEGINS);
        }
        if self.words.iter().any(|it| it.starts_with(word)) {
            return Some(WORD_BEGINS);
        }
        if self.folded.contains(word) {
            return Some(HOLDS);
        }
        let typed: Vec<char> = word.chars().collect();
        let most = forgiven(typed.len());
        let wrong = self.words.iter().map(|it| wrong_letters(&typed, it));
        let wrong = wrong.min().filter(|wrong| *wrong <= most)?;
        Some(MISSPELT - WRONG * u32::try_from(wrong).unwrap_or(u32::MAX).min(3))
    }
}

/// How many letters may be wrong in a word of so many.
fn forgiven(letters: usize) -> usize {
    match letters {
        ..4 => 0,
        4..8 => 1,
        _ => 2,
    }
}

/// How many letters have to be put in, left out, replaced or swapped with their neighbour to make
/// `typed` the beginning of `word` (optimal string alignment).
fn wrong_letters(typed: &[char], word: &str) -> usize {
    // What comes after the beginning does not matter.
    let word: Vec<char> = word.chars().take(typed.len() + 2).collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=word.len()).collect();
    for (row, letter) in typed.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in word.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != other);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            let swapped =
                row > 0 && column > 0 && *letter == word[column - 1] && typed[row - 1] == *other;
            if swapped {
                least = least.min(before_last[column - 1] + 1);
            }
            next.push(least);
        }
        before_last = std::mem::replace(&mut last, next);
    }
    last.into_iter().min().unwrap_or(typed.len())
}
