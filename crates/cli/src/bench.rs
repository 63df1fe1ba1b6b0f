//! `burgee bench`: measures a server.

mod own;

use std::process::ExitCode;

use anyhow::Context;
use burgee_bench::ceiling::{Ceiling, Config};
use burgee_bench::progress::Silent;
use burgee_bench::report::merge;
use burgee_bench::report::model::Report;
use burgee_bench::rig::measure::Measured;
use burgee_bench::rig::suite::markdown;
use burgee_bench::scenario::{self, Run};

use crate::args::bench::{BenchCommand, CeilingArgs, OutputArgs, ScenarioArgs};

/// `burgee bench`.
pub(crate) fn run(command: BenchCommand) -> anyhow::Result<ExitCode> {
    match command {
        BenchCommand::Connect(args) => scenario("connect", scenario::connect::run, &args),
        BenchCommand::Hold(args) => scenario("hold", scenario::hold::run, &args),
        BenchCommand::Push(args) => scenario("push", scenario::push::run, &args),
        BenchCommand::Herd(args) => scenario("herd", scenario::herd::run, &args),
        BenchCommand::Churn(args) => scenario("churn", scenario::churn::run, &args),
        BenchCommand::Capacity(args) => scenario("capacity", scenario::capacity::run, &args),
        BenchCommand::Ramp(args) => scenario("ramp", scenario::ramp::run, &args),
        BenchCommand::Seed(args) => output(&own::seed(&args)?, &args.output),
        BenchCommand::All(args) => {
            let report = own::all(&args)?;
            print!("{}", markdown::text(&report));
            output(&report, &args.output)
        }
        BenchCommand::Ceiling(args) => ceiling(&args),
    }
}

/// Serves until the process is ended.
fn ceiling(args: &CeilingArgs) -> anyhow::Result<ExitCode> {
    let config = Config {
        listen: args.listen,
        answer: args.answer,
        share_port: args.share_port,
    };
    let ceiling = Ceiling::bind(&config)
        .with_context(|| format!("--listen: {} cannot be listened on", args.listen))?;
    eprintln!("the ceiling is ready: http://{}", ceiling.address()?);
    ceiling.serve()?;
    Ok(ExitCode::SUCCESS)
}

fn scenario(name: &str, run: Run, args: &ScenarioArgs) -> anyhow::Result<ExitCode> {
    let options = args.load.options()?;
    let Some(target) = args.target.target() else {
        let report = own::scenario(name, run, &options, args.load.runs)?;
        return output(&report, &args.output);
    };
    let mut runs = Vec::new();
    for _ in 0..args.load.runs.max(1) {
        runs.push(run(&options, &target, &mut Silent)?);
    }
    let measured = Measured {
        burgee: merge::runs(runs, None)?,
        ..Measured::default()
    };
    output(&measured.report(name, &own::command()), &args.output)
}

fn output(report: &Report, args: &OutputArgs) -> anyhow::Result<ExitCode> {
    let text = serde_json::to_string_pretty(report)?;
    match &args.json {
        Some(file) => std::fs::write(file, text)
            .with_context(|| format!("{} cannot be written", file.display()))?,
        None => println!("{text}"),
    }
    Ok(ExitCode::SUCCESS)
}
