//! What flags and segments have alike: where they are in their lives, and what people know them by.

use super::words::quoted;
use super::{Parts, Subject, Writer};
use crate::model::{Flag, Life, Segment};

/// What people know a flag or a segment by.
pub(super) struct About<'a> {
    life: Life,
    name: &'a str,
    description: &'a str,
    tags: &'a [String],
}

impl<'a> From<&'a Flag> for About<'a> {
    fn from(flag: &'a Flag) -> Self {
        Self {
            life: flag.life,
            name: &flag.name,
            description: &flag.description,
            tags: &flag.tags,
        }
    }
}

impl<'a> From<&'a Segment> for About<'a> {
    fn from(segment: &'a Segment) -> Self {
        Self {
            life: segment.life,
            name: &segment.name,
            description: &segment.description,
            tags: &segment.tags,
        }
    }
}

/// The codes of the lines.
pub(super) struct Codes {
    restored: &'static str,
    archived: &'static str,
    deleted: &'static str,
    renamed: &'static str,
    described: &'static str,
    tagged: &'static str,
}

/// Those of a flag's lines.
pub(super) const FLAG: Codes = Codes {
    restored: "flagRestored",
    archived: "flagArchived",
    deleted: "flagDeleted",
    renamed: "flagRenamed",
    described: "flagDescribed",
    tagged: "flagTagged",
};

/// Those of a segment's lines.
pub(super) const SEGMENT: Codes = Codes {
    restored: "segmentRestored",
    archived: "segmentArchived",
    deleted: "segmentDeleted",
    renamed: "segmentRenamed",
    described: "segmentDescribed",
    tagged: "segmentTagged",
};

pub(super) fn write(
    writer: &mut Writer<'_>,
    subject: &Subject,
    codes: &Codes,
    before: About<'_>,
    after: About<'_>,
) {
    match (before.life, after.life) {
        (before, after) if before == after => {}
        (_, Life::Live) => writer.line(subject, codes.restored, &[], "restored"),
        (_, Life::Archived) => writer.line(subject, codes.archived, &[], "archived"),
        (_, Life::Deleted) => writer.line(subject, codes.deleted, &[], "deleted"),
    }
    if before.name != after.name {
        let params = [("from", before.name), ("to", after.name)];
        let (from, to) = (quoted(before.name), quoted(after.name));
        let text = format!("renamed from {from} to {to}");
        writer.line(subject, codes.renamed, &params, &text);
    }
    if before.description != after.description {
        let params = [("to", after.description)];
        let text = format!("described as {}", quoted(after.description));
        writer.line(subject, codes.described, &params, &text);
    }
    if before.tags != after.tags {
        let tags = match after.tags.is_empty() {
            true => "nothing".to_owned(),
            false => after.tags.join(", "),
        };
        let text = format!("tagged with {tags}");
        let parts = Parts::list(after.tags);
        writer.line_of(subject, codes.tagged, &[("tags", &tags)], &parts, &text);
    }
}
