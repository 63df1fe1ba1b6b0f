//! What compiling one flag or segment has found and spent.
//!
//! Patterns are the one thing in a flag whose compiled form can be far larger than its text
//! (`\w{1,64}` takes megabytes), so one item may spend only so much on them. Without that a single
//! flag of allowed length could take the memory and the time of everybody.

use regex::{Regex, RegexBuilder};

use crate::warning::Warning;

/// The most that one pattern may take, compiled: what a name of 100 letters of any script needs
/// (`^[\p{L} .'-]{2,100}$`).
const LARGEST_PATTERN: usize = 8 << 20;
/// What most patterns need is far less; trying small first tells what a pattern really takes.
const STEPS: [usize; 3] = [64 << 10, 1 << 20, LARGEST_PATTERN];
/// The most that all patterns of one item may take.
const ALL_PATTERNS: usize = 8 * LARGEST_PATTERN;
/// The longest pattern. Reading one takes time and memory too, by the letter.
const LONGEST_PATTERN: usize = 16 << 10;
/// What a byte of a pattern's text counts for, so that many long ones are bounded as well.
const PER_BYTE: usize = 256;

/// Collects warnings and keeps count of what patterns take.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) warnings: Vec<Warning>,
    pattern_bytes_left: usize,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            warnings: Vec::new(),
            pattern_bytes_left: ALL_PATTERNS,
        }
    }
}

impl Ledger {
    /// Notes a warning, whose pointer is relative to `parent`.
    pub(crate) fn warn(&mut self, parent: &str, warning: Warning) {
        self.warnings.push(warning.under(parent));
    }

    /// Compiles a regular expression, without look-around and back-references, so that it runs in
    /// linear time.
    pub(crate) fn pattern(&mut self, text: &str) -> Result<Regex, String> {
        if text.len() > LONGEST_PATTERN {
            return Err(format!(
                "the regular expression is longer than {LONGEST_PATTERN} bytes"
            ));
        }
        for step in STEPS {
            let cost = step.max(text.len() * PER_BYTE);
            if cost > self.pattern_bytes_left {
                return Err("all regular expressions together are too large".to_owned());
            }
            let mut builder = RegexBuilder::new(text);
            match builder.size_limit(step).dfa_size_limit(STEPS[1]).build() {
                Err(regex::Error::CompiledTooBig(_)) => self.pattern_bytes_left -= cost,
                Err(_) => {
                    return Err(
                        "the value is no regular expression of linear time (look-around \
                                and back-references are not)"
                            .to_owned(),
                    );
                }
                Ok(pattern) => {
                    self.pattern_bytes_left -= cost;
                    return Ok(pattern);
                }
            }
        }
        Err(
            "the regular expression is too large; classes of all scripts, as \\w, are costly when \
             repeated: (?-u:\\w) is not"
                .to_owned(),
        )
    }
}
