//! `burgee backup` and `burgee restore`: the embedded database as files. PostgreSQL has tools of its
//! own for that.

use std::process::ExitCode;

use anyhow::{bail, ensure};
use burgee_server::now;
use burgee_store::backup::{Backup, restore as put_back};
use burgee_store::{Location, Store, StoreError};

use crate::admin::{location, place};
use crate::args::files::{BackupArgs, RestoreArgs};

/// What is said of PostgreSQL.
const POSTGRES: &str = "a PostgreSQL database is copied by its own tools: \
    `pg_dump --format=custom --file=burgee.dump URL`, and back into an empty one by \
    `pg_restore --no-owner --dbname=URL burgee.dump`; docs/operations.md says more";

/// `burgee backup`.
pub(crate) async fn backup(args: BackupArgs) -> anyhow::Result<ExitCode> {
    let location = location(&args.data)?;
    ensure!(!matches!(location, Location::Postgres(_)), POSTGRES);
    ensure!(
        location.exists(),
        "--data-dir: there is no Burgee data in {}",
        args.data.data_dir.display()
    );
    let store = Store::open(location).await?;
    let backup = store.backup(&args.to, now()).await.map_err(plain)?;
    store.close().await;
    print(&backup);
    println!("The backup is in {}.", args.to.display());
    eprintln!(
        "The instance key is not in it: keep a copy of {} apart from it.",
        args.data.data_dir.join("instance.key").display()
    );
    Ok(ExitCode::SUCCESS)
}

/// `burgee restore`.
pub(crate) async fn restore(args: RestoreArgs) -> anyhow::Result<ExitCode> {
    let Location::Folder(folder) = location(&args.data)? else {
        bail!(POSTGRES);
    };
    let restored = put_back(&args.from, &folder, args.overwrite).await;
    let restored = restored.map_err(|error| match error {
        StoreError::Invalid { message, .. } if message.contains("already") => {
            anyhow::anyhow!("{message}; --overwrite replaces it ({})", place(&args.data))
        }
        error => plain(error),
    })?;
    print(&restored);
    println!(
        "Restored as of {} by version {}. Programs get its flags when a server runs on it.",
        restored.at, restored.version
    );
    Ok(ExitCode::SUCCESS)
}

/// An error without the name of a field that nobody typed.
fn plain(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Invalid { message, .. } => anyhow::anyhow!(message),
        error => error.into(),
    }
}

fn print(backup: &Backup) {
    for file in &backup.files {
        println!(
            "{}  {} bytes  sha256 {}",
            file.name, file.bytes, file.sha256
        );
    }
}
