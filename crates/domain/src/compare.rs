//! Environments side by side: where a flag's targeting is the same, and where not. Variations,
//! rules and segments are matched by their ids.

use burgee_eval::flag::{TargetUsers, Variation};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::diff::{conditions, quoted, rollout, some, variation};
use crate::model::{Flag, Targeting};
use crate::plan::TargetingFacet;

/// How many individual targets of a variation a side names.
const NAMED_USERS: usize = 100;

/// The most bytes of JSON that a side has.
const LARGEST_SIDE: usize = 16 * 1024;

/// A part of a flag's targeting in several environments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// Which.
    pub facet: TargetingFacet,
    /// Whether it is the same in all environments where the flag is released.
    pub equal: bool,
    /// In the environments' order; null where the flag is not released. Absent where it is equal and
    /// the flag is released in all of them, or in none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<Vec<Option<Side>>>,
}

/// A part of a flag's targeting in one environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Side {
    /// As a flag's targeting has it; null where it was cut. Of individual targets, for each
    /// variation the `count`, and the first hundred `keys`.
    #[cfg_attr(feature = "schema", schema(value_type = Option<serde_json::Value>))]
    pub value: Value,
    /// In English.
    pub words: String,
    /// Whether not all is shown, because it is large.
    pub cut: bool,
}

/// The parts of a flag's targeting, each compared over environments; none: not released there.
pub fn compare(flag: &Flag, targetings: &[Option<&Targeting>]) -> Vec<Compared> {
    let facets = TargetingFacet::ALL.into_iter();
    let is_there = |wanted: bool| targetings.iter().any(|it| it.is_some() == wanted);
    let here_and_not_there = is_there(true) && is_there(false);
    facets
        .map(|facet| {
            let mut released = targetings.iter().flatten();
            let first = released.next();
            let equal = first.is_none_or(|first| released.all(|it| same(facet, first, it)));
            let side = |it: &Option<&Targeting>| it.map(|it| side(facet, it, &flag.variations));
            Compared {
                facet,
                equal,
                sides: (!equal || here_and_not_there)
                    .then(|| targetings.iter().map(side).collect()),
            }
        })
        .collect()
}

fn same(facet: TargetingFacet, one: &Targeting, other: &Targeting) -> bool {
    match facet {
        TargetingFacet::OnOff => one.is_enabled == other.is_enabled,
        TargetingFacet::Targets => targets(one) == targets(other),
        TargetingFacet::Rules => one.rules == other.rules,
        TargetingFacet::DefaultRule => one.fallthrough == other.fallthrough,
        TargetingFacet::OffVariation => one.off_variation == other.off_variation,
        TargetingFacet::Prerequisites => one.prerequisites == other.prerequisites,
        TargetingFacet::Tracking => {
            one.tracked == other.tracked
                && one.expt_include_all_targets == other.expt_include_all_targets
        }
    }
}

/// Who gets what, whatever the order.
fn targets(of: &Targeting) -> Vec<(&str, Vec<&str>)> {
    let mut lists: Vec<(&str, Vec<&str>)> = of
        .target_users
        .iter()
        .filter(|list| !list.key_ids.is_empty())
        .map(|list| {
            let mut keys: Vec<&str> = list.key_ids.iter().map(String::as_str).collect();
            keys.sort_unstable();
            (list.variation_id.as_str(), keys)
        })
        .collect();
    lists.sort_unstable();
    lists
}

fn side(facet: TargetingFacet, of: &Targeting, variations: &[Variation]) -> Side {
    let cut = facet == TargetingFacet::Targets
        && of
            .target_users
            .iter()
            .any(|it| it.key_ids.len() > NAMED_USERS);
    let side = Side {
        value: value(facet, of),
        words: words(facet, of, variations),
        cut,
    };
    match side.value.to_string().len() {
        ..=LARGEST_SIDE => side,
        _ => Side {
            value: Value::Null,
            cut: true,
            ..side
        },
    }
}

fn value(facet: TargetingFacet, of: &Targeting) -> Value {
    let named = |list: &TargetUsers| {
        let keys: Vec<&String> = list.key_ids.iter().take(NAMED_USERS).collect();
        json!({"variation": list.variation_id, "count": list.key_ids.len(), "keys": keys})
    };
    match facet {
        TargetingFacet::OnOff => json!(of.is_enabled),
        TargetingFacet::Targets => of.target_users.iter().map(named).collect(),
        TargetingFacet::Rules => json!(of.rules),
        TargetingFacet::DefaultRule => json!(of.fallthrough),
        TargetingFacet::OffVariation => json!(of.off_variation),
        TargetingFacet::Prerequisites => json!(of.prerequisites),
        TargetingFacet::Tracking => json!({
            "tracked": of.tracked, "exptIncludeAllTargets": of.expt_include_all_targets,
        }),
    }
}

fn words(facet: TargetingFacet, of: &Targeting, variations: &[Variation]) -> String {
    let joined = |parts: Vec<String>, none: &str| match parts.is_empty() {
        true => none.to_owned(),
        false => parts.join("; "),
    };
    match facet {
        TargetingFacet::OnOff if of.is_enabled => "on".to_owned(),
        TargetingFacet::OnOff => "off".to_owned(),
        TargetingFacet::Targets => {
            let lists = of.target_users.iter().map(|list| {
                let name = variation(&list.variation_id, variations);
                format!("{name}: {}", some(&list.key_ids))
            });
            joined(lists.collect(), "nobody")
        }
        TargetingFacet::Rules => {
            let rules = of.rules.iter().map(|rule| {
                let key = rule.dispatch_key.as_deref();
                let serves = rollout(&rule.variations, key, variations);
                let users = conditions(&rule.conditions);
                format!("{} serves {serves} where {users}", quoted(&rule.name))
            });
            joined(rules.collect(), "no rules")
        }
        TargetingFacet::DefaultRule => {
            let rule = &of.fallthrough;
            rollout(&rule.variations, rule.dispatch_key.as_deref(), variations)
        }
        TargetingFacet::OffVariation => variation(&of.off_variation, variations),
        TargetingFacet::Prerequisites => {
            let keys = of.prerequisites.iter().map(|it| it.flag.clone());
            joined(keys.collect(), "needs no other flag")
        }
        TargetingFacet::Tracking => match (of.tracked, of.expt_include_all_targets) {
            (false, false) => "exposures not kept".to_owned(),
            (true, false) => "exposures kept".to_owned(),
            (false, true) => "all users are part of experiments".to_owned(),
            (true, true) => "exposures kept; all users are part of experiments".to_owned(),
        },
    }
}
