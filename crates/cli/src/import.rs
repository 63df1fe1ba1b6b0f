//! `burgee import featbit`: one environment's flags and segments, and its secrets.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use burgee_domain::import::{Done, Kind, Report, ReportItem, read};
use burgee_domain::model::{Environment, SdkKeyKind};
use burgee_server::{now, setup};
use burgee_store::{Actor, ImportRequest, Store};

use crate::admin::{environment, open};
use crate::args::ImportArgs;

/// Imports, and prints the report. Fails (after importing the rest) where an item was refused.
pub(crate) async fn featbit(args: ImportArgs) -> anyhow::Result<ExitCode> {
    let input = read(
        &text(args.flags.as_deref()).context("--flags")?,
        &text(args.segments.as_deref()).context("--segments")?,
    )?;
    let keys = args
        .sdk_keys
        .iter()
        .map(|text| sdk_key(text))
        .collect::<Result<Vec<_>, _>>()?;
    let store = open(&args.data).await?;
    let environment = environment(&store, &args.environment).await?;
    let imported = store
        .import(&ImportRequest {
            organization: setup::organization(&store).await?.id,
            actor: Actor::operator(),
            project: args.environment.project,
            environment: args.environment.environment,
            input,
            dry_run: false,
            now: now(),
        })
        .await?;
    adopt(&store, &environment, &keys).await?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&imported.report)?);
    } else {
        print(&imported.report, &keys);
    }
    match imported.report.refused() {
        0 => Ok(ExitCode::SUCCESS),
        _ => Ok(ExitCode::FAILURE),
    }
}

/// The text of a file of the import; a file that is not given is an empty list.
fn text(file: Option<&Path>) -> anyhow::Result<String> {
    let Some(file) = file else {
        return Ok("[]".to_owned());
    };
    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

fn sdk_key(text: &str) -> anyhow::Result<(SdkKeyKind, String)> {
    match text.split_once('=') {
        Some(("client", secret)) => Ok((SdkKeyKind::Client, secret.to_owned())),
        Some(("server", secret)) => Ok((SdkKeyKind::Server, secret.to_owned())),
        _ => bail!("--sdk-key must be client=SECRET or server=SECRET"),
    }
}

async fn adopt(
    store: &Store,
    environment: &Environment,
    keys: &[(SdkKeyKind, String)],
) -> anyhow::Result<()> {
    for (kind, secret) in keys {
        let adopted = store
            .adopt_sdk_key(&environment.id, *kind, secret, &Actor::operator(), now())
            .await;
        adopted.context("--sdk-key")?;
    }
    Ok(())
}

fn print(report: &Report, keys: &[(SdkKeyKind, String)]) {
    for item in &report.items {
        println!("{}", line(item));
        for warning in &item.warnings {
            println!("    warning: {warning}");
        }
    }
    for kind in [Kind::Segment, Kind::Flag] {
        let count = |end: fn(&Done) -> bool| report.count(kind, end);
        println!(
            "{}: {} created, {} updated, {} unchanged, {} refused",
            if kind == Kind::Flag {
                "flags"
            } else {
                "segments"
            },
            count(|done| *done == Done::Created),
            count(|done| *done == Done::Updated),
            count(|done| *done == Done::Unchanged),
            count(|done| matches!(done, Done::Refused { .. })),
        );
    }
    if !keys.is_empty() {
        println!("SDK keys: {} adopted", keys.len());
    }
}

fn line(item: &ReportItem) -> String {
    let kind = if item.kind == Kind::Flag {
        "flag"
    } else {
        "segment"
    };
    match &item.done {
        Done::Created => format!("{kind} {}: created", item.name),
        Done::Updated => format!("{kind} {}: updated", item.name),
        Done::Unchanged => format!("{kind} {}: unchanged", item.name),
        Done::Refused { reason } => format!("{kind} {}: refused: {reason}", item.name),
    }
}
