//! The shape of a file. Lists and texts that are empty, and what is as it would be anyway, are left
//! out; maps are by key and sorted by it.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use burgee_eval::flag::VariationType;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A map that is refused where it has a key twice.
pub(super) type Each<T> = BTreeMap<String, T>;

/// All of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectFile {
    /// The version of this shape: 1.
    pub burgee: u32,
    /// The key of the project that it is of; it may be brought into another.
    pub project: String,
    /// Environments, with the segments of their own.
    #[serde(default, deserialize_with = "each_once", skip_serializing_if = "none")]
    pub environments: Each<EnvironmentFile>,
    /// Segments that all environments of the project share.
    #[serde(default, deserialize_with = "each_once", skip_serializing_if = "none")]
    pub segments: Each<SegmentFile>,
    /// Flags.
    #[serde(default, deserialize_with = "each_once", skip_serializing_if = "none")]
    pub flags: Each<FlagFile>,
}

/// An environment. What is absent stays as it is, since most files are about flags; so an export
/// has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnvironmentFile {
    /// The display name; the key where absent and the environment is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Segments of this environment alone.
    #[serde(default, deserialize_with = "each_once", skip_serializing_if = "none")]
    pub segments: Each<SegmentFile>,
}

/// A segment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SegmentFile {
    /// Kept where it is free; made where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The display name; the key where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A text for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// For filters and policies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it is archived.
    #[serde(default, skip_serializing_if = "is_false")]
    pub archived: bool,
    /// Members by key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub included: Vec<String>,
    /// Not members, whatever else says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
    /// Any rule that holds makes a member.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<SegmentRuleFile>,
}

/// A rule of a segment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SegmentRuleFile {
    /// Made where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `Rule 1` and so on where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// All must hold.
    #[serde(default, rename = "if", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionFile>,
}

/// A flag.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlagFile {
    /// Kept where it is free; made where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The display name; the key where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A text for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The type of all values; never changes.
    #[serde(rename = "type")]
    pub kind: VariationType,
    /// The values.
    pub variations: Vec<VariationFile>,
    /// What a new environment's default rule serves; the first variation where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_variation: Option<String>,
    /// What a new environment serves while off; the last variation where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_variation: Option<String>,
    /// For filters and policies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it is archived.
    #[serde(default, skip_serializing_if = "is_false")]
    pub archived: bool,
    /// Its targeting, by environment; without those in which it was never released.
    #[serde(default, deserialize_with = "each_once", skip_serializing_if = "none")]
    pub environments: Each<TargetingFile>,
}

/// A variation. Elsewhere in the file it is named by its name, else its value, else its id: the
/// first that names no other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VariationFile {
    /// Made where absent, but for one of the same place in the flag that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The value's text.
    pub value: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A flag's targeting in an environment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TargetingFile {
    /// Whether it is on.
    pub enabled: bool,
    /// What other flags have to serve first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prerequisites: Vec<PrerequisiteFile>,
    /// Users who get one variation whatever the rules say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetFile>,
    /// Tried in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleFile>,
    /// The default rule; the flag's `onVariation` for everybody where absent.
    #[serde(default, rename = "default", skip_serializing_if = "Option::is_none")]
    pub fallthrough: Option<DefaultFile>,
    /// What is served while off; the flag's where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_variation: Option<String>,
    /// Whether exposures are kept.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tracked: bool,
    /// Whether all users, targets too, are part of an experiment.
    #[serde(default, skip_serializing_if = "is_false")]
    pub expt_include_all_targets: bool,
}

/// A variation that another flag has to serve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrerequisiteFile {
    /// The other flag's key.
    pub flag: String,
    /// Its variation.
    pub serves: String,
}

/// Users who get one variation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TargetFile {
    /// The variation.
    pub serve: String,
    /// The users' keys.
    pub keys: Vec<String>,
}

/// A variation for everybody, or parts of a rollout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ServeFile {
    /// The variation.
    One(String),
    /// From 0 to 1, without gap or overlap.
    Parts(Vec<PartFile>),
}

impl Default for ServeFile {
    fn default() -> Self {
        Self::Parts(Vec::new())
    }
}

/// A part of a rollout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PartFile {
    /// The variation.
    pub variation: String,
    /// From and to.
    pub rollout: [f64; 2],
    /// The experiment's share; all (1) where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expt_rollout: Option<f64>,
}

/// A targeting rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleFile {
    /// Made where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `Rule 1` and so on where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// All must hold.
    #[serde(default, rename = "if", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionFile>,
    /// What they get for whom it holds.
    pub serve: ServeFile,
    /// The property whose value is hashed for the rollout; the user's key where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch_key: Option<String>,
    /// Whether these users may be part of an experiment.
    #[serde(default, skip_serializing_if = "is_false")]
    pub included_in_expt: bool,
}

/// The default rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DefaultFile {
    /// What everybody else gets.
    pub serve: ServeFile,
    /// As in [`RuleFile::dispatch_key`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch_key: Option<String>,
    /// As in [`RuleFile::included_in_expt`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub included_in_expt: bool,
}

/// A condition: a property with an operator and a value or a list of values; or segments, as
/// `project/beta`, `environment/beta`, `organization/beta`, or `id/…` for one that is not there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConditionFile {
    /// The user is in one of these segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_segments: Option<Vec<String>>,
    /// The user is in none of these segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_in_segments: Option<Vec<String>>,
    /// The property's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The operator's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// What is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The same for operators that take a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
}

fn none<T>(map: &Each<T>) -> bool {
    map.is_empty()
}

fn is_false(it: &bool) -> bool {
    !it
}

/// Reads a map, and refuses a key that is in it before, whatever its case: keys are unique so.
fn each_once<'de, D, T>(deserializer: D) -> Result<Each<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct EachOnce<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for EachOnce<T> {
        type Value = Each<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map by key")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Each<T>, A::Error> {
            let (mut all, mut seen) = (Each::new(), std::collections::HashSet::new());
            while let Some(key) = map.next_key::<String>()? {
                if !seen.insert(key.to_ascii_lowercase()) {
                    return Err(A::Error::custom(format!("the key `{key}` is there twice")));
                }
                all.insert(key, map.next_value()?);
            }
            Ok(all)
        }
    }
    deserializer.deserialize_map(EachOnce(PhantomData))
}
