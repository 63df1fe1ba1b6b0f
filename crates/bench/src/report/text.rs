//! A report for a terminal.

use std::fmt::Write;

use super::model::{Machine, Report};
use super::number::quantity;
use super::sheet::{Cell, Sheet, sheets};

/// Between two columns.
const GAP: &str = "  ";

/// The report as aligned text, with a line end.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    head(report, &mut out);
    for sheet in sheets(report) {
        out.push('\n');
        table(&sheet, &mut out);
    }
    if !report.notes.is_empty() {
        out.push_str("\nNotes\n");
    }
    for note in &report.notes {
        // Writing to memory cannot fail, here and below.
        let _ = writeln!(out, "- {note}");
    }
    out
}

fn head(report: &Report, out: &mut String) {
    let parts = [
        report.scenario.clone(),
        report.at.clone(),
        machine(&report.machine),
    ];
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    let _ = writeln!(out, "{}", parts.join(" · "));
    if !report.command.is_empty() {
        let _ = writeln!(out, "$ {}", report.command);
    }
}

/// A machine in a line; empty where nothing is known of it.
pub(super) fn machine(machine: &Machine) -> String {
    let cores = match machine.cores {
        0 => String::new(),
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    };
    let memory = match machine.memory {
        0 => String::new(),
        memory => quantity(memory as f64, "bytes"),
    };
    let parts = [machine.cpu.trim(), &cores, &memory, &machine.kernel];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

fn table(sheet: &Sheet, out: &mut String) {
    if !sheet.title.is_empty() {
        let _ = writeln!(out, "{}", sheet.title);
    }
    let width = |index: usize| {
        let cells = sheet.rows.iter().filter_map(|row| row.get(index));
        let cells = cells.map(|cell| shown(cell).chars().count());
        let head = sheet
            .columns
            .get(index)
            .map_or(0, |head| head.chars().count());
        cells.chain([head]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..sheet.columns.len()).map(width).collect();
    let ends = |index: usize| {
        sheet
            .rows
            .iter()
            .any(|row| row.get(index).is_some_and(|cell| cell.number))
    };
    let heads = sheet.columns.iter().enumerate();
    let heads: Vec<(String, bool)> = heads
        .map(|(index, head)| (head.clone(), ends(index)))
        .collect();
    if heads.iter().any(|(head, _)| !head.is_empty()) {
        line(&heads, &widths, out);
    }
    for row in &sheet.rows {
        let cells: Vec<(String, bool)> =
            row.iter().map(|cell| (shown(cell), cell.number)).collect();
        line(&cells, &widths, out);
    }
}

fn line(cells: &[(String, bool)], widths: &[usize], out: &mut String) {
    let mut line = String::new();
    for ((text, ends), width) in cells.iter().zip(widths) {
        let _ = match ends {
            true => write!(line, "{text:>width$}{GAP}"),
            false => write!(line, "{text:<width$}{GAP}"),
        };
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

fn shown(cell: &Cell) -> String {
    match cell.met {
        None => cell.text.clone(),
        Some(true) => format!("{}  met   ", cell.text),
        Some(false) => format!("{}  missed", cell.text),
    }
}
