//! A file as text: YAML for people, JSON for programs.
//!
//! YAML can be made to explode: by references to what was said before, and by depth. A file of ours
//! needs neither, so references are refused, and what a reader may be made to hold is bounded.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::FileFault;
use super::shape::ProjectFile;

/// The largest file, in bytes: a body of the API holds it.
pub const MAX_FILE: usize = 15 * 1024 * 1024;

/// The version of the shape that is read and written.
pub(super) const VERSION: u32 = 1;

/// How deep a file goes: flag, environment, rule, condition, value and their lists, and room.
const MAX_DEPTH: usize = 24;

/// How many things a YAML text holds at most: a file of the largest size with short lines.
const MAX_NODES: usize = 4_000_000;

/// How a file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Yaml,
    /// For programs.
    Json,
}

/// Reads a text, YAML or JSON.
///
/// # Errors
/// Where it is neither, is too large, or has not the shape.
pub fn read(text: &str) -> Result<ProjectFile, FileFault> {
    if text.len() > MAX_FILE {
        let message = format!("a file has at most {MAX_FILE} bytes");
        return Err(FileFault::new("", "fileTooLarge", message));
    }
    // What another version has is not known, so its shape says nothing that helps.
    let file: ProjectFile = parsed(text).map_err(|fault| match parsed::<Head>(text) {
        Ok(Head { burgee }) if burgee != u64::from(VERSION) => other_version(burgee),
        _ => fault,
    })?;
    match file.burgee {
        VERSION => Ok(file),
        other => Err(other_version(other.into())),
    }
}

/// What files of all versions have.
#[derive(Deserialize)]
struct Head {
    burgee: u64,
}

fn other_version(version: u64) -> FileFault {
    let message = format!("the file is of version {version}; this program knows version {VERSION}");
    FileFault::new("/burgee", "fileVersion", message)
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, FileFault> {
    match text.trim_start().starts_with('{') {
        true => json(text),
        false => yaml(text),
    }
}

/// Writes a file. The same project gives the same text.
///
/// # Errors
/// Never for what [`super::export`] made.
pub fn write(file: &ProjectFile, format: Format) -> Result<String, FileFault> {
    let failed =
        |error: &dyn std::fmt::Display| FileFault::new("", "fileNotWritten", error.to_string());
    match format {
        Format::Yaml => {
            let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
            let mut text = String::new();
            serde_saphyr::to_fmt_writer_with_options(&mut text, file, options)
                .map_err(|error| failed(&error))?;
            Ok(text)
        }
        Format::Json => {
            let text = serde_json::to_string_pretty(file).map_err(|error| failed(&error))?;
            Ok(text + "\n")
        }
    }
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, FileFault> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let pointer = pointer(error.path());
        FileFault::new(pointer, "fileInvalid", error.inner().to_string())
    })?;
    let end = reader.end();
    end.map_err(|error| FileFault::new("", "fileInvalid", error.to_string()))?;
    Ok(read)
}

fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, FileFault> {
    let budget = serde_saphyr::budget! {
        max_events: 4 * MAX_NODES,
        max_nodes: MAX_NODES,
        max_aliases: 0,
        max_anchors: 0,
        max_depth: MAX_DEPTH,
        flow_nesting_limit: MAX_DEPTH,
        max_documents: 1,
        max_merge_keys: 0,
    };
    let options = serde_saphyr::options! {
        budget: budget,
        with_snippet: false,
    };
    let reader = serde_saphyr::from_str_with_options(text, options);
    reader.map_err(|error| FileFault::new("", "fileInvalid", error.to_string()))
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let parts = path.iter().map(|part| match part {
        Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Seq { index } => format!("/{index}"),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    });
    parts.collect()
}
