//! How long a certificate is good: the one thing in it that is of interest here, so that it is read and
//! nothing else (RFC 5280, section 4.1).

/// How long a certificate is good, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// `notBefore`.
    pub begins: i64,
    /// `notAfter`.
    pub ends: i64,
}

/// How long a certificate is good; none where that is not found.
pub(super) fn validity(der: &[u8]) -> Option<Validity> {
    let (_, certificate) = Der(der).take(SEQUENCE)?;
    let (_, mut body) = Der(certificate).take(SEQUENCE)?;
    // The version, which older ones do not have.
    if let Some((rest, _)) = Der(body).take(VERSION) {
        body = rest;
    }
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        // The number, the signature's kind, and who issued it.
        (body, _) = Der(body).take(tag)?;
    }
    let (_, times) = Der(body).take(SEQUENCE)?;
    let (rest, begins) = time(times)?;
    let (_, ends) = time(rest)?;
    Some(Validity { begins, ends })
}

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xA0;

/// A value, and those behind it.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// What is behind the next value, and its content; none where it is of another kind.
    fn take(self, tag: u8) -> Option<(&'a [u8], &'a [u8])> {
        let (found, rest) = self.0.split_first()?;
        if *found != tag {
            return None;
        }
        let (first, rest) = rest.split_first()?;
        let (len, rest) = match *first {
            short @ 0..=0x7F => (usize::from(short), rest),
            long @ 0x81..=0x84 => {
                let (digits, rest) = rest.split_at_checked(usize::from(long - 0x80))?;
                let digits = digits.iter();
                let len = digits.fold(0, |len, digit| len << 8 | usize::from(*digit));
                (len, rest)
            }
            _ => return None,
        };
        let (content, behind) = rest.split_at_checked(len)?;
        Some((behind, content))
    }
}

/// What is behind a time, and the time in seconds since 1970.
fn time(der: &[u8]) -> Option<(&[u8], i64)> {
    if let Some((behind, text)) = Der(der).take(UTC_TIME) {
        let (short, rest) = text.split_at_checked(2)?;
        // Two digits are of the years from 1950 on.
        let year = match number(short)? {
            late @ 50.. => 1900 + late,
            early => 2000 + early,
        };
        return Some((behind, seconds(year, rest)?));
    }
    let (behind, text) = Der(der).take(GENERALIZED_TIME)?;
    let (year, rest) = text.split_at_checked(4)?;
    Some((behind, seconds(number(year)?, rest)?))
}

/// Of a year, and `MMDDHHMMSSZ` in it.
fn seconds(year: i64, rest: &[u8]) -> Option<i64> {
    let (digits, zone) = rest.split_at_checked(10)?;
    if zone != b"Z" {
        return None;
    }
    let mut pairs = digits.chunks(2).map(number);
    let mut next = || pairs.next().flatten();
    let (month, day) = (next()?, next()?);
    let (hour, minute, second) = (next()?, next()?, next()?);
    Some(days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| {
        digit
            .is_ascii_digit()
            .then(|| number * 10 + i64::from(digit - b'0'))
    })
}

/// Days since 1970 of a date. Years are counted from March on, so that leap days are at their ends.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = match month {
        ..3 => (year - 1, month + 9),
        later => (year, later - 3),
    };
    let leaps = year / 4 - year / 100 + year / 400;
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 719_469
}

#[cfg(test)]
mod tests {
    use super::{days, seconds, time, validity};

    #[test]
    fn days_are_counted_over_leap_years() {
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(days(1970, 3, 1), 59);
        assert_eq!(days(2000, 2, 29), 11_016);
        assert_eq!(days(2000, 3, 1), 11_017);
        assert_eq!(days(2100, 3, 1), 47_541);
        assert_eq!(seconds(2026, b"1122160530Z"), Some(1_795_363_530));
    }

    #[test]
    fn both_forms_of_times_are_read() {
        let read = |der: &[u8]| time(der).map(|(_, time)| time);
        assert_eq!(read(b"\x17\x0d491231235959Z"), Some(2_524_607_999));
        assert_eq!(read(b"\x17\x0d500101000000Z"), Some(-631_152_000));
        assert_eq!(read(b"\x18\x0f20500101000000Z"), Some(2_524_608_000));
        for wrong in [
            &b"\x17\x0d4912312359"[..],
            b"\x17\x0b4912312359Z",
            b"\x17\x0d49123123595xZ",
            b"\x18\x1120500101000000+1",
            b"\x02\x01\x00",
            b"",
        ] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn what_is_no_certificate_is_good_for_nothing_whatever_its_lengths_say() {
        for wrong in [
            &b""[..],
            b"\x30",
            b"\x30\x84\xff\xff\xff\xff\x30",
            b"\x30\x80\x00\x00",
            b"\x30\x02\x30\x7f",
            b"\x30\x04\x30\x02\x02\x00",
        ] {
            assert_eq!(validity(wrong), None);
        }
    }
}
