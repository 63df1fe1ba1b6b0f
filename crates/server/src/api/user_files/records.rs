//! A stream of bytes, cut into lines; in CSV, into records, which may go over several lines.

use std::collections::VecDeque;

use crate::problem::Problem;

/// The longest record, in bytes: a user of the largest size, with what quoting adds.
const LONGEST: usize = 256 * 1024;

/// Cuts as it is fed.
pub(super) struct Records {
    csv: bool,
    quoted: bool,
    line: u64,
    begun: u64,
    bytes: Vec<u8>,
    ready: VecDeque<(u64, Vec<u8>)>,
}

impl Records {
    pub(super) fn new(csv: bool) -> Self {
        Self {
            csv,
            quoted: false,
            line: 1,
            begun: 1,
            bytes: Vec::new(),
            ready: VecDeque::new(),
        }
    }

    /// Takes some bytes.
    ///
    /// # Errors
    /// A record is longer than any may be: where it ends cannot be known.
    pub(super) fn feed(&mut self, data: &[u8]) -> Result<(), Problem> {
        for byte in data {
            self.quoted ^= self.csv && *byte == b'"';
            if *byte == b'\n' {
                self.line += 1;
                if !self.quoted {
                    self.end();
                    continue;
                }
            }
            self.bytes.push(*byte);
            if self.bytes.len() > LONGEST {
                let rule = format!(
                    "the user that begins in line {} has more than {LONGEST} bytes; those before \
                     are written",
                    self.begun
                );
                return Err(Problem::invalid("", "lineTooLong", rule));
            }
        }
        Ok(())
    }

    /// Ends the record.
    pub(super) fn end(&mut self) {
        let mut record = std::mem::take(&mut self.bytes);
        if record.last() == Some(&b'\r') {
            record.pop();
        }
        if !record.is_empty() {
            self.ready.push_back((self.begun, record));
        }
        self.begun = self.line;
    }

    /// The next whole record, and the line in which it begins.
    pub(super) fn next(&mut self) -> Option<(u64, Vec<u8>)> {
        self.ready.pop_front()
    }
}
