//! What other flags have to serve before this one looks at the user.

use std::collections::BTreeSet;

use burgee_eval::flag::Prerequisite;

use crate::change::Draft;
use crate::command::edit::{Edit, replace, targeting_command};
use crate::command::{References, Target};
use crate::fault::{Fault, shown};
use crate::key::fold;
use crate::limits::{MAX_ID, MAX_PREREQUISITES};

targeting_command! {
    /// Replaces a flag's prerequisites: other flags of the project, each with the variation that it
    /// has to serve a user. To whom one of them serves another, or nothing, the flag serves its off
    /// variation, individual targets included. None: it needs no other flag.
    SetPrerequisites {
        /// All of them, in the order in which they are asked.
        prerequisites: Vec<Prerequisite>,
    }
}

impl Edit for SetPrerequisites {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.setPrerequisites"
    }

    fn asks(&self) -> Vec<&str> {
        self.prerequisites.iter().map(|it| &*it.flag).collect()
    }

    fn refer(&self, references: &mut References) {
        let needed = self.prerequisites.iter();
        let needed = needed.map(|it| (fold(&self.project), fold(&it.flag)));
        references.flags.extend(needed);
    }

    fn check_shape(&self) -> Result<(), Fault> {
        if self.prerequisites.len() > MAX_PREREQUISITES {
            let message = format!("a flag has at most {MAX_PREREQUISITES} prerequisites");
            return Err(Fault::new(
                "/prerequisites",
                "tooManyPrerequisites",
                message,
            ));
        }
        let mut seen = BTreeSet::new();
        for (number, it) in self.prerequisites.iter().enumerate() {
            let at = format!("/prerequisites/{number}");
            let flag = shown(&it.flag);
            if it.variation.len() > MAX_ID {
                let message = format!("an id of a variation has at most {MAX_ID} bytes");
                return Err(Fault::new(at + "/variation", "idTooLong", message));
            }
            if fold(&it.flag) == fold(&self.flag) {
                let message = format!("the flag '{flag}' cannot need itself");
                return Err(Fault::new(at + "/flag", "prerequisiteCircular", message));
            }
            if !seen.insert(fold(&it.flag)) {
                let message = format!("the flag '{flag}' is a prerequisite twice");
                return Err(Fault::new(at + "/flag", "prerequisiteTwice", message));
            }
        }
        Ok(())
    }

    /// Whether the flags that are needed are there, and what they need, is looked at when the whole
    /// set is applied ([`crate::change`]): it may make or change them too.
    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let (place, released) = draft.release(self.target())?;
        let (_, targeting) = draft.at(&place)?;
        Ok(replace(&mut targeting.prerequisites, self.prerequisites.clone()) | released)
    }
}
