//! `burgee bench`: measures a server.

use std::process::ExitCode;

use anyhow::Context;
use burgee_bench::ceiling::{Ceiling, Config};
use burgee_bench::progress::Silent;
use burgee_bench::report::model::Report;
use burgee_bench::scenario::{self, Run};

use crate::args::bench::{BenchCommand, CeilingArgs, ScenarioArgs};

/// `burgee bench`.
pub(crate) fn run(command: BenchCommand) -> anyhow::Result<ExitCode> {
    match command {
        BenchCommand::Connect(args) => scenario("connect", scenario::connect::run, &args),
        BenchCommand::Hold(args) => scenario("hold", scenario::hold::run, &args),
        BenchCommand::Push(args) => scenario("push", scenario::push::run, &args),
        BenchCommand::Herd(args) => scenario("herd", scenario::herd::run, &args),
        BenchCommand::Churn(args) => scenario("churn", scenario::churn::run, &args),
        BenchCommand::Capacity(args) => scenario("capacity", scenario::capacity::run, &args),
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
    let target = args.target.target();
    let mut report = Report {
        scenario: name.to_owned(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
        ..Report::default()
    };
    for _ in 0..args.load.runs.max(1) {
        report.subjects.push(run(&options, &target, &mut Silent)?);
    }
    let text = serde_json::to_string_pretty(&report)?;
    match &args.output.json {
        Some(file) => std::fs::write(file, text)
            .with_context(|| format!("{} cannot be written", file.display()))?,
        None => println!("{text}"),
    }
    Ok(ExitCode::SUCCESS)
}
