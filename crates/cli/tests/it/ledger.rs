//! Writers whose every change set is written down, and what must be true of the data after any
//! disaster: what was acknowledged is there, what was not is there wholly or not at all, and what
//! SDKs get is the same.
//!
//! Each writer has two flags. Its change set number n gives both flags, in both environments, the
//! target `n`: wherever a half of a set was left, two of the four would differ.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use burgee_testkit::api::{Api, PATIENCE};
use burgee_testkit::sdk::Sdk;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use uuid::Uuid;

use crate::kit::{Data, Program, apply, unavailable};

const WRITERS: usize = 3;
const PATH: &str = "projects/default/changes";

/// A change set that was sent, and its answer.
struct Sent {
    set: Value,
    answer: Option<Value>,
}

/// What all writers sent by the change sets' ids, and what came of it.
#[derive(Clone)]
pub(crate) struct Ledger {
    sent: Arc<Mutex<BTreeMap<String, Sent>>>,
    /// The id of each flag's first variation.
    variation: String,
}

impl Ledger {
    /// Makes the writers' flags.
    pub(crate) async fn open(api: &Api) -> Self {
        let id = Uuid::new_v4().to_string();
        let variations = json!([{"id": id, "value": "true"}, {"value": "false"}]);
        for flag in (0..WRITERS).flat_map(pair) {
            let make = json!({"kind": "createFlag", "flag": flag, "type": "boolean",
                "variations": variations, "id": Uuid::new_v4()});
            apply(api, json!([make])).await;
        }
        Self {
            sent: Arc::default(),
            variation: id,
        }
    }

    /// Starts the writers, whose sets have numbers from `first` on.
    pub(crate) fn write(&self, api: &Api, first: usize) -> Writing {
        let (told, answers) = mpsc::unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        for number in 0..WRITERS {
            let writer = Writer {
                api: api.clone(),
                ledger: self.clone(),
                number,
                stop: Arc::clone(&stop),
                told: told.clone(),
            };
            tasks.spawn(writer.write(first));
        }
        Writing {
            tasks,
            stop,
            answers,
        }
    }

    /// Checks the data, and sends again what has no answer.
    pub(crate) async fn check(&self, data: &Data, program: &Program, token: &str) {
        let api = program.api(token);
        let history = history(&api, "prod").await;
        no_version_is_missing(&history, "default/prod");
        no_version_is_missing(&self::history(&api, "dev").await, "default/dev");
        what_was_acknowledged_is_there(&history, self);
        let targets = served(data, program);
        for writer in 0..WRITERS {
            what_is_served_is_the_last_of_the_log(&api, &history, &targets, writer).await;
        }
        what_was_not_acknowledged_can_be_sent_again(&api, self).await;
    }

    fn sent(&self) -> MutexGuard<'_, BTreeMap<String, Sent>> {
        self.sent.lock().unwrap()
    }
}

fn pair(writer: usize) -> [String; 2] {
    [format!("left-{writer}"), format!("right-{writer}")]
}

/// What a writer was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answered {
    Done,
    NotNow,
}

/// Writers at work.
pub(crate) struct Writing {
    tasks: JoinSet<()>,
    stop: Arc<AtomicBool>,
    answers: mpsc::UnboundedReceiver<(usize, Answered)>,
}

impl Writing {
    /// Waits for so many acknowledgements.
    pub(crate) async fn acknowledged(&mut self, many: usize) {
        for _ in 0..many {
            while self.next().await.1 != Answered::Done {}
        }
    }

    /// Waits until each writer has been told to come back later.
    pub(crate) async fn refused(&mut self) {
        self.all(Answered::NotNow).await;
    }

    /// Waits until each writer has had a set acknowledged, and was not refused after it.
    pub(crate) async fn well_again(&mut self) {
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

    /// Ends the writers, or waits for their end where the server is gone.
    pub(crate) async fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap();
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
    api: Api,
    ledger: Ledger,
    number: usize,
    stop: Arc<AtomicBool>,
    told: mpsc::UnboundedSender<(usize, Answered)>,
}

impl Writer {
    /// Writes until it is told to stop, or the server is gone.
    async fn write(self, first: usize) {
        for n in first.. {
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
            self.ledger.sent().get_mut(&id).unwrap().answer = Some(answer);
            self.tell(Answered::Done);
        }
    }

