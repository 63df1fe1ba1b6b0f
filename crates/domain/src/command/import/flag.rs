//! A flag of FeatBit's, taken over into one environment.
//!
//! The first import of a key makes the flag, with its id and the time when it was made. Later
//! ones, of other environments or the same, change the targeting in their environment alone: the
//! variations are matched by id, then by value, and those without a match are added; none is ever
//! overwritten, since other environments serve it.

use std::collections::{BTreeMap, HashMap, HashSet};

use burgee_eval::flag::{self as wire, Variation};

use super::targeting::targeting;
use super::wire::{each_once, life, made_at, storable};
use crate::change::Draft;
use crate::check::condition::{is_on_segments, segment_ids};
use crate::check::{Checked, text, users};
use crate::command::edit::{Edit, targeting_command};
use crate::command::{References, Target};
use crate::fault::Fault;
use crate::id::Id;
use crate::key::{Key, fold};
use crate::limits::MAX_FLAG_TARGETS;
use crate::model::{Environment, Flag, Life};
use crate::workspace::FlagState;

targeting_command! {
    /// Takes a flag of FeatBit's over into an environment. Repeating it changes nothing.
    ImportFlag {
        /// The flag as FeatBit serves it.
        #[cfg_attr(feature = "schema", schema(value_type = Object))]
        source: Box<wire::Flag>,
    }
}

impl Edit for ImportFlag {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.import"
    }

    fn refer(&self, references: &mut References) {
        let id = (fold(&self.project), self.source.id.clone());
        references.flag_ids.insert(id);
        for condition in self.source.rules.iter().flat_map(|rule| &rule.conditions) {
            let ids = segment_ids(&condition.property, condition.value.as_deref());
            references.segment_ids.extend(ids);
        }
    }

    /// Checks come first: a refusal leaves the draft as it was, so that an import can go on.
    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let key = text::key(&self.flag, "/flag")?;
        let environment = draft
            .environment(&self.project, &self.environment)?
            .id
            .clone();
        self.check()?;
        let project = draft.project(&self.project)?;
        let existing = project.flags.get(&key.folded()).cloned();
        if let Some(existing) = &existing {
            self.check_same_flag(&existing.flag)?;
        }
        draft.raise_stamps(&environment, self.source.updated_at);
        self.warn_of_dangers(draft);
        match existing {
            None => self.create(key, environment, draft),
            Some(existing) => self.update(existing, environment, draft),
        }
    }
}

impl ImportFlag {
    fn check(&self) -> Checked<()> {
        storable(&self.source)?;
        if self.source.variations.is_empty() {
            let message = "the flag has no variations";
            return Err(Fault::new("/source/variations", "variationsEmpty", message));
        }
        let count = self
            .source
            .target_users
            .iter()
            .map(|list| list.key_ids.len())
            .sum();
        let at = "/source/targetUsers";
        users::within(
            count,
            MAX_FLAG_TARGETS,
            at,
            "individual targets of the flag",
        )
    }

    /// What cannot be compiled is told by the evaluator. This is worse than that.
    fn warn_of_dangers(&self, draft: &mut Draft<'_>) {
        for rule in &self.source.rules {
            let no_list = |value: &String| serde_json::from_str::<Vec<String>>(value).is_err();
            let ends_node = |it: &&wire::Condition| {
                is_on_segments(&it.property) && it.value.as_ref().is_some_and(no_list)
            };
            if rule.conditions.iter().any(|it| ends_node(&it)) {
                let message = format!(
                    "the rule '{}' has a segment condition that is no list: it ends the process of \
                     programs with the Node.js server SDK",
                    rule.name
                );
                draft.warn("segmentListInvalid", message);
            }
        }
    }

    fn check_same_flag(&self, flag: &Flag) -> Checked<()> {
        if flag.key.as_str() != self.flag {
            let message = format!(
                "there is a flag with the key '{}', and keys that differ in case alone cannot both be",
                flag.key
            );
            return Err(Fault::new("/flag", "flagExists", message));
        }
        if flag.kind != self.source.variation_type {
            let (ours, theirs) = (flag.kind.as_str(), self.source.variation_type.as_str());
            let message = format!("the flag is of the type {ours} here, of {theirs} in the file");
            return Err(Fault::new("/source/variationType", "typeDiffers", message));
        }
        if flag.life != Life::Live && !self.source.is_archived {
            let message = "the flag is archived here, but not in the file: restore it first";
            return Err(Fault::new("/flag", "flagArchived", message));
        }
        Ok(())
    }

