//! The values that a flag can have.

use burgee_eval::flag::Variation;

use crate::change::{Draft, variation_uses};
use crate::check::{rollout, text, variation};
use crate::command::Target;
use crate::command::edit::{Edit, flag_command, replace};
use crate::command::input::VariationInput;
use crate::fault::Fault;

flag_command! {
    /// Replaces a flag's variations: those whose id is kept stay in use, others are new. One that
    /// is in use somewhere cannot be left out.
    SetVariations {
        /// All of them, in the new order.
        variations: Vec<VariationInput>,
        /// What an environment's default rule serves at first, by id; as it was where absent, or
        /// the first where that is gone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on_variation: Option<String>,
        /// What an environment serves at first while off, by id; as it was where absent, or the
        /// last where that is gone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        off_variation: Option<String>,
    }
}

flag_command! {
    /// Changes one variation, in all environments.
    UpdateVariation {
        /// Its id.
        variation: String,
        /// The new value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// The new name; an empty one takes it away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    }
}

impl Edit for SetVariations {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.setVariations"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        variation::check(&self.variations, None, "/variations")
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let kind = draft.live_flag_mut(&self.project, &self.flag)?.flag.kind;
        let new = variation::list(&self.variations, kind, "/variations", draft.new_id)?;
        variation::warn_of_equal_values(&new, draft);
        self.refuse_removal_of_used(&new, draft)?;
        let flag = &mut draft.live_flag_mut(&self.project, &self.flag)?.flag;
        let (on, off) = (self.on_variation.as_ref(), self.off_variation.as_ref());
        let default_on = chosen(on, &flag.default_on, &new, new.first());
        let default_off = chosen(off, &flag.default_off, &new, new.last());
        rollout::known(&default_on, &new, "/onVariation")?;
        rollout::known(&default_off, &new, "/offVariation")?;
        Ok(replace(&mut flag.default_on, default_on)
            | replace(&mut flag.default_off, default_off)
            | replace(&mut flag.variations, new))
    }
}

/// What was asked for, else what it was, else what stands for it where that is gone.
fn chosen(
    asked: Option<&String>,
    old: &String,
    new: &[Variation],
    instead: Option<&Variation>,
) -> String {
    let kept = new.iter().any(|it| it.id == *old);
    let instead = instead.filter(|_| !kept).map(|it| &it.id);
    asked.or(instead).unwrap_or(old).clone()
}

impl SetVariations {
    fn refuse_removal_of_used(&self, new: &[Variation], draft: &Draft<'_>) -> Result<(), Fault> {
        let project = draft.project(&self.project)?;
        let Some(state) = project.flags.get(&self.flag.to_ascii_lowercase()) else {
            return Ok(());
        };
        let gone = |it: &&Variation| !new.iter().any(|kept| kept.id == it.id);
        for variation in state.flag.variations.iter().filter(gone) {
            let mut uses = Vec::new();
            for environment in project.environments.values() {
                let targeting = state.targetings.get(&environment.id);
                for place in targeting
                    .map(|it| variation_uses(it, &variation.id))
                    .unwrap_or_default()
                {
                    uses.push(format!("{place} in {}", environment.key));
                }
            }
            if !uses.is_empty() {
                let message = format!(
                    "the variation '{}' cannot be removed, it is used by {}",
                    variation.name.as_ref().unwrap_or(&variation.value),
                    uses.join(", ")
                );
                return Err(Fault::new("/variations", "variationInUse", message));
            }
        }
        Ok(())
    }
}

impl Edit for UpdateVariation {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.updateVariation"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        if let Some(value) = &self.value {
            variation::check_value(value, "/value")?;
        }
        text::optional_name(self.name.as_deref(), "/name").map(drop)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let flag = &mut draft.live_flag_mut(&self.project, &self.flag)?.flag;
        let kind = flag.kind;
        rollout::known(&self.variation, &flag.variations, "/variation")?;
        let mut variations = flag.variations.clone();
        for variation in variations.iter_mut().filter(|it| it.id == self.variation) {
            if let Some(value) = &self.value {
                variation.value = variation::value(value, kind, "/value")?;
            }
            if let Some(name) = &self.name {
                variation.name = text::optional_name(Some(name), "/name")?;
            }
        }
        variation::warn_of_equal_values(&variations, draft);
        let flag = &mut draft.live_flag_mut(&self.project, &self.flag)?.flag;
        Ok(replace(&mut flag.variations, variations))
    }
}
