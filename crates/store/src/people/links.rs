//! One-time links: invitations, and resets of a password.
//!
//! A link's text is random, stored as a hash, works once and for a while. Nobody ever gives anybody
//! else's password out: who follows a link chooses it.

use burgee_domain::access::{Kind, Resource, may_give};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::people::Email;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use uuid::Uuid;

use super::accounts::{self, Account, NewPassword};
use super::members::{self, Grants};
use super::own::Own;
use super::record::Event;
use super::{membership, reviewers, sessions};
use crate::change_sets::{Actor, ActorKind};
use crate::error::StoreError;
use crate::{Store, Tx, digest, organizations, room, row, text};

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// What it takes to invite somebody.
const INVITE: &str = "member.invite";

/// How long an invitation works, in ms.
pub const INVITATION: i64 = 7 * DAY;

/// How long a reset of a password works, in ms.
pub const RESET: i64 = DAY;

/// How long a reset that somebody asked for themselves works, in ms: they wait for the mail.
pub const OWN_RESET: i64 = 60 * 60 * 1_000;

/// An invitation that nobody has followed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// Unique.
    pub id: Id<Invitation>,
    /// Who is invited.
    pub email: String,
    /// What they will have.
    pub grants: Grants,
    /// When it was made.
    pub created_at: Millis,
    /// When it stops working.
    pub expires_at: Millis,
}

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The address that it is for.
    pub email: String,
    /// The organization that it leads into; none for a reset.
    pub organization: Option<Id<Organization>>,
    /// Whether a password has to be chosen: there is no account yet, or its password is reset.
    pub chooses_password: bool,
    /// The account that is there already. Whoever follows an invitation of its address must be
    /// signed in as it: else one could be made beforehand with somebody else's address.
    pub account: Option<Id<Account>>,
}

const SELECT: &str = "SELECT id, organization_id, account_id, email, grants, created_at, \
                      expires_at, maker_id FROM links";

struct Link {
    id: String,
    organization: Option<Id<Organization>>,
    account: Option<Id<Account>>,
    email: String,
    grants: Grants,
    created_at: Millis,
    expires_at: Millis,
    /// Who made it; none for the operator.
    maker: Option<Id<Account>>,
}

fn read(found: &AnyRow) -> Result<Link, StoreError> {
    let (policies, groups) = row::json(found, 4)?;
    Ok(Link {
        id: row::text(found, 0)?,
        organization: row::optional_id(found, 1)?,
        account: row::optional_id(found, 2)?,
        email: row::text(found, 3)?,
        grants: Grants { policies, groups },
        created_at: row::millis(found, 5)?,
        expires_at: row::millis(found, 6)?,
        maker: row::optional_id(found, 7)?,
    })
}

impl Store {
    /// Invites somebody, and gives the text of the link. An invitation of the same address before
    /// stops working.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `email` for a member; [`StoreError::Invalid`] of `policies` or
    /// `groups`.
    pub async fn invite(
        &self,
        organization: &Id<Organization>,
        email: &Email,
        grants: &Grants,
        actor: &Actor,
        now: Millis,
    ) -> Result<(Invitation, String), StoreError> {
        let grants = grants.folded();
        let mut at = self.administration(organization, actor, now).await?;
        at.may(INVITE, anybody())?;
        at.may_give(&Grants::default(), &grants).await?;
        reviewers::may_join(&mut at, &[], &grants.groups).await?;
        members::must_exist(&mut at.tx, organization, &grants).await?;
        not_a_member(&mut at.tx, organization, email).await?;
        sqlx::query("DELETE FROM links WHERE organization_id = $1 AND email_folded = $2")
            .bind(organization.as_str())
            .bind(email.folded())
            .execute(&mut *at.tx)
            .await?;
        let invitation = Invitation {
            id: Id::new(Uuid::now_v7().to_string()),
            email: email.as_str().to_owned(),
            grants,
            created_at: now,
            expires_at: Millis(now.0 + INVITATION),
        };
        let maker = maker(&mut at.tx, actor).await?;
        let link = Link {
            maker,
            ..of_invitation(organization, &invitation)
        };
        let text = insert(&mut at.tx, &link).await?;
        room::INVITATIONS
            .holds_at(&mut at.tx, &[organization.as_str()], now)
            .await?;
        let event = invitation
            .grants
            .event("inviteMember", &invitation.email, "invited with");
        at.done(event).await?;
        Ok((invitation, text))
    }

