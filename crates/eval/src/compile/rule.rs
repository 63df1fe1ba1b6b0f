//! The parts of a flag, compiled one after the other into one list of outcomes and warnings.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::condition::{self, Condition, IN_SEGMENT, NOT_IN_SEGMENT};
use crate::flag::{self, Flag, RolloutVariation};
use crate::ledger::Ledger;
use crate::outcome::{Outcome, OutcomeIndex, Outcomes, Reason};
use crate::rollout::{self, Rollout, Serve};
use crate::time::Millis;
use crate::user::User;
use crate::warning::{Code, Warning};

use super::prerequisite::{Found, Reach};
use super::segment::{CompiledSegment, Segments};

/// A rule: where all tests pass, its rollout decides.
#[derive(Debug)]
pub(crate) struct CompiledRule {
    pub(crate) tests: Box<[RuleTest]>,
    pub(crate) rollout: Rollout,
}

/// A condition of a flag's rule.
#[derive(Debug)]
pub(crate) enum RuleTest {
    Property(Condition),
    /// In any of the segments, or, `negated`, in none.
    Segments {
        any: Box<[Arc<CompiledSegment>]>,
        negated: bool,
    },
    Never,
}

impl RuleTest {
    pub(crate) fn holds(&self, user: &User<'_>) -> bool {
        match self {
            Self::Property(condition) => condition.holds(user),
            Self::Segments { any, negated } => {
                any.iter().any(|segment| segment.contains(user)) != *negated
            }
            Self::Never => false,
        }
    }

    /// Whether it can hold for nobody, because its author made a mistake.
    pub(crate) fn is_never(&self) -> bool {
        match self {
            Self::Property(condition) => condition.is_never(),
            Self::Segments { .. } => false,
            Self::Never => true,
        }
    }
}

