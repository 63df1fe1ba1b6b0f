//! A report as one page that opens without a network: plots are drawn here, as SVG; there is no
//! script, and nothing is loaded.

mod chart;
mod plot;
mod scale;

use std::fmt::{self, Display, Write};

use super::goal::score;
use super::model::Report;
use super::sheet::{Cell, Sheet, sheets};
use super::text::machine;
use chart::{Chart, charts};

const STYLE: &str = include_str!("html/style.css");

/// The report as an HTML document.
pub fn page(report: &Report) -> String {
    let mut out = String::new();
    // Writing to memory cannot fail.
    let _ = write_page(report, &mut out);
    out
}

/// Text in an element or in a quoted attribute.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // Not allowed in a document, escaped or not.
                '\0' => f.write_char(char::REPLACEMENT_CHARACTER)?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

fn write_page(report: &Report, out: &mut String) -> fmt::Result {
    let title = Escaped(&report.scenario);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title} · burgee bench</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    )?;
    head(report, out)?;
    let mut sheets = sheets(report).into_iter().peekable();
    // The figures come first, then the pictures, then the tables that one looks things up in.
    if let Some(figures) = sheets.next_if(|sheet| sheet.title.is_empty()) {
        section("Figures", out, |out| table(&figures, out))?;
    }
    let (latency, time) = charts(report);
    pictures("Latency by percentile", &latency, out)?;
    pictures("Over time", &time, out)?;
    for sheet in sheets {
        section(&sheet.title.clone(), out, |out| table(&sheet, out))?;
    }
    if !report.notes.is_empty() {
        section("Notes", out, |out| notes(&report.notes, out))?;
    }
    out.write_str("</main>\n</body>\n</html>\n")
}

fn head(report: &Report, out: &mut String) -> fmt::Result {
    write!(
        out,
        "<header>\n<p class=\"over\">burgee bench</p>\n<h1>{}</h1>\n",
        Escaped(&report.scenario)
    )?;
    let place = [report.at.clone(), machine(&report.machine)];
    let place = place.iter().filter(|part| !part.is_empty());
    let place: Vec<String> = place
        .map(|part| format!("<span>{}</span>", Escaped(part)))
        .collect();
    writeln!(out, "<p class=\"place\">{}</p>", place.join(" "))?;
    if !report.command.is_empty() {
        writeln!(out, "<pre><code>{}</code></pre>", Escaped(&report.command))?;
    }
    verdicts(report, out)?;
    out.write_str("</header>\n")
}

/// What a reader wants to know first: did it reach its goals, did anything go wrong.
fn verdicts(report: &Report, out: &mut String) -> fmt::Result {
    let mut verdicts = Vec::new();
    let (goals, met) = score(report);
    if goals > 0 {
        verdicts.push((met == goals, format!("{met} of {goals} goals met")));
    }
    for subject in &report.subjects {
        let failed = match subject.failed() {
            0 => "no errors".to_owned(),
            1 => "1 error".to_owned(),
            errors => format!("{} errors", super::number::plain(errors as f64)),
        };
        let words = format!("{}: {failed}", subject.name);
        verdicts.push((subject.failed() == 0, words));
    }
    out.write_str("<ul class=\"verdicts\">")?;
    for (good, words) in verdicts {
        let class = if good { "good" } else { "bad" };
        write!(out, "<li class=\"{class}\">{}</li>", Escaped(&words))?;
    }
    out.write_str("</ul>\n")
}

fn section(
    title: &str,
    out: &mut String,
    content: impl FnOnce(&mut String) -> fmt::Result,
) -> fmt::Result {
    writeln!(out, "<section>\n<h2>{}</h2>", Escaped(title))?;
    content(out)?;
    out.write_str("</section>\n")
}

fn pictures(title: &str, charts: &[Chart], out: &mut String) -> fmt::Result {
    if charts.is_empty() {
        return Ok(());
    }
    section(title, out, |out| {
        out.write_str("<div class=\"plots\">\n")?;
        charts.iter().try_for_each(|chart| plot::draw(chart, out))?;
        out.write_str("</div>\n")
    })
}

fn table(sheet: &Sheet, out: &mut String) -> fmt::Result {
    // The figures are read row by row on a phone. Other tables scroll in a box of their own, which
    // a keyboard reaches.
    let (class, label) = match sheet.title.as_str() {
        "" => ("scroll figures", "Figures"),
        title => ("scroll", title),
    };
    writeln!(
        out,
        "<div class=\"{class}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>",
        Escaped(label)
    )?;
    if sheet.columns.iter().any(|head| !head.is_empty()) {
        heads(sheet, out)?;
    }
    out.write_str("<tbody>\n")?;
    for row in &sheet.rows {
        out.write_str("<tr>")?;
        for (index, cell) in row.iter().enumerate() {
            let head = sheet.columns.get(index).map_or("", String::as_str);
            let head = if index == 0 { None } else { Some(head) };
            write_cell(cell, head, out)?;
        }
        out.write_str("</tr>\n")?;
    }
    out.write_str("</tbody></table></div>\n")
}

fn heads(sheet: &Sheet, out: &mut String) -> fmt::Result {
    let ends = |index: usize| {
        let mut cells = sheet.rows.iter().filter_map(|row| row.get(index));
        cells.any(|cell| cell.number)
    };
    out.write_str("<thead><tr>")?;
    for (index, head) in sheet.columns.iter().enumerate() {
        let class = if ends(index) { " class=\"number\"" } else { "" };
        write!(out, "<th scope=\"col\"{class}>{}</th>", Escaped(head))?;
    }
    out.write_str("</tr></thead>\n")
}

/// `head` is the column's; the first cell has none, it names the row.
fn write_cell(cell: &Cell, head: Option<&str>, out: &mut String) -> fmt::Result {
    let number = if cell.number { " class=\"number\"" } else { "" };
    let text = Escaped(&cell.text);
    let Some(head) = head else {
        return write!(out, "<th scope=\"row\"{number}>{text}</th>");
    };
    write!(out, "<td{number} data-head=\"{}\">{text}", Escaped(head))?;
    if !cell.detail.is_empty() {
        write!(out, "<small>{}</small>", Escaped(&cell.detail))?;
    }
    match cell.met {
        Some(true) => out.write_str(" <b class=\"good\">met</b>")?,
        Some(false) => out.write_str(" <b class=\"bad\">missed</b>")?,
        None => {}
    }
    out.write_str("</td>")
}

fn notes(notes: &[String], out: &mut String) -> fmt::Result {
    out.write_str("<ul class=\"notes\">\n")?;
    for note in notes {
        writeln!(out, "<li>{}</li>", Escaped(note))?;
    }
    out.write_str("</ul>\n")
}
