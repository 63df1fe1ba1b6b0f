//! Archiving, restoring and deleting a flag, in all environments at once.

use crate::change::Draft;
use crate::check::segments;
use crate::command::edit::{Edit, flag_command, replace};
use crate::command::{References, Target};
use crate::fault::Fault;
use crate::key::fold;
use crate::model::Life;

flag_command! {
    /// Stops serving a flag everywhere: SDKs give the code's default.
    ArchiveFlag {}
}

flag_command! {
    /// Serves an archived flag again, as it was. Segments that its rules refer to may have been
    /// archived or deleted since: the author is told.
    RestoreFlag {}
}

flag_command! {
    /// Deletes an archived flag. Its key can be used again, by another flag.
    DeleteFlag {}
}

impl Edit for ArchiveFlag {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.archive"
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let flag = &mut draft.flag_mut(&self.project, &self.flag)?.flag;
        Ok(replace(&mut flag.life, Life::Archived))
    }
}

impl Edit for RestoreFlag {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.restore"
    }

    fn refer(&self, references: &mut References) {
        let flag = (fold(&self.project), fold(&self.flag));
        references.rules_of.insert(flag);
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let flag = &mut draft.flag_mut(&self.project, &self.flag)?.flag;
        let changed = replace(&mut flag.life, Life::Live);
        if changed {
            segments::warn(&self.project, &self.flag, draft)?;
        }
        Ok(changed)
    }
}

impl Edit for DeleteFlag {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.delete"
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let flag = &mut draft.flag_mut(&self.project, &self.flag)?.flag;
        if flag.life == Life::Live {
            let message = format!("the flag '{}' is in use; archive it first", flag.key);
            return Err(Fault::new("/flag", "flagNotArchived", message));
        }
        Ok(replace(&mut flag.life, Life::Deleted))
    }
}
