//! `burgee bench`: measures a server.

mod fleet;
mod own;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use burgee_bench::ceiling::{Ceiling, Config};
use burgee_bench::evaluation::constant::Constant;
use burgee_bench::report::model::Report;
use burgee_bench::report::progress::Line;
use burgee_bench::report::{html, json, merge, text};
use burgee_bench::rig::measure::Measured;
use burgee_bench::rig::suite::markdown;
use burgee_bench::scenario::{self, Run};

use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::args::bench::{
    BenchCommand, CeilingArgs, ConstantArgs, EvaluateArgs, MergeArgs, OutputArgs, ScenarioArgs,
};

/// `burgee bench`.
pub(crate) fn run(command: BenchCommand) -> anyhow::Result<ExitCode> {
    match command {
        BenchCommand::Connect(args) => scenario("connect", scenario::connect::run, &args),
        BenchCommand::Hold(args) => scenario("hold", scenario::hold::run, &args),
        BenchCommand::Push(args) => scenario("push", scenario::push::run, &args),
        BenchCommand::Track(args) => scenario("track", scenario::track::run, &args),
        BenchCommand::Evaluate(args) => evaluate(&args),
        BenchCommand::Herd(args) => scenario("herd", scenario::herd::run, &args),
        BenchCommand::Churn(args) => scenario("churn", scenario::churn::run, &args),
        BenchCommand::Growth(args) => scenario("growth", scenario::growth::run, &args),
        BenchCommand::Overload(args) => scenario("overload", scenario::overload::run, &args),
        BenchCommand::Capacity(args) => scenario("capacity", scenario::capacity::run, &args),
        BenchCommand::Ramp(args) => scenario("ramp", scenario::ramp::run, &args),
        BenchCommand::Nodes(args) => write(&fleet::nodes(&args)?, &args.output),
        BenchCommand::Fleet(args) => write(&fleet::growth(&args)?, &args.output),
        BenchCommand::Million(args) => write(&fleet::million(&args)?, &args.output),
        BenchCommand::Audience(args) => fleet::audience(&args),
        BenchCommand::Seed(args) => write(&own::seed(&args)?, &args.output),
        BenchCommand::All(args) => {
            let report = own::all(&args)?;
            print!("{}", markdown::text(&report));
            write_files(&report, &args.output)
        }
        BenchCommand::Merge(args) => merged(&args),
        BenchCommand::Ceiling(args) => ceiling(&args),
        BenchCommand::Constant(args) => constant(&args),
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

/// The same.
fn constant(args: &ConstantArgs) -> anyhow::Result<ExitCode> {
    let serve = async {
        let constant = Constant::bind(args.listen, &args.answer).await?;
        eprintln!("the constant is ready: http://{}", constant.address()?);
        constant.serve().await?;
        Ok(ExitCode::SUCCESS)
    };
    block_in_place(|| Handle::current().block_on(serve))
}

fn evaluate(args: &EvaluateArgs) -> anyhow::Result<ExitCode> {
    match args.scenario.target.address {
        Some(_) => scenario("evaluate", scenario::evaluate::run, &args.scenario),
        None => write(&own::evaluate(args)?, &args.scenario.output),
    }
}

fn scenario(name: &str, run: Run, args: &ScenarioArgs) -> anyhow::Result<ExitCode> {
    let options = args.load.options()?;
    let Some(target) = args.target.target() else {
        let report = own::scenario(name, run, &options, args.load.runs)?;
        return write(&report, &args.output);
    };
    let count = args.load.runs.max(1);
    let mut runs = Vec::new();
    for number in 1..=count {
        let title = match count {
            1 => name.to_owned(),
            count => format!("{name} {number}/{count}"),
        };
        runs.push(run(&options, &target, &mut Line::stderr(&title))?);
    }
    let measured = Measured {
        burgee: merge::runs(runs, None)?,
        ..Measured::default()
    };
    let report = measured.report(name, &own::command());
    write(&report, &args.output)
}

/// `burgee bench merge`.
fn merged(args: &MergeArgs) -> anyhow::Result<ExitCode> {
    let reports: anyhow::Result<Vec<Report>> =
        args.files.iter().map(|file| json::read(file)).collect();
    write(&merge::generators(reports?)?, &args.output)
}

/// Writes a report as text to standard output, and as what else was asked for.
fn write(report: &Report, output: &OutputArgs) -> anyhow::Result<ExitCode> {
    print!("{}", text::text(report));
    write_files(report, output)
}

fn write_files(report: &Report, output: &OutputArgs) -> anyhow::Result<ExitCode> {
    if let Some(file) = &output.json {
        write_file(file, &json::text(report)?)?;
    }
    if let Some(file) = &output.html {
        write_file(file, &html::page(report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_file(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}
