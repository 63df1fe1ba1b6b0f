//! Draws a chart as SVG. Colours and type are the page's style sheet's.

use std::fmt::{self, Write};

use super::Escaped;
use super::chart::{Chart, Line};

// About as wide as a phone shows it, so that its text is as large there as the page's.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 236.0;
const LEFT: f64 = 54.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;

/// How many colours the style sheet knows.
const COLOURS: usize = 4;

/// Appends a figure: caption with a legend, and the plot.
pub(super) fn draw(chart: &Chart, out: &mut String) -> fmt::Result {
    let title = Escaped(&chart.title);
    write!(out, "<figure>\n<figcaption><span>{title}</span><span>")?;
    for line in &chart.lines {
        let colour = line.subject % COLOURS;
        write!(
            out,
            "<span class=\"key c{colour}\">{}</span>",
            Escaped(&line.label)
        )?;
    }
    write!(
        out,
        "</span></figcaption>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n"
    )?;
    grid(chart, out)?;
    // The first subject is what the report is about: it lies on top.
    chart
        .lines
        .iter()
        .rev()
        .try_for_each(|line| trace(chart, line, out))?;
    out.write_str("</svg>\n</figure>\n")
}

fn grid(chart: &Chart, out: &mut String) -> fmt::Result {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for (value, name) in &chart.y.ticks {
        let y = down(chart, *value);
        let (text, below) = (LEFT - 7.0, y + 4.0);
        writeln!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/>\
             <text class=\"end\" x=\"{text}\" y=\"{below:.1}\">{}</text>",
            Escaped(name)
        )?;
    }
    for (value, name) in &chart.x.ticks {
        let (x, text) = (across(chart, *value), bottom + 18.0);
        writeln!(
            out,
            "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom}\"/>\
             <text class=\"middle\" x=\"{x:.1}\" y=\"{text}\">{}</text>",
            Escaped(name)
        )?;
    }
    Ok(())
}

fn trace(chart: &Chart, line: &Line, out: &mut String) -> fmt::Result {
    let colour = line.subject % COLOURS;
    write!(out, "<path class=\"line c{colour}\" d=\"")?;
    for (index, [x, y]) in line.points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        write!(
            out,
            "{command}{:.1} {:.1}",
            across(chart, *x),
            down(chart, *y)
        )?;
    }
    out.write_str("\"/>\n")
}

fn across(chart: &Chart, value: f64) -> f64 {
    LEFT + chart.x.scale.place(value) * (WIDTH - LEFT - RIGHT)
}

fn down(chart: &Chart, value: f64) -> f64 {
    HEIGHT - BOTTOM - chart.y.scale.place(value) * (HEIGHT - TOP - BOTTOM)
}
