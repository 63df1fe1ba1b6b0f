//! Redacting: taking out of an entry's body what must not be kept, for example a person who asked
//! to be forgotten.
//!
//! The entry stays in its place: who, when, its id. Its digest stays, so that the chain verifies;
//! the digest's salt goes, so that the digest tells nothing about what was there. Which change set
//! ordered it is kept with it, and verified: nobody redacts without an entry that says so.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use serde_json::Value;

use super::Notary;
use super::entry::{self, COLUMNS, Entry};
use super::seal::{self, seal};
use crate::change_sets::{Actor, ActorKind};
use crate::environments::Act;
use crate::error::StoreError;
use crate::sql::Sql;
use crate::{Store, Tx, image, row, text};

/// Entries that are looked at together: each may have megabytes.
const AT_ONCE: i64 = 50;

/// What an entry says besides who, when and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Why.
    pub comment: String,
    /// What was asked for: a list of commands, as JSON.
    pub commands: Value,
    /// What was answered ([`crate::Applied`] as JSON).
    pub result: Value,
}

/// An order to redact.
#[derive(Clone, Copy, Debug)]
pub struct Redaction<'a> {
    /// In which organization.
    pub organization: &'a Id<Organization>,
    /// The id of the change set that orders it. Only entries before it are redacted.
    pub by: &'a str,
    /// In plain words; without what is taken out.
    pub why: &'a str,
    /// The moment.
    pub now: Millis,
}

impl Store {
    /// Goes through all bodies of an organization and puts what `rewrite` gives in their place, as
    /// an act of its own in the history. Says how many were redacted; where none was, nothing is
    /// written.
    pub async fn redact_audit(
        &self,
        organization: &Id<Organization>,
        actor: &Actor,
        why: &str,
        notary: &dyn Notary,
        now: Millis,
        rewrite: impl FnMut(&Body) -> Option<Body>,
    ) -> Result<u64, StoreError> {
        let why = text::description(why)?;
        let mut tx = self.begin_write().await?;
        let act = Act {
            organization,
            actor,
            project: None,
            kind: "redactAudit",
            params: vec![("why", why.clone())],
            text: format!("audit log: redacted ({why})"),
        };
        let by = self.administer(&mut tx, &act, &mut [], now).await?;
        let order = Redaction {
            organization,
            by: &by,
            why: &why,
            now,
        };
        let redacted = self.redact(&mut tx, &order, notary, rewrite).await?;
        self.end(tx, redacted == 0).await?;
        Ok(redacted)
    }

    /// Goes through all bodies before the change set `order.by`, which was written in this
    /// transaction, and puts what `rewrite` gives in their place; None leaves one as it is. Says how
    /// many were redacted. What was not sealed is sealed before, and signed. To be called last, after all locks were taken.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where the ordering change set is not there.
    pub(crate) async fn redact(
        &self,
        tx: &mut Tx,
        order: &Redaction<'_>,
        notary: &dyn Notary,
        mut rewrite: impl FnMut(&Body) -> Option<Body>,
    ) -> Result<u64, StoreError> {
        let organization = order.organization.as_str();
        let number = number(tx, organization, order.by).await?;
        // What is redacted must have its digest first.
        while seal::end(tx, organization).await?.number < number {
            let sealed = seal(tx, self.shared.dialect, organization, number, notary).await?;
            if sealed == 0 {
                return Err(StoreError::NotFound("change set"));
            }
        }
        let (mut after, mut redacted) = (0, 0);
        loop {
            let entries = entries(tx, organization, after, number).await?;
            let Some(last) = entries.last() else {
                return Ok(redacted);
            };
            after = last.number;
            for entry in &entries {
                let body = body(entry)?;
                if let Some(new) = rewrite(&body).filter(|new| *new != body) {
                    replace(tx, order, entry.number, &new).await?;
                    redacted += 1;
                }
            }
        }
    }
}

async fn number(tx: &mut Tx, organization: &str, id: &str) -> Result<i64, StoreError> {
    let found =
        sqlx::query("SELECT number FROM change_sets WHERE organization_id = $1 AND id = $2")
            .bind(organization)
            .bind(id)
            .fetch_optional(&mut **tx)
            .await?;
    row::number(&found.ok_or(StoreError::NotFound("change set"))?, 0)
}

/// The next entries after a number and before another.
async fn entries(
    tx: &mut Tx,
    organization: &str,
    after: i64,
    before: i64,
) -> Result<Vec<Entry>, StoreError> {
    let mut sql = Sql::new("SELECT ");
    sql.push(COLUMNS)
        .push(" FROM change_sets c WHERE c.organization_id = ");
    sql.bind(organization).push(" AND c.number > ").bind(after);
    sql.push(" AND c.number < ").bind(before);
    sql.push(" ORDER BY c.number LIMIT ").bind(AT_ONCE);
    let rows = sql.query()?.fetch_all(&mut **tx).await?;
    rows.iter().map(Entry::read).collect()
}

fn body(entry: &Entry) -> Result<Body, StoreError> {
    Ok(Body {
        comment: entry.comment().to_owned(),
        commands: serde_json::from_slice(&image::unpack_unsized(&entry.commands)?)?,
        result: serde_json::from_str(&entry.result)?,
    })
}

async fn replace(
    tx: &mut Tx,
    order: &Redaction<'_>,
    number: i64,
    body: &Body,
) -> Result<(), StoreError> {
    let commands = body.commands.to_string();
    let name = sqlx::query(
        "SELECT actor_name FROM change_sets WHERE organization_id = $1 AND number = $2",
    )
    .bind(order.organization.as_str())
    .bind(number)
    .fetch_one(&mut **tx)
    .await?;
    let actor = Actor {
        kind: ActorKind::System,
        id: String::new(),
        name: row::text(&name, 0)?,
    };
    // The digest of the request would tell what was in it; so a request under the same id is
    // refused from now on instead of getting its first answer.
    sqlx::query(
        "UPDATE change_sets SET comment = $1, base = '{}', commands = $2, commands_size = $3, \
         request_digest = $4, result = $5, kinds = $6, search = $7 \
         WHERE organization_id = $8 AND number = $9",
    )
    .bind(body.comment.as_str())
    .bind(image::pack(commands.as_bytes())?)
    .bind(commands.len() as i64)
    .bind(vec![0_u8; 32])
    .bind(body.result.to_string())
    .bind(entry::kinds(&commands)?)
    .bind(entry::search(&actor, &body.comment, &body.result))
    .bind(order.organization.as_str())
    .bind(number)
    .execute(&mut **tx)
    .await?;
    sqlx::query(
        "UPDATE audit_seals SET salt = $1, redacted_at = $2, redacted_by = $3, redacted_why = $4 \
         WHERE organization_id = $5 AND number = $6",
    )
    .bind(Vec::<u8>::new())
    .bind(order.now.0)
    .bind(order.by)
    .bind(order.why)
    .bind(order.organization.as_str())
    .bind(number)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
