//! Who of the users that a rule took gets what.
//!
//! Compiling resolves what does not depend on the user: a part for everybody needs no hash, a part
//! for nobody is dropped, and each part knows the outcome it leads to.

use crate::bucket::bucket;
use crate::compile::CompiledFlag;
use crate::condition::Property;
use crate::evaluate::Trace;
use crate::flag::RolloutVariation;
use crate::outcome::{OutcomeIndex, Reason};
use crate::user::User;

/// How far below 1 an upper bound may end and still mean everybody (sums of rounded percentages).
const ROUNDING: f64 = 1e-5;

/// Whether `[from, to]` is everybody, whatever the hash.
pub(crate) fn is_everybody([from, to]: [f64; 2]) -> bool {
    from == 0.0 && 1.0 - to < ROUNDING
}

/// Whether `[from, to]` is nobody.
pub(crate) fn is_nobody([from, to]: [f64; 2]) -> bool {
    // Written so that what cannot be compared is nobody.
    !(from <= to && to >= 0.0 && from <= 1.0) || (from == 0.0 && to == 0.0)
}

/// Whether each user is in some part.
pub(crate) fn covers_everybody(parts: &[RolloutVariation]) -> bool {
    let mut intervals: Vec<[f64; 2]> = parts.iter().map(|part| part.rollout).collect();
    intervals.retain(|interval| !is_nobody(*interval));
    intervals.sort_by(|a, b| a[0].total_cmp(&b[0]));
    // Up to where all are covered; sums of rounded percentages may miss by as little as an end may.
    let reached = intervals.iter().try_fold(0.0_f64, |reached, [from, to]| {
        (*from <= reached + ROUNDING).then(|| reached.max(*to))
    });
    !intervals.is_empty() && reached.is_some_and(|reached| 1.0 - reached < ROUNDING)
}

impl CompiledFlag {
    /// Whether users whom this reason took may get different things: by their bucket.
    pub fn splits(&self, reason: Reason) -> bool {
        let flag = self.flag();
        let parts = match reason {
            Reason::Rule(position) => flag.rules.get(position).map(|rule| &rule.variations),
            Reason::Default => Some(&flag.fallthrough.variations),
            _ => None,
        };
        let parts = parts.into_iter().flatten();
        let mut reached = parts.filter(|part| !is_nobody(part.rollout));
        reached
            .next()
            .is_some_and(|first| !is_everybody(first.rollout))
    }
}

/// What a part of a rollout gives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Serve {
    /// Nothing: its variation is not one of the flag's.
    Nothing,
    /// The same to all.
    One(OutcomeIndex),
    /// `sent` to those whose experiment bucket is at most `share`, else `kept`.
    Experiment {
        sent: OutcomeIndex,
        kept: OutcomeIndex,
        share: f64,
    },
}

#[derive(Debug)]
struct Part {
    /// Its place among the parts as they were written.
    number: usize,
    from: f64,
    to: f64,
    serve: Serve,
}

/// A compiled rollout.
#[derive(Debug)]
pub(crate) struct Rollout {
    dispatch: Property,
    /// Without those that nobody can reach; a part for everybody is last.
    parts: Box<[Part]>,
    everybody: bool,
}

impl Rollout {
    /// Compiles; `serve` tells what a part gives.
    pub(crate) fn new(
        dispatch_key: Option<&str>,
        parts: &[RolloutVariation],
        mut serve: impl FnMut(usize, &RolloutVariation) -> Serve,
    ) -> Self {
        let dispatch = dispatch_key.filter(|key| !key.trim().is_empty());
        let mut kept = Vec::with_capacity(parts.len());
        let mut everybody = false;
        for (number, part) in parts.iter().enumerate() {
            if is_nobody(part.rollout) || everybody {
                continue;
            }
            everybody = is_everybody(part.rollout);
            let [from, to] = part.rollout;
            let serve = serve(number, part);
            kept.push(Part {
                number,
                from,
                to,
                serve,
            });
        }
        Self {
            dispatch: dispatch.map_or(Property::Key, Property::new),
            parts: kept.into(),
            everybody,
        }
    }

    /// The outcome for the user, if a part covers them.
    pub(crate) fn outcome<T: Trace>(
        &self,
        flag_key: &str,
        user: &User<'_>,
        trace: &mut T,
    ) -> Option<OutcomeIndex> {
        let value = self.dispatch.of(user);
        let (n, part) = match &*self.parts {
            [part] if self.everybody => (None, Some(part)),
            parts => {
                let n = bucket(&[flag_key, value]);
                let covering = parts.iter().find(|part| part.from <= n && n <= part.to);
                let rest = || parts.last().filter(|_| self.everybody);
                (Some(n), covering.or_else(rest))
            }
        };
        trace.rollout(n, part.map(|part| part.number));
        match part?.serve {
            Serve::Nothing => None,
            Serve::One(outcome) => Some(outcome),
            Serve::Experiment { sent, kept, share } => {
                let n = bucket(&["expt", flag_key, value]);
                trace.experiment(n, share);
                Some(if n <= share { sent } else { kept })
            }
        }
    }

    /// What everybody gets, whoever they are; none where that depends on the user.
    pub(crate) fn same_for_all(&self) -> Option<OutcomeIndex> {
        match &*self.parts {
            [
                Part {
                    serve: Serve::One(outcome),
                    ..
                },
            ] if self.everybody => Some(*outcome),
            _ => None,
        }
    }
}
