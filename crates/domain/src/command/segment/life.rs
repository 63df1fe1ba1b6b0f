//! Archiving, restoring and deleting a segment.

use crate::change::Draft;
use crate::command::edit::{Edit, replace, segment_command};
use crate::command::{References, SegmentRef, Target};
use crate::fault::Fault;
use crate::model::Life;

segment_command! {
    /// Makes a segment match nobody, with a warning that says where it is used.
    ArchiveSegment {}
}

segment_command! {
    /// Makes an archived segment match again, as it was.
    RestoreSegment {}
}

segment_command! {
    /// Deletes an archived segment that no flag uses. Its key can be used again.
    DeleteSegment {}
}

/// How many uses a message names.
const NAMED_USES: usize = 10;

impl Edit for ArchiveSegment {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.archive"
    }

    fn refer(&self, references: &mut References) {
        references
            .segment_uses
            .extend(SegmentRef::of(self.target()));
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let id = draft.segment_id(self.target())?;
        let changed = replace(&mut draft.segment_mut(self.target())?.life, Life::Archived);
        let uses = draft.segment_uses(&id);
        if changed && !uses.is_empty() {
            let places = listed(&uses);
            let message = format!("the segment now matches nobody, and is used by {places}");
            let params = [("segment", self.segment.as_str()), ("places", &places)];
            draft.warn_of("segmentInUse", &params, message);
        }
        Ok(changed)
    }
}

impl Edit for RestoreSegment {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.restore"
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        Ok(replace(
            &mut draft.segment_mut(self.target())?.life,
            Life::Live,
        ))
    }
}

impl Edit for DeleteSegment {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.delete"
    }

    fn refer(&self, references: &mut References) {
        references
            .segment_uses
            .extend(SegmentRef::of(self.target()));
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let id = draft.segment_id(self.target())?;
        let uses = draft.segment_uses(&id);
        let segment = draft.segment_mut(self.target())?;
        if segment.life == Life::Live {
            let message = format!("the segment '{}' is in use; archive it first", segment.key);
            return Err(Fault::new("/segment", "segmentNotArchived", message));
        }
        if !uses.is_empty() {
            let message = format!("the segment '{}' is used by {}", segment.key, listed(&uses));
            return Err(Fault::new("/segment", "segmentInUse", message));
        }
        Ok(replace(&mut segment.life, Life::Deleted))
    }
}

fn listed(uses: &[String]) -> String {
    let named = uses
        .iter()
        .take(NAMED_USES)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match uses.len().saturating_sub(NAMED_USES) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
