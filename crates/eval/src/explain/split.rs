//! Where in a rollout a user falls.

use serde::Serialize;

use crate::flag::RolloutVariation;
use crate::user::User;

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

/// Where in a rollout a user fell.
pub(super) struct Fell {
    /// Their number, where it needed one.
    pub(super) bucket: Option<f64>,
    /// The part that covers them.
    pub(super) part: Option<usize>,
    /// Their number for the experiment, and up to where it takes them.
    pub(super) draw: Option<(f64, f64)>,
}

impl Split {
    pub(super) fn new(
        dispatch_key: Option<&str>,
        parts: &[RolloutVariation],
        fell: &Fell,
        user: &User<'_>,
    ) -> Self {
        let by = dispatch_key.filter(|key| !key.trim().is_empty());
        let by = by.unwrap_or("keyId");
        let parts = parts.iter().enumerate().map(|(number, part)| PartStep {
            variation: part.id.clone(),
            from: part.rollout[0],
            to: part.rollout[1],
            taken: fell.part == Some(number),
        });
        Self {
            by: by.to_owned(),
            value: user.property(by).map(str::to_owned),
            bucket: fell.bucket,
            parts: parts.collect(),
            experiment: fell.draw.map(|(bucket, share)| ExperimentStep {
                bucket,
                share,
                sent: bucket <= share,
            }),
        }
    }

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
