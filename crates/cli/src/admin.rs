//! Commands that work on the database directly, whether or not a server runs on it.

use std::process::ExitCode;

use anyhow::{Context, ensure};
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Organization, SdkKeyKind};
use burgee_server::setup;
use burgee_store::{Location, Store};

use crate::args::{DataArgs, EnvironmentArgs, OrganizationArgs, SdkKeysArgs};

/// Where the data is, as the store wants to know it.
pub(crate) fn location(args: &DataArgs) -> anyhow::Result<Location> {
    let Some(url) = database(args) else {
        return Ok(Location::Folder(args.data_dir.clone()));
    };
    // What was given is not shown: it may hold a password.
    ensure!(
        url.starts_with("postgres://") || url.starts_with("postgresql://"),
        "--database must be an address such as postgres://user:password@host/name"
    );
    Ok(Location::Postgres(url.to_owned()))
}

/// The database's address; a variable that is set to nothing is as good as none.
fn database(args: &DataArgs) -> Option<&str> {
    args.database.as_deref().filter(|url| !url.is_empty())
}

/// Which option names the data, for an error about it.
pub(crate) fn place(args: &DataArgs) -> String {
    match database(args) {
        Some(_) => "--database".to_owned(),
        None => format!("--data-dir {}", args.data_dir.display()),
    }
}

/// `burgee migrate`.
pub(crate) async fn migrate(args: DataArgs) -> anyhow::Result<ExitCode> {
    let store = Store::open(location(&args)?)
        .await
        .with_context(|| place(&args))?;
    store.migrate().await.with_context(|| place(&args))?;
    println!("The database has this version's schema.");
    Ok(ExitCode::SUCCESS)
}

/// `burgee sdk-keys`: the newest valid key of each kind.
pub(crate) async fn sdk_keys(args: SdkKeysArgs) -> anyhow::Result<ExitCode> {
    let store = open(&args.data).await?;
    let environment = environment(&store, &args.environment).await?;
    let keys = store.sdk_keys(&environment.id).await?;
    let newest = |kind: SdkKeyKind| {
        let valid = keys
            .iter()
            .filter(|key| key.kind == kind && key.revoked_at.is_none());
        valid
            .max_by_key(|key| key.created_at)
            .map(|key| key.secret.as_str())
    };
    let (client, server) = (newest(SdkKeyKind::Client), newest(SdkKeyKind::Server));
    if args.json {
        println!(
            "{}",
            serde_json::json!({ "client": client, "server": server })
        );
    } else {
        println!("client  {}", client.unwrap_or("(none)"));
        println!("server  {}", server.unwrap_or("(none)"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the database with its schema and the first organization in place, and makes what is
/// missing: for what may come before the first start of a server.
pub(crate) async fn open_or_make(args: &DataArgs) -> anyhow::Result<Store> {
    let store = Store::open(location(args)?)
        .await
        .with_context(|| place(args))?;
    set_up(args, store).await
}

/// As [`open_or_make`], of data that is there: a misspelt place shall not become a new one.
pub(crate) async fn open(args: &DataArgs) -> anyhow::Result<Store> {
    let location = location(args)?;
    let missing = || match &args.database {
        Some(_) => "--database: there is no Burgee data in this database".to_owned(),
        None => format!(
            "--data-dir: there is no Burgee data in {}",
            args.data_dir.display()
        ),
    };
    ensure!(location.exists(), missing());
    let store = Store::open(location).await.with_context(|| place(args))?;
    let found = store.is_set_up().await.with_context(|| place(args))?;
    ensure!(found, missing());
    set_up(args, store).await
}

async fn set_up(args: &DataArgs, store: Store) -> anyhow::Result<Store> {
    store.migrate().await.with_context(|| place(args))?;
    setup::first_start(&store).await?;
    Ok(store)
}

/// Finds the organization whose key the user typed, or the oldest one.
pub(crate) async fn organization(
    store: &Store,
    args: &OrganizationArgs,
) -> anyhow::Result<Organization> {
    match args.organization.as_deref() {
        None | Some("") => setup::organization(store).await,
        Some(key) => organization_named(store, key).await,
    }
}

/// Finds the organization of a key that the user typed.
pub(crate) async fn organization_named(store: &Store, key: &str) -> anyhow::Result<Organization> {
    let key = Key::new(key).context("--organization")?;
    let found = store.organization(&key).await;
    found.with_context(|| format!("--organization `{key}`"))
}

/// Finds an environment by the keys that the user typed.
pub(crate) async fn environment(
    store: &Store,
    args: &EnvironmentArgs,
) -> anyhow::Result<Environment> {
    let organization = organization(store, &args.of).await?;
    let project = Key::new(&*args.project).context("--project")?;
    let key = Key::new(&*args.environment).context("--environment")?;
    let project = store
        .project(&organization.id, &project)
        .await
        .with_context(|| format!("--project `{project}`"))?;
    let environment = store.environment(&project.id, &key).await;
    environment.with_context(|| format!("--environment `{key}` of `{}`", project.key))
}