    fn create(
        &self,
        key: Key,
        environment: Id<Environment>,
        draft: &mut Draft<'_>,
    ) -> Result<bool, Fault> {
        let folded = key.folded();
        let flag = self.definition(key, draft)?;
        let targeting = targeting(&self.source, &HashMap::new(), None);
        let state = FlagState {
            flag,
            targetings: BTreeMap::from([(environment, targeting)]),
        };
        draft
            .project_mut(&self.project)?
            .flags
            .insert(folded, state);
        Ok(true)
    }

    /// The flag as all environments will have it. What its default rule and its off variation
    /// serve here is what other environments will begin with.
    fn definition(&self, key: Key, draft: &mut Draft<'_>) -> Checked<Flag> {
        let source = &self.source;
        let mut seen = HashSet::new();
        let mut variations = source.variations.clone();
        variations.retain(|variation| seen.insert(variation.id.clone()));
        let known = |id: &str| {
            variations
                .iter()
                .find(|it| it.id == id)
                .map(|it| it.id.clone())
        };
        let served = source
            .fallthrough
            .variations
            .iter()
            .find(|part| part.rollout[1] > 0.0);
        let any = |variation: Option<&Variation>| variation.map(|it| it.id.clone());
        let default_on = served
            .and_then(|part| known(&part.id))
            .or(any(variations.first()));
        let default_off = known(&source.disabled_variation_id).or(any(variations.last()));
        Ok(Flag {
            id: self.new_id(draft)?,
            name: match source.name.trim() {
                "" => key.to_string(),
                name => name.to_owned(),
            },
            key,
            description: source.description.clone(),
            kind: source.variation_type,
            tags: each_once(&source.tags),
            default_on: default_on.unwrap_or_default(),
            default_off: default_off.unwrap_or_default(),
            life: life(source.is_archived),
            created_at: made_at(source.created_at, draft.now),
            variations,
        })
    }

    /// The id in the file, unless it is blank or another flag's.
    fn new_id(&self, draft: &mut Draft<'_>) -> Checked<Id<Flag>> {
        let id = Id::new(self.source.id.clone());
        let mut flags = draft.project(&self.project)?.flags.values();
        let taken = flags.any(|state| state.flag.id == id);
        Ok(match taken || id.as_str().trim().is_empty() {
            true => Id::new((draft.new_id)()),
            false => id,
        })
    }

    fn update(
        &self,
        mut state: FlagState,
        environment: Id<Environment>,
        draft: &mut Draft<'_>,
    ) -> Result<bool, Fault> {
        let before = state.clone();
        if self.source.is_archived && state.flag.life == Life::Live {
            // Archiving here is for all environments; in FeatBit it is for one.
            let elsewhere = state.targetings.keys().any(|it| *it != environment);
            if elsewhere || !state.targetings.contains_key(&environment) {
                let message = "the flag is archived in the file, but in use in other environments: \
                               it was left as it is here";
                draft.warn("flagInUse", message);
                return Ok(false);
            }
            state.flag.life = Life::Archived;
        }
        let ids = self.map_variations(&mut state.flag, draft);
        let old = state.targetings.get(&environment);
        let targeting = targeting(&self.source, &ids, old);
        state.targetings.insert(environment, targeting);
        if state == before {
            return Ok(false);
        }
        let key = state.flag.key.folded();
        draft.project_mut(&self.project)?.flags.insert(key, state);
        Ok(true)
    }

    /// The flag's id for each variation in the file; those that have none yet are added.
    fn map_variations(&self, flag: &mut Flag, draft: &mut Draft<'_>) -> HashMap<String, String> {
        let mut ids: HashMap<String, String> = HashMap::new();
        for theirs in &self.source.variations {
            if ids.contains_key(&theirs.id) {
                continue;
            }
            let equal = || flag.variations.iter().filter(|it| it.value == theirs.value);
            let by_id = equal().find(|it| it.id == theirs.id);
            let found = by_id.or_else(|| equal().next()).map(|it| it.id.clone());
            let id = found.unwrap_or_else(|| {
                let taken = flag.variations.iter().any(|it| it.id == theirs.id);
                let id = match taken {
                    true => (draft.new_id)(),
                    false => theirs.id.clone(),
                };
                let value: String = theirs.value.chars().take(60).collect();
                draft.warn(
                    "variationAdded",
                    format!("the variation '{value}' was added"),
                );
                flag.variations.push(Variation {
                    id: id.clone(),
                    ..theirs.clone()
                });
                id
            });
            ids.insert(theirs.id.clone(), id);
        }
        ids
    }
}
