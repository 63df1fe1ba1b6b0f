//! Writers whose every change set is written down, and what must be true of the data after any
//! disaster: what was acknowledged is there, what was not is there wholly or not at all, and what
//! SDKs get is the same.
//!
//! Each writer has three flags. Its change set number n gives two of them, in both environments, the
//! target `n`: wherever a half of a set was left, two of the four would differ. The third is a
//! number, and has `n` as its value, which client SDKs see.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use uuid::Uuid;

use crate::api::{Answer, Api, PATIENCE};
use crate::sdk::Sdk;

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

/// How writers write.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The number of each one's first set.
    pub first: usize,
    /// How long each waits between two.
    pub pause: Duration,
    /// Whether who gets no answer, or is told to come later, turns to the next server with the
    /// same set; otherwise the writers end with their server.
    pub insists: bool,
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

    /// Starts the writers, who write to the first of these servers as long as it answers.
    pub fn write(&self, servers: &[Api], pace: Pace) -> Writing {
        let (told, answers) = mpsc::unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        for number in 0..WRITERS {
            let writer = Writer {
                servers: servers.to_vec(),
                ledger: self.clone(),
                number,
                pace,
                stop: Arc::clone(&stop),
                told: told.clone(),
            };
            tasks.spawn(writer.write());
        }
        Writing {
            tasks,
            stop,
            answers,
        }
    }

    /// Sends again what has no answer, and checks the data as a server has it (by its API) and a
    /// node serves it.
    ///
    /// # Panics
    /// Where something that was acknowledged is missing, something is there by halves, or what is
    /// served is not the last.
    pub async fn check(&self, api: &Api, node: SocketAddr, keys: &Keys) {
        let history = history(api, "prod").await;
        no_version_is_missing(&history, "default/prod");
        no_version_is_missing(&self::history(api, "dev").await, "default/dev");
        what_was_acknowledged_is_there(&history, self);
        let served = served(node, keys);
        for writer in 0..WRITERS {
            what_is_served_is_the_last_of_the_log(api, &history, &served, writer).await;
        }
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
            let answer = api.post(PATH, &set).await.expect(200);
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

fn pair(writer: usize) -> [String; 2] {
    [format!("left-{writer}"), format!("right-{writer}")]
}

/// The flag whose value is the number of a writer's last set.
pub fn count(writer: usize) -> String {
    format!("count-{writer}")
}

/// What a writer was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answered {
    Done,
    NotNow,
}

/// Writers at work.
pub struct Writing {
    tasks: JoinSet<()>,
    stop: Arc<AtomicBool>,
    answers: mpsc::UnboundedReceiver<(usize, Answered)>,
}

impl Writing {
    /// Waits for so many acknowledgements.
    ///
    /// # Panics
    /// Where none comes.
    pub async fn acknowledged(&mut self, many: usize) {
        for _ in 0..many {
            while self.next().await.1 != Answered::Done {}
        }
    }

    /// Waits until each writer has been told to come back later.
    ///
    /// # Panics
    /// Where one is not.
    pub async fn refused(&mut self) {
        self.all(Answered::NotNow).await;
    }

    /// Waits until each writer has had a set acknowledged, and was not refused after it.
    ///
    /// # Panics
    /// Where that does not come.
    pub async fn well_again(&mut self) {
        self.all(Answered::Done).await;
    }

    async fn all(&mut self, wanted: Answered) {
        let mut missing: BTreeSet<usize> = (0..WRITERS).collect();
        while !missing.is_empty() {
            let (writer, answered) = self.next().await;
            match answered == wanted {
                true => missing.remove(&writer),
                false => missing.insert(writer),
            };
        }
    }

    /// Ends the writers, after the set that each is at, or waits for their end where the server is
    /// gone.
    ///
    /// # Panics
    /// Where a writer failed.
    pub async fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        while let Some(ended) = self.tasks.join_next().await {
            ended.expect("a writer");
        }
    }

    async fn next(&mut self) -> (usize, Answered) {
        let next = async {
            tokio::select! {
                answer = self.answers.recv() => answer.expect("the writers write"),
                Some(ended) = self.tasks.join_next() => panic!("a writer ended: {ended:?}"),
            }
        };
        timeout(PATIENCE * 2, next).await.expect("an answer comes")
    }
}

struct Writer {
    servers: Vec<Api>,
    ledger: Ledger,
    number: usize,
    pace: Pace,
    stop: Arc<AtomicBool>,
    told: mpsc::UnboundedSender<(usize, Answered)>,
}

impl Writer {
    /// Writes until it is told to stop, or the server is gone.
    async fn write(mut self) {
        for n in self.pace.first.. {
            let id = Uuid::now_v7().to_string();
            let set = self.set(&id, n);
            let sent = Sent {
                set: set.clone(),
                answer: None,
            };
            self.ledger.sent().insert(id.clone(), sent);
            let Some(answer) = self.insist(&set).await else {
                return;
            };
            if let Some(sent) = self.ledger.sent().get_mut(&id) {
                sent.answer = Some(answer);
            }
            self.tell(Answered::Done);
            tokio::time::sleep(self.pace.pause).await;
        }
    }

