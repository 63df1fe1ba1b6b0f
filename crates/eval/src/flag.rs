//! A flag as it is on the wire, in the store and in FeatBit's files: one shape for all three.
//!
//! Reading is forgiving (a `null` where a list or a text belongs is an empty one, unknown fields
//! are passed over), because what FeatBit served must load; writing is exact, because SDKs index
//! every field without a default (`docs/protocol.md`). What may be *written by a user* is decided
//! elsewhere, in `burgee-domain`.

use serde::{Deserialize, Deserializer, Serialize};

use crate::time::Millis;

/// The type that a flag's values have. It never changes after the flag was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum VariationType {
    /// `true` or `false`; other spellings that are served already are left to the SDKs.
    Boolean,
    /// Any text.
    String,
    /// A JSON number.
    Number,
    /// Any JSON document.
    Json,
}

impl VariationType {
    /// The name on the wire: `boolean`, `string`, `number` or `json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::String => "string",
            Self::Number => "number",
            Self::Json => "json",
        }
    }
}

/// Whether a value's text is one of the type, as every SDK reads it; if not, why not.
pub fn parses_as(kind: VariationType, text: &str) -> Result<(), String> {
    let document = || serde_json::from_str::<serde_json::Value>(text);
    let (ok, what) = match kind {
        VariationType::String => (true, ""),
        VariationType::Boolean => (
            matches!(text, "true" | "false"),
            "is neither true nor false",
        ),
        VariationType::Number => {
            let digit_or_sign = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
            let number = digit_or_sign && text.trim_end() == text;
            (number && document().is_ok(), "is no JSON number")
        }
        VariationType::Json => (document().is_ok(), "is no JSON document"),
    };
    match ok {
        true => Ok(()),
        false => Err(format!("the value {what}")),
    }
}

/// One of the values that a flag can have. Values are texts on the wire, whatever their type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Variation {
    /// Unique in the flag; a UUID for flags made here, anything for imported ones.
    pub id: String,
    /// The value's text.
    #[serde(deserialize_with = "null_is_default")]
    pub value: String,
    /// A name for people; not sent to SDKs by the reference server, ignored by all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Users who get one variation whatever the rules say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TargetUsers {
    /// The users' keys, compared exactly.
    #[serde(default, deserialize_with = "null_is_default")]
    pub key_ids: Vec<String>,
    /// What they get.
    #[serde(default, deserialize_with = "null_is_default")]
    pub variation_id: String,
}

/// A test on one property of the user.
///
/// `property` `User is in segment` / `User is not in segment` tests membership; `op` is then not
/// looked at, and `value` is a JSON list of segment ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// The property's name; `keyId` and `name` are built in.
    #[serde(default, deserialize_with = "null_is_default")]
    pub property: String,
    /// The operator's name; unknown ones never match.
    #[serde(default)]
    pub op: Option<String>,
    /// What is compared with: always a text, a list is a text that holds a JSON list.
    #[serde(default)]
    pub value: Option<String>,
}

/// One part of a percentage rollout: users whose bucket lies in `rollout` get the variation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolloutVariation {
    /// What the part gets.
    #[serde(default, deserialize_with = "null_is_default")]
    pub id: String,
    /// From and to, in `[0, 1]`; the upper bound is inclusive.
    pub rollout: [f64; 2],
    /// The share of all users that the experiment takes from this part, in `[0, 1]`.
    #[serde(default = "one", deserialize_with = "null_is_one")]
    pub expt_rollout: f64,
}

/// A targeting rule: all conditions must hold; then its rollout decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Unique in the flag.
    #[serde(default, deserialize_with = "null_is_default")]
    pub id: String,
    /// Shown to people, and the match reason that client SDKs report.
    #[serde(default, deserialize_with = "null_is_default")]
    pub name: String,
    /// The property whose value is hashed for the rollout; the user's key where none is set.
    #[serde(default)]
    pub dispatch_key: Option<String>,
    /// Whether users matched here may be part of an experiment.
    #[serde(default, deserialize_with = "null_is_default")]
    pub included_in_expt: bool,
    /// All must hold; an empty list holds for everyone.
    #[serde(default, deserialize_with = "null_is_default")]
    pub conditions: Vec<Condition>,
    /// The rollout; the first part that covers the user wins.
    #[serde(default, deserialize_with = "null_is_default")]
    pub variations: Vec<RolloutVariation>,
}

/// What everybody gets whom no target and no rule took (the default rule).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Fallthrough {
    /// As in [`Rule::dispatch_key`].
    #[serde(default)]
    pub dispatch_key: Option<String>,
    /// As in [`Rule::included_in_expt`].
    #[serde(default, deserialize_with = "null_is_default")]
    pub included_in_expt: bool,
    /// As in [`Rule::variations`].
    #[serde(default, deserialize_with = "null_is_default")]
    pub variations: Vec<RolloutVariation>,
}

/// A flag that has to serve a certain variation to the user; where it does not, the flag that
/// needs it serves its off variation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Prerequisite {
    /// The key of the flag that is needed, which is one of the same project.
    pub flag: String,
    /// The id of the variation that it has to serve.
    pub variation: String,
}

/// A flag with its targeting in one environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flag {
    /// The flag's own id.
    pub id: String,
    /// When the flag was made.
    #[serde(default)]
    pub created_at: Millis,
    /// The stamp in this environment: SDKs sync by it (`docs/protocol.md`).
    #[serde(default)]
    pub updated_at: Millis,
    /// The environment's id.
    #[serde(default, deserialize_with = "null_is_default")]
    pub env_id: String,
    /// The display name.
    #[serde(default, deserialize_with = "null_is_default")]
    pub name: String,
    /// A text for people.
    #[serde(default, deserialize_with = "null_is_default")]
    pub description: String,
    /// What programs ask for; part of the text that is hashed for rollouts.
    pub key: String,
    /// The type of all values.
    pub variation_type: VariationType,
    /// The possible values.
    #[serde(default, deserialize_with = "null_is_default")]
    pub variations: Vec<Variation>,
    /// What other flags have to serve before this one looks at the user. SDKs pass it over, so
    /// those that evaluate by themselves are sent another flag ([`crate::standalone`]).
    #[serde(
        default,
        deserialize_with = "null_is_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub prerequisites: Vec<Prerequisite>,
    /// Individual targets; the first list that holds the user's key wins.
    #[serde(default, deserialize_with = "null_is_default")]
    pub target_users: Vec<TargetUsers>,
    /// Tried in order.
    #[serde(default, deserialize_with = "null_is_default")]
    pub rules: Vec<Rule>,
    /// On or off.
    #[serde(default, deserialize_with = "null_is_default")]
    pub is_enabled: bool,
    /// What everyone gets while the flag is off.
    #[serde(default, deserialize_with = "null_is_default")]
    pub disabled_variation_id: String,
    /// The default rule.
    #[serde(default, deserialize_with = "null_is_default")]
    pub fallthrough: Fallthrough,
    /// Whether all users, targets too, are part of an experiment.
    #[serde(default, deserialize_with = "null_is_default")]
    pub expt_include_all_targets: bool,
    /// For filtering.
    #[serde(default, deserialize_with = "null_is_default")]
    pub tags: Vec<String>,
    /// An archived flag serves nothing: SDKs give the code's default.
    #[serde(default, deserialize_with = "null_is_default")]
    pub is_archived: bool,
    /// Whether exposures are kept (who got what, first and last). SDKs pass it over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tracked: bool,
}

/// Reads `null` as the type's default, as FeatBit's own JSON has it in places.
pub(crate) fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

fn null_is_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(1.0))
}

fn one() -> f64 {
    1.0
}
