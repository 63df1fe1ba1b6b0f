//! Making a flag. It is served nowhere until its targeting is edited.

use std::borrow::Cow;

use burgee_eval::flag::{Variation, VariationType};

use crate::change::Draft;
use crate::check::{Checked, rollout, text, variation};
use crate::command::edit::{Edit, flag_command};
use crate::command::input::VariationInput;
use crate::command::{References, Target};
use crate::fault::Fault;
use crate::id::Id;
use crate::key::{Key, fold};
use crate::model::{Flag, Life};
use crate::workspace::FlagState;

flag_command! {
    /// Makes a flag. Repeating it with the same `id` does nothing.
    CreateFlag {
        /// The new flag's id; made where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The display name; the key where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// A text for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The type of all values; never changes.
        #[serde(rename = "type")]
        value_type: VariationType,
        /// The values; `true` and `false` where a boolean flag has none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        variations: Vec<VariationInput>,
        /// For filters and policies.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
        /// What an environment's default rule serves at first, by id; the first where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on_variation: Option<String>,
        /// What an environment serves at first while off, by id; the last where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        off_variation: Option<String>,
    }
}

impl Edit for CreateFlag {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn new_tags(&self) -> Option<&[String]> {
        Some(&self.tags)
    }

    fn permission(&self) -> &'static str {
        "flag.create"
    }

    fn refer(&self, references: &mut References) {
        let id = self.id.clone().map(|id| (fold(&self.project), id));
        references.flag_ids.extend(id);
    }

    fn check_shape(&self) -> Result<(), Fault> {
        text::key(&self.flag, "/flag")?;
        if let Some(id) = &self.id {
            text::id(id, "/id")?;
        }
        text::optional_name(self.name.as_deref(), "/name")?;
        text::description(self.description.as_deref().unwrap_or(""), "/description")?;
        text::new_tags(&self.tags, &[], "/tags")?;
        let kind = self.value_type;
        variation::check(&self.wanted_variations(), Some(kind), "/variations")
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let key = text::key(&self.flag, "/flag")?;
        let existing = draft
            .project(&self.project)?
            .flags
            .get(&key.folded())
            .cloned();
        if let Some(existing) = existing {
            return self.again(&existing.flag, draft);
        }
        let flag = self.flag(key, None, draft)?;
        let mut flags = draft.project(&self.project)?.flags.values();
        if flags.any(|state| state.flag.id == flag.id) {
            let message = format!("another flag has the id '{}'", flag.id);
            return Err(Fault::new("/id", "duplicateId", message));
        }
        variation::warn_of_equal_values(&flag.variations, draft);
        let state = FlagState {
            flag,
            targetings: Default::default(),
        };
        let project = draft.project_mut(&self.project)?;
        project.flags.insert(state.flag.key.folded(), state);
        Ok(true)
    }
}

impl CreateFlag {
    fn flag(&self, key: Key, like: Option<&Flag>, draft: &mut Draft<'_>) -> Checked<Flag> {
        let variations = self.variations(like, draft)?;
        let choice = |id: &Option<String>, default: Option<&Variation>, at: &str| match id {
            Some(id) => rollout::known(id, &variations, at).map(|()| id.clone()),
            None => Ok(default.map(|it| it.id.clone()).unwrap_or_default()),
        };
        let default_on = choice(&self.on_variation, variations.first(), "/onVariation")?;
        let default_off = choice(&self.off_variation, variations.last(), "/offVariation")?;
        let name = text::optional_name(self.name.as_deref(), "/name")?;
        Ok(Flag {
            id: match (&self.id, like) {
                (Some(id), _) => Id::new(id),
                (None, Some(like)) => like.id.clone(),
                (None, None) => Id::new((draft.new_id)()),
            },
            name: name.unwrap_or_else(|| key.to_string()),
            key,
            description: text::description(
                self.description.as_deref().unwrap_or(""),
                "/description",
            )?,
            kind: self.value_type,
            variations,
            tags: text::new_tags(&self.tags, &[], "/tags")?,
            default_on,
            default_off,
            life: Life::Live,
            created_at: like.map_or(draft.now, |like| like.created_at),
        })
    }

    fn wanted_variations(&self) -> Cow<'_, [VariationInput]> {
        match self.value_type {
            VariationType::Boolean if self.variations.is_empty() => {
                ["true", "false"].map(variation::unnamed).to_vec().into()
            }
            _ => self.variations.as_slice().into(),
        }
    }

    fn variations(&self, like: Option<&Flag>, draft: &mut Draft<'_>) -> Checked<Vec<Variation>> {
        // A repeated command gave no ids the second time either: it means the ones made then.
        let mut kept = like
            .map(|like| like.variations.clone())
            .unwrap_or_default()
            .into_iter();
        let mut id = || match kept.next() {
            Some(variation) => variation.id,
            None => (draft.new_id)(),
        };
        variation::list(
            &self.wanted_variations(),
            self.value_type,
            "/variations",
            &mut id,
        )
    }

    /// The key is taken. That is well if it is by the very flag that this command makes.
    fn again(&self, existing: &Flag, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let fault = |message: String| Err(Fault::new("/flag", "flagExists", message));
        match existing.life {
            Life::Deleted => fault(format!(
                "the key '{}' was deleted by this change set; the next one can use it",
                existing.key
            )),
            Life::Archived => fault(format!(
                "there is an archived flag with the key '{}'; restore it, or delete it first",
                existing.key
            )),
            Life::Live => {
                let same_id = self.id.as_deref() == Some(existing.id.as_str());
                let wanted = self.flag(existing.key.clone(), Some(existing), draft)?;
                match same_id && wanted == *existing {
                    true => Ok(false),
                    false => fault(format!("there is a flag with the key '{}'", existing.key)),
                }
            }
        }
    }
}