/// What a flag's parts add to while they are compiled.
pub(super) struct Compiler<'a> {
    pub(super) flag: &'a Flag,
    segments: &'a Segments,
    pub(super) needed: &'a dyn Fn(&str) -> Found,
    variations: HashMap<&'a str, usize>,
    pub(super) reach: Reach,
    pub(super) outcomes: Outcomes,
    pub(super) segment_ids: BTreeSet<Box<str>>,
    pub(super) stamp: Millis,
    pub(super) ledger: Ledger,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        flag: &'a Flag,
        segments: &'a Segments,
        needed: &'a dyn Fn(&str) -> Found,
    ) -> Self {
        let mut variations = HashMap::with_capacity(flag.variations.len());
        for (position, variation) in flag.variations.iter().enumerate() {
            variations.entry(variation.id.as_str()).or_insert(position);
        }
        Self {
            flag,
            segments,
            needed,
            variations,
            reach: Reach::NOWHERE,
            outcomes: Outcomes::default(),
            segment_ids: BTreeSet::new(),
            stamp: Millis(i64::MIN),
            ledger: Ledger::default(),
        }
    }

    /// What everybody gets while the flag is off.
    pub(super) fn disabled(&mut self) -> Option<Outcome> {
        let variation = self.variation(&self.flag.disabled_variation_id, "/disabledVariationId")?;
        Some(Outcome {
            variation,
            reason: Reason::Disabled,
            send_to_experiment: false,
        })
    }

    /// What each list of targets gets.
    pub(super) fn targets(&mut self) -> Box<[Option<OutcomeIndex>]> {
        let lists = self.flag.target_users.iter().enumerate();
        lists
            .map(|(number, list)| {
                let pointer = format!("/targetUsers/{number}/variationId");
                let variation = self.variation(&list.variation_id, &pointer)?;
                self.outcomes.add(Outcome {
                    variation,
                    reason: Reason::Targeted,
                    send_to_experiment: self.flag.expt_include_all_targets,
                })
            })
            .collect()
    }

    pub(super) fn rules(&mut self) -> Box<[CompiledRule]> {
        let rules = self.flag.rules.iter().enumerate();
        rules
            .map(|(number, rule)| {
                let pointer = format!("/rules/{number}");
                let tests = self.tests(&rule.conditions, &pointer);
                let rollout = self.rollout(
                    rule.dispatch_key.as_deref(),
                    rule.included_in_expt,
                    &rule.variations,
                    Reason::Rule(number),
                    &pointer,
                );
                CompiledRule { tests, rollout }
            })
            .collect()
    }

    pub(super) fn default_rule(&mut self) -> Rollout {
        let default = &self.flag.fallthrough;
        self.rollout(
            default.dispatch_key.as_deref(),
            default.included_in_expt,
            &default.variations,
            Reason::Default,
            "/fallthrough",
        )
    }

    fn tests(&mut self, conditions: &[flag::Condition], rule: &str) -> Box<[RuleTest]> {
        let conditions = conditions.iter().enumerate();
        conditions
            .map(|(number, condition)| {
                let pointer = format!("{rule}/conditions/{number}");
                match condition.property.as_str() {
                    IN_SEGMENT => self.segment_test(condition, false, &pointer),
                    NOT_IN_SEGMENT => self.segment_test(condition, true, &pointer),
                    _ => RuleTest::Property(Condition::new(condition, &pointer, &mut self.ledger)),
                }
            })
            .collect()
    }

    fn segment_test(
        &mut self,
        condition: &flag::Condition,
        negated: bool,
        pointer: &str,
    ) -> RuleTest {
        let ids = match condition::segment_ids(condition) {
            Ok(ids) => ids,
            Err(warning) => {
                self.ledger.warn(pointer, warning);
                return RuleTest::Never;
            }
        };
        let any = ids
            .iter()
            .filter_map(|id| self.segment(id, pointer))
            .collect();
        self.segment_ids.extend(ids.into_iter().map(Into::into));
        RuleTest::Segments { any, negated }
    }

    /// The segment, unless nobody can be in it; its stamp counts in any case.
    fn segment(&mut self, id: &str, pointer: &str) -> Option<Arc<CompiledSegment>> {
        let found = self.segments.get(id);
        let (code, what) = match found {
            None => (Code::UnknownSegment, "is not there"),
            Some(segment) => {
                self.stamp = self.stamp.max(segment.segment().updated_at);
                if !segment.segment().is_archived {
                    return Some(Arc::clone(segment));
                }
                (Code::ArchivedSegment, "is archived")
            }
        };
        let message = format!("segment {id:?} {what}: nobody is in it");
        self.ledger
            .warn(pointer, Warning::new(code, "/value", message));
        None
    }

    fn rollout(
        &mut self,
        dispatch_key: Option<&str>,
        included: bool,
        parts: &[RolloutVariation],
        reason: Reason,
        pointer: &str,
    ) -> Rollout {
        self.outcomes.next_reason();
        if !rollout::covers_everybody(parts) {
            let message = "the rollout leaves users out; they get nothing";
            self.ledger.warn(
                pointer,
                Warning::new(Code::Uncovered, "/variations", message),
            );
        }
        Rollout::new(dispatch_key, parts, |number, part| {
            let pointer = format!("{pointer}/variations/{number}/id");
            self.serve(part, included, reason, &pointer)
        })
    }

    fn serve(
        &mut self,
        part: &RolloutVariation,
        included: bool,
        reason: Reason,
        pointer: &str,
    ) -> Serve {
        let Some(variation) = self.variation(&part.id, pointer) else {
            return Serve::Nothing;
        };
        let mut outcome = |send_to_experiment| {
            self.outcomes.add(Outcome {
                variation,
                reason,
                send_to_experiment,
            })
        };
        let one = |outcome: Option<OutcomeIndex>| outcome.map_or(Serve::Nothing, Serve::One);
        if self.flag.expt_include_all_targets {
            return one(outcome(true));
        }
        let [from, to] = part.rollout;
        let share = part.expt_rollout / (to - from);
        // Written so that what is no number is no share.
        let shared = included && share > 0.0 && share.is_finite();
        if !shared {
            return one(outcome(false));
        }
        if rollout::is_everybody([0.0, share]) {
            return one(outcome(true));
        }
        match (outcome(true), outcome(false)) {
            (Some(sent), Some(kept)) => Serve::Experiment { sent, kept, share },
            _ => Serve::Nothing,
        }
    }

    /// The position of a variation.
    pub(super) fn variation_of(&self, id: &str) -> Option<usize> {
        self.variations.get(id).copied()
    }

    fn variation(&mut self, id: &str, pointer: &str) -> Option<usize> {
        let position = self.variation_of(id);
        if position.is_none() {
            let message = format!("there is no variation {id:?}; who should get it gets nothing");
            self.ledger
                .warn(pointer, Warning::new(Code::UnknownVariation, "", message));
        }
        position
    }
}
