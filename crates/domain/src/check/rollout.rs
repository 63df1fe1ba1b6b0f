//! Percentage rollouts: who gets which variation where a rule holds.

use burgee_eval::flag::{RolloutVariation, Variation};

use super::Checked;
use crate::command::input::PartInput;
use crate::fault::{Fault, shown};
use crate::limits::{MAX_PARTS, ROLLOUT_TOLERANCE};

/// A rollout as it is kept: everyone is covered once, bounds are snapped to where they belong
/// (SDKs compare them exactly), `[0, 0]` parts cover nobody and may stand anywhere.
///
/// `parts` or `one` variation for everybody must be given, not both.
pub(crate) fn rollout(
    parts: Option<&[PartInput]>,
    one: Option<&str>,
    variations: &[Variation],
    at: &str,
) -> Checked<Vec<RolloutVariation>> {
    let kept = check(parts, one, at)?;
    for (index, part) in kept.iter().enumerate() {
        let at = match one {
            Some(_) => format!("{at}/variation"),
            None => format!("{at}/variations/{index}/id"),
        };
        known(&part.id, variations, &at)?;
    }
    Ok(kept)
}

/// As [`rollout`], whatever variations there are.
pub(crate) fn check(
    parts: Option<&[PartInput]>,
    one: Option<&str>,
    at: &str,
) -> Checked<Vec<RolloutVariation>> {
    match (parts, one) {
        (Some(parts), None) => tiles(parts, &format!("{at}/variations")),
        (None, Some(id)) => Ok(everyone(id)),
        _ => Err(Fault::new(
            at,
            "rolloutMissing",
            "give either 'variations' (a rollout) or 'variation' (one for everybody)",
        )),
    }
}

/// Everybody gets one variation.
pub(crate) fn everyone(id: &str) -> Vec<RolloutVariation> {
    vec![RolloutVariation {
        id: id.to_owned(),
        rollout: [0.0, 1.0],
        expt_rollout: 1.0,
    }]
}

/// Refuses the id of a variation that the flag does not have.
pub(crate) fn known(id: &str, variations: &[Variation], at: &str) -> Checked<()> {
    if variations.iter().any(|variation| variation.id == id) {
        return Ok(());
    }
    let message = format!("the flag has no variation with the id '{}'", shown(id));
    Err(Fault::new(at, "variationUnknown", message))
}

fn tiles(parts: &[PartInput], at: &str) -> Checked<Vec<RolloutVariation>> {
    if parts.len() > MAX_PARTS {
        let message = format!("a rollout has at most {MAX_PARTS} parts");
        return Err(Fault::new(at, "tooManyParts", message));
    }
    let mut reached = 0.0;
    let mut kept = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let at = format!("{at}/{index}");
        let rollout = interval(part.rollout, reached, &format!("{at}/rollout"))?;
        reached = if rollout[1] > 0.0 {
            rollout[1]
        } else {
            reached
        };
        kept.push(RolloutVariation {
            id: part.id.clone(),
            rollout,
            expt_rollout: share(part.expt_rollout, &format!("{at}/exptRollout"))?,
        });
    }
    if reached < 1.0 {
        let message = format!(
            "the rollout covers only the first {reached} of 1: users behind it would get nothing"
        );
        return Err(Fault::new(at, "rolloutGap", message));
    }
    Ok(kept)
}

fn interval([from, to]: [f64; 2], reached: f64, at: &str) -> Checked<[f64; 2]> {
    if from == 0.0 && to == 0.0 {
        return Ok([0.0, 0.0]);
    }
    let fault = |code, message: String| Err(Fault::new(at, code, message));
    let inside = |bound: f64| (-ROLLOUT_TOLERANCE..=1.0 + ROLLOUT_TOLERANCE).contains(&bound);
    if !inside(from) || !inside(to) {
        let message = format!("the bounds {from} and {to} must lie between 0 and 1");
        return fault("rolloutBounds", message);
    }
    if to - from <= ROLLOUT_TOLERANCE {
        let message = format!("the part from {from} to {to} covers nobody; write it as [0, 0]");
        return fault("rolloutEmptyPart", message);
    }
    if from > reached + ROLLOUT_TOLERANCE {
        let message = format!("there is a gap between {reached} and {from}");
        return fault("rolloutGap", message);
    }
    if from < reached - ROLLOUT_TOLERANCE {
        let message = format!("the part begins at {from}, but what is before it reaches {reached}");
        return fault("rolloutOverlap", message);
    }
    let to = if to >= 1.0 - ROLLOUT_TOLERANCE {
        1.0
    } else {
        to
    };
    Ok([reached, to])
}

fn share(share: Option<f64>, at: &str) -> Checked<f64> {
    match share.unwrap_or(1.0) {
        share if (0.0..=1.0).contains(&share) => Ok(share),
        share => {
            let message =
                format!("an experiment's share lies between 0 and 1; this one is {share}");
            Err(Fault::new(at, "exptRolloutBounds", message))
        }
    }
}
