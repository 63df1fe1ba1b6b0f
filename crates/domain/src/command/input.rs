//! The parts that several commands' JSON has in common.

use serde::{Deserialize, Serialize};

/// A variation, new or kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VariationInput {
    /// An existing one's id, or one for the new one; made where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The value's text.
    pub value: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A test on one property of the user, or on membership in segments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConditionInput {
    /// The property's name, or `User is in segment` / `User is not in segment`.
    pub property: String,
    /// The operator's name; absent for segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// What is compared with, as text; a list is a text that holds a JSON list of strings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// One part of a percentage rollout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PartInput {
    /// The variation's id.
    pub id: String,
    /// From and to, in `[0, 1]`; `[0, 0]` covers nobody.
    pub rollout: [f64; 2],
    /// The experiment's share, in `[0, 1]`; all (1) where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expt_rollout: Option<f64>,
}

/// A targeting rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleInput {
    /// An existing rule's id, or one for the new rule; made where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Shown to people, and the match reason; a kept or a plain name where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The property whose value is hashed for the rollout; the user's key where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch_key: Option<String>,
    /// Whether users matched here may be part of an experiment; no where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub included_in_expt: Option<bool>,
    /// All must hold.
    #[serde(default)]
    pub conditions: Vec<ConditionInput>,
    /// The rollout. Either this or `variation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variations: Option<Vec<PartInput>>,
    /// The one variation for everybody, by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variation: Option<String>,
}

/// A rule of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SegmentRuleInput {
    /// As in [`RuleInput::id`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// As in [`RuleInput::name`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// All must hold.
    #[serde(default)]
    pub conditions: Vec<ConditionInput>,
}
