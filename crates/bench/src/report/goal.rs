//! What a figure should be, in the words that a report prints: `≥ 200,000`, `≤ 32 MiB`.

use super::model::Report;

/// The goals of single figures, by scenario and figure. Those of ratios stand with the ratio.
const GOALS: &[(&str, &str, &str)] = &[
    ("track", "evaluation events per second", "≥ 200,000"),
    ("track", "metric events per second", "≥ 20,000"),
    ("hold", "memory per connection", "≤ 320"),
];

/// A bound for a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    words: String,
    least: bool,
    bound: f64,
}

impl Goal {
    /// Reads `≥ 0.95`, `<= 1.25`, `≤ 32 MiB`, `< 200 ms`: a sign, a number, and a unit, which is the
    /// value's own unless it is one of bytes. `None` where it is none of that.
    pub fn read(words: &str) -> Option<Self> {
        let (least, rest) = [("≥", true), (">=", true), (">", true)]
            .into_iter()
            .chain([("≤", false), ("<=", false), ("<", false)])
            .find_map(|(sign, least)| Some((least, words.trim().strip_prefix(sign)?)))?;
        let mut parts = rest.split_whitespace();
        let number: f64 = parts.next()?.replace(',', "").parse().ok()?;
        let unit = match parts.next() {
            Some("KiB") => 1_024.0,
            Some("MiB") => 1_048_576.0,
            Some("GiB") => 1_073_741_824.0,
            _ => 1.0,
        };
        Some(Self {
            words: words.trim().to_owned(),
            least,
            bound: number * unit,
        })
    }

    /// The goal of a scenario's figure, where it has one.
    pub fn of(scenario: &str, figure: &str) -> Option<Self> {
        let found = GOALS
            .iter()
            .find(|goal| (goal.0, goal.1) == (scenario, figure))?;
        Self::read(found.2)
    }

    /// Whether a value reaches it. What could not be measured does not.
    pub fn met(&self, value: f64) -> bool {
        match self.least {
            true => value >= self.bound,
            false => value <= self.bound,
        }
    }

    /// As it is printed.
    pub fn words(&self) -> &str {
        &self.words
    }
}

/// How many goals a report has, and how many of them are met by the first subject.
pub fn score(report: &Report) -> (usize, usize) {
    let figures = report.subjects.first().into_iter();
    let figures = figures.flat_map(|subject| &subject.figures);
    let figures = figures
        .filter_map(|figure| Some(Goal::of(&report.scenario, &figure.name)?.met(figure.value)));
    let ratios = report.ratios.iter();
    let ratios =
        ratios.filter_map(|ratio| Some(Goal::read(ratio.goal.as_deref()?)?.met(ratio.value)));
    let met: Vec<bool> = figures.chain(ratios).collect();
    (met.len(), met.iter().filter(|met| **met).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_a_sign_a_number_and_a_unit() {
        let met = |words: &str, value: f64| Goal::read(words).unwrap().met(value);
        assert!(met("≥ 0.95", 0.95) && !met("≥ 0.95", 0.949));
        assert!(met("≤ 1.25 ×", 1.25) && !met("<= 1.25", 1.26));
        assert!(met("≥ 200,000", 200_000.0) && !met("≥ 200,000", 199_999.0));
        assert!(met("≤ 32 MiB", 33_554_432.0) && !met("≤ 32 MiB", 33_554_433.0));
        assert!(met("< 200 ms", 199.0) && !met("< 200 ms", 201.0));
        assert!(!met("≤ 1", f64::NAN) && !met("≥ 1", f64::NAN));
        for words in ["", "fast", "≥", "≥ many", "0.95"] {
            assert_eq!(Goal::read(words), None, "{words}");
        }
    }

    #[test]
    fn all_goals_can_be_read() {
        for (scenario, figure, words) in GOALS {
            assert!(Goal::of(scenario, figure).is_some(), "{words}");
        }
    }
}
