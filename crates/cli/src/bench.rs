//! `burgee bench`: measures a server.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use burgee_bench::ceiling::{Ceiling, Config};
use burgee_bench::report::model::Report;
use burgee_bench::report::progress::Line;
use burgee_bench::report::{html, json, merge, text};
use burgee_bench::scenario::{self, Run};

use crate::args::bench::{BenchCommand, CeilingArgs, MergeArgs, OutputArgs, ScenarioArgs};

/// `burgee bench`.
pub(crate) fn run(command: BenchCommand) -> anyhow::Result<ExitCode> {
    match command {
        BenchCommand::Connect(args) => scenario("connect", scenario::connect::run, &args),
        BenchCommand::Hold(args) => scenario("hold", scenario::hold::run, &args),
        BenchCommand::Push(args) => scenario("push", scenario::push::run, &args),
        BenchCommand::Track(args) => scenario("track", scenario::track::run, &args),
        BenchCommand::Evaluate(args) => scenario("evaluate", scenario::evaluate::run, &args),
        BenchCommand::Merge(args) => merged(&args),
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
    let count = args.load.runs.max(1);
    let mut runs = Vec::new();
    for number in 1..=count {
        let title = match count {
            1 => name.to_owned(),
            count => format!("{name} {number}/{count}"),
        };
        runs.push(run(&options, &target, &mut Line::stderr(&title))?);
    }
    let report = Report {
        scenario: name.to_owned(),
        command: command_line(std::env::args()),
        subjects: vec![merge::runs(runs, None)?],
        ..Report::default()
    };
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

/// What gives a report again. Reports are shown around: keys and tokens are left out.
fn command_line(arguments: impl Iterator<Item = String>) -> String {
    const SECRET: [&str; 3] = ["--client-key", "--server-key", "--token"];
    let mut shown: Vec<String> = Vec::new();
    for argument in arguments {
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        let after_name = shown
            .last()
            .is_some_and(|last| SECRET.contains(&last.as_str()));
        shown.push(match SECRET.contains(&name) && !value.is_empty() {
            _ if after_name => "…".to_owned(),
            true => format!("{name}=…"),
            false => argument,
        });
    }
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::command_line;

    #[test]
    fn a_report_holds_no_secret() {
        let typed = "burgee bench push --token bgt_1 --client-key=abc --server-key def --rate 5";
        let shown = command_line(typed.split(' ').map(str::to_owned));
        let expected = "burgee bench push --token … --client-key=… --server-key … --rate 5";
        assert_eq!(shown, expected);
    }
}