    /// Sends a set until it is done.
    async fn insist(&mut self, set: &Value) -> Option<Value> {
        while !self.stop.load(Ordering::Relaxed) {
            let sent = self.servers[0].try_send(Method::POST, PATH, Some(set.to_string()));
            match sent.await {
                Ok(answer) if answer.status != 503 => return Some(answer.expect(200)),
                Ok(answer) => unavailable(answer),
                Err(_) if self.pace.insists => {}
                Err(_) => return None,
            }
            self.tell(Answered::NotNow);
            if self.pace.insists {
                self.servers.rotate_left(1);
                tokio::time::sleep(self.pace.pause).await;
            }
        }
        None
    }

    fn tell(&self, answered: Answered) {
        // Nobody listens at the end.
        let _ = self.told.send((self.number, answered));
    }

    fn set(&self, id: &str, n: usize) -> Value {
        let (variation, n) = (&self.ledger.variation, n.to_string());
        let mut commands = Vec::new();
        for environment in ENVIRONMENTS {
            for flag in pair(self.number) {
                commands.push(json!({"kind": "setTargets", "flag": flag,
                    "environment": environment, "variation": variation, "keys": [n]}));
            }
        }
        commands.push(
            json!({"kind": "updateVariation", "flag": count(self.number),
            "variation": variation, "value": n}),
        );
        json!({"id": id, "comment": self.number.to_string(), "commands": commands})
    }
}

/// Checks that an answer says: not now, come back then.
///
/// # Panics
/// Where it says something else.
pub fn unavailable(answer: Answer) {
    let problem = answer.problem(503);
    assert_eq!(problem.code(), "unavailable", "{}", problem.body);
    let after = problem.headers["retry-after"].to_str().unwrap_or_default();
    assert!(after.parse::<u32>().is_ok_and(|it| it > 0), "{after}");
}

/// An environment's change sets, newest first.
pub async fn history(api: &Api, environment: &str) -> Vec<Value> {
    let path = format!("projects/default/environments/{environment}/changes?limit=500");
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let mut page = api.get(&format!("{path}{cursor}")).await.expect(200);
        found.append(page["items"].as_array_mut().expect("a page's items"));
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

fn no_version_is_missing(history: &[Value], scope: &str) {
    let versions = history.iter().rev();
    let versions: Vec<i64> = versions
        .filter_map(|it| it["versions"][scope].as_i64())
        .collect();
    let all: Vec<i64> = (1..).take(versions.len()).collect();
    assert_eq!(versions, all);
}

fn what_was_acknowledged_is_there(history: &[Value], ledger: &Ledger) {
    let logged: BTreeMap<&str, &Value> = history
        .iter()
        .filter_map(|it| Some((it["id"].as_str()?, it)))
        .collect();
    let mut acknowledged = 0;
    for (id, sent) in ledger.sent().iter() {
        if let Some(answer) = &sent.answer {
            let found = logged.get(id.as_str());
            let logged = found.unwrap_or_else(|| panic!("{id} is lost: {answer}"));
            assert_eq!(logged["versions"], answer["versions"], "{logged}");
            assert_eq!(logged["diff"], answer["diff"], "{logged}");
            acknowledged += 1;
        }
    }
    assert!(acknowledged > 0);
}

/// What a server SDK gets of each environment, by environment and flag.
fn served(node: SocketAddr, keys: &Keys) -> BTreeMap<(&'static str, String), Value> {
    let mut found = BTreeMap::new();
    for environment in ENVIRONMENTS {
        let sdk = Sdk::server(node, keys.server_of(environment));
        let flags = sdk.flags.into_iter();
        found.extend(flags.map(|(key, flag)| ((environment, key), flag)));
    }
    found
}

async fn what_is_served_is_the_last_of_the_log(
    api: &Api,
    history: &[Value],
    served: &BTreeMap<(&'static str, String), Value>,
    writer: usize,
) {
    let comment = writer.to_string();
    let Some(last) = history.iter().find(|it| it["comment"] == comment.as_str()) else {
        return;
    };
    let n = &last["commands"][0]["keys"][0];
    for flag in pair(writer) {
        let path = format!("projects/default/flags/{flag}");
        let seen = api.get(&path).await.expect(200);
        for environment in ENVIRONMENTS {
            let stored = &seen["environments"][environment]["targets"][0]["keyIds"];
            assert_eq!(stored, &json!([n]), "{flag} in {environment}: {last}");
            let sent = &served[&(environment, flag.clone())]["targetUsers"][0]["keyIds"][0];
            assert_eq!(sent, n, "{flag} in {environment}");
        }
    }
    for environment in ENVIRONMENTS {
        let sent = &served[&(environment, count(writer))]["variations"][0]["value"];
        assert_eq!(sent, n, "in {environment}: {last}");
    }
}
