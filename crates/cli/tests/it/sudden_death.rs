//! `kill -9` while people write, again and again: what was acknowledged is there, what was not is
//! there wholly or not at all, and what SDKs get is the same.
//!
//! Each writer has two flags. Its change set number n gives both flags, in both environments, the
//! target `n`: wherever a half of a set was left, two of the four would differ.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use burgee_testkit::api::Api;
use burgee_testkit::sdk::Sdk;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::kit::{Data, Program, apply};

const WRITERS: usize = 3;
const PATH: &str = "projects/default/changes";

/// Set for many rounds.
const LONG: &str = "BURGEE_LONG_TESTS";

fn rounds(few: usize) -> usize {
    match std::env::var_os(LONG) {
        Some(_) => 50,
        None => few,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_on_sqlite() {
    die_again_and_again(&Data::folder(), rounds(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_on_postgresql() {
    let url = burgee_testkit::postgres::database().await.unwrap();
    die_again_and_again(&Data::postgres(url), rounds(2)).await;
}

/// A change set that was sent, and its answer.
struct Sent {
    set: Value,
    answer: Option<Value>,
}

/// What all writers sent, over all rounds, by the change sets' ids.
type Ledger = Arc<Mutex<BTreeMap<String, Sent>>>;

async fn die_again_and_again(data: &Data, rounds: usize) {
    let token = data.token();
    let ledger = Ledger::default();
    let mut program = Program::start(data);
    let variation = set_up(&program.api(&token)).await;
    // Another server on the same data, which nobody kills, and an SDK of it.
    let neighbour = Program::start(data);
    let mut watching = Sdk::server(neighbour.address, &data.sdk_keys("prod").1);
    for round in 0..rounds {
        let (acknowledged, mut seen) = mpsc::unbounded_channel();
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let writer = Writer {
                api: program.api(&token),
                ledger: Arc::clone(&ledger),
                number: writer,
                variation: variation.clone(),
                acknowledged: acknowledged.clone(),
            };
            writers.spawn(writer.write(round * 1_000_000));
        }
        drop(acknowledged);
        // Any moment: after some acknowledgements and a part of the next write.
        let moment = Uuid::new_v4().as_u128();
        for _ in 0..1 + moment % 20 {
            seen.recv().await.unwrap();
        }
        tokio::time::sleep(Duration::from_micros((moment >> 64) as u64 % 5_000)).await;
        program.kill();
        writers.join_all().await;
        program = Program::start(data);
        look_after_it(data, &program, &token, &ledger).await;
        let fresh = Sdk::server(program.address, &data.sdk_keys("prod").1);
        watching.until(|sdk| sdk.flags == fresh.flags);
        // Who is silent for long is let go.
        watching.settle();
    }
}

/// Makes the writers' flags; the id of their first variation.
async fn set_up(api: &Api) -> String {
    let id = Uuid::new_v4().to_string();
    let variations = json!([{"id": id, "value": "true"}, {"value": "false"}]);
    for writer in 0..WRITERS {
        for flag in pair(writer) {
            apply(
                api,
                json!([{"kind": "createFlag", "flag": flag, "type": "boolean",
                "variations": variations, "id": Uuid::new_v4()}]),
            )
            .await;
        }
    }
    id
}

fn pair(writer: usize) -> [String; 2] {
    [format!("left-{writer}"), format!("right-{writer}")]
}

struct Writer {
    api: Api,
    ledger: Ledger,
    number: usize,
    variation: String,
    acknowledged: mpsc::UnboundedSender<()>,
}

impl Writer {
    /// Writes until the server is gone.
    async fn write(self, first: usize) {
        for n in first.. {
            let id = Uuid::now_v7().to_string();
            let set = self.set(&id, n);
            let sent = Sent {
                set: set.clone(),
                answer: None,
            };
            self.ledger.lock().unwrap().insert(id.clone(), sent);
            let sent = self
                .api
                .try_send(Method::POST, PATH, Some(set.to_string()))
                .await;
            let Ok(answer) = sent else {
                return;
            };
            let answer = answer.expect(200);
            self.ledger.lock().unwrap().get_mut(&id).unwrap().answer = Some(answer);
            // Nobody listens after the kill.
            let _ = self.acknowledged.send(());
        }
    }

    fn set(&self, id: &str, n: usize) -> Value {
        let mut commands = Vec::new();
        for environment in ["prod", "dev"] {
            for flag in pair(self.number) {
                commands.push(json!({"kind": "setTargets", "flag": flag,
                    "environment": environment, "variation": self.variation,
                    "keys": [n.to_string()]}));
            }
        }
        json!({"id": id, "comment": self.number.to_string(), "commands": commands})
    }
}

async fn look_after_it(data: &Data, program: &Program, token: &str, ledger: &Ledger) {
    let api = program.api(token);
    let history = history(&api, "prod").await;
    no_version_is_missing(&history, "default/prod");
    no_version_is_missing(&self::history(&api, "dev").await, "default/dev");
    what_was_acknowledged_is_there(&history, ledger);
    let targets = served(data, program);
    for writer in 0..WRITERS {
        what_is_served_is_the_last_of_the_log(&api, &history, &targets, writer).await;
    }
    what_was_not_acknowledged_can_be_sent_again(&api, ledger).await;
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
    for (id, sent) in ledger.lock().unwrap().iter() {
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
        let ledger = ledger.lock().unwrap();
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
        ledger.lock().unwrap().get_mut(&id).unwrap().answer = Some(answer);
    }
}
