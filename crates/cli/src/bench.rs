//! `burgee bench`: measures a running server.

use std::process::ExitCode;
use std::time::Duration;

use burgee_bench::change::Switch;
use burgee_bench::hold::{self, Hold};

use crate::args::BenchHoldArgs;

/// `burgee bench hold`.
pub(crate) fn hold(args: BenchHoldArgs) -> anyhow::Result<ExitCode> {
    let scenario = Hold {
        address: args.address,
        pid: args.pid,
        secret: args.sdk_key,
        connections: args.connections,
        heartbeat: Duration::from_secs(args.heartbeat),
    };
    let switch = args.token.map(|token| Switch {
        address: args.address,
        token,
        project: args.project,
        environment: args.environment,
        flag: args.flag,
    });
    print!("{}", hold::run(&scenario, switch.as_ref())?);
    Ok(ExitCode::SUCCESS)
}
