//! Taking a key out of requests: what they would do, what they say, and what is said of them.
//!
//! Once a key is gone from what a request would do, that is something else: a list may be empty, a
//! condition may mean others, and the forgetting itself changes what it touches. Nobody agreed to
//! it. So a request that waits and named the key in a command stops, and a revision opens it again,
//! which others review as any other. Where only words had the key, it goes on as it was.

use burgee_domain::forget;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::request::Stage;
use burgee_domain::request::schedule::Stop;
use burgee_eval::time::Millis;
use serde_json::json;
use sqlx::AnyConnection;

use super::steps::{self, Place};
use super::stop::Why;
use super::{Request, Step, rows};
use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::{Store, Tx, row};

/// A column with people's words.
struct Words {
    table: &'static str,
    column: &'static str,
    /// The column with the request's id.
    request: &'static str,
    /// The column that tells a request's rows apart.
    number: &'static str,
}

static WORDS: [Words; 4] = [
    words("requests", "title", "id", "revision"),
    words("requests", "description", "id", "revision"),
    words("request_revisions", "comment", "request_id", "revision"),
    words("request_events", "text", "request_id", "ordinal"),
];

const fn words(
    table: &'static str,
    column: &'static str,
    request: &'static str,
    number: &'static str,
) -> Words {
    Words {
        table,
        column,
        request,
        number,
    }
}

/// What a request has the key in, as it is to be without it.
#[derive(Default)]
struct Without {
    /// Words, with the number of their row.
    words: Vec<(&'static Words, i64, String)>,
    /// Why it stopped before.
    stopped: Option<Stop>,
    /// Steps, with the number of their revision.
    steps: Vec<(i64, Step)>,
    /// The step that it stops before.
    stops: Option<i64>,
}

impl Store {
    /// Takes a key out of an organization's requests. Those that wait and named it in a command
    /// stop, as an act of who forgets. How many requests had it.
    pub async fn forget_in_requests(
        &self,
        organization: &Id<Organization>,
        key: &str,
        actor: &Actor,
        now: Millis,
    ) -> Result<u64, StoreError> {
        let rows = sqlx::query("SELECT id FROM requests WHERE organization_id = $1 ORDER BY id")
            .bind(organization.as_str())
            .fetch_all(&self.shared.truth.read)
            .await?;
        let mut changed = 0;
        for found in &rows {
            let id = row::text(found, 0)?;
            // Most have it not: they are looked at without a lock.
            if self.has_key(organization, &id, key).await? {
                let by = (actor, now);
                let forgotten = self.forget_in_request(organization, &id, key, by).await?;
                changed += u64::from(forgotten);
            }
        }
        Ok(changed)
    }

    async fn has_key(
        &self,
        organization: &Id<Organization>,
        id: &str,
        key: &str,
    ) -> Result<bool, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let request = rows::find(&mut connection, organization, id).await?;
        let steps = steps::of_request(&mut connection, organization, id, "").await?;
        let request = (organization, &request);
        let without = Without::of(&mut connection, request, steps, key).await?;
        Ok(without.is_some())
    }

    /// Takes a key out of one request, whole. Says whether it had it.
    async fn forget_in_request(
        &self,
        organization: &Id<Organization>,
        id: &str,
        key: &str,
        by: (&Actor, Millis),
    ) -> Result<bool, StoreError> {
        let dialect = self.shared.dialect;
        loop {
            let mut tx = self.begin_write().await?;
            let newest = rows::find(&mut tx, organization, id).await?.revision;
            // Steps before the request, as who applies one: neither waits for the other in a circle.
            let lock = dialect.for_update();
            let steps = steps::of_request(&mut tx, organization, id, lock).await?;
            let request = rows::lock(&mut tx, dialect, organization, id).await?;
            if request.revision != newest {
                // It was revised in between: its new steps are not locked.
                tx.rollback().await?;
                continue;
            }
            let without = Without::of(&mut tx, (organization, &request), steps, key).await?;
            let Some(without) = without else {
                tx.rollback().await?;
                return Ok(false);
            };
            without.write(&mut tx, organization, id).await?;
            if let Some(step) = without.stops {
                // With the words that it has now.
                let mut request = rows::find(&mut tx, organization, id).await?;
                let why = (step, Why::forgotten());
                self.stop_locked(&mut tx, organization, &mut request, why, by)
                    .await?;
            }
            self.end(tx, false).await?;
            return Ok(true);
        }
    }
}

