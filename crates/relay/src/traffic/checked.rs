//! What is taken of a batch that came from a relay.
//!
//! A relay checks what SDKs send before it counts it; whoever takes its batches does so again, since
//! anyone who has a relay key can send any batch.

use burgee_edge::sink;
use burgee_edge::traffic::limits::{EVENT_TEXT, PROPERTIES, PROPERTY, USER_KEY, USER_NAME};

use super::{Batch, Count, Decision, Exposure, Metric, User};

/// What is older is not counted any more, in ms: 90 days, as long as hours and exposures are kept.
/// Names of batches are known for longer than that.
const OLD: i64 = 90 * 24 * 60 * 60 * 1_000;

/// What is from further in the future counts as from now, in ms: a clock that is wrong is to lose
/// nothing.
const AHEAD: i64 = 60 * 60 * 1_000;

/// The longest name of a sender: a UUID, and which piece it is.
const SENDER: usize = 128;

/// How long the words are that say how and why something was decided: those of later versions too.
const WORD: usize = 32;

/// Evaluations of a variation in a minute.
const COUNT: u64 = 1 << 32;

/// A batch as a sink takes it.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) batch: sink::Batch,
    /// The places that its users had before some were left out.
    pub(crate) places: Vec<usize>,
    /// How much was left out because it is nothing that a relay counts.
    pub(crate) refused: u64,
}

/// Why a batch is not taken, now or ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("sender: up to {SENDER} of A-Z, a-z, 0-9, `-` and `/`")]
    Sender,
    #[error("sequence: 0 or more")]
    Sequence,
}

impl Batch {
    /// What is taken of the batch at `now`, in ms since 1970: what is of environments that `within`
    /// says, since a relay speaks for those of its key alone, and what an edge could have counted.
    pub(crate) fn checked(
        self,
        now: i64,
        within: impl Fn(&str) -> bool,
    ) -> Result<Checked, Refused> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-/".contains(&byte);
        if !(1..=SENDER).contains(&self.sender.len()) || !self.sender.bytes().all(allowed) {
            return Err(Refused::Sender);
        }
        if self.sequence < 0 {
            return Err(Refused::Sequence);
        }
        let mut refused = 0;
        let (places, users) = taken(self.users, now, &within, &mut refused);
        let batch = sink::Batch {
            sender: self.sender,
            sequence: self.sequence,
            users,
            counts: taken(self.counts, now, &within, &mut refused).1,
            exposures: taken(self.exposures, now, &within, &mut refused).1,
            metrics: taken(self.metrics, now, &within, &mut refused).1,
            decisions: taken(self.decisions, now, &within, &mut refused).1,
        };
        Ok(Checked {
            batch,
            places,
            refused,
        })
    }
}

/// What is taken of some items, and the places of these.
fn taken<T: Item, U: From<T>>(
    items: Vec<T>,
    now: i64,
    within: impl Fn(&str) -> bool,
    refused: &mut u64,
) -> (Vec<usize>, Vec<U>) {
    let (mut places, mut all) = (Vec::new(), Vec::with_capacity(items.len()));
    for (place, mut item) in items.into_iter().enumerate() {
        if !within(item.environment()) {
            continue;
        }
        match item.settle(now) {
            Some(()) => {
                places.push(place);
                all.push(item.into());
            }
            None => *refused += 1,
        }
    }
    (places, all)
}

/// Something that a batch holds.
trait Item {
    fn environment(&self) -> &str;

    /// Puts its times where they can be; none where it is nothing that an edge counts.
    fn settle(&mut self, now: i64) -> Option<()>;
}

/// A time as it is believed; none of one that is too long ago.
fn time(at: i64, now: i64) -> Option<i64> {
    match at {
        _ if at < now - OLD => None,
        _ if at > now + AHEAD => Some(now),
        _ => Some(at),
    }
}

fn fit(texts: &[&str], most: usize) -> Option<()> {
    let fits = |text: &&str| text.len() <= most && !text.contains('\0');
    texts.iter().all(fits).then_some(())
}

impl Item for User {
    fn environment(&self) -> &str {
        &self.environment
    }

    fn settle(&mut self, now: i64) -> Option<()> {
        fit(&[&self.key], USER_KEY)?;
        fit(&[&self.name], USER_NAME)?;
        let property = |(name, value): &(String, String)| {
            fit(&[name, value], PROPERTY).is_some() && name.len() + value.len() <= PROPERTY
        };
        fit(&[&self.types], PROPERTIES)?;
        let all = self.properties.len() <= PROPERTIES && self.properties.iter().all(property);
        self.at = time(self.at, now)?;
        all.then_some(())
    }
}

impl Item for Count {
    fn environment(&self) -> &str {
        &self.environment
    }

    fn settle(&mut self, now: i64) -> Option<()> {
        fit(&[&self.flag, &self.flag_id, &self.variation], USER_KEY)?;
        self.minute = time(self.minute, now)?;
        (self.count <= COUNT).then_some(())
    }
}

impl Item for Exposure {
    fn environment(&self) -> &str {
        &self.environment
    }

    fn settle(&mut self, now: i64) -> Option<()> {
        let texts = [&self.flag, &self.flag_id, &self.variation, &self.user];
        fit(&texts.map(String::as_str), USER_KEY)?;
        self.last = time(self.last, now)?;
        self.first = self.first.clamp(now - OLD, self.last);
        Some(())
    }
}

impl Item for Metric {
    fn environment(&self) -> &str {
        &self.environment
    }

    fn settle(&mut self, now: i64) -> Option<()> {
        fit(&[&self.user], USER_KEY)?;
        let texts = [&self.event, &self.route, &self.kind, &self.app_type];
        fit(&texts.map(String::as_str), EVENT_TEXT)?;
        self.at = time(self.at, now)?;
        Some(())
    }
}

impl Item for Decision {
    fn environment(&self) -> &str {
        &self.environment
    }

    fn settle(&mut self, now: i64) -> Option<()> {
        let texts = [&self.flag, &self.flag_id, &self.variation, &self.rule];
        fit(&texts.map(String::as_str), USER_KEY)?;
        fit(&[&self.user], USER_KEY)?;
        let words = [&self.surface, &self.reason];
        let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        words.iter().all(|text| is_word(text)).then_some(())?;
        fit(&words.map(String::as_str), WORD)?;
        let named = !self.user.is_empty() && !self.surface.is_empty();
        self.at = time(self.at, now)?;
        named.then_some(())
    }
}

#[cfg(test)]
mod tests;
