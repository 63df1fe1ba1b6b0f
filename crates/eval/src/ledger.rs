//! What compiling one flag or segment has found and spent.
//!
//! Patterns are the one thing in a flag whose compiled form can be far larger than its text
//! (`\w{1,64}` takes megabytes), and that can be far more work than reading a text is
//! (`([a-z ]{1,1000}){20}`), so one item may spend only so much on them. Without that a single flag
//! of allowed length could take the memory and the time of everybody.

mod work;

use regex::{Regex, RegexBuilder};

use crate::warning::Warning;

/// The most that one pattern may take, compiled: what a name of 100 letters of any script needs
/// (`^[\p{L} .'-]{2,100}$`).
const LARGEST_PATTERN: usize = 8 << 20;
/// What most patterns need is far less; trying small first tells what a pattern really takes.
const STEPS: [usize; 3] = [64 << 10, 1 << 20, LARGEST_PATTERN];
/// The most that all patterns of one item may take.
const ALL_PATTERNS: usize = 2 * LARGEST_PATTERN;
/// The most work that one pattern may be for each byte of a user's text. At worst this comes to
/// some milliseconds for the longest property that users have (1 KiB), in which a streaming loop
/// does nothing else.
const HARDEST_PATTERN: u64 = 1_000;
/// The most work that all patterns of one item may be for each byte.
const ALL_WORK: u64 = 4 * HARDEST_PATTERN;
/// What a thread may keep of what it learnt while matching. Not much: a pattern with many places at
/// once learns something new with each byte, which is ten times the work of not learning at all,
/// and this is how soon it stops trying. Ordinary patterns need some KiB.
const WHILE_MATCHING: usize = 64 << 10;
/// The longest pattern. Reading one takes time and memory too, by the letter.
const LONGEST_PATTERN: usize = 16 << 10;
/// What a byte of a pattern's text counts for, so that many long ones are bounded as well.
const PER_BYTE: usize = 256;

const NO_PATTERN: &str = "the value is no regular expression of linear time (look-around and \
                          back-references are not)";

/// Collects warnings and keeps count of what patterns take.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) warnings: Vec<Warning>,
    pattern_bytes_left: usize,
    pattern_work_left: u64,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            warnings: Vec::new(),
            pattern_bytes_left: ALL_PATTERNS,
            pattern_work_left: ALL_WORK,
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
        self.admit_work(text)?;
        for step in STEPS {
            let cost = step.max(text.len() * PER_BYTE);
            if cost > self.pattern_bytes_left {
                return Err("all regular expressions together are too large".to_owned());
            }
            let mut builder = RegexBuilder::new(text);
            match builder
                .size_limit(step)
                .dfa_size_limit(WHILE_MATCHING)
                .build()
            {
                Err(regex::Error::CompiledTooBig(_)) => self.pattern_bytes_left -= cost,
                Err(_) => return Err(NO_PATTERN.to_owned()),
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

    /// Counts the work that matching will be.
    fn admit_work(&mut self, text: &str) -> Result<(), String> {
        let parsed = regex_syntax::parse(text).map_err(|_| NO_PATTERN.to_owned())?;
        let work = work::per_byte(&parsed);
        if work > HARDEST_PATTERN {
            return Err(format!(
                "the regular expression is too much work: as if written out in {work} parts where \
                 {HARDEST_PATTERN} are allowed; smaller repetitions help"
            ));
        }
        self.pattern_work_left = self
            .pattern_work_left
            .checked_sub(work)
            .ok_or("all regular expressions together are too much work")?;
        Ok(())
    }
}
