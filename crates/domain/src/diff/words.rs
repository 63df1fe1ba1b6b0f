//! Values and lists as they stand in a sentence.

use std::collections::HashSet;

use burgee_eval::flag::{Condition, RolloutVariation, Variation};

/// How many of a list are named.
pub(super) const NAMED: usize = 5;

/// How many characters of a value are shown.
pub(super) const SHOWN: usize = 60;

/// A text in quotes, cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN).collect();
    match shown.len() == text.len() {
        true => format!("‘{shown}’"),
        false => format!("‘{shown}…’"),
    }
}

/// The first few of a list, and how many more there are.
pub(crate) fn some<S: AsRef<str>>(items: &[S]) -> String {
    let named = items.iter().take(NAMED).map(|it| it.as_ref().to_owned());
    let named = named.collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// A variation as people know it: by its name, else by its value.
pub(crate) fn variation(id: &str, variations: &[Variation]) -> String {
    let found = variations.iter().find(|variation| variation.id == id);
    match found {
        Some(variation) => quoted(variation.name.as_ref().unwrap_or(&variation.value)),
        None => format!("an unknown variation ({id})"),
    }
}

/// A rollout, such as `‘true’` or `10% ‘true’, 90% ‘false’ by country`.
pub(crate) fn rollout(
    parts: &[RolloutVariation],
    dispatch_key: Option<&str>,
    variations: &[Variation],
) -> String {
    let covering: Vec<_> = parts
        .iter()
        .filter(|part| part.rollout[1] > part.rollout[0])
        .collect();
    if let [only] = covering.as_slice() {
        return variation(&only.id, variations);
    }
    if covering.is_empty() {
        return "nothing".to_owned();
    }
    let shares = covering.iter().map(|part| {
        let percent = percent(part.rollout[1] - part.rollout[0]);
        format!("{percent}% {}", variation(&part.id, variations))
    });
    let shares = shares.collect::<Vec<_>>().join(", ");
    match dispatch_key {
        Some(key) => format!("{shares} by {key}"),
        None => shares,
    }
}

/// Conditions, such as `age BiggerThan ‘22’ and name EndsWith ‘_qa’`.
pub(crate) fn conditions(conditions: &[Condition]) -> String {
    if conditions.is_empty() {
        return "nothing is asked".to_owned();
    }
    let all = conditions.iter().map(|condition| {
        let op = condition
            .op
            .as_ref()
            .map(|op| format!("{op} "))
            .unwrap_or_default();
        let value = quoted(condition.value.as_deref().unwrap_or_default());
        format!("{} {op}{value}", condition.property)
    });
    all.collect::<Vec<_>>().join(" and ")
}

/// What is in `new` and not in `old`, in order.
pub(super) fn gained<'l>(old: &[String], new: &'l [String]) -> Vec<&'l String> {
    let old: HashSet<&String> = old.iter().collect();
    new.iter().filter(|it| !old.contains(it)).collect()
}

/// A share in percent, to three places where it needs them.
fn percent(share: f64) -> String {
    let rounded = format!("{:.3}", share * 100.0);
    rounded
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}
