//! `burgee relay`, `burgee export-state` and `burgee verify`.

use std::process::ExitCode;

use anyhow::{Context, bail};
use burgee_domain::model::Organization;
use burgee_relay::backbone::{Follow, verify};
use burgee_relay::{Config, From, GRACE, Relay, state_file};
use burgee_server::feed::LocalSource;
use burgee_server::relays;
use burgee_store::Store;
use tokio::signal::unix::{SignalKind, signal};

use crate::admin;
use crate::args::relay::{ExportStateArgs, RelayArgs, VerifyArgs};
use crate::{logs, traces};

/// Runs until a signal comes; the second signal does not wait for connections to drain.
pub(crate) async fn run(args: RelayArgs) -> anyhow::Result<ExitCode> {
    logs::start(args.listening.log_format);
    let traces = traces::start(&args.listening.traces, "burgee-relay")?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let config = config(&args);
    let drain = config.drain;
    let from = format!("{:?}", config.from);
    let relay = Relay::start(config).await;
    let relay = relay.context("the relay did not start")?;
    tracing::info!(
        listen = %relay.address(),
        metrics = %relay.metrics_address(),
        from,
        "the relay listens"
    );
    let serving = async {
        relay.ready().await;
        tracing::info!("environments are served");
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = serving => {}
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        () = relay.failed() => bail!("streaming ended by itself; the log says why"),
    }
    logs::stopping(drain);
    tokio::select! {
        () = relay.stop() => {}
        _ = interrupt.recv() => traces.give_up(),
        _ = terminate.recv() => traces.give_up(),
    }
    Ok(ExitCode::SUCCESS)
}

fn config(args: &RelayArgs) -> Config {
    let upstream = args.upstream.clone().zip(args.key.clone());
    let folder = args.data_dir.clone();
    let name = args.name.clone().unwrap_or_else(machine);
    let spool = args.spool << 20;
    let from = match (upstream, args.backbone.backbone()) {
        (Some((address, key)), _) => From::Upstream {
            address,
            key,
            folder,
            name,
            spool,
        },
        (None, Some(backbone)) => From::Backbone {
            follow: Follow {
                backbone,
                scope: Some(args.environment.clone()).filter(|some| !some.is_empty()),
            },
            folder,
            name,
            spool,
        },
        (None, None) => From::File(args.state.clone().unwrap_or_default()),
    };
    Config {
        listen: args.listening.listen,
        share_port: args.listening.share_port,
        metrics_listen: args.listening.metrics_listen,
        from,
        grace: GRACE,
        tls: args.listening.tls(),
        drain: args.listening.drain(),
    }
}

/// The machine's name.
fn machine() -> String {
    let machine = rustix::system::uname();
    machine.nodename().to_string_lossy().into_owned()
}

/// `burgee export-state`.
pub(crate) async fn export_state(args: ExportStateArgs) -> anyhow::Result<ExitCode> {
    let store = admin::open(&args.data).await?;
    let organization = admin::organization(&store, &args.of).await?;
    let ids = ids(&store, &organization, &args.environment).await?;
    let environments = relays::whole(&store, &ids).await?;
    let written = state_file::write(&args.to, &environments);
    written.with_context(|| format!("--to {}", args.to.display()))?;
    println!(
        "{} environments are in {}.",
        environments.len(),
        args.to.display()
    );
    Ok(ExitCode::SUCCESS)
}

/// `burgee verify`.
pub(crate) async fn verify_backbone(args: VerifyArgs) -> anyhow::Result<ExitCode> {
    let backbone = args.backbone.backbone();
    let backbone = backbone.context("--backbone says what is compared with the database")?;
    let store = admin::open(&args.data).await?;
    let source = LocalSource::new(store.clone().into(), None);
    let installation = store.installation().await?;
    let findings = verify(&backbone, &source, &installation).await;
    let findings = findings.context("NATS and the database were not compared")?;
    let mut same = true;
    for finding in &findings {
        let (id, differs) = (&finding.environment, &finding.differs);
        match differs {
            None => println!("{id}: the same"),
            Some(differs) => println!("{id}: {differs}"),
        }
        same &= differs.is_none();
    }
    store.close().await;
    Ok(match same {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// The ids of the environments that are named, or of all.
async fn ids(
    store: &Store,
    organization: &Organization,
    names: &[String],
) -> anyhow::Result<Vec<String>> {
    let all = store.environments_of(&organization.id).await?;
    if names.is_empty() {
        return Ok(all.into_iter().map(|it| it.id).collect());
    }
    let found = |name: &String| {
        let (project, environment) = name.split_once('/')?;
        all.iter().find(|it| {
            it.project.eq_ignore_ascii_case(project) && it.key.eq_ignore_ascii_case(environment)
        })
    };
    let id = |name| {
        let found = found(name).with_context(|| {
            format!("--environment {name}: there is none (it is named project/environment)")
        })?;
        Ok(found.id.clone())
    };
    names.iter().map(id).collect()
}
