//! Writers whose every change set is written down, and what must be true of the data after any
//! disaster: what was acknowledged is there, what was not is there wholly or not at all, and what
//! SDKs get is the same.
//!
//! Each writer has three flags. Its change set number n gives two of them, in both environments, the
//! target `n`: wherever a half of a set was left, two of the four would differ. The third is a
//! number, and has `n` as its value, which client SDKs see.

pub mod checks;
pub mod writers;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use uuid::Uuid;

use super::LOOK;
use crate::api::{Api, PATIENCE};
use checks::history;
use writers::unavailable;

/// How many write at once.
pub const WRITERS: usize = 3;

const PATH: &str = "projects/default/changes";

/// The environments that are written to.
const ENVIRONMENTS: [&str; 2] = ["prod", "dev"];

/// The SDK keys of both environments.
#[derive(Clone, Debug)]
pub struct Keys {
    /// Client's and server's of `prod`.
    pub prod: (String, String),
    /// Client's and server's of `dev`.
    pub dev: (String, String),
}

impl Keys {
    fn server_of(&self, environment: &str) -> &str {
        match environment {
            "prod" => &self.prod.1,
            _ => &self.dev.1,
        }
    }
}

/// A change set that was sent, and its answer.
struct Sent {
    set: Value,
    answer: Option<Value>,
}

/// What all writers sent by the change sets' ids, and what came of it.
#[derive(Clone)]
pub struct Ledger {
    sent: Arc<Mutex<BTreeMap<String, Sent>>>,
    /// The id of each flag's first variation.
    variation: String,
}

impl Ledger {
    /// Makes the writers' flags.
    ///
    /// # Panics
    /// Where the server does not make them.
    pub async fn open(api: &Api) -> Self {
        let id = Uuid::new_v4().to_string();
        let variations = json!([{"id": id, "value": "true"}, {"value": "false"}]);
        let numbers = json!([{"id": id, "value": "0"}, {"value": "-1"}]);
        let mut commands = Vec::new();
        for writer in 0..WRITERS {
            for flag in pair(writer) {
                commands.push(
                    json!({"kind": "createFlag", "flag": flag, "type": "boolean",
                    "variations": variations, "id": Uuid::new_v4()}),
                );
            }
            let count = count(writer);
            commands.push(
                json!({"kind": "createFlag", "flag": count, "type": "number",
                "variations": numbers, "onVariation": id, "offVariation": id,
                "id": Uuid::new_v4()}),
            );
            for environment in ENVIRONMENTS {
                commands.push(json!({"kind": "turnOn", "flag": count, "environment": environment}));
            }
        }
        let set = json!({ "commands": commands });
        api.post(PATH, &set).await.expect(200);
        Self {
            sent: Arc::default(),
            variation: id,
        }
    }

    /// Sends again what has no answer, and checks the data as a server has it (by its API) and a
    /// node serves it.
    ///
    /// # Panics
    /// Where something that was acknowledged is missing, something is there by halves, or what is
    /// served is not the last.
    pub async fn check(&self, api: &Api, node: SocketAddr, keys: &Keys) {
        checks::all(self, api, node, keys).await;
        self.settle(api).await;
    }

    /// Whoever got no answer asks again under the same id: done once, whether or not it was done.
    ///
    /// # Panics
    /// Where it is done twice, or not at all.
    pub async fn settle(&self, api: &Api) {
        let open: Vec<Value> = {
            let ledger = self.sent();
            let open = ledger.values().filter(|sent| sent.answer.is_none());
            open.map(|sent| sent.set.clone()).collect()
        };
        for set in open {
            let id = set["id"].as_str().expect("its id").to_owned();
            let answer = insist(api, &set).await;
            assert_eq!(api.post(PATH, &set).await.expect(200), answer);
            let done = history(api, "prod").await;
            let times = done.iter().filter(|it| it["id"] == *id).count();
            assert_eq!(times, 1, "{answer}");
            if let Some(sent) = self.sent().get_mut(&id) {
                sent.answer = Some(answer);
            }
        }
    }

    /// How many sets were acknowledged.
    pub fn acknowledged(&self) -> usize {
        let sent = self.sent();
        sent.values().filter(|it| it.answer.is_some()).count()
    }

    /// Strikes out what the history does not have: how many sets that were acknowledged are lost. For
    /// where losing some is what is documented; what is left must be there afterwards.
    ///
    /// # Panics
    /// Where the history cannot be read.
    pub async fn strike_lost(&self, api: &Api) -> usize {
        let history = history(api, "prod").await;
        let there: BTreeSet<&str> = history.iter().filter_map(|it| it["id"].as_str()).collect();
        let mut sent = self.sent();
        let before = sent.len();
        sent.retain(|id, it| it.answer.is_none() || there.contains(id.as_str()));
        before - sent.len()
    }

    fn sent(&self) -> MutexGuard<'_, BTreeMap<String, Sent>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends a set until it is done: who is told to come later does.
async fn insist(api: &Api, set: &Value) -> Value {
    let until = Instant::now() + PATIENCE;
    loop {
        let answer = api.post(PATH, set).await;
        if answer.status != 503 {
            return answer.expect(200);
        }
        assert!(Instant::now() < until, "it is never done: {}", answer.text);
        unavailable(answer);
        tokio::time::sleep(LOOK).await;
    }
}

fn pair(writer: usize) -> [String; 2] {
    [format!("left-{writer}"), format!("right-{writer}")]
}

/// The flag whose value is the number of a writer's last set.
pub fn count(writer: usize) -> String {
    format!("count-{writer}")
}