    /// Sends a set until it is done.
    async fn insist(&self, set: &Value) -> Option<Value> {
        while !self.stop.load(Ordering::Relaxed) {
            let sent = self.api.try_send(Method::POST, PATH, Some(set.to_string()));
            let answer = sent.await.ok()?;
            if answer.status != 503 {
                return Some(answer.expect(200));
            }
            unavailable(answer);
            self.tell(Answered::NotNow);
        }
        None
    }

    fn tell(&self, answered: Answered) {
        // Nobody listens at the end.
        let _ = self.told.send((self.number, answered));
    }

    fn set(&self, id: &str, n: usize) -> Value {
        let mut commands = Vec::new();
        for environment in ["prod", "dev"] {
            for flag in pair(self.number) {
                commands.push(json!({"kind": "setTargets", "flag": flag,
                    "environment": environment, "variation": self.ledger.variation,
                    "keys": [n.to_string()]}));
            }
        }
        json!({"id": id, "comment": self.number.to_string(), "commands": commands})
    }
}

/// An environment's change sets, newest first.
async fn history(api: &Api, environment: &str) -> Vec<Value> {
    let path = format!("projects/default/environments/{environment}/changes?limit=500");
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let mut page = api.get(&format!("{path}{cursor}")).await.expect(200);
        found.append(page["items"].as_array_mut().unwrap());
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
    let found = |id: &str| history.iter().find(|it| it["id"] == id);
    let mut acknowledged = 0;
    for (id, sent) in ledger.sent().iter() {
        if let Some(answer) = &sent.answer {
            let logged = found(id).unwrap_or_else(|| panic!("{id} is lost: {answer}"));
            assert_eq!(logged["versions"], answer["versions"], "{logged}");
            assert_eq!(logged["diff"], answer["diff"], "{logged}");
            acknowledged += 1;
        }
    }
    assert!(acknowledged > 0);
}

/// The targets of each flag of `prod` and `dev`, as a server SDK gets them.
fn served(data: &Data, program: &Program) -> BTreeMap<(&'static str, String), Value> {
    let mut targets = BTreeMap::new();
    for environment in ["prod", "dev"] {
        let sdk = Sdk::server(program.address, &data.sdk_keys(environment).1);
        for (key, flag) in sdk.flags {
            targets.insert(
                (environment, key),
                flag["targetUsers"][0]["keyIds"][0].clone(),
            );
        }
    }
    targets
}

async fn what_is_served_is_the_last_of_the_log(
    api: &Api,
    history: &[Value],
    targets: &BTreeMap<(&'static str, String), Value>,
    writer: usize,
) {
    let comment = writer.to_string();
    let Some(last) = history.iter().find(|it| it["comment"] == comment.as_str()) else {
        return;
    };
    let n = &last["commands"][0]["keys"][0];
    for flag in pair(writer) {
        let seen = api
            .get(&format!("projects/default/flags/{flag}"))
            .await
            .expect(200);
        for environment in ["prod", "dev"] {
            let stored = &seen["environments"][environment]["targets"][0]["keyIds"];
            assert_eq!(stored, &json!([n]), "{flag} in {environment}: {last}");
            assert_eq!(
                &targets[&(environment, flag.clone())],
                n,
                "{flag} in {environment}"
            );
        }
    }
}

/// Whoever got no answer asks again under the same id: done once, whether or not it was done.
async fn what_was_not_acknowledged_can_be_sent_again(api: &Api, ledger: &Ledger) {
    let open: Vec<Value> = {
        let ledger = ledger.sent();
        let open = ledger.values().filter(|sent| sent.answer.is_none());
        open.map(|sent| sent.set.clone()).collect()
    };
    for set in open {
        let id = set["id"].as_str().unwrap().to_owned();
        let answer = api.post(PATH, &set).await.expect(200);
        assert_eq!(api.post(PATH, &set).await.expect(200), answer);
        let done = history(api, "prod").await;
        assert_eq!(
            done.iter().filter(|it| it["id"] == *id).count(),
            1,
            "{answer}"
        );
        ledger.sent().get_mut(&id).unwrap().answer = Some(answer);
    }
}
