//! The progress line on standard error: one line rewritten on a terminal, one every ten seconds
//! where it goes into a file.

use std::io::{IsTerminal, Stderr, Write, stderr};
use std::time::Duration;

use super::number::plain;
use crate::progress::{Moment, Progress};

/// A person sees no more than this.
const REWRITTEN: Duration = Duration::from_millis(250);
/// A log wants less.
const LOGGED: Duration = Duration::from_secs(10);
/// A line that wraps could not be rewritten: the narrowest terminal in use has 80 columns.
const WIDTH: usize = 79;
/// Back to the line's begin, and the line emptied.
const CLEAR: &str = "\r\x1b[2K";

/// Writes a scenario's progress. Time is the scenario's own, so a line is written on the first
/// moment of each part of it.
#[derive(Debug)]
pub struct Line<W: Write> {
    out: W,
    rewrites: bool,
    title: String,
    /// What was told last: the part, and when.
    last: Option<(String, Duration)>,
}

impl Line<Stderr> {
    /// On standard error; rewritten if that is a terminal. `title` stands in front: the scenario,
    /// and which run of how many.
    pub fn stderr(title: &str) -> Self {
        Self::new(stderr(), stderr().is_terminal(), title)
    }
}

impl<W: Write> Line<W> {
    /// On `out`, rewriting one line or adding new ones.
    pub fn new(out: W, rewrites: bool, title: &str) -> Self {
        Self {
            out,
            rewrites,
            title: title.to_owned(),
            last: None,
        }
    }

    fn is_due(&self, moment: &Moment<'_>) -> bool {
        let every = if self.rewrites { REWRITTEN } else { LOGGED };
        self.last.as_ref().is_none_or(|(phase, at)| {
            phase != moment.phase
                || moment.elapsed < *at
                || moment.elapsed.saturating_sub(*at) >= every
        })
    }

    fn words(&self, moment: &Moment<'_>) -> String {
        let seconds = |time: Duration| format!("{} s", time.as_secs());
        let mut parts = vec![self.title.clone(), moment.phase.to_owned()];
        parts.push(match moment.whole {
            Some(whole) => format!("{} of {}", moment.elapsed.as_secs(), seconds(whole)),
            None => seconds(moment.elapsed),
        });
        let facts = moment.facts.iter();
        parts.extend(facts.map(|(name, value)| format!("{name} {}", plain(*value))));
        parts.retain(|part| !part.is_empty());
        parts.join("  ").chars().take(WIDTH).collect()
    }
}

impl<W: Write> Progress for Line<W> {
    fn tell(&mut self, moment: &Moment<'_>) {
        if !self.is_due(moment) {
            return;
        }
        let words = self.words(moment);
        // Who closed the output does not want to know: no reason to stop measuring.
        let _ = match self.rewrites {
            true => write!(self.out, "{CLEAR}{words}").and_then(|()| self.out.flush()),
            false => writeln!(self.out, "{words}"),
        };
        self.last = Some((moment.phase.to_owned(), moment.elapsed));
    }
}

impl<W: Write> Drop for Line<W> {
    fn drop(&mut self) {
        if self.rewrites && self.last.is_some() {
            let _ = write!(self.out, "{CLEAR}").and_then(|()| self.out.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(line: &mut Line<&mut Vec<u8>>, phase: &str, millis: u64) {
        line.tell(&Moment {
            phase,
            elapsed: Duration::from_millis(millis),
            whole: Some(Duration::from_secs(180)),
            facts: &[("open", 12_000.0), ("errors", 0.0)],
        });
    }

    #[test]
    fn a_log_gets_a_line_each_ten_seconds_and_for_each_part() {
        let mut out = Vec::new();
        let mut line = Line::new(&mut out, false, "connect 1/5");
        for millis in [0, 100, 9_900, 10_000, 10_100] {
            tell(&mut line, "ramp", millis);
        }
        tell(&mut line, "stable", 10_200);
        drop(line);
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "connect 1/5  ramp  0 of 180 s  open 12,000  errors 0",
                "connect 1/5  ramp  10 of 180 s  open 12,000  errors 0",
                "connect 1/5  stable  10 of 180 s  open 12,000  errors 0",
            ]
        );
    }

    #[test]
    fn a_terminal_has_one_line_that_is_gone_at_the_end() {
        let mut out = Vec::new();
        let mut line = Line::new(
            &mut out,
            true,
            "a title that is far too long for a terminal, so it is cut",
        );
        for millis in [0, 100, 300] {
            tell(&mut line, "ramp", millis);
        }
        drop(line);
        let text = String::from_utf8(out).unwrap();
        let parts: Vec<&str> = text.split(CLEAR).collect();
        assert_eq!(parts.len(), 4, "two lines and the end: {text:?}");
        assert!(!text.contains('\n') && parts[3].is_empty());
        assert!(parts.iter().all(|part| part.chars().count() <= WIDTH));
    }

    #[test]
    fn the_next_run_is_told_of_though_its_time_begins_anew() {
        let mut out = Vec::new();
        let mut line = Line::new(&mut out, false, "");
        tell(&mut line, "ramp", 9_000);
        tell(&mut line, "ramp", 1_000);
        drop(line);
        assert_eq!(String::from_utf8(out).unwrap().lines().count(), 2);
    }
}
