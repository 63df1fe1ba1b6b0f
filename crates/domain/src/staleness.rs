//! Which flags nobody needs any more, as far as what was served tells.
//!
//! A flag is stale where programs stopped asking for it, or where all of them have been given one
//! and the same value for so long that it might as well stand in the code.

use burgee_eval::time::Millis;
use serde::Serialize;

/// How long nothing may happen before a flag counts as stale, in days, where nobody says otherwise.
pub const DAYS: i64 = 30;

/// The longest time that can be asked for, in days.
pub const MAX_DAYS: i64 = 3_650;

/// After how many days the flags of a project are stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleDays {
    /// What is set of the project, from 1 to [`MAX_DAYS`]; none: what its organization has.
    pub own: Option<i64>,
    /// What is set of the organization.
    pub organization: i64,
}

impl Default for StaleDays {
    fn default() -> Self {
        Self {
            own: None,
            organization: DAYS,
        }
    }
}

impl StaleDays {
    /// The number that counts.
    pub fn days(self) -> i64 {
        self.own.unwrap_or(self.organization)
    }
}

const DAY: i64 = 86_400_000;

/// When a variation was first and last served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Its id.
    pub variation: String,
    /// The first time.
    pub first: Millis,
    /// The last time.
    pub last: Millis,
}

/// Why a flag is stale.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", tag = "code")]
pub enum Stale {
    /// It was not evaluated for so long, or never.
    #[serde(rename_all = "camelCase")]
    NotEvaluated {
        /// When it was evaluated last, ISO 8601; null: never.
        #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
        last_evaluated_at: Option<Millis>,
    },
    /// All evaluations for so long gave one variation.
    OneValue {
        /// The variation's id.
        variation: String,
        /// Since when it is known to be served, ISO 8601.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        since: Millis,
    },
}

/// Whether a flag that is there since `since` (made, or released in an environment) is stale after
/// so many days; `uses` are those of one environment, or of several together.
pub fn stale(since: Millis, uses: &[Use], days: i64, now: Millis) -> Option<Stale> {
    let before = now.0.saturating_sub(days.clamp(1, MAX_DAYS) * DAY);
    let mut recent = uses.iter().filter(|it| it.last.0 >= before);
    let Some(one) = recent.next() else {
        let last_evaluated_at = uses.iter().map(|it| it.last).max();
        return (since.0 < before).then_some(Stale::NotEvaluated { last_evaluated_at });
    };
    let others = recent.any(|it| it.variation != one.variation);
    let long = uses.iter().any(|it| it.first.0 <= before);
    let same = uses.iter().filter(|it| it.variation == one.variation);
    (!others && long).then(|| Stale::OneValue {
        variation: one.variation.clone(),
        since: same.map(|it| it.first).min().unwrap_or(one.first),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000 * DAY;

    /// (variation, days ago first, days ago last).
    fn judged(since: i64, uses: &[(&str, i64, i64)]) -> Option<Stale> {
        let ago = |days: i64| Millis(NOW - days * DAY);
        let uses: Vec<Use> = uses
            .iter()
            .map(|(variation, first, last)| Use {
                variation: (*variation).to_owned(),
                first: ago(*first),
                last: ago(*last),
            })
            .collect();
        stale(ago(since), &uses, DAYS, Millis(NOW))
    }

    #[test]
    fn what_nobody_asks_for_is_stale_but_not_what_is_new() {
        let not_since = |days: Option<i64>| {
            let last_evaluated_at = days.map(|days| Millis(NOW - days * DAY));
            Some(Stale::NotEvaluated { last_evaluated_at })
        };
        assert_eq!(judged(40, &[]), not_since(None));
        assert_eq!(judged(10, &[]), None);
        let long_ago = [("a", 90, 31), ("b", 90, 40)];
        assert_eq!(judged(100, &long_ago), not_since(Some(31)));
    }

    #[test]
    fn one_value_for_long_is_stale_two_are_not() {
        let one = |days: i64| {
            Some(Stale::OneValue {
                variation: "a".to_owned(),
                since: Millis(NOW - days * DAY),
            })
        };
        assert_eq!(judged(100, &[("a", 31, 0)]), one(31));
        assert_eq!(judged(100, &[("a", 29, 0)]), None);
        assert_eq!(judged(100, &[("a", 90, 0), ("b", 90, 1)]), None);
        assert_eq!(judged(100, &[("a", 10, 0), ("b", 90, 31)]), one(10));
        let in_two_places = [("a", 90, 0), ("a", 20, 1)];
        assert_eq!(judged(100, &in_two_places), one(90));
    }
}
