//! People who write, each one set after the other, and what they are answered.
//!
//! Who waits for an answer here waits for one to something that was *sent after the call*: what was
//! answered or under way before, while the test did something else, says nothing of what is now.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::{ENVIRONMENTS, Ledger, PATH, Sent, WRITERS, count, pair};
use crate::api::{Answer, Api, PATIENCE};

/// How long a test waits for what it wants to hear of writers: a server whose database hangs tells
/// each of them after half a minute.
const WAIT: Duration = PATIENCE.saturating_mul(4);

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
}

/// What a writer was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answered {
    Done,
    NotNow,
}

/// An answer.
#[derive(Clone, Copy, Debug)]
struct Heard {
    writer: usize,
    answered: Answered,
    /// When what it answers was sent: of a set that was done, when it was for the first time.
    sent: Instant,
}

/// Writers at work.
pub struct Writing {
    tasks: JoinSet<()>,
    stop: Arc<AtomicBool>,
    answers: mpsc::UnboundedReceiver<Heard>,
}

impl Writing {
    /// Waits for so many acknowledgements.
    ///
    /// # Panics
    /// Where they do not come.
    pub async fn acknowledged(&mut self, many: usize) {
        let mut left = many;
        self.until("acknowledgements", |heard| {
            left -= usize::from(heard.answered == Answered::Done);
            left == 0
        })
        .await;
    }

    /// Waits for so many acknowledgements, while nobody is refused or gets no answer.
    ///
    /// # Panics
    /// Where somebody is, or they do not come.
    pub async fn undisturbed(&mut self, many: usize) {
        let mut left = many;
        self.until("acknowledgements", |heard| {
            assert_eq!(heard.answered, Answered::Done, "{heard:?}");
            left -= 1;
            left == 0
        })
        .await;
    }

    /// Waits until each writer has been told to come back later.
    ///
    /// # Panics
    /// Where one is not.
    pub async fn refused(&mut self) {
        self.all("refusals", Answered::NotNow).await;
    }

    /// Waits until each writer has had a set acknowledged, and was not refused after it.
    ///
    /// # Panics
    /// Where that does not come.
    pub async fn well_again(&mut self) {
        self.all("acknowledgements of all", Answered::Done).await;
    }

    async fn all(&mut self, name: &str, wanted: Answered) {
        let mut missing: BTreeSet<usize> = (0..WRITERS).collect();
        self.until(name, |heard| {
            match heard.answered == wanted {
                true => missing.remove(&heard.writer),
                false => missing.insert(heard.writer),
            };
            missing.is_empty()
        })
        .await;
    }

    /// Takes answers to what is sent from now on, until they are enough.
    async fn until(&mut self, name: &str, mut enough: impl FnMut(Heard) -> bool) {
        let now = Instant::now();
        loop {
            let heard = timeout_at(now + WAIT, self.next()).await;
            let heard = heard.unwrap_or_else(|_| panic!("{name} do not come"));
            if heard.sent >= now && enough(heard) {
                return;
            }
        }
    }

    async fn next(&mut self) -> Heard {
        tokio::select! {
            answer = self.answers.recv() => answer.expect("the writers write"),
            Some(ended) = self.tasks.join_next() => panic!("a writer ended: {ended:?}"),
        }
    }

    /// Ends the writers, after the set that each is at, or waits for their end where the server is
    /// gone.
    ///
    /// # Panics
    /// Where a writer failed, or does not end.
    pub async fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let until = Instant::now() + WAIT;
        while let Some(ended) = timeout_at(until, self.tasks.join_next())
            .await
            .expect("an end")
        {
            ended.expect("a writer");
        }
    }
}

struct Writer {
    servers: Vec<Api>,
    ledger: Ledger,
    number: usize,
    pace: Pace,
    stop: Arc<AtomicBool>,
    told: mpsc::UnboundedSender<Heard>,
}

impl Writer {
    /// Writes until it is told to stop, or the server is gone.
    async fn write(mut self) {
        for n in self.pace.first.. {
            let id = Uuid::now_v7().to_string();
            let set = self.set(&id, n);
            let noted = Sent {
                set: set.clone(),
                answer: None,
            };
            self.ledger.sent().insert(id.clone(), noted);
            let sent = Instant::now();
            let Some(answer) = self.insist(&set).await else {
                return;
            };
            if let Some(noted) = self.ledger.sent().get_mut(&id) {
                noted.answer = Some(answer);
            }
            self.tell(Answered::Done, sent);
            tokio::time::sleep(self.pace.pause).await;
        }
    }

    /// Sends a set until it is done.
    async fn insist(&mut self, set: &Value) -> Option<Value> {
        while !self.stop.load(Ordering::Relaxed) {
            let sent = Instant::now();
            let asked = self.servers[0].try_send(Method::POST, PATH, Some(set.to_string()));
            match asked.await {
                Ok(answer) if answer.status != 503 => return Some(answer.expect(200)),
                Ok(answer) => unavailable(answer),
                Err(_) if self.pace.insists => {}
                Err(_) => return None,
            }
            self.tell(Answered::NotNow, sent);
            if self.pace.insists {
                self.servers.rotate_left(1);
                tokio::time::sleep(self.pace.pause).await;
            }
        }
        None
    }

    fn tell(&self, answered: Answered, sent: Instant) {
        let heard = Heard {
            writer: self.number,
            answered,
            sent,
        };
        // Nobody listens at the end.
        let _ = self.told.send(heard);
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
