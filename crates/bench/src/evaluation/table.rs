//! What was found, as figures, as ratios and as a table.

use super::contest::{Asked, Contest};
use crate::report::goal::Goal;
use crate::report::latency::histogram;
use crate::report::merge::median;
use crate::report::model::{Count, Figure, Latency, Ratio, Subject, Table};
use crate::report::number;

/// What Burgee should reach of Unleash Edge's rate.
const BESIDE_UNLEASH: &str = "≥ 3";

impl Asked {
    fn rates(&self) -> Vec<f64> {
        self.found.iter().map(|found| found.rate()).collect()
    }

    fn cpu(&self) -> f64 {
        let each: Vec<f64> = self.found.iter().map(|found| found.cpu_each(1)).collect();
        median(&each)
    }
}

/// The median of what each round's ratio is: what else the machine did in a round met both.
fn ratio(ours: &Asked, theirs: &Asked) -> f64 {
    let rounds = ours.rates().into_iter().zip(theirs.rates());
    let ratios: Vec<f64> = rounds.map(|(ours, theirs)| ours / theirs).collect();
    median(&ratios)
}

/// Whom Burgee is compared with, and what it should reach.
fn compared(contest: &Contest) -> impl Iterator<Item = (&Asked, Option<&'static str>)> {
    let unleash = contest.unleash.iter();
    let unleash = unleash.map(|unleash| (unleash, Some(BESIDE_UNLEASH)));
    std::iter::once((&contest.constant, contest.what.goal())).chain(unleash)
}

/// Burgee's rates divided by the others'.
pub(super) fn ratios(contests: &[Contest]) -> Vec<Ratio> {
    let each = contests.iter().flat_map(|contest| {
        compared(contest).map(|(other, goal)| Ratio {
            name: format!("{}, to {}", contest.what.name(), other.server),
            value: ratio(&contest.burgee, other),
            goal: goal.map(str::to_owned),
        })
    });
    each.filter(|ratio| ratio.value.is_finite()).collect()
}

/// Side by side.
pub(super) fn goals(contests: &[Contest]) -> Table {
    let columns = ["what", "beside", "goal", "Burgee", "the other"];
    let more = ["ratio", "met", "CPU each, µs: Burgee", "the other"];
    let rows = contests.iter().flat_map(|contest| {
        compared(contest).map(|(other, goal)| {
            let rate = |asked: &Asked| number::quantity(median(&asked.rates()), "1/s");
            let found = ratio(&contest.burgee, other);
            let met = goal.and_then(Goal::read).map(|goal| goal.met(found));
            vec![
                contest.what.name(),
                other.server.to_owned(),
                goal.unwrap_or("–").to_owned(),
                rate(&contest.burgee),
                rate(other),
                number::ratio(found),
                met.map_or("–", |met| if met { "yes" } else { "no" })
                    .to_owned(),
                number::plain(contest.burgee.cpu()),
                number::plain(other.cpu()),
            ]
        })
    });
    Table {
        title: "Evaluation by OFREP, requests on one core".to_owned(),
        columns: columns.into_iter().chain(more).map(str::to_owned).collect(),
        rows: rows.collect(),
    }
}

/// Each server with all that it was asked.
pub(super) fn subjects(contests: &[Contest]) -> anyhow::Result<Vec<Subject>> {
    let mut subjects: Vec<Subject> = Vec::new();
    for contest in contests {
        let others = compared(contest).map(|(other, _)| other);
        for asked in std::iter::once(&contest.burgee).chain(others) {
            let part = part(&contest.what.name(), asked)?;
            match subjects.iter_mut().find(|it| it.name == asked.server) {
                Some(known) => {
                    known.figures.extend(part.figures);
                    known.latencies.extend(part.latencies);
                    known.errors.extend(part.errors);
                }
                None => subjects.push(part),
            }
        }
    }
    Ok(subjects)
}

fn part(what: &str, asked: &Asked) -> anyhow::Result<Subject> {
    let rates = asked.rates();
    let mut took = histogram()?;
    let mut errors: Vec<Count> = Vec::new();
    for found in &asked.found {
        took.add(&found.took)?;
        errors.extend(found.errors());
    }
    Ok(Subject {
        name: asked.server.to_owned(),
        processes: asked.pids.len(),
        runs: asked.found.len(),
        figures: vec![
            Figure {
                value: median(&rates),
                runs: rates,
                ..Figure::new(&format!("{what}, per second"), "1/s", 0.0)
            },
            Figure::new(&format!("{what}, CPU each"), "µs", asked.cpu()),
        ],
        latencies: vec![Latency::of(what, &took)?],
        errors,
        ..Subject::default()
    })
}
