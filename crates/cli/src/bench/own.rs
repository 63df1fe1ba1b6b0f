//! Measurements with servers of their own: this program, started again.

use std::time::Duration;

use burgee_bench::evaluation::Evaluation;
use burgee_bench::options::Options;
use burgee_bench::progress::Progress;
use burgee_bench::report::model::Report;
use burgee_bench::report::progress::Line;
use burgee_bench::rig::cgroup::Quota;
use burgee_bench::rig::limits::Limits;
use burgee_bench::rig::measure::Own;
use burgee_bench::rig::process;
use burgee_bench::rig::server::Kind;
use burgee_bench::rig::suite::Suite;
use burgee_bench::scenario::seed::Seed;
use burgee_bench::scenario::{Run, herd};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::bench::{AllArgs, EvaluateArgs, SeedArgs, seconds};

/// Scenarios that the ceiling cannot run: it has one flag and one answer, and refuses nobody.
const NOT_THE_CEILINGS: [&str; 3] = ["herd", "growth", "overload"];

/// A scenario, on Burgee and on the ceiling by turns.
pub(super) fn scenario(
    name: &str,
    run: Run,
    options: &Options,
    runs: usize,
) -> anyhow::Result<Report> {
    let is_comparable = !NOT_THE_CEILINGS.contains(&name);
    let own = Own {
        program: std::env::current_exe()?,
        kind: match name {
            "herd" => Kind::Large(herd::flags(options)),
            _ => Kind::Demo,
        },
        quota: options.cpus.map(Quota::of_cpus),
        connections: options.connections.unwrap_or(0),
        runs,
        ceiling_runs: if is_comparable { runs } else { 0 },
    };
    end_cleanly()?;
    let limits = Limits::prepare();
    let measured = own.scenario(&limits, name, run, options, &mut listener)?;
    Ok(measured.report(name, &command()))
}

/// `burgee bench evaluate`.
pub(super) fn evaluate(args: &EvaluateArgs) -> anyhow::Result<Report> {
    end_cleanly()?;
    let options = args.scenario.load.options()?;
    let evaluation = Evaluation {
        program: std::env::current_exe()?,
        unleash_edge: args.unleash_edge.clone(),
        runs: args.scenario.load.runs,
        duration: options
            .duration
            .unwrap_or(Duration::from_millis(options.form(4_000, 300))),
        connections: options.connections.unwrap_or(16),
    };
    evaluation.run(&command(), &mut listener)
}

/// `burgee bench seed`.
pub(super) fn seed(args: &SeedArgs) -> anyhow::Result<Report> {
    end_cleanly()?;
    let seed = Seed {
        program: std::env::current_exe()?,
        runs: if args.short { 1 } else { args.runs },
        options: Options {
            rate: args.rate,
            ramp: seconds(args.ramp)?,
            duration: seconds(args.duration)?,
            short: args.short,
            ..Options::default()
        },
    };
    seed.run(&command(), &mut listener)
}

/// `burgee bench all`.
pub(super) fn all(args: &AllArgs) -> anyhow::Result<Report> {
    end_cleanly()?;
    let suite = Suite {
        program: std::env::current_exe()?,
        runs: if args.short { 1 } else { args.runs },
        short: args.short,
        only: args.only.clone(),
    };
    suite.run(&command(), &mut listener)
}

/// What was typed.
pub(super) fn command() -> String {
    let mut words = std::env::args();
    let program = words.next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    without_secrets(std::iter::once(program).chain(words))
}

/// Reports are shown around: keys and tokens are left out.
fn without_secrets(words: impl Iterator<Item = String>) -> String {
    const SECRET: [&str; 3] = ["--client-key", "--server-key", "--token"];
    let mut shown: Vec<String> = Vec::new();
    for word in words {
        let last = shown.last().map(String::as_str).unwrap_or_default();
        let (name, value) = word.split_once('=').unwrap_or((&word, ""));
        shown.push(if SECRET.contains(&last) {
            "…".to_owned()
        } else if SECRET.contains(&name) && !value.is_empty() {
            format!("{name}=…")
        } else {
            word
        });
    }
    shown.join(" ")
}

pub(super) fn listener(title: &str) -> Box<dyn Progress> {
    Box::new(Line::stderr(title))
}

/// The first SIGINT or SIGTERM ends the servers and generators; the measurement fails for it, and
/// puts back what it had set. The second one ends this program at once.
pub(super) fn end_cleanly() -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        for asked in 0.. {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if asked > 0 {
                std::process::exit(130);
            }
            process::end_all();
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn a_report_holds_no_secret() {
        let typed = "burgee bench push --token bgt_1 --client-key=abc --server-key def --rate 5";
        let shown = without_secrets(typed.split(' ').map(str::to_owned));
        let expected = "burgee bench push --token … --client-key=… --server-key … --rate 5";
        assert_eq!(shown, expected);
    }
}
