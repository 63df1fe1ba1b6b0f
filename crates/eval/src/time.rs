//! Moments, as milliseconds since 1970 in memory and ISO 8601 on the wire.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment: milliseconds since 1970-01-01T00:00:00Z. Written as `2026-11-21T08:00:00.000Z`, with
/// exactly three fraction digits, since one SDK rounds further ones and the others cut them.
/// Read from ISO 8601 (further digits are cut), from a number of milliseconds, or from `null` (0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub i64);

impl Millis {
    /// Reads ISO 8601 with `Z` or an offset; without one, or as a date alone, it is in UTC.
    /// Fractions of a millisecond are cut. A zone in brackets is refused: passing it over would
    /// move the moment silently.
    pub fn parse(text: &str) -> Option<Self> {
        let moment = text.parse::<Timestamp>().ok().or_else(|| {
            let local: DateTime = (!text.contains('[')).then(|| text.parse().ok())??;
            Offset::UTC.to_timestamp(local).ok()
        })?;
        Some(Self(moment.as_millisecond()))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_millisecond(self.0) {
            Ok(moment) => write!(f, "{moment:.3}"),
            Err(_) => f.write_str("1970-01-01T00:00:00.000Z"),
        }
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Moment;
        impl Visitor<'_> for Moment {
            type Value = Millis;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an ISO 8601 moment or milliseconds since 1970")
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Millis, E> {
                Ok(Millis(value))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Millis, E> {
                i64::try_from(value).map(Millis).map_err(E::custom)
            }
            fn visit_unit<E: de::Error>(self) -> Result<Millis, E> {
                Ok(Millis(0))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Millis, E> {
                Millis::parse(text)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Moment)
    }
}
