//! `burgee server`: starts the service and stops it when told to (SIGINT, SIGTERM).

use std::process::ExitCode;

use anyhow::{Context, bail};
use burgee_server::{Config, Rates, Server};
use burgee_store::first_start::OWNER_EMAIL;
use tokio::signal::unix::{SignalKind, signal};

use crate::admin::{location, place};
use crate::args::ServerArgs;
use crate::{decisions, logs, traces};

/// What the first start says.
const WELCOME: &str = "\
This is the first start: the project `default` was made, with the environments `prod` and `dev`.
Next: `burgee sdk-keys --project default --environment prod` gives the keys for your program,
      `burgee token create --name me --policy owner` a token for the API.";

/// Runs until a signal comes; the second signal does not wait for connections to drain.
pub(crate) async fn run(args: ServerArgs) -> anyhow::Result<ExitCode> {
    logs::start(args.listening.log_format);
    let traces = traces::start(&args.listening.traces, "burgee-server")?;
    let config = config(&args)?;
    let drain = config.drain;
    let (public, scheme) = (config.public_url.clone(), config.scheme());
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let started = tokio::select! {
        started = Server::start(config) => started,
        // A start that waits for a database can be given up.
        _ = interrupt.recv() => return Ok(ExitCode::FAILURE),
        _ = terminate.recv() => return Ok(ExitCode::FAILURE),
    };
    let server =
        started.with_context(|| format!("the server did not start ({})", place(&args.data)))?;
    let address = public.unwrap_or_else(|| format!("{scheme}://{}", server.address()));
    tracing::info!(
        address,
        listen = %server.address(),
        metrics = %server.metrics_address(),
        "burgee is ready"
    );
    if server.is_first_start() {
        eprintln!("{WELCOME}");
    }
    if let Some(password) = server.owner_password() {
        eprintln!(
            "Sign in as {OWNER_EMAIL} with the password {password} (once: it must be changed)."
        );
    }
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        () = server.failed() => bail!("streaming ended by itself; the log says why"),
    }
    logs::stopping(drain);
    tokio::select! {
        () = server.stop() => {}
        _ = interrupt.recv() => traces.give_up(),
        _ = terminate.recv() => traces.give_up(),
    }
    Ok(ExitCode::SUCCESS)
}

fn config(args: &ServerArgs) -> anyhow::Result<Config> {
    let config = Config::new(location(&args.data)?);
    let key = args.instance_key_file.clone();
    Ok(Config {
        instance_key_file: key.or(config.instance_key_file),
        state_dir: args.state_dir.clone(),
        trusted_proxies: args.trusted_proxies.clone(),
        hide_addresses: args.hide_addresses,
        listen: args.listening.listen,
        share_port: args.listening.share_port,
        tls: args.listening.tls(),
        drain: args.listening.drain(),
        metrics_listen: args.listening.metrics_listen,
        public_url: args.public_url.clone(),
        smtp_url: args.smtp_url.clone(),
        mail_from: args.mail_from.clone(),
        rates: Rates::of(Some(args.requests_per_second).filter(|it| *it > 0)),
        demo: args.demo,
        backbone: args.backbone.backbone(),
        decision_outlets: decisions::outlets(&args.decisions)?,
        ..config
    })
}
