//! Where in a rollout a user falls.

use serde::Serialize;

use crate::bucket::bucket;
use crate::flag::{Flag, RolloutVariation};
use crate::outcome::{Outcome, Reason};
use crate::rollout::{is_everybody, is_nobody};
use crate::user::User;

use super::position;

/// How a rollout splits users, and where this one falls.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Split {
    /// The property by which users are split: `keyId` is their key.
    pub by: String,
    /// The user's value; null where they never sent one, which counts as the empty text.
    pub value: Option<String>,
    /// Where they fall, from 0 to 1; null where everybody gets the same, whatever the number.
    pub bucket: Option<f64>,
    /// The parts, as they were written.
    pub parts: Vec<PartStep>,
    /// Whether they count for an experiment, where only a share does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentStep>,
}

/// A part of a rollout.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PartStep {
    /// What it gives: a variation's id.
    pub variation: String,
    /// Where it begins, from 0 to 1.
    pub from: f64,
    /// Where it ends, from 0 to 1, that number included.
    pub to: f64,
    /// Whether the user is in it.
    pub taken: bool,
}

/// A draw for an experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExperimentStep {
    /// Where the user falls, from 0 to 1.
    pub bucket: f64,
    /// Up to where the experiment takes the users of this part.
    pub share: f64,
    /// Whether it takes this one.
    pub sent: bool,
}

/// Why nothing is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nothing {
    Uncovered,
    VariationUnknown,
}

impl Nothing {
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Uncovered => "uncovered",
            Self::VariationUnknown => "variationUnknown",
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Uncovered => "no part of its rollout covers them",
            Self::VariationUnknown => "the flag has no such variation",
        }
    }
}

/// A rollout as it was written.
pub(super) struct Rollout<'a> {
    pub(super) dispatch_key: Option<&'a str>,
    pub(super) included: bool,
    pub(super) parts: &'a [RolloutVariation],
    pub(super) reason: Reason,
}

impl Rollout<'_> {
    /// Where the user falls, and what that gives them.
    pub(super) fn explain(
        &self,
        flag: &Flag,
        user: &User<'_>,
    ) -> (Split, Option<Outcome>, Option<Nothing>) {
        let by = self.dispatch_key.filter(|key| !key.trim().is_empty());
        let by = by.unwrap_or("keyId");
        let value = user.property(by);
        let (bucket, taken) = self.fall(&flag.key, value.unwrap_or_default());
        let parts = self.parts.iter().enumerate();
        let parts = parts.map(|(number, part)| PartStep {
            variation: part.id.clone(),
            from: part.rollout[0],
            to: part.rollout[1],
            taken: taken == Some(number),
        });
        let mut split = Split {
            by: by.to_owned(),
            value: value.map(str::to_owned),
            bucket,
            parts: parts.collect(),
            experiment: None,
        };
        let Some(part) = taken.and_then(|number| self.parts.get(number)) else {
            return (split, None, Some(Nothing::Uncovered));
        };
        let Some(variation) = position(&flag.variations, &part.id) else {
            return (split, None, Some(Nothing::VariationUnknown));
        };
        let outcome = Outcome {
            variation,
            reason: self.reason,
            send_to_experiment: self.experiment(flag, part, &mut split),
        };
        (split, Some(outcome), None)
    }

    /// The user's number, where one counts, and the part that it lies in.
    fn fall(&self, flag_key: &str, value: &str) -> (Option<f64>, Option<usize>) {
        let everybody = self
            .parts
            .iter()
            .position(|part| is_everybody(part.rollout) && !is_nobody(part.rollout));
        // What stands behind a part for everybody is never asked.
        let asked = everybody.map_or(self.parts.len(), |number| number + 1);
        let mut open = (0..asked).filter(|number| !is_nobody(self.parts[*number].rollout));
        if everybody.is_some() && open.clone().count() == 1 {
            return (None, everybody);
        }
        let n = bucket(&[flag_key, value]);
        let covering = open.find(|number| {
            let [from, to] = self.parts[*number].rollout;
            from <= n && n <= to
        });
        (Some(n), covering.or(everybody))
    }

    /// Whether the answer is part of an experiment.
    fn experiment(&self, flag: &Flag, part: &RolloutVariation, split: &mut Split) -> bool {
        if flag.expt_include_all_targets {
            return true;
        }
        let [from, to] = part.rollout;
        let share = part.expt_rollout / (to - from);
        let shared = self.included && share > 0.0 && share.is_finite();
        if !shared || is_everybody([0.0, share]) {
            return shared;
        }
        let value = split.value.as_deref().unwrap_or_default();
        let n = bucket(&["expt", &flag.key, value]);
        split.experiment = Some(ExperimentStep {
            bucket: n,
            share,
            sent: n <= share,
        });
        n <= share
    }
}

impl Split {
    /// Goes on from who takes the user to where they fall.
    pub(super) fn say(&self, text: String) -> String {
        let Some(bucket) = self.bucket else {
            return text;
        };
        let at = format!("{text}; by {} they fall at {} %", self.by, percent(bucket));
        match self.parts.iter().find(|part| part.taken) {
            None => at,
            Some(part) => format!("{at}, within {}–{} %", percent(part.from), percent(part.to)),
        }
    }
}

/// A share in percent, to two places where it needs them.
fn percent(share: f64) -> String {
    let rounded = format!("{:.2}", share * 100.0);
    let rounded = rounded.trim_end_matches('0').trim_end_matches('.');
    rounded.to_owned()
}
