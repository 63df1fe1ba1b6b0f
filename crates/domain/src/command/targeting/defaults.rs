//! What those get whom no target and no rule took, and what all get while the flag is off.

use burgee_eval::flag::Fallthrough;

use crate::change::Draft;
use crate::check::{rollout, rule};
use crate::command::Target;
use crate::command::edit::{Edit, replace, targeting_command};
use crate::command::input::PartInput;
use crate::fault::Fault;

targeting_command! {
    /// Replaces the default rule.
    SetDefaultRule {
        /// The property whose value is hashed for the rollout; the user's key where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dispatch_key: Option<String>,
        /// Whether these users may be part of an experiment; no where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        included_in_expt: Option<bool>,
        /// The rollout. Either this or `variation`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variations: Option<Vec<PartInput>>,
        /// The one variation for everybody, by id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variation: Option<String>,
    }
}

targeting_command! {
    /// Chooses what is served while the flag is off.
    SetOffVariation {
        /// The variation's id.
        variation: String,
    }
}

impl Edit for SetDefaultRule {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.setDefaultRule"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        let (parts, one) = (self.variations.as_deref(), self.variation.as_deref());
        rule::dispatch_key(self.dispatch_key.as_deref(), "/dispatchKey")?;
        rollout::check(parts, one, "").map(drop)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let (place, released) = draft.release(self.target())?;
        let (flag, targeting) = draft.at(&place)?;
        let (parts, one) = (self.variations.as_deref(), self.variation.as_deref());
        let fallthrough = Fallthrough {
            dispatch_key: rule::dispatch_key(self.dispatch_key.as_deref(), "/dispatchKey")?,
            included_in_expt: self.included_in_expt.unwrap_or(false),
            variations: rollout::rollout(parts, one, &flag.variations, "")?,
        };
        Ok(replace(&mut targeting.fallthrough, fallthrough) | released)
    }
}

impl Edit for SetOffVariation {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.setOffVariation"
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let (place, released) = draft.release(self.target())?;
        let (flag, targeting) = draft.at(&place)?;
        rollout::known(&self.variation, &flag.variations, "/variation")?;
        Ok(replace(&mut targeting.off_variation, self.variation.clone()) | released)
    }
}
