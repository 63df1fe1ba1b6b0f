//! A large environment, made through the API.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use serde_json::{Value, json};

use crate::api::Api;
use crate::progress::{Moment, Progress};

/// With its description, a flag is about 1,750 bytes of JSON: 3,000 of them are 5 MB.
const DESCRIPTION: usize = 1025;

/// Flags made by one change set.
const AT_ONCE: usize = 250;

/// A project with one environment, `prod`, and many flags that are on in it.
pub(super) struct Large {
    api: Api,
    project: String,
    /// The environment's server key.
    pub(super) key: String,
}

impl Large {
    /// Makes it, under a name that is not taken.
    pub(super) fn make(
        api: Api,
        flags: usize,
        progress: &mut dyn Progress,
    ) -> anyhow::Result<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let project = format!("bench-herd-{}", since.unwrap_or_default().as_millis());
        api.call("POST", "/api/v1/projects", &json!({ "key": project }))?;
        let environments = format!("/api/v1/projects/{project}/environments");
        api.call("POST", &environments, &json!({ "key": "prod" }))?;
        let keys = api.call("GET", &format!("{environments}/prod/sdk-keys"), &json!({}))?;
        let key = server_key(&keys).context("the environment has no server key")?;
        let start = Instant::now();
        let numbers: Vec<usize> = (0..flags).collect();
        for some in numbers.chunks(AT_ONCE) {
            let commands: Vec<Value> = some.iter().flat_map(|number| flag(*number)).collect();
            api.change(&project, &commands)?;
            tell(progress, start.elapsed(), some.last());
        }
        Ok(Self { api, project, key })
    }

    /// Deletes the project.
    pub(super) fn delete(&self) -> anyhow::Result<()> {
        let path = format!("/api/v1/projects/{}", self.project);
        self.api.call("DELETE", &path, &json!({}))?;
        Ok(())
    }
}

fn server_key(keys: &Value) -> Option<String> {
    let mut keys = keys["items"].as_array()?.iter();
    let key = keys.find(|key| key["kind"] == "server")?;
    Some(key["secret"].as_str()?.to_owned())
}

/// The commands that make a flag and turn it on.
fn flag(number: usize) -> [Value; 2] {
    let key = format!("flag-{number}");
    let description = format!("What the flag number {number} is for. ").repeat(40);
    let description = &description[..DESCRIPTION];
    [
        json!({ "kind": "createFlag", "flag": key, "type": "boolean",
            "description": description, "tags": ["bench", "herd"] }),
        json!({ "kind": "turnOn", "flag": key, "environment": "prod" }),
    ]
}

fn tell(progress: &mut dyn Progress, elapsed: Duration, made: Option<&usize>) {
    progress.tell(&Moment {
        phase: "making flags",
        elapsed,
        whole: None,
        facts: &[("flags", made.map_or(0.0, |made| *made as f64 + 1.0))],
    });
}
