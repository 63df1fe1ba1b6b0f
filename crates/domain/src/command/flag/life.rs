//! Archiving, restoring and deleting a flag, in all environments at once.

use crate::change::Draft;
use crate::command::Target;
use crate::command::edit::{Edit, flag_command, replace};
use crate::fault::Fault;
use crate::model::Life;

flag_command! {
    /// Stops serving a flag everywhere: SDKs give the code's default.
    ArchiveFlag {}
}

flag_command! {
    /// Serves an archived flag again, as it was.
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

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let flag = &mut draft.flag_mut(&self.project, &self.flag)?.flag;
        Ok(replace(&mut flag.life, Life::Live))
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
