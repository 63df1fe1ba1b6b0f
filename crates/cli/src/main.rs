//! The binary `burgee`: reads what the user typed and calls the library that does it.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    reason = "standard output is where the answers of commands go"
)]

mod admin;
mod args;
mod ask;
mod audit;
mod backup;
mod bench;
mod decisions;
mod import;
mod logs;
mod organization;
mod out;
mod project_file;
mod relay;
mod server;
mod token;
mod traces;
mod user;

use std::process::ExitCode;

use args::files::ImportCommand;
use args::people::{OrganizationCommand, TokenCommand, UserCommand};
use args::{AuditCommand, Cli, Command};
use clap::Parser;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => return say(&usage),
    };
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("burgee: {}", sentence(&error));
            ExitCode::FAILURE
        }
    }
}

/// Prints help or what is wrong with a command line. Wrong usage is an error like any other: clap's
/// own code for it, 2, says "something differs" where it comes from `diff` or `plan`.
fn say(usage: &clap::Error) -> ExitCode {
    // Nobody is left to be told where it cannot be printed.
    let _ = usage.print();
    if usage.use_stderr() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// An error with its causes, outermost first. Some say their cause in their own words: it is not
/// said twice.
fn sentence(error: &anyhow::Error) -> String {
    let mut sentence = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if sentence.ends_with(&cause) {
            continue;
        }
        if !sentence.is_empty() {
            sentence.push_str(": ");
        }
        sentence.push_str(&cause);
    }
    sentence
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        match cli.command {
            Command::Server(args) => server::run(args).await,
            Command::Relay(args) => relay::run(args).await,
            Command::ExportState(args) => relay::export_state(args).await,
            Command::Verify(args) => relay::verify_backbone(args).await,
            Command::Bench(command) => bench::run(command),
            Command::Import(ImportCommand::Featbit(args)) => import::featbit(args).await,
            Command::Migrate(args) => admin::migrate(args).await,
            Command::SdkKeys(args) => admin::sdk_keys(args).await,
            Command::Organization(OrganizationCommand::Create(args)) => {
                organization::create(args).await
            }
            Command::Organization(OrganizationCommand::List(args)) => {
                organization::list(args).await
            }
            Command::User(UserCommand::ResetPassword(args)) => user::reset_password(args).await,
            Command::Backup(args) => backup::backup(args).await,
            Command::Restore(args) => backup::restore(args).await,
            Command::Export(args) => project_file::export(args).await,
            Command::Plan(args) => project_file::plan(args).await,
            Command::Apply(args) => project_file::apply(args).await,
            Command::Audit(AuditCommand::Verify(args)) => audit::verify(args).await,
            Command::Evaluate(args) => ask::evaluate(args).await,
            Command::Explain(args) => ask::explain(args).await,
            Command::Diff(args) => ask::diff(args).await,
            Command::Token(TokenCommand::Create(args)) => token::create(args).await,
            Command::Token(TokenCommand::List(args)) => token::list(args).await,
            Command::Token(TokenCommand::Revoke(args)) => token::revoke(args).await,
        }
    })
}
