//! Verifying an organization's audit log against its chain.

use burgee_domain::audit::{self, Link};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use sqlx::any::AnyRow;

use super::entry::{COLUMNS, Entry, WIDTH};
use super::{Notary, purpose};
use crate::error::StoreError;
use crate::sql::Sql;
use crate::{Store, Tx, row};

/// Entries that are read together: each may have megabytes.
const AT_ONCE: i64 = 50;

/// Whoever takes an end away takes its signature away, too.
const UNSIGNED: &str = "the end of the chain is not signed by any key of this instance";

/// What verifying found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Entries that verify.
    pub verified: u64,
    /// Of those, how many were redacted.
    pub redacted: u64,
    /// Entries after the chain's end: they are sealed within seconds, while a server runs.
    pub unsealed: u64,
    /// Up to which number old entries were pruned; 0: none.
    pub pruned: i64,
    /// Whether the chain's end was signed, by a key that is known here. Where one is known and did
    /// not sign it, that is bad.
    pub signed: bool,
    /// The first thing that is wrong.
    pub bad: Option<Bad>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// The entry's number in the organization's history.
    pub number: i64,
    /// The change set's id, where it is known.
    pub id: Option<String>,
    /// In plain words.
    pub what: &'static str,
}

/// A seal with the entry that it is of, if that is there.
struct Sealed {
    number: i64,
    id: String,
    salt: Vec<u8>,
    body: Link,
    chain: Link,
    redacted_by: Option<String>,
    is_redacted: bool,
    entry: Option<Entry>,
}

impl Store {
    /// Verifies an organization's audit log, at one moment of the database.
    pub async fn verify_audit(
        &self,
        organization: &Id<Organization>,
        notary: &dyn Notary,
    ) -> Result<Verdict, StoreError> {
        let mut tx = self.begin_read().await?;
        let mut check = Check {
            organization: organization.as_str(),
            notary,
            verdict: Verdict::default(),
            number: 0,
            chain: audit::origin(organization.as_str()),
        };
        check.verdict.bad = check.all(&mut tx).await?.err();
        tx.rollback().await?;
        Ok(check.verdict)
    }
}

/// A link in a column; what has not its size is none that fits anywhere.
fn link(found: &AnyRow, column: usize) -> Result<Link, StoreError> {
    let bytes = row::blob(found, column)?;
    Ok(bytes.try_into().unwrap_or_default())
}

/// How far verifying has come.
struct Check<'a> {
    organization: &'a str,
    notary: &'a dyn Notary,
    verdict: Verdict,
    number: i64,
    chain: Link,
}

/// Fine, or the first thing that is wrong.
type Checked = Result<(), Bad>;

