//! Name, description and tags of a segment. They never change who is a member.

use crate::change::Draft;
use crate::check::text;
use crate::command::Target;
use crate::command::edit::{Edit, replace, segment_command};
use crate::fault::Fault;

segment_command! {
    /// Changes a segment's display name.
    RenameSegment {
        /// The new name.
        name: String,
    }
}

segment_command! {
    /// Changes a segment's description.
    DescribeSegment {
        /// The new description, perhaps empty.
        description: String,
    }
}

segment_command! {
    /// Replaces a segment's tags.
    SetSegmentTags {
        /// The new tags.
        tags: Vec<String>,
    }
}

impl Edit for RenameSegment {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.rename"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        text::name(&self.name, "/name").map(drop)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let name = text::name(&self.name, "/name")?;
        let segment = draft.segment_mut(self.target())?;
        Ok(replace(&mut segment.name, name))
    }
}

impl Edit for DescribeSegment {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.describe"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        text::description(&self.description, "/description").map(drop)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let description = text::description(&self.description, "/description")?;
        let segment = draft.segment_mut(self.target())?;
        Ok(replace(&mut segment.description, description))
    }
}

impl Edit for SetSegmentTags {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.setTags"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        text::tags(&self.tags, "/tags").map(drop)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let segment = draft.segment_mut(self.target())?;
        let tags = text::new_tags(&self.tags, &segment.tags, "/tags")?;
        Ok(replace(&mut segment.tags, tags))
    }
}
