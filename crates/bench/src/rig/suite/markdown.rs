//! A table as Markdown, to be put into `docs/benchmarks.md`.

use crate::report::model::{Report, Table};

/// The tables of a report, with machine, date and command.
pub fn text(report: &Report) -> String {
    let machine = &report.machine;
    let gib = machine.memory as f64 / (1u64 << 30) as f64;
    let runs = report.subjects.iter().map(|subject| subject.runs);
    let mut text = format!(
        "{}, {} cores, {gib:.0} GiB, Linux {}; {}; up to {} runs.\n\n```sh\n{}\n```\n",
        machine.cpu,
        machine.cores,
        machine.kernel,
        report.at.split('T').next().unwrap_or_default(),
        runs.max().unwrap_or(0),
        report.command,
    );
    for found in &report.tables {
        text.push_str(&table(found));
    }
    for note in &report.notes {
        text.push_str(&format!("\n- {note}"));
    }
    text.push('\n');
    text
}

fn table(table: &Table) -> String {
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = vec!["---".to_owned(); table.columns.len()];
    let mut text = format!("\n{}:\n\n", table.title);
    text.push_str(&row(&table.columns));
    text.push_str(&row(&rule));
    for cells in &table.rows {
        text.push_str(&row(cells));
    }
    text
}