    /// Invitations that still work, the oldest first.
    pub async fn invitations(
        &self,
        organization: &Id<Organization>,
        now: Millis,
    ) -> Result<Vec<Invitation>, StoreError> {
        let query = format!(
            "{SELECT} WHERE organization_id = $1 AND expires_at > $2 ORDER BY created_at, id"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(organization.as_str())
            .bind(now.0)
            .fetch_all(&self.shared.truth.read)
            .await?;
        let invitation = |found| {
            let link: Link = read(found)?;
            Ok(Invitation {
                id: Id::new(link.id),
                email: link.email,
                grants: link.grants,
                created_at: link.created_at,
                expires_at: link.expires_at,
            })
        };
        rows.iter().map(invitation).collect()
    }

    /// Takes an invitation back.
    pub async fn withdraw_invitation(
        &self,
        organization: &Id<Organization>,
        id: &Id<Invitation>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut at = self.administration(organization, actor, now).await?;
        at.may(INVITE, anybody())?;
        let query = format!("{SELECT} WHERE id = $1 AND organization_id = $2");
        let found = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(id.as_str())
            .bind(organization.as_str())
            .fetch_optional(&mut *at.tx)
            .await?;
        let link = read(&found.ok_or(StoreError::NotFound("invitation"))?)?;
        delete(&mut at.tx, &link.id).await?;
        let event = about("withdrawInvitation", &link.email, "is no longer invited");
        at.done(event).await
    }

    /// Makes a link by which a member's password can be chosen anew, and gives its text. Links
    /// before stop working. Only for accounts that are in this organization alone: others' would
    /// open another organization's door.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where they are a member of another one.
    pub async fn reset_link(
        &self,
        organization: &Id<Organization>,
        account: &Id<Account>,
        actor: &Actor,
        now: Millis,
    ) -> Result<String, StoreError> {
        let mut at = self.administration(organization, actor, now).await?;
        at.may("member.reset", members::resource(account))?;
        let member = members::find(&mut at.tx, organization, account).await?;
        let member = member.ok_or(StoreError::NotFound("member"))?;
        // Whoever has the link can be this person.
        at.may_give(&Grants::default(), &member.grants()).await?;
        reviewers::may_act_as(&mut at, account, &member.groups).await?;
        let all = organizations::of_account(&mut at.tx, account.as_str()).await?;
        if all.len() > 1 {
            let message = "this person is a member of another organization too";
            return Err(StoreError::refused("", "memberElsewhere", message));
        }
        let account = &member.account;
        let text = replace_reset(&mut at.tx, account, now, RESET).await?;
        let event = about("resetPassword", &account.email, "may choose a new password");
        at.done(event).await?;
        Ok(text)
    }

    /// The same for somebody who asked for it themselves, to be sent to their address. It is in no
    /// organization's history: an account is of none.
    pub async fn own_reset_link(
        &self,
        account: &Account,
        now: Millis,
    ) -> Result<String, StoreError> {
        let mut tx = self.begin_write().await?;
        let text = replace_reset(&mut tx, account, now, OWN_RESET).await?;
        self.end(tx, false).await?;
        Ok(text)
    }

    /// What a link leads to, without following it. None: it does not work, or no longer.
    pub async fn look_at_link(
        &self,
        text: &str,
        now: Millis,
    ) -> Result<Option<Followed>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let Some(link) = find(&mut connection, text, now).await? else {
            return Ok(None);
        };
        let email = Email::new(&link.email).map_err(|error| StoreError::Other(Box::new(error)))?;
        let account = self.account_by_email(&email).await?;
        Ok(Some(Followed {
            email: link.email,
            chooses_password: link.account.is_some() || account.is_none(),
            organization: link.organization,
            account: account.map(|account| account.id),
        }))
    }

