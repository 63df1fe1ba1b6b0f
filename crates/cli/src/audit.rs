//! `burgee audit`: the log of everything that was done.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use burgee_domain::model::Organization;
use burgee_server::auth::seal::Keyring;
use burgee_store::audit::{NoNotary, Notary, Verdict};
use serde_json::json;

use crate::admin::{open, organization_named};
use crate::args::AuditVerifyArgs;
use crate::out;

/// `burgee audit verify`: fails where an entry is not as it was sealed, and names the first.
pub(crate) async fn verify(args: AuditVerifyArgs) -> anyhow::Result<ExitCode> {
    let key = key_file(&args)?;
    let store = open(&args.data).await?;
    let keyring = key.map(|file| Keyring::load(&file)).transpose()?;
    let notary: &dyn Notary = match &keyring {
        Some(keyring) => keyring,
        None => &NoNotary,
    };
    let mut found = Vec::new();
    let organizations = match args.organization.as_deref() {
        None => store.organizations().await?,
        Some(key) => vec![organization_named(&store, key).await?],
    };
    for organization in organizations {
        let verdict = store.verify_audit(&organization.id, notary).await?;
        found.push((organization, verdict));
    }
    match args.json {
        true => {
            let all: Vec<_> = found
                .iter()
                .map(|(of, verdict)| json(of, verdict))
                .collect();
            out::say(&format!("{:#}\n", json!({ "organizations": all })))?;
        }
        false => print_all(&found),
    }
    Ok(
        match found.iter().all(|(_, verdict)| verdict.bad.is_none()) {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        },
    )
}

/// The instance key, where there is one: looking makes none.
fn key_file(args: &AuditVerifyArgs) -> anyhow::Result<Option<PathBuf>> {
    if args.without_key {
        return Ok(None);
    }
    if let Some(file) = &args.instance_key_file {
        ensure!(
            file.is_file(),
            "--instance-key-file: there is no file {}",
            file.display()
        );
        return Ok(Some(file.clone()));
    }
    let file = args.data.data_dir.join("instance.key");
    Ok((args.data.database.is_none() && file.is_file()).then_some(file))
}

fn json(organization: &Organization, verdict: &Verdict) -> serde_json::Value {
    json!({
        "organization": organization.key.as_str(),
        "verified": verdict.verified,
        "redacted": verdict.redacted,
        "unsealed": verdict.unsealed,
        "prunedUpTo": verdict.pruned,
        "signed": verdict.signed,
        "bad": verdict.bad.as_ref().map(|bad| {
            json!({"number": bad.number, "id": bad.id, "what": bad.what})
        }),
    })
}

/// Names the organizations where there are several.
fn print_all(found: &[(Organization, Verdict)]) {
    for (organization, verdict) in found {
        if found.len() > 1 {
            println!("{}:", organization.key);
        }
        print(verdict);
    }
}

fn print(verdict: &Verdict) {
    println!(
        "{} entries verify, {} of them redacted; {} are not sealed yet.",
        verdict.verified, verdict.redacted, verdict.unsealed
    );
    if verdict.pruned > 0 {
        println!("Those up to number {} were pruned.", verdict.pruned);
    }
    match (&verdict.bad, verdict.signed) {
        (Some(bad), _) => {
            let id = bad.id.as_deref().unwrap_or("unknown");
            println!("BAD: entry {} (id {id}): {}", bad.number, bad.what);
        }
        (None, true) => println!("The end of the chain is signed with the instance key."),
        (None, false) => {
            println!(
                "Whether the end of the chain is signed was not checked: there is no key here."
            )
        }
    }
}
