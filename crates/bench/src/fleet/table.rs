//! What `fleet` found, as figures and as a table.

use std::time::Duration;

use super::costs::Spent;
use crate::report::model::{Count, Figure, Latency, Subject, Table};
use crate::report::number::plain;

/// What grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Servers on one PostgreSQL.
    Servers,
    /// Relays beside a server, which they follow by NATS.
    OnNats,
    /// Relays that hang on a server, with a relay key.
    OnServer,
}

/// What was found at a size.
pub(super) struct Row {
    pub(super) nodes: usize,
    pub(super) last: Latency,
    /// Deliveries that did not come. Where there are any, the times are those of the wait for them.
    pub(super) undelivered: u64,
    pub(super) idle: Spent,
    pub(super) busy: Spent,
    /// Mean of the nodes' own memory, in bytes.
    pub(super) memory: f64,
}

impl Kind {
    /// In the order in which they are measured.
    pub(super) const ALL: [Self; 3] = [Self::Servers, Self::OnNats, Self::OnServer];

    /// What its table and its subject are called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Servers => "servers on one PostgreSQL",
            Self::OnNats => "relays on one NATS",
            Self::OnServer => "relays on one server",
        }
    }

    /// How many nodes beside the first server there are.
    fn others(self, nodes: usize) -> usize {
        match self {
            Self::Servers => nodes - 1,
            Self::OnNats | Self::OnServer => nodes,
        }
    }

    /// Figures are those of the most nodes; distributions of all sizes together say nothing.
    pub(super) fn subject(self, rows: &[Row], errors: Vec<Count>) -> Subject {
        let figures = rows.iter().flat_map(|row| {
            let name = |what: &str| format!("{what}, {} nodes", row.nodes);
            [
                Figure::new(&name("last delivery p99"), "ms", row.last.p99),
                Figure::new(&name("not delivered"), "", row.undelivered as f64),
                Figure::new(
                    &name("statements idle"),
                    "1/s",
                    row.idle.statements_per_second(),
                ),
                Figure::new(
                    &name("database CPU idle"),
                    "cores",
                    row.idle.cores(|it| it.database),
                ),
                Figure::new(&name("memory of a node"), "bytes", row.memory),
            ]
        });
        Subject {
            name: self.name().to_owned(),
            processes: rows.last().map_or(0, |row| row.nodes),
            runs: 1,
            figures: figures.collect(),
            errors,
            ..Subject::default()
        }
    }

    /// A line for each size.
    pub(super) fn table(self, rows: &[Row], changes: usize) -> Table {
        let nodes = match self {
            Self::Servers => "servers",
            Self::OnNats | Self::OnServer => "relays",
        };
        let mut columns = vec![
            nodes,
            "last p50, ms",
            "last max, ms",
            "database: statements/s idle",
        ];
        columns.extend(["a change", "CPU idle, ‰ of a core", "CPU of a change, ms"]);
        if self == Self::OnNats {
            columns.extend(["NATS: CPU idle, ‰", "of a change, ms"]);
        }
        columns.extend(["first server: CPU idle, ‰", "of a change, ms"]);
        columns.extend(["each other node: CPU idle, ‰", "of a change, ms"]);
        columns.extend(["own memory of a node, MiB", "not delivered"]);
        Table {
            title: self.name().to_owned(),
            columns: columns.into_iter().map(str::to_owned).collect(),
            rows: rows.iter().map(|row| self.line(row, changes)).collect(),
        }
    }

    fn line(self, row: &Row, changes: usize) -> Vec<String> {
        let Row { idle, busy, .. } = row;
        let cpu = |of: fn(&Spent) -> Duration, nodes: usize| {
            if nodes == 0 {
                return ["–".to_owned(), "–".to_owned()];
            }
            let nodes = nodes as f64;
            [
                plain(idle.cores(of) * 1000.0 / nodes),
                plain(busy.of_a_change(idle, changes, of) / nodes),
            ]
        };
        let mut line = vec![
            plain(row.nodes as f64),
            plain(row.last.p50),
            plain(row.last.max),
            plain(idle.statements_per_second()),
            plain(busy.statements_of_a_change(idle, changes)),
        ];
        line.extend(cpu(|it| it.database, 1));
        if self == Self::OnNats {
            line.extend(cpu(|it| it.nats, 1));
        }
        line.extend(cpu(|it| it.first, 1));
        line.extend(cpu(|it| it.others, self.others(row.nodes)));
        line.push(plain(row.memory / 1_048_576.0));
        line.push(row.undelivered.to_string());
        line
    }
}