    /// Follows a link, once: resets the password, or makes a member (and their account, where there
    /// is none). The password is taken only where [`Followed::chooses_password`] says so. None: there
    /// is an account by now, and `signed_in` is not it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where it does not work, or no longer; [`StoreError::Invalid`] of
    /// `password` where one has to be chosen; [`StoreError::Refused`] where whoever made an
    /// invitation may not give that any more.
    pub async fn follow_link(
        &self,
        text: &str,
        name: &str,
        password: Option<&str>,
        signed_in: Option<&Id<Account>>,
        now: Millis,
    ) -> Result<Option<Account>, StoreError> {
        let mut tx = self.begin_write().await?;
        let link = find(&mut tx, text, now).await?;
        let link = link.ok_or(StoreError::NotFound("link"))?;
        // Before the link itself, as whoever makes and withdraws one.
        if let Some(organization) = &link.organization {
            self.lock_organization(&mut tx, organization).await?;
        }
        // Whoever deletes it follows it: a second request finds none.
        if delete(&mut tx, &link.id).await? == 0 {
            return Err(StoreError::NotFound("link"));
        }
        let email = Email::new(&link.email).map_err(|error| StoreError::Other(Box::new(error)))?;
        let (account, new) = accounts::find_or_insert(&mut tx, &email, name, now).await?;
        if link.account.is_none() && !new && signed_in != Some(&account.id) {
            return Ok(None);
        }
        if link.account.is_some() || new {
            let hash = password.ok_or_else(password_missing)?;
            let temporary = false;
            accounts::write_password(&mut tx, &account.id, NewPassword { hash, temporary }).await?;
            sessions::end_others(&mut tx, &account.id, None, now).await?;
        }
        if link.account.is_some() {
            let own = Own::new("changePassword", "chose a new password by a link");
            self.record_own(&mut tx, &account.id, None, own, now)
                .await?;
        }
        if let Some(organization) = &link.organization {
            must_hold(&mut tx, organization, &link).await?;
            self.join(&mut tx, organization, &account, &link.grants, now)
                .await?;
        }
        self.end(tx, false).await?;
        self.account(&account.id).await.map(Some)
    }

    async fn join(
        &self,
        tx: &mut Tx,
        organization: &Id<Organization>,
        account: &Account,
        grants: &Grants,
        now: Millis,
    ) -> Result<(), StoreError> {
        members::must_exist(tx, organization, grants).await?;
        members::insert(tx, organization, &account.id, grants, now).await?;
        delete_of_account(tx, &account.id).await?;
        let event = about("joinOrganization", &account.email, "joined");
        self.record(tx, organization, &Actor::member(account), event, now)
            .await
    }
}

/// Whoever is invited: they have no account yet.
fn anybody() -> Resource {
    Resource::new(Kind::Member, "*")
}

fn of_invitation(organization: &Id<Organization>, invitation: &Invitation) -> Link {
    Link {
        id: invitation.id.as_str().to_owned(),
        organization: Some(organization.clone()),
        account: None,
        email: invitation.email.clone(),
        grants: invitation.grants.clone(),
        created_at: invitation.created_at,
        expires_at: invitation.expires_at,
        maker: None,
    }
}

/// The person behind an actor: what a token makes is worth what its maker may do.
async fn maker(
    connection: &mut AnyConnection,
    actor: &Actor,
) -> Result<Option<Id<Account>>, StoreError> {
    match actor.kind {
        ActorKind::Member => Ok(Some(Id::new(actor.id.as_str()))),
        ActorKind::Token => {
            let found = sqlx::query("SELECT account_id FROM tokens WHERE id = $1")
                .bind(actor.id.as_str())
                .fetch_optional(connection)
                .await?;
            let found = found.map(|found| row::optional_id(&found, 0)).transpose()?;
            Ok(found.flatten())
        }
        _ => Ok(None),
    }
}

/// Refuses an invitation whose maker could not make it now.
async fn must_hold(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    link: &Link,
) -> Result<(), StoreError> {
    let Some(maker) = &link.maker else {
        return Ok(());
    };
    let stale = || {
        let message = "whoever made this invitation may not give what it gives any more; ask for \
                       another one";
        StoreError::refused("", "invitationStale", message)
    };
    let rights = membership::rights(connection, organization, maker).await?;
    let rights = rights.ok_or_else(stale)?;
    let given = membership::policies_given(connection, organization, &link.grants).await?;
    let groups = &link.grants.groups;
    let invites = rights.allow(INVITE, &anybody())
        && reviewers::lets_join(connection, organization, &rights, groups).await?;
    match invites && may_give(&rights, &given, &[]).is_ok() {
        true => Ok(()),
        false => Err(stale()),
    }
}

