//! The table: drawn anew on a terminal, a line a round elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use super::Row;

/// How often it is drawn while something goes on.
const DRAW: Duration = Duration::from_millis(60);
/// Events that stay on the screen.
const EVENTS: usize = 6;

/// Where it is shown.
pub(crate) struct Screen {
    terminal: bool,
    title: String,
    events: Vec<String>,
    /// Lines of the table that stands there.
    lines: usize,
    drawn: Option<Instant>,
}

impl Screen {
    pub(crate) fn new(terminal: bool) -> Self {
        Self {
            terminal,
            title: String::new(),
            events: Vec::new(),
            lines: 0,
            drawn: None,
        }
    }

    /// What the next table is about.
    pub(crate) fn title(&mut self, title: String) {
        self.title = title;
    }

    /// Something happened.
    pub(crate) fn tell(&mut self, event: String) {
        if !self.terminal {
            println!("  ! {event}");
        }
        self.events.push(event);
        let over = self.events.len().saturating_sub(EVENTS);
        self.events.drain(..over);
    }

    /// Shows who has what. `ended`: nothing more happens in this round.
    pub(crate) fn show(&mut self, rows: &[Row], versions: &BTreeMap<i64, i64>, ended: bool) {
        if !self.terminal {
            if ended {
                let all: Vec<String> = rows.iter().map(brief).collect();
                println!("{}: {}", self.title, all.join(" · "));
            }
            return;
        }
        if !ended && self.drawn.is_some_and(|it| it.elapsed() < DRAW) {
            return;
        }
        self.drawn = Some(Instant::now());
        let text = self.table(rows, versions);
        // Up to where the last one began, and down again line by line.
        let up = match self.lines {
            0 => String::new(),
            lines => format!("\x1b[{lines}A"),
        };
        self.lines = text.lines().count();
        let text = text.replace('\n', "\x1b[K\n");
        print!("{up}{text}\x1b[J");
        // A terminal that is gone is told of by the signal.
        let _ = std::io::stdout().flush();
    }

    fn table(&self, rows: &[Row], versions: &BTreeMap<i64, i64>) -> String {
        let mut text = format!("\n  {}\n\n", self.title);
        let line = |text: &mut String, cells: [&str; 5]| {
            let [node, serves, has, sdks, after] = cells;
            let _ = writeln!(text, "  {node:<24}{serves:<10}{has:<14}{sdks:<14}{after}");
        };
        line(&mut text, ["node", "", "has", "SDKs with it", "after"]);
        for row in rows {
            let version = versions.get(&row.newest).copied().unwrap_or_default();
            let has = format!("version {version}");
            let sdks = format!("{} of {}", row.have, row.sdks);
            let after = row.after.map_or_else(|| "…".to_owned(), time);
            let cells = match row.runs {
                true => [row.name.as_str(), "serves", &has, &sdks, &after],
                false => [row.name.as_str(), "killed", "-", "-", "-"],
            };
            line(&mut text, cells);
        }
        text.push('\n');
        for event in &self.events {
            let _ = writeln!(text, "  {event}");
        }
        text + "\n  Ctrl-C ends it.\n"
    }
}

/// A node in a line of all.
fn brief(row: &Row) -> String {
    let Row {
        name, sdks, have, ..
    } = row;
    match (row.runs, row.after) {
        (false, _) => format!("{name} killed"),
        (true, Some(after)) => format!("{name} {} ({have} of {sdks} SDKs)", time(after)),
        (true, None) => format!("{name} not yet ({have} of {sdks} SDKs)"),
    }
}

fn time(after: Duration) -> String {
    format!("{} ms", after.as_millis())
}
