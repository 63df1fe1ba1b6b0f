//! `evaluate` on a server of yours: all flags of a user by OFREP.

use std::time::Duration;

use serde_json::json;

use super::requests::{Load, drive, post};
use crate::load::http::Client;
use crate::options::Options;
use crate::progress::Progress;
use crate::report::model::{Figure, Latency, Subject};
use crate::rig::usage::Sampler;
use crate::target::Target;

/// Different users; each has three properties, as a held connection's.
const USERS: usize = 1_000;
/// Shorter is no answer with a flag in it.
const SHORTEST: usize = r#"{"flags":[{}]}"#.len();

/// Asks for a user's flags on connections (16) that are kept alive, for the duration (15 s; 2 s):
/// at a rate, or else each as soon as the one before it is answered, which finds the most that the
/// server can do.
///
/// # Errors
/// The server does not answer, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let requests: Vec<Vec<u8>> = (0..USERS).map(|user| request(target, user)).collect();
    let seconds = Duration::from_secs(options.form(15, 2));
    let load = Load {
        phase: "evaluate",
        requests: &requests,
        rate: options.rate,
        duration: options.duration.unwrap_or(seconds),
        status: 200,
    };
    let mut client = Client::connect(target.address, options.connections.unwrap_or(16))?;
    let mut sampler = Sampler::start(&target.pids)?;
    let mut found = drive(&load, &mut client, &mut sampler, progress)?;
    if found.bodies.1 < SHORTEST {
        found.wrong("answers without a flag", 1);
    }
    let (phases, mut series) = sampler.end()?;
    series.insert(0, found.course.clone());
    Ok(Subject {
        name: target.name.clone(),
        processes: target.pids.len(),
        runs: 1,
        figures: vec![
            Figure::new("requests per second", "1/s", found.rate()),
            Figure::new("CPU per request", "µs", found.cpu_each(1)),
            Figure::new("longest answer", "bytes", found.bodies.0 as f64),
        ],
        latencies: vec![Latency::of("evaluate", &found.took)?],
        phases,
        series,
        errors: found.errors(),
    })
}

fn request(target: &Target, number: usize) -> Vec<u8> {
    let body = json!({
        "context": {
            "targetingKey": format!("user-{number}"),
            "name": format!("User {number}"),
            "country": "de",
            "age": number % 90,
            "plan": "enterprise",
        },
    });
    let path = "/ofrep/v1/evaluate/flags";
    post(path, target.address, &target.client_key, &body.to_string())
}