fn about(kind: &'static str, email: &str, done: &str) -> Event {
    Event {
        kind,
        params: vec![("email", email.to_owned())],
        text: format!("{email} {done}"),
    }
}

fn password_missing() -> StoreError {
    StoreError::Invalid {
        field: "password",
        code: "passwordMissing".into(),
        message: "choose a password".to_owned(),
    }
}

async fn not_a_member(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    email: &Email,
) -> Result<(), StoreError> {
    let found = sqlx::query(
        "SELECT 1 FROM members JOIN accounts ON accounts.id = members.account_id \
         WHERE members.organization_id = $1 AND accounts.email_folded = $2",
    )
    .bind(organization.as_str())
    .bind(email.folded())
    .fetch_optional(connection)
    .await?;
    match found {
        None => Ok(()),
        Some(_) => Err(StoreError::conflict(
            "email",
            "this person is a member already",
        )),
    }
}

/// Writes a link that resets an account's password, in place of those before; its text.
async fn replace_reset(
    connection: &mut AnyConnection,
    account: &Account,
    now: Millis,
    lives: i64,
) -> Result<String, StoreError> {
    delete_of_account(connection, &account.id).await?;
    let link = Link {
        id: Uuid::now_v7().to_string(),
        organization: None,
        account: Some(account.id.clone()),
        email: account.email.clone(),
        grants: Grants::default(),
        created_at: now,
        expires_at: Millis(now.0 + lives),
        maker: None,
    };
    insert(connection, &link).await
}

/// Writes a link, and gives its text.
async fn insert(connection: &mut AnyConnection, link: &Link) -> Result<String, StoreError> {
    let text = text::secret("");
    let grants = (&link.grants.policies, &link.grants.groups);
    sqlx::query(
        "INSERT INTO links (id, organization_id, account_id, email, email_folded, grants, hash, \
         created_at, expires_at, maker_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(link.id.as_str())
    .bind(link.organization.as_ref().map(Id::as_str))
    .bind(link.account.as_ref().map(Id::as_str))
    .bind(link.email.as_str())
    .bind(link.email.to_lowercase())
    .bind(serde_json::to_string(&grants)?)
    .bind(digest::bytes(text.as_bytes()).to_vec())
    .bind(link.created_at.0)
    .bind(link.expires_at.0)
    .bind(link.maker.as_ref().map(Id::as_str))
    .execute(connection)
    .await?;
    Ok(text)
}

async fn find(
    connection: &mut AnyConnection,
    text: &str,
    now: Millis,
) -> Result<Option<Link>, StoreError> {
    let query = format!("{SELECT} WHERE hash = $1 AND expires_at > $2");
    let found = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(digest::bytes(text.as_bytes()).to_vec())
        .bind(now.0)
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

async fn delete(connection: &mut AnyConnection, id: &str) -> Result<u64, StoreError> {
    let done = sqlx::query("DELETE FROM links WHERE id = $1")
        .bind(id)
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}

/// Follows the invitation of an address, where there is one that works, for somebody who proved to
/// have it. What it gives.
pub(super) async fn take_invitation(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    email: &Email,
    now: Millis,
) -> Result<Option<Grants>, StoreError> {
    let query =
        format!("{SELECT} WHERE organization_id = $1 AND email_folded = $2 AND expires_at > $3");
    let found = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(organization.as_str())
        .bind(email.folded())
        .bind(now.0)
        .fetch_optional(&mut *connection)
        .await?;
    let Some(link) = found.as_ref().map(read).transpose()? else {
        return Ok(None);
    };
    delete(connection, &link.id).await?;
    match must_hold(connection, organization, &link).await {
        Ok(()) => Ok(Some(link.grants)),
        // It is gone; what the provider lets in comes in without it.
        Err(StoreError::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes the links of an account's password worthless: what they were given out for is no more.
pub(super) async fn delete_of_account(
    connection: &mut AnyConnection,
    account: &Id<Account>,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM links WHERE account_id = $1")
        .bind(account.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

impl Store {
    /// Deletes links that have expired.
    pub async fn sweep_links(&self, now: Millis) -> Result<u64, StoreError> {
        let done = sqlx::query("DELETE FROM links WHERE expires_at <= $1")
            .bind(now.0)
            .execute(&self.shared.truth.write)
            .await?;
        Ok(done.rows_affected())
    }
}
