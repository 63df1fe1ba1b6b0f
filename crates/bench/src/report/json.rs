//! A report in a file.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

use super::model::Report;

/// The report as an indented JSON document, with a line end.
///
/// # Errors
/// None that a report can bring about.
pub fn text(report: &Report) -> anyhow::Result<String> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}

/// Reads a report from its JSON.
///
/// # Errors
/// The text is none.
pub fn parse(text: &str) -> anyhow::Result<Report> {
    let report: Report = serde_json::from_str(text)?;
    // Every field may be missing, so that any JSON would do.
    ensure!(!report.scenario.is_empty(), "it names no scenario");
    Ok(report)
}

/// Reads a report from a file.
///
/// # Errors
/// The file is not there, or holds no report.
pub fn read(file: &Path) -> anyhow::Result<Report> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("{name} cannot be read"))?;
    parse(&text).with_context(|| format!("{name} holds no report"))
}
