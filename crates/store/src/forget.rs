//! Forgetting a person: where flags and segments name a key, and taking it out of what is kept.
//!
//! What is served now changes by commands, through the one way in; [`Store::mentions`] says by
//! which. The rest is of the past: images in the log, bodies of the history, archived flags and
//! segments, traffic. Digests stay as they were, so every chain still verifies; each step can be
//! done again, and what was cut short is finished by asking once more.

mod archived;
mod images;
mod mentions;

use burgee_domain::forget;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use serde_json::Value;

use crate::audit::{Body, Notary, Redaction};
use crate::change_sets::Actor;
use crate::dialect::Dialect;
use crate::environments::Act;
use crate::error::StoreError;
use crate::{Store, organizations, pool, row};

pub use mentions::{Mentions, RuleMention};

impl Store {
    /// Takes a key out of the bodies of an organization's history, and out of what is archived, as
    /// an act of its own, which does not name it. How many bodies that were.
    pub async fn forget_in_history(
        &self,
        organization: &Id<Organization>,
        key: &str,
        actor: &Actor,
        notary: &dyn Notary,
        now: Millis,
    ) -> Result<u64, StoreError> {
        let why = "an end user was forgotten";
        let mut tx = self.begin_write().await?;
        // Every writer of flags and segments holds it shared.
        let lock = self.shared.dialect.for_update();
        organizations::lock(&mut tx, organization, lock).await?;
        archived::forget_in_archived(&mut tx, organization, key).await?;
        let act = Act {
            organization,
            actor,
            project: None,
            kind: "forgetUser",
            params: Vec::new(),
            text: why.to_owned(),
        };
        let by = self.administer(&mut tx, &act, &mut [], now).await?;
        let order = Redaction {
            organization,
            by: &by,
            why,
            now,
        };
        let redacted = self.redact(&mut tx, &order, notary, |body| rewrite(body, key));
        let redacted = redacted.await?;
        self.end(tx, false).await?;
        Ok(redacted)
    }

    /// Takes a key out of the traffic of all environments that an organization has or had. How many
    /// rows that were.
    pub async fn forget_in_traffic(
        &self,
        organization: &Id<Organization>,
        key: &str,
    ) -> Result<u64, StoreError> {
        let mut rows = 0;
        for environment in self.all_environments(organization).await? {
            rows += self.traffic().forget_user(&environment, key).await?;
        }
        Ok(rows)
    }

    /// Sees to it that nothing of what was forgotten is left in SQLite's files. PostgreSQL's own
    /// `VACUUM` does that there, in its time. False: somebody else reads on in what was before, and
    /// it is done when they are through and more is written.
    pub async fn leave_no_trace(&self) -> Result<bool, StoreError> {
        if self.shared.dialect != Dialect::Sqlite {
            return Ok(true);
        }
        let truth = pool::empty_wal(&self.shared.truth.write).await?;
        Ok(pool::empty_wal(&self.shared.traffic.write).await? && truth)
    }

    /// The ids of all environments of an organization, deleted ones too.
    async fn all_environments(
        &self,
        organization: &Id<Organization>,
    ) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT e.id FROM environments e JOIN projects p ON p.id = e.project_id \
             WHERE p.organization_id = $1 ORDER BY e.id",
        )
        .bind(organization.as_str())
        .fetch_all(&self.shared.truth.read)
        .await?;
        rows.iter().map(|found| row::text(found, 0)).collect()
    }
}

fn rewrite(body: &Body, key: &str) -> Option<Body> {
    // Most bodies do not have it: they are not taken apart.
    let quoted = serde_json::json!(key).to_string();
    let inner = &quoted[1..quoted.len() - 1];
    let has = |it: &Value| it.to_string().contains(inner);
    let there = body.comment.contains(key) || has(&body.commands) || has(&body.result);
    there.then(|| Body {
        comment: forget::text(&body.comment, key),
        commands: forget::commands(&body.commands, key),
        result: forget::answer(&body.result, key),
    })
}
