//! Projects made through the API for a measurement: large where the demo is small.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use serde_json::{Value, json};

use crate::api::Api;
use crate::target::Target;

/// With its description, a flag is about 1,750 bytes of JSON: 3,000 of them are 5 MB.
const DESCRIPTION: usize = 1025;

/// Flags made by one change set; each takes two commands.
const AT_ONCE: usize = 250;

/// The most commands of a change set.
const MOST_COMMANDS: usize = 500;

/// A project with one environment, `prod`, and nothing in it yet.
pub(crate) struct Made {
    api: Api,
    pub(crate) project: String,
    pub(crate) client_key: String,
    pub(crate) server_key: String,
    flags: usize,
    environments: usize,
}

impl Made {
    /// Makes it, under a name that is not taken.
    ///
    /// # Errors
    /// The server is not there, or the token may not.
    pub(crate) fn new(api: Api) -> anyhow::Result<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let project = format!("bench-{}", since.unwrap_or_default().as_micros());
        api.call("POST", "/api/v1/projects", &json!({ "key": project }))?;
        let mut made = Self {
            api,
            project,
            client_key: String::new(),
            server_key: String::new(),
            flags: 0,
            environments: 0,
        };
        made.environment("prod")?;
        let path = format!("{}/prod/sdk-keys", made.environments_path());
        let keys = made.api.call("GET", &path, &json!({}))?;
        let key = |kind| key(&keys, kind).with_context(|| format!("no {kind} key in {keys}"));
        (made.client_key, made.server_key) = (key("client")?, key("server")?);
        Ok(made)
    }

    /// Adds flags that are on in `prod`, until there are so many.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(crate) fn grow_flags(&mut self, to: usize) -> anyhow::Result<()> {
        let numbers: Vec<usize> = (self.flags..to).collect();
        for some in numbers.chunks(AT_ONCE) {
            let commands: Vec<Value> = some.iter().flat_map(|number| flag(*number)).collect();
            self.api.change(&self.project, &commands)?;
        }
        self.flags = self.flags.max(to);
        Ok(())
    }

    /// Adds environments, in each of which the first flag is on, until there are so many.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(crate) fn grow_environments(&mut self, to: usize) -> anyhow::Result<()> {
        let names: Vec<String> = (self.environments..to)
            .map(|it| format!("idle-{it}"))
            .collect();
        for name in &names {
            self.environment(name)?;
        }
        for some in names.chunks(MOST_COMMANDS) {
            let on =
                |name: &String| json!({ "kind": "turnOn", "flag": key_of(0), "environment": name });
            let commands: Vec<Value> = some.iter().map(on).collect();
            self.api.change(&self.project, &commands)?;
        }
        Ok(())
    }

    /// Gives the first flag so many individual targets in `prod`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(crate) fn set_targets(&self, count: usize) -> anyhow::Result<()> {
        let path = format!("/api/v1/projects/{}/flags/{}", self.project, key_of(0));
        let flag = self.api.call("GET", &path, &json!({}))?;
        let variation = &flag["variations"][0]["id"];
        let keys: Vec<String> = (0..count).map(|number| format!("user-{number}")).collect();
        let set = json!({ "kind": "setTargets", "flag": key_of(0), "environment": "prod",
            "variation": variation, "keys": keys });
        self.api.change(&self.project, &[set])?;
        Ok(())
    }

    /// The target that drives it rather than the demo.
    pub(crate) fn target(&self, of: &Target) -> Target {
        Target {
            client_key: self.client_key.clone(),
            server_key: self.server_key.clone(),
            project: self.project.clone(),
            environment: "prod".to_owned(),
            flag: key_of(0),
            ..of.clone()
        }
    }

    /// Deletes the project.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(crate) fn delete(self) -> anyhow::Result<()> {
        let path = format!("/api/v1/projects/{}", self.project);
        self.api.call("DELETE", &path, &json!({}))?;
        Ok(())
    }

    fn environment(&mut self, name: &str) -> anyhow::Result<()> {
        let path = self.environments_path();
        self.api.call("POST", &path, &json!({ "key": name }))?;
        self.environments += 1;
        Ok(())
    }

    fn environments_path(&self) -> String {
        format!("/api/v1/projects/{}/environments", self.project)
    }
}

fn key(keys: &Value, kind: &str) -> Option<String> {
    let mut keys = keys["items"].as_array()?.iter();
    let key = keys.find(|key| key["kind"] == kind)?;
    Some(key["secret"].as_str()?.to_owned())
}

fn key_of(number: usize) -> String {
    format!("flag-{number}")
}

/// The commands that make a flag and turn it on.
fn flag(number: usize) -> [Value; 2] {
    let key = key_of(number);
    let description = format!("What the flag number {number} is for. ").repeat(40);
    let description = &description[..DESCRIPTION];
    [
        json!({ "kind": "createFlag", "flag": key, "type": "boolean",
            "description": description, "tags": ["bench", "large"] }),
        json!({ "kind": "turnOn", "flag": key, "environment": "prod" }),
    ]
}
