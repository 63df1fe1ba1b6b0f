//! What the words of a line are made of, where they are more than names: for whoever says it in
//! another language. Bounded as the words are: the first few of a list, and values cut.

use burgee_eval::flag::{Condition, RolloutVariation, Rule, Variation};
use serde::Serialize;
use serde_json::Value;

use super::words::{NAMED, SHOWN};

/// What a line's words are made of; what does not concern the line is absent.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Parts {
    /// What a rule serves, and to which share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serves: Option<Vec<Share>>,
    /// By which property shares are drawn; absent: by the user's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What a rule asks, all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Vec<Asked>>,
    /// What the first rules of a segment ask; any of them takes a user in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<Vec<Asked>>>,
    /// The first of a list: users, rules, values or tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<String>>,
    /// How many more there are of that list, or of `rules`.
    #[serde(skip_serializing_if = "is_none_more")]
    pub more: usize,
    /// A variation, by its name, else by its value; null where it is not one of the flag's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variation: Option<Option<String>>,
}

/// A share of users, and what they get.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Share {
    /// From 0 to 1.
    pub share: f64,
    /// A variation, by its name, else by its value; null where it is not one of the flag's.
    pub variation: Option<String>,
}

/// A condition.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Asked {
    /// The property.
    pub property: String,
    /// The operator's name.
    pub op: Option<String>,
    /// What is compared with. A list is a text that holds a JSON list, of its first few where it is
    /// long.
    pub value: Option<String>,
    /// How many more the list has.
    #[serde(skip_serializing_if = "is_none_more")]
    pub more: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none_more(more: &usize) -> bool {
    *more == 0
}

impl Parts {
    /// As it stands in a line.
    pub(super) fn value(&self) -> Option<Value> {
        let value = serde_json::to_value(self).ok()?;
        value
            .as_object()
            .is_some_and(|it| !it.is_empty())
            .then_some(value)
    }

    /// The first of a list.
    pub(super) fn list<S: AsRef<str>>(items: &[S]) -> Self {
        let named = items.iter().take(NAMED);
        Self {
            items: Some(named.map(|it| cut(it.as_ref())).collect()),
            more: items.len().saturating_sub(NAMED),
            ..Self::default()
        }
    }

    /// The same, and a variation.
    pub(super) fn of_variation(self, id: &str, variations: &[Variation]) -> Self {
        Self {
            variation: Some(name(id, variations)),
            ..self
        }
    }

    pub(super) fn serving(
        parts: &[RolloutVariation],
        dispatch_key: Option<&str>,
        variations: &[Variation],
    ) -> Self {
        let covering = parts.iter().filter(|it| it.rollout[1] > it.rollout[0]);
        let shares = covering.map(|part| Share {
            // What decimal fractions leave behind would be said with sixteen digits.
            share: ((part.rollout[1] - part.rollout[0]) * 1e6).round() / 1e6,
            variation: name(&part.id, variations),
        });
        Self {
            serves: Some(shares.collect()),
            by: dispatch_key.map(str::to_owned),
            ..Self::default()
        }
    }

    /// What a flag's rule asks and serves.
    pub(super) fn rule(rule: &Rule, variations: &[Variation]) -> Self {
        let key = rule.dispatch_key.as_deref();
        Self {
            conditions: Some(asked(&rule.conditions)),
            ..Self::serving(&rule.variations, key, variations)
        }
    }

    /// What the rules of a segment ask.
    pub(super) fn rules<'c>(rules: impl ExactSizeIterator<Item = &'c [Condition]>) -> Self {
        Self {
            more: rules.len().saturating_sub(NAMED),
            rules: Some(rules.take(NAMED).map(asked).collect()),
            ..Self::default()
        }
    }
}

fn name(id: &str, variations: &[Variation]) -> Option<String> {
    let found = variations.iter().find(|it| it.id == id)?;
    Some(cut(found.name.as_ref().unwrap_or(&found.value)))
}

fn asked(conditions: &[Condition]) -> Vec<Asked> {
    let all = conditions.iter().map(|condition| {
        let value = condition.value.as_deref();
        let list: Option<Vec<String>> = value.and_then(|it| serde_json::from_str(it).ok());
        let (value, more) = match list {
            None => (value.map(cut), 0),
            Some(list) => {
                let first: Vec<String> = list.iter().take(NAMED).map(|it| cut(it)).collect();
                let text = serde_json::to_string(&first).unwrap_or_default();
                (Some(text), list.len().saturating_sub(NAMED))
            }
        };
        Asked {
            property: condition.property.clone(),
            op: condition.op.clone(),
            value,
            more,
        }
    });
    all.collect()
}

fn cut(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN).collect();
    match shown.len() == text.len() {
        true => shown,
        false => format!("{shown}…"),
    }
}