impl Check<'_> {
    async fn all(&mut self, tx: &mut Tx) -> Result<Checked, StoreError> {
        if let Err(bad) = self.anchors(tx).await? {
            return Ok(Err(bad));
        }
        if let Err(bad) = self.before(tx).await? {
            return Ok(Err(bad));
        }
        loop {
            let seals = self.next(tx).await?;
            if seals.is_empty() {
                break;
            }
            for sealed in seals {
                if let Err(bad) = self.seal(tx, sealed).await? {
                    return Ok(Err(bad));
                }
            }
        }
        if let Err(bad) = self.end(tx).await? {
            return Ok(Err(bad));
        }
        self.unsealed(tx).await
    }

    fn bad(&self, number: i64, id: Option<String>, what: &'static str) -> Checked {
        Err(Bad { number, id, what })
    }

    /// Whether a signature is right. One by an unknown key, or none, says nothing.
    fn is_forged(&self, what: &str, number: i64, chain: &Link, signature: &[u8]) -> Option<bool> {
        let purpose = purpose(what, self.organization, number);
        let signed = self.notary.is_signed(&purpose, chain, signature);
        signed.map(|right| !right)
    }

    /// Begins where pruning ended.
    async fn anchors(&mut self, tx: &mut Tx) -> Result<Checked, StoreError> {
        let rows = sqlx::query(
            "SELECT number, chain, signature FROM audit_anchors WHERE organization_id = $1 \
             ORDER BY number",
        )
        .bind(self.organization)
        .fetch_all(&mut **tx)
        .await?;
        for found in &rows {
            let (number, chain) = (row::number(found, 0)?, link(found, 1)?);
            let signature = row::blob(found, 2)?;
            if self.is_forged("anchor", number, &chain, &signature) == Some(true) {
                let what = "the signature of what is left of pruned entries is wrong";
                return Ok(self.bad(number, None, what));
            }
            (self.number, self.chain) = (number, chain);
        }
        self.verdict.pruned = self.number;
        Ok(Ok(()))
    }

    /// Pruned entries have no bodies, and the first entry is number 1.
    async fn before(&self, tx: &mut Tx) -> Result<Checked, StoreError> {
        let found = sqlx::query(
            "SELECT number, id FROM change_sets WHERE organization_id = $1 AND number <= $2 \
             AND (number < 1 OR commands_size > 2 OR comment <> '') ORDER BY number LIMIT 1",
        )
        .bind(self.organization)
        .bind(self.number)
        .fetch_optional(&mut **tx)
        .await?;
        match found {
            None => Ok(Ok(())),
            Some(found) => Ok(self.bad(
                row::number(&found, 0)?,
                Some(row::text(&found, 1)?),
                "an entry stands where entries were pruned, or where none can be",
            )),
        }
    }

    /// The next seals, with their entries.
    async fn next(&self, tx: &mut Tx) -> Result<Vec<Sealed>, StoreError> {
        let mut sql = Sql::new("SELECT ");
        sql.push(COLUMNS);
        sql.push(
            ", s.number, s.change_set_id, s.salt, s.body_digest, s.chain, s.redacted_by, \
             s.redacted_at FROM audit_seals s LEFT JOIN change_sets c \
             ON c.organization_id = s.organization_id AND c.number = s.number \
             WHERE s.organization_id = ",
        );
        sql.bind(self.organization);
        sql.push(" AND s.number > ").bind(self.number);
        sql.push(" ORDER BY s.number LIMIT ").bind(AT_ONCE);
        let rows = sql.query()?.fetch_all(&mut **tx).await?;
        rows.iter()
            .map(|found| {
                let is_there = row::optional_millis(found, 0)?.is_some();
                Ok(Sealed {
                    number: row::number(found, WIDTH)?,
                    id: row::text(found, WIDTH + 1)?,
                    salt: row::blob(found, WIDTH + 2)?,
                    body: link(found, WIDTH + 3)?,
                    chain: link(found, WIDTH + 4)?,
                    redacted_by: row::optional_text(found, WIDTH + 5)?,
                    is_redacted: row::optional_millis(found, WIDTH + 6)?.is_some(),
                    entry: is_there.then(|| Entry::read(found)).transpose()?,
                })
            })
            .collect()
    }

    async fn seal(&mut self, tx: &mut Tx, sealed: Sealed) -> Result<Checked, StoreError> {
        let id = Some(sealed.id.clone());
        if sealed.number != self.number + 1 {
            let what = "the seal of an entry is missing";
            return Ok(self.bad(self.number + 1, None, what));
        }
        let Some(entry) = &sealed.entry else {
            return Ok(self.bad(sealed.number, id, "the entry is missing"));
        };
        if entry.id != sealed.id {
            return Ok(self.bad(sealed.number, id, "another entry stands in its place"));
        }
        if sealed.is_redacted || sealed.redacted_by.is_some() || sealed.salt.is_empty() {
            if !self.was_ordered(tx, &sealed).await? {
                let what = "it was redacted, and no later entry says so";
                return Ok(self.bad(sealed.number, id, what));
            }
            self.verdict.redacted += 1;
        } else if entry.body_digest(&sealed.salt) != sealed.body {
            return Ok(self.bad(sealed.number, id, "its body was changed"));
        }
        if entry.link(self.chain, sealed.body) != sealed.chain {
            let what = "it, or its seal, was changed";
            return Ok(self.bad(sealed.number, id, what));
        }
        (self.number, self.chain) = (sealed.number, sealed.chain);
        self.verdict.verified += 1;
        Ok(Ok(()))
    }

    /// Whether a later entry of the log orders the redaction.
    async fn was_ordered(&self, tx: &mut Tx, sealed: &Sealed) -> Result<bool, StoreError> {
        let Some(by) = &sealed.redacted_by else {
            return Ok(false);
        };
        let found = sqlx::query(
            "SELECT 1 FROM change_sets WHERE organization_id = $1 AND id = $2 AND number > $3",
        )
        .bind(self.organization)
        .bind(by.as_str())
        .bind(sealed.number)
        .fetch_optional(&mut **tx)
        .await?;
        Ok(found.is_some())
    }

    /// The chain ends where its end was written down.
    async fn end(&mut self, tx: &mut Tx) -> Result<Checked, StoreError> {
        let found = sqlx::query(
            "SELECT number, chain, signature FROM audit_heads WHERE organization_id = $1",
        )
        .bind(self.organization)
        .fetch_optional(&mut **tx)
        .await?;
        let Some(found) = found else {
            let what = "where the chain ends is not written down";
            return Ok(match (self.number, self.notary.has_key()) {
                (0, false) => Ok(()),
                (0, true) => self.nothing_is_sealed(tx).await?,
                (number, _) => self.bad(number, None, what),
            });
        };
        let (number, chain) = (row::number(&found, 0)?, link(&found, 1)?);
        let next = self.number.min(number) + 1;
        if number != self.number {
            return Ok(self.bad(next, None, "the chain ends elsewhere than was written down"));
        }
        let signature = row::blob(&found, 2)?;
        let forged = self.is_forged("head", number, &chain, &signature);
        if chain != self.chain || forged == Some(true) {
            let what = "the end of the chain, or its signature, was changed";
            return Ok(self.bad(number, None, what));
        }
        if forged.is_none() && self.notary.has_key() {
            return Ok(self.bad(number, None, UNSIGNED));
        }
        self.verdict.signed = forged == Some(false);
        Ok(Ok(()))
    }

    /// Where a key signs, a server has sealed what there is within a second of its start.
    async fn nothing_is_sealed(&self, tx: &mut Tx) -> Result<Checked, StoreError> {
        let found = sqlx::query("SELECT 1 FROM change_sets WHERE organization_id = $1 LIMIT 1")
            .bind(self.organization)
            .fetch_optional(&mut **tx)
            .await?;
        Ok(match found {
            None => Ok(()),
            Some(_) => self.bad(
                1,
                None,
                "nothing is sealed; a server does that as it starts",
            ),
        })
    }

    /// What came after the end is all there.
    async fn unsealed(&mut self, tx: &mut Tx) -> Result<Checked, StoreError> {
        let found = sqlx::query(
            "SELECT (SELECT COALESCE(MAX(length), 0) FROM histories WHERE organization_id = $1), \
             COUNT(*), COALESCE(MAX(number), 0), COALESCE(MIN(number), 0) FROM change_sets \
             WHERE organization_id = $1 AND number > $2",
        )
        .bind(self.organization)
        .bind(self.number)
        .fetch_one(&mut **tx)
        .await?;
        let length = row::number(&found, 0)?;
        let count = row::number(&found, 1)?;
        let (last, first) = (row::number(&found, 2)?, row::number(&found, 3)?);
        let whole = match count {
            0 => length == self.number,
            _ => first == self.number + 1 && last == length && count == length - self.number,
        };
        if !whole {
            let what = "an entry is missing before it was sealed, or was added past the program";
            return Ok(self.bad(self.number + 1, None, what));
        }
        self.verdict.unsealed = count.unsigned_abs();
        Ok(Ok(()))
    }
}
