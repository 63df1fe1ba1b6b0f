//! How much work a pattern is for each byte of a user's text.
//!
//! Matching takes time linear in the text, but times the places in the pattern that a match may
//! have come to at once: `([a-z ]{1,1000}){20}` has 20,000. That number is bounded here from the
//! parsed pattern, before anything is compiled.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// What a class with letters of other scripts counts for: its compiled form branches, and looking
/// through the branches costs about as much as another place (measured).
const ANY_SCRIPT: u64 = 2;

/// At most how many places of the pattern have to be looked at for one byte of text.
pub(super) fn per_byte(pattern: &Hir) -> u64 {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => at_once(&literal.0),
        HirKind::Class(Class::Bytes(_)) => 1,
        HirKind::Class(Class::Unicode(class)) => match class.is_ascii() {
            true => 1,
            false => ANY_SCRIPT,
        },
        HirKind::Capture(capture) => per_byte(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(per_byte).fold(0, u64::saturating_add)
        }
        HirKind::Repetition(repetition) => {
            copies(repetition).saturating_mul(per_byte(&repetition.sub))
        }
    }
}

/// How often the repeated part is written out in the compiled pattern.
fn copies(repetition: &Repetition) -> u64 {
    let most = repetition.max.unwrap_or(repetition.min.saturating_add(1));
    u64::from(most.max(1))
}

/// At how many places of a text to be found a match may be at once: at several only where the text
/// begins as it goes on (`aaa`: at three), so an ordinary word counts as one or two.
fn at_once(literal: &[u8]) -> u64 {
    // For each beginning of the literal, the longest shorter beginning that it also ends with, and
    // how many such there are, one within the other.
    let mut border = vec![0; literal.len()];
    let mut depth = vec![1; literal.len()];
    for end in 1..literal.len() {
        let mut length: usize = border[end - 1];
        while length > 0 && literal[length] != literal[end] {
            length = border[length - 1];
        }
        if literal[length] == literal[end] {
            length += 1;
        }
        border[end] = length;
        if length > 0 {
            depth[end] = depth[length - 1] + 1;
        }
    }
    depth.into_iter().max().unwrap_or(1)
}
