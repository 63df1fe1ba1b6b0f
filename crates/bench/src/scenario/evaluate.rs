//! `evaluate`: all flags of a user by HTTP, for programs without an SDK.

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
const SHORTEST: usize = "[{}]".len();

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
        "user": {
            "keyId": format!("user-{number}"),
            "name": format!("User {number}"),
            "customizedProperties": [
                { "name": "country", "value": "de" },
                { "name": "age", "value": (number % 90).to_string() },
                { "name": "plan", "value": "enterprise" },
            ],
        },
    });
    let path = "/api/public/featureflag/evaluate";
    post(path, target.address, &target.client_key, &body.to_string())
}