impl Without {
    /// None where the request has the key nowhere.
    async fn of(
        connection: &mut AnyConnection,
        (organization, request): (&Id<Organization>, &Request),
        steps: Vec<(i64, Step)>,
        key: &str,
    ) -> Result<Option<Self>, StoreError> {
        let mut without = Self {
            stopped: request
                .stopped
                .as_ref()
                .and_then(|it| forget::stop(it, key)),
            ..Self::default()
        };
        without.look_at_steps(request, steps, key)?;
        without
            .look_at_words(connection, organization, &request.id, key)
            .await?;
        let has_it =
            without.stopped.is_some() || !without.steps.is_empty() || !without.words.is_empty();
        Ok(has_it.then_some(without))
    }

    fn look_at_steps(
        &mut self,
        request: &Request,
        steps: Vec<(i64, Step)>,
        key: &str,
    ) -> Result<(), StoreError> {
        let waits = |(revision, step): &(i64, Step)| {
            let newest = request.stage == Stage::Open && *revision == request.revision;
            newest && step.head.done.is_none()
        };
        let next = steps.iter().find(|&it| waits(it));
        let next = next.map(|(_, step)| step.head.step);
        for mut it in steps {
            let commands = forget::waiting(&it.1.commands, key)?;
            let diff = forget::lines(&it.1.diff, key);
            if commands.is_none() && diff.is_none() {
                continue;
            }
            if commands.is_some() && waits(&it) {
                self.stops = next;
            }
            let step = &mut it.1;
            if let Some(commands) = commands {
                step.commands = commands;
            }
            if let Some(diff) = diff {
                step.diff = diff;
            }
            self.steps.push(it);
        }
        Ok(())
    }

    async fn look_at_words(
        &mut self,
        connection: &mut AnyConnection,
        organization: &Id<Organization>,
        id: &str,
        key: &str,
    ) -> Result<(), StoreError> {
        for words in &WORDS {
            let query = format!(
                "SELECT {}, {} FROM {} WHERE organization_id = $1 AND {} = $2",
                words.number, words.column, words.table, words.request
            );
            let rows = sqlx::query(sqlx::AssertSqlSafe(query))
                .bind(organization.as_str())
                .bind(id)
                .fetch_all(&mut *connection)
                .await?;
            for found in &rows {
                let said = row::text(found, 1)?;
                let without = forget::text(&said, key);
                if without != said {
                    self.words.push((words, row::number(found, 0)?, without));
                }
            }
        }
        Ok(())
    }

    async fn write(
        &self,
        tx: &mut Tx,
        organization: &Id<Organization>,
        id: &str,
    ) -> Result<(), StoreError> {
        for (words, number, text) in &self.words {
            let query = format!(
                "UPDATE {} SET {} = $1 WHERE organization_id = $2 AND {} = $3 AND {} = $4",
                words.table, words.column, words.request, words.number
            );
            sqlx::query(sqlx::AssertSqlSafe(query))
                .bind(text.as_str())
                .bind(organization.as_str())
                .bind(id)
                .bind(*number)
                .execute(&mut **tx)
                .await?;
        }
        // The digest of what was asked for would tell what was in it; so the same id is refused from
        // now on instead of getting its first answer.
        let stopped = self.stopped.as_ref().map(|it| json!(it).to_string());
        sqlx::query(
            "UPDATE requests SET request_digest = $1, stopped = COALESCE($2, stopped) \
             WHERE organization_id = $3 AND id = $4",
        )
        .bind(vec![0_u8; 32])
        .bind(stopped)
        .bind(organization.as_str())
        .bind(id)
        .execute(&mut **tx)
        .await?;
        for (revision, step) in &self.steps {
            let place = Place {
                organization,
                request: id,
                revision: *revision,
                step: step.head.step,
            };
            steps::rewrite(tx, place, step).await?;
        }
        Ok(())
    }
}
