//! What is recorded of the users that a flag is evaluated for.

use crate::change::Draft;
use crate::command::Target;
use crate::command::edit::{Edit, replace, targeting_command};
use crate::fault::Fault;

targeting_command! {
    /// Changes what is recorded of a flag's users. What is absent stays.
    SetTracking {
        /// Whether exposures are kept: who got what, first and last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tracked: Option<bool>,
        /// Whether all users, individual targets too, are part of an experiment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expt_include_all_targets: Option<bool>,
    }
}

impl Edit for SetTracking {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.setTracking"
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let (place, mut changed) = draft.release(self.target())?;
        let (_, targeting) = draft.at(&place)?;
        if let Some(tracked) = self.tracked {
            changed |= replace(&mut targeting.tracked, tracked);
        }
        if let Some(all) = self.expt_include_all_targets {
            changed |= replace(&mut targeting.expt_include_all_targets, all);
        }
        Ok(changed)
    }
}
