//! `burgee import featbit`: one environment's flags and segments, and its secrets.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use burgee_domain::import::{Done, Kind, Report, ReportItem, read};
use burgee_domain::model::{Environment, SdkKeyKind};
use burgee_domain::sdk_key;
use burgee_server::now;
use burgee_store::{Actor, ImportRequest, Store};

use crate::admin::{environment, open, organization};
use crate::args::files::ImportArgs;

/// A secret to adopt.
struct Secret {
    kind: SdkKeyKind,
    text: String,
    /// Whether the environment has it already.
    known: bool,
}

/// Imports, and prints the report. Fails (after importing the rest) where an item was refused, and
/// before importing anything where a secret could not be adopted.
pub(crate) async fn featbit(args: ImportArgs) -> anyhow::Result<ExitCode> {
    let input = read(
        &text(args.flags.as_deref()).context("--flags")?,
        &text(args.segments.as_deref()).context("--segments")?,
    )?;
    let mut secrets = secrets(&args.sdk_keys)?;
    let store = open(&args.data).await?;
    let environment = environment(&store, &args.environment).await?;
    for secret in &mut secrets {
        secret.known = is_known(&store, &environment, secret)
            .await
            .with_context(|| format!("--sdk-key {}=…", name(secret.kind)))?;
    }
    let imported = store
        .import(&ImportRequest {
            organization: organization(&store, &args.environment.of).await?.id,
            actor: Actor::operator(),
            rights: None,
            project: args.environment.project,
            environment: args.environment.environment,
            input,
            comment: "Imported from FeatBit".to_owned(),
            override_reason: args.override_reason,
            dry_run: false,
            now: now(),
        })
        .await?;
    adopt(&store, &environment, &secrets).await?;
    if args.json {
        println!("{:#}", json(&imported.report, &secrets));
    } else {
        print(&imported.report, &secrets);
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

/// Reads the secrets; none of them may be there twice, perhaps as keys of both kinds.
fn secrets(texts: &[String]) -> anyhow::Result<Vec<Secret>> {
    let mut secrets: Vec<Secret> = Vec::new();
    for text in texts {
        let (kind, text) = match text.split_once('=') {
            Some(("client", secret)) => (SdkKeyKind::Client, secret),
            Some(("server", secret)) => (SdkKeyKind::Server, secret),
            _ => bail!("--sdk-key must be client=SECRET or server=SECRET"),
        };
        ensure!(
            !secrets.iter().any(|other| other.text == text),
            "--sdk-key: the same secret is given twice"
        );
        secrets.push(Secret {
            kind,
            text: text.to_owned(),
            known: false,
        });
    }
    Ok(secrets)
}

/// Whether the environment has this key already; fails where it could not be adopted.
async fn is_known(
    store: &Store,
    environment: &Environment,
    secret: &Secret,
) -> anyhow::Result<bool> {
    ensure!(
        sdk_key::is_well_formed(&secret.text),
        "an SDK key has {} characters of base64",
        sdk_key::LENGTH
    );
    let user = store.edge().find_key(&secret.text).await?;
    let Some((used_by, kind)) = user else {
        return Ok(false);
    };
    ensure!(
        used_by == environment.id && kind == secret.kind,
        "this secret is in use by another environment or as another kind of key"
    );
    Ok(true)
}

fn name(kind: SdkKeyKind) -> &'static str {
    match kind {
        SdkKeyKind::Client => "client",
        SdkKeyKind::Server => "server",
    }
}

async fn adopt(store: &Store, environment: &Environment, secrets: &[Secret]) -> anyhow::Result<()> {
    for Secret { kind, text, .. } in secrets {
        store
            .adopt_sdk_key(&environment.id, *kind, text, &Actor::operator(), now())
            .await
            .context("the flags are imported, but not the SDK keys; run it again")?;
    }
    Ok(())
}

/// The report for programs. A secret is told by its kind: reports are kept and shown around.
fn json(report: &Report, secrets: &[Secret]) -> serde_json::Value {
    let keys: Vec<_> = secrets
        .iter()
        .map(|secret| serde_json::json!({"kind": name(secret.kind), "result": done(secret)}))
        .collect();
    serde_json::json!({"items": report.items, "sdkKeys": keys})
}

/// What became of a secret, in the report's words.
fn done(secret: &Secret) -> &'static str {
    match secret.known {
        true => "unchanged",
        false => "created",
    }
}

fn print(report: &Report, secrets: &[Secret]) {
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
    for secret in secrets {
        println!("{} key: {}", name(secret.kind), done(secret));
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
