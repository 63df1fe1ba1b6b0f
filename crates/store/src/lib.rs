//! The store: the truth and the traffic, in SQLite files or in PostgreSQL.
//!
//! One SQL text for both databases ([`dialect`] holds the exceptions), one file per aggregate.
//! There is one way to change a flag or a segment: [`Store::apply`] (and [`Store::import`], which
//! goes the same way) takes commands, loads what they refer to under locks, lets `burgee-domain`
//! decide, and writes state, versions and log in one transaction. What reads for the edge is in
//! [`edge`]; it tells a peer what came after its position, or that it needs everything.
//!
//! Locks are taken in one order, so that writers never wait for each other in a circle: the
//! organization, projects by id, environments by id. No transaction waits for anything but the
//! database.
//!
//! A [`Store`] is a handle: clone it freely.

mod apply;
pub mod audit;
pub mod backup;
pub mod change_sets;
mod changed;
pub mod dialect;
mod digest;
pub mod edge;
mod environments;
mod error;
pub mod first_start;
mod flags;
pub mod forget;
mod history;
mod image;
mod log;
mod migrate;
pub mod news;
mod organizations;
pub mod page;
pub mod people;
mod planning;
mod pool;
mod project_file;
mod projects;
pub mod relay_agents;
pub mod relay_keys;
pub mod requests;
mod room;
mod row;
pub mod sdk_keys;
pub mod search;
mod segments;
mod snapshot;
mod sql;
mod targetings;
mod text;
pub mod tokens;
mod trace;
pub mod traffic;
mod used;
mod user_properties;
mod versions;
mod workspace;

use std::sync::Arc;
use std::time::Duration;

use sqlx::{Any, Transaction};

pub use crate::apply::{
    Applied, ApplyError, ApplyRequest, ChangeSetRequest, ConflictFound, Denied, ImportRequest,
    Imported, Overridden, PermissionFound, Preview, StepApplied,
};
pub use crate::change_sets::{Actor, ActorKind};
pub use crate::environments::rules::{RulesAuthor, SetRulesError};
pub use crate::environments::{EnvironmentEdit, NamedEnvironment, NewEnvironment, UserAct};
pub use crate::error::StoreError;
pub use crate::flags::index::{Cell, IndexedFlag};
pub use crate::flags::{FlagFilter, ListedFlag, NeedyFlag};
pub use crate::history::{HistoryFilter, HistoryScope, LoggedChangeSet};
pub use crate::log::LastChange;
pub use crate::organizations::{NewOrganization, OrganizationEdit, OrganizationSettings};
pub use crate::planning::{CloneRequest, Planned, PromoteError, PromoteRequest, RevertRequest};
pub use crate::pool::Location;
pub use crate::project_file::{FileError, FileRequest, Filed};
pub use crate::projects::{NewProject, ProjectEdit};
pub use crate::relay_agents::{AgentPosition, AgentSeen, RelayAgent, RelayKind};
pub use crate::relay_keys::{
    NewRelayKey, RelayKey, RelayKeyEdit, RelayKeyScope, RelayScope, Rotation,
};
pub use crate::segments::{ListedSegment, SegmentFilter};
pub use crate::snapshot::LoggedItem;
pub use crate::tokens::{Grant, NewToken, Token};
pub use crate::versions::{ListedVersion, Moment, VersionAt, VersionItem};
pub use crate::workspace::SegmentUse;

use crate::changed::Changed;
use crate::dialect::Dialect;
use crate::pool::{Doubt, Pools};

/// How long closing waits for PostgreSQL to answer what is under way.
const CLOSING: Duration = Duration::from_secs(5);

/// A transaction of either database.
pub(crate) type Tx = Transaction<'static, Any>;

/// The handle to the databases.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    location: Location,
    dialect: Dialect,
    truth: Pools,
    traffic: Pools,
    doubt: Doubt,
    changed: Changed,
    noted: traffic::Noted,
    untrimmed: traffic::Untrimmed,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Store").field(&self.shared.location).finish()
    }
}

impl Store {
    /// Opens the databases. Makes the folder and its files; creates no tables
    /// ([`Store::migrate`] does).
    pub async fn open(location: Location) -> Result<Self, StoreError> {
        let doubt = Doubt::default();
        let (dialect, truth, traffic) = pool::open(&location, &doubt).await?;
        let shared = Shared {
            location,
            dialect,
            truth,
            traffic,
            doubt,
            changed: Changed::new(),
            noted: traffic::Noted::default(),
            untrimmed: traffic::Untrimmed::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Brings the schema up to date. Safe to be called by several processes at once, and to be
    /// called again.
    ///
    /// # Errors
    /// [`StoreError::Other`] where a newer program has changed the schema.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        let dialect = self.shared.dialect;
        let mut tx = self.begin_write().await?;
        migrate::run(dialect, &mut tx, "truth", migrate::TRUTH).await?;
        tx.commit().await?;
        let mut tx = self.begin_traffic().await?;
        migrate::run(dialect, &mut tx, "traffic", migrate::TRAFFIC).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Whether the schema was ever made here: a database in which it was not holds no data of ours.
    pub async fn is_set_up(&self) -> Result<bool, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let dialect = self.shared.dialect;
        dialect.has_table(&mut connection, "organizations").await
    }

    /// Whether the truth answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1")
            .execute(&self.shared.truth.read)
            .await?;
        Ok(())
    }

    /// Closes all connections, after what is under way has ended. A PostgreSQL that says nothing any
    /// more is not waited for: it notices by itself that they are gone.
    pub async fn close(&self) {
        let closing = async {
            for pools in [&self.shared.truth, &self.shared.traffic] {
                pools.read.close().await;
                pools.write.close().await;
            }
        };
        match self.shared.dialect {
            Dialect::Sqlite => closing.await,
            Dialect::Postgres => {
                let _late = tokio::time::timeout(CLOSING, closing).await;
            }
        }
    }

    /// Which database it is.
    pub fn dialect(&self) -> Dialect {
        self.shared.dialect
    }

    pub(crate) async fn begin_write(&self) -> Result<Tx, StoreError> {
        let statement = self.shared.dialect.begin_write();
        Ok(self.shared.truth.write.begin_with(statement).await?)
    }

    /// Ends a change: commits it and tells, or takes a dry run back.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] where the commit's answer was lost.
    pub(crate) async fn end(&self, tx: Tx, dry_run: bool) -> Result<(), StoreError> {
        if dry_run {
            return Ok(tx.rollback().await?);
        }
        let committed = tx.commit().await.map_err(error::of_commit);
        // Also where its answer was lost: then it may be there.
        self.shared.changed.tell();
        committed
    }

    pub(crate) async fn begin_read(&self) -> Result<Tx, StoreError> {
        let statement = self.shared.dialect.begin_read();
        Ok(self.shared.truth.read.begin_with(statement).await?)
    }

    pub(crate) async fn begin_traffic(&self) -> Result<Tx, StoreError> {
        let statement = self.shared.dialect.begin_write();
        Ok(self.shared.traffic.write.begin_with(statement).await?)
    }
}
