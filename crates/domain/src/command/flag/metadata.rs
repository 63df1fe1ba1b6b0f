//! Name, description and tags of a flag. They never change what a user gets, so they may also be
//! edited while the flag is archived.

use crate::change::Draft;
use crate::check::text;
use crate::command::Target;
use crate::command::edit::{Edit, flag_command, replace};
use crate::fault::Fault;

flag_command! {
    /// Changes a flag's display name.
    RenameFlag {
        /// The new name.
        name: String,
    }
}

flag_command! {
    /// Changes a flag's description.
    DescribeFlag {
        /// The new description, perhaps empty.
        description: String,
    }
}

flag_command! {
    /// Replaces a flag's tags.
    SetFlagTags {
        /// The new tags.
        tags: Vec<String>,
    }
}

impl Edit for RenameFlag {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.rename"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        text::name(&self.name, "/name").map(drop)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let name = text::name(&self.name, "/name")?;
        let flag = &mut draft.flag_mut(&self.project, &self.flag)?.flag;
        Ok(replace(&mut flag.name, name))
    }
}

impl Edit for DescribeFlag {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.describe"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        text::description(&self.description, "/description").map(drop)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let description = text::description(&self.description, "/description")?;
        let flag = &mut draft.flag_mut(&self.project, &self.flag)?.flag;
        Ok(replace(&mut flag.description, description))
    }
}

impl Edit for SetFlagTags {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.setTags"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        text::tags(&self.tags, "/tags").map(drop)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let flag = &mut draft.flag_mut(&self.project, &self.flag)?.flag;
        let tags = text::new_tags(&self.tags, &flag.tags, "/tags")?;
        Ok(replace(&mut flag.tags, tags))
    }
}
