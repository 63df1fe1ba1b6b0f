//! Properties of end users that a project knows: what they mean, and which values they have.
//!
//! Programs send what they like, and what they sent is offered to who writes a rule; these are what
//! people have said about it beforehand. They belong to the project: targeting is compared and
//! promoted between its environments, so a property means the same in all of them. Nothing that is
//! served depends on them, and no change set is checked against them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::check::text;
use crate::fault::{Fault, Rejected};
use crate::limits::{MAX_DESCRIPTION, MAX_PROPERTY};

/// The most preset values of one: what somebody chooses from a list.
pub const MAX_PRESETS: usize = 500;

/// How long a preset value is at most, in characters: as users' values are.
const MAX_PRESET: usize = 1_024;

/// How long the words for a preset value are at most, in characters.
const MAX_WORDS: usize = 256;

/// The properties that every user has: the key and the name. Their meaning is given.
pub const BUILT_IN: [&str; 2] = ["keyId", "name"];

/// What is known of a property.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UserProperty {
    /// What it is, for people; at most 2,000 characters.
    pub description: String,
    /// Values that are offered first, in this order; at most 500.
    pub presets: Vec<Preset>,
    /// Whether editors of rules shall offer the presets alone. It is not checked in change sets:
    /// programs send what they like all the same.
    pub presets_only: bool,
}

/// A value that is offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preset {
    /// The value; 1 to 1,024 characters.
    pub value: String,
    /// What it means, for people; at most 256 characters.
    #[serde(default)]
    pub description: String,
}

/// Reads the name of a property that can be described.
///
/// # Errors
/// It is empty, too long, or built in.
pub fn name(name: &str) -> Result<String, Rejected> {
    read_name(name).map_err(|fault| fault.of_command(0))
}

fn read_name(name: &str) -> Result<String, Fault> {
    let name = text::plain(name, "", "a property", MAX_PROPERTY)?;
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        let message = "a property's name is a text without control characters";
        return Err(Fault::new("", "propertyInvalid", message));
    }
    if BUILT_IN.contains(&name.as_str()) {
        let message = format!("`{name}` is built in: what it means is given");
        return Err(Fault::new("", "propertyBuiltIn", message));
    }
    Ok(name)
}

impl UserProperty {
    /// As it is kept.
    ///
    /// # Errors
    /// A text or a list that breaks a rule.
    pub fn checked(self) -> Result<Self, Rejected> {
        self.check().map_err(|fault| fault.of_command(0))
    }

    fn check(self) -> Result<Self, Fault> {
        let at = "/description";
        let what = "a description";
        let description = text::paragraph(self.description.trim(), at, what, MAX_DESCRIPTION)?;
        let count = self.presets.len();
        if count > MAX_PRESETS {
            let message = format!("there are {count}; the limit is {MAX_PRESETS}");
            return Err(Fault::new("/presets", "listTooLong", message));
        }
        let mut seen = HashSet::new();
        for (index, preset) in self.presets.iter().enumerate() {
            let at = format!("/presets/{index}");
            let of_value = format!("{at}/value");
            text::plain(&preset.value, &of_value, "a value", MAX_PRESET)?;
            if preset.value.is_empty() {
                let message = "a preset value must not be empty";
                return Err(Fault::new(of_value, "valueEmpty", message));
            }
            if !seen.insert(preset.value.as_str()) {
                return Err(Fault::new(
                    of_value,
                    "valueTwice",
                    "this value is there before",
                ));
            }
            let of_words = format!("{at}/description");
            text::paragraph(&preset.description, &of_words, "a description", MAX_WORDS)?;
        }
        if self.presets_only && self.presets.is_empty() {
            let message = "there are no presets to be offered alone";
            return Err(Fault::new("/presetsOnly", "presetsMissing", message));
        }
        Ok(Self {
            description,
            ..self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset(value: &str) -> Preset {
        let value = value.to_owned();
        Preset {
            value,
            ..Preset::default()
        }
    }

    /// The pointer of what is refused of a property with these presets.
    fn refused(presets: Vec<Preset>, presets_only: bool) -> Option<String> {
        let property = UserProperty {
            presets,
            presets_only,
            ..UserProperty::default()
        };
        property.checked().err().map(|it| it.pointer)
    }

    #[test]
    fn presets_are_texts_each_once() {
        let at = |pointer: &str| Some(pointer.to_owned());
        assert_eq!(refused(vec![preset("de"), preset("at")], true), None);
        assert_eq!(
            refused(vec![preset("de"), preset("de")], false),
            at("/presets/1/value")
        );
        assert_eq!(refused(vec![preset("")], false), at("/presets/0/value"));
        assert_eq!(
            refused(vec![preset(&"x".repeat(1_025))], false),
            at("/presets/0/value")
        );
        assert_eq!(refused(Vec::new(), true), at("/presetsOnly"));
        let many = (0..=MAX_PRESETS).map(|it| preset(&it.to_string()));
        assert_eq!(refused(many.collect(), false), at("/presets"));
    }

    #[test]
    fn what_every_user_has_is_not_described() {
        assert_eq!(name("country").unwrap(), "country");
        for bad in ["keyId", "name", "", " ", "a\nb", &"x".repeat(257)] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }
}
