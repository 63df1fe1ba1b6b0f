//! When each variation was first and last served: what tells a flag that nobody asks for any more.
//!
//! The counts know it too, but a list of 5,000 flags cannot look through months of them. So each
//! variation has a row here, written together with its counts; not with each batch, but when the
//! last time is [`EVERY`] later than what was written before. What this process wrote, it remembers.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::{Count, Traffic};
use crate::error::StoreError;
use crate::row;
use crate::sql::{LIST, Sql, rows};

/// How far a known last time may be behind, in ms.
const EVERY: i64 = 300_000;

/// How many variations are remembered; then all are forgotten, and written once more.
const REMEMBERED: usize = 100_000;

/// What the table takes of a text, in bytes: as the counts.
const LONGEST: usize = 512;

/// What this process has written: the last time of each variation, by a hash of its name.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    seed: RandomState,
    last: Mutex<HashMap<u64, i64>>,
}

/// A variation's name: environment, flag, flag's id, variation.
type Name<'b> = [&'b str; 4];

/// The first and the last time of variations, in the order of their names.
pub(super) type Served<'b> = BTreeMap<Name<'b>, (i64, i64)>;

impl Noted {
    /// What of these counts is worth writing.
    pub(super) fn news<'b>(&self, counts: &'b [Count<'_>]) -> Served<'b> {
        let mut served = Served::new();
        for count in counts.iter().filter(|count| is_storable(count)) {
            let at = count.minute.0;
            let (first, last) = served.entry(name(count)).or_insert((at, at));
            (*first, *last) = ((*first).min(at), (*last).max(at));
        }
        let noted = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        served.retain(|name, (_, last)| {
            let known = noted.get(&self.seed.hash_one(name));
            known.is_none_or(|known| *last >= known.saturating_add(EVERY))
        });
        served
    }

    /// Remembers what was written.
    pub(super) fn keep(&self, served: &Served<'_>) {
        let mut noted = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() + served.len() > REMEMBERED {
            noted.clear();
        }
        for (name, (_, last)) in served.iter().take(REMEMBERED) {
            noted.insert(self.seed.hash_one(name), *last);
        }
    }
}

fn name<'b>(count: &'b Count<'_>) -> Name<'b> {
    [
        &count.environment,
        &count.flag,
        &count.flag_id,
        &count.variation,
    ]
}

fn is_storable(count: &Count<'_>) -> bool {
    let texts = name(count);
    count.count > 0
        && texts
            .iter()
            .all(|text| text.len() <= LONGEST && !text.contains('\0'))
}

/// Writes first and last times.
pub(super) async fn note(
    connection: &mut AnyConnection,
    served: &Served<'_>,
) -> Result<(), StoreError> {
    let served: Vec<_> = served.iter().collect();
    for some in served.chunks(rows(6)) {
        let mut sql = Sql::new(
            "INSERT INTO flag_activity \
             (environment_id, flag, flag_id, variation, first_at, last_at) VALUES ",
        );
        for (index, (name, (first, last))) in some.iter().enumerate() {
            let [environment, flag, flag_id, variation] = name;
            sql.row(index).bind(*environment).next(*flag).next(*flag_id);
            sql.next(*variation).next(*first).next(*last).push(")");
        }
        sql.push(
            " ON CONFLICT (environment_id, flag, flag_id, variation) DO UPDATE SET \
             first_at = CASE WHEN excluded.first_at < flag_activity.first_at \
                 THEN excluded.first_at ELSE flag_activity.first_at END, \
             last_at = CASE WHEN excluded.last_at > flag_activity.last_at \
                 THEN excluded.last_at ELSE flag_activity.last_at END",
        );
        sql.query_for(connection.backend_name())?
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// When a variation was served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariationActivity {
    /// Its id.
    pub variation: String,
    /// The first time, to a minute.
    pub first: Millis,
    /// The last time, to some minutes.
    pub last: Millis,
}

/// When a flag's variations were served in an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagActivity {
    /// The environment's id.
    pub environment: String,
    /// The flag's key.
    pub flag: String,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: String,
    /// Those that were served, by id.
    pub variations: Vec<VariationActivity>,
}

impl Traffic<'_> {
    /// What was served in some environments (by id) of some flags (by exact key), or of all flags.
    /// By environment, flag and flag's id. What was never served is not there.
    pub async fn activity(
        &self,
        environments: &[&str],
        flags: Option<&[&str]>,
    ) -> Result<Vec<FlagActivity>, StoreError> {
        let mut connection = self.store.shared.traffic.read.acquire().await?;
        let mut found = Vec::new();
        for environment in environments {
            let lists: Vec<Option<&[&str]>> = match flags {
                None => vec![None],
                Some(flags) => flags.chunks(LIST).map(Some).collect(),
            };
            for list in lists {
                let rows = select(environment, list)
                    .query_for(connection.backend_name())?
                    .fetch_all(&mut *connection)
                    .await?;
                for row in &rows {
                    add(&mut found, environment, row)?;
                }
            }
        }
        Ok(found)
    }
}

fn select(environment: &str, flags: Option<&[&str]>) -> Sql {
    let mut sql = Sql::new("SELECT flag, flag_id, variation, first_at, last_at FROM flag_activity");
    sql.push(" WHERE environment_id = ").bind(environment);
    if let Some(flags) = flags {
        sql.push(" AND flag IN ").list(flags.iter().copied());
    }
    sql.push(" ORDER BY flag, flag_id, variation");
    sql
}

fn add(found: &mut Vec<FlagActivity>, environment: &str, row: &AnyRow) -> Result<(), StoreError> {
    let (flag, flag_id) = (row::text(row, 0)?, row::text(row, 1)?);
    let variation = VariationActivity {
        variation: row::text(row, 2)?,
        first: row::millis(row, 3)?,
        last: row::millis(row, 4)?,
    };
    match found.last_mut() {
        Some(last)
            if last.environment == environment && last.flag == flag && last.flag_id == flag_id =>
        {
            last.variations.push(variation);
        }
        _ => found.push(FlagActivity {
            environment: environment.to_owned(),
            flag,
            flag_id,
            variations: vec![variation],
        }),
    }
    Ok(())
}
