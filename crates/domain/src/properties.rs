//! Which properties users have, and which values, as far as some users tell: what an editor of
//! rules offers.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

/// How many properties are told.
pub const PROPERTIES: usize = 500;

/// How many values of a property are told.
pub const VALUES: usize = 50;

/// How many different values of a property are counted; others are only counted as users.
const COUNTED: usize = 2_000;

/// A property that users have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SeenProperty {
    /// Its name.
    pub name: String,
    /// How many of the users have it.
    pub users: u64,
    /// The values that most of them have, the most frequent first; 50 at most.
    pub values: Vec<SeenValue>,
    /// Whether there are others.
    pub more_values: bool,
}

/// A value that users have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SeenValue {
    /// The value.
    pub value: String,
    /// How many of the users have it.
    pub users: u64,
}

#[derive(Debug, Default)]
struct Tally {
    users: u64,
    values: HashMap<String, u64>,
    overflowed: bool,
}

/// Counts properties and values, user by user.
#[derive(Debug, Default)]
pub struct Tallies(BTreeMap<String, Tally>);

impl Tallies {
    /// Counts a user's properties.
    pub fn count(&mut self, properties: &[(String, String)]) {
        for (name, value) in properties {
            if self.0.len() >= COUNTED && !self.0.contains_key(name) {
                continue;
            }
            let tally = self.0.entry(name.clone()).or_default();
            tally.users += 1;
            if let Some(users) = tally.values.get_mut(value) {
                *users += 1;
            } else if tally.values.len() < COUNTED {
                tally.values.insert(value.clone(), 1);
            } else {
                tally.overflowed = true;
            }
        }
    }

    /// What was found, the most frequent first.
    pub fn finish(self) -> Vec<SeenProperty> {
        let seen = self.0.into_iter().map(|(name, tally)| seen(name, tally));
        let mut seen: Vec<SeenProperty> = seen.collect();
        // Stable: those as frequent stay sorted by name.
        seen.sort_by_key(|property| std::cmp::Reverse(property.users));
        seen.truncate(PROPERTIES);
        seen
    }
}

fn seen(name: String, tally: Tally) -> SeenProperty {
    let values = tally.values.into_iter();
    let mut values: Vec<SeenValue> = values
        .map(|(value, users)| SeenValue { value, users })
        .collect();
    values.sort_by(|a, b| b.users.cmp(&a.users).then_with(|| a.value.cmp(&b.value)));
    let more_values = tally.overflowed || values.len() > VALUES;
    values.truncate(VALUES);
    SeenProperty {
        name,
        users: tally.users,
        values,
        more_values,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let pairs = pairs.iter();
        let owned = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        owned.collect()
    }

    #[test]
    fn the_most_frequent_comes_first() {
        let mut tallies = Tallies::default();
        for pairs in [
            &[("country", "de"), ("plan", "pro")][..],
            &[("country", "de")],
            &[("country", "at")],
        ] {
            tallies.count(&user(pairs));
        }
        let seen = tallies.finish();
        let names: Vec<_> = seen.iter().map(|it| (it.name.as_str(), it.users)).collect();
        assert_eq!(names, [("country", 3), ("plan", 1)]);
        let values: Vec<_> = seen[0]
            .values
            .iter()
            .map(|it| (it.value.as_str(), it.users))
            .collect();
        assert_eq!(values, [("de", 2), ("at", 1)]);
        assert!(!seen[0].more_values);
    }

    #[test]
    fn what_has_a_value_for_each_user_is_bounded() {
        let mut tallies = Tallies::default();
        for number in 0..COUNTED + 10 {
            tallies.count(&user(&[("id", &number.to_string())]));
        }
        let seen = tallies.finish();
        assert_eq!(seen[0].users, COUNTED as u64 + 10);
        assert_eq!(seen[0].values.len(), VALUES);
        assert!(seen[0].more_values);
    }
}
