//! Single sign-on: an organization's provider, and who its subjects are here.
//!
//! Whoever chooses the provider of an organization decides what it says, about anybody's address.
//! So what it says holds inside that organization alone: the link of a subject to an account is the
//! organization's own, and so is the session that it opens.

use burgee_domain::access::{OWN, Resource};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Organization;
use burgee_domain::people::Email;
use burgee_domain::people::sign_on::{Claimed, GroupMapping, SignOnRules};
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::accounts::{self, Account};
use super::members::{self, Grants};
use super::record::{Administration, Event, keys};
use super::sessions::Seen;
use super::{holders, links, sessions};
use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::{Store, row, text};

/// How an organization's members sign in.
#[derive(Clone, PartialEq, Eq)]
pub struct SignOn {
    /// The provider.
    pub issuer: String,
    /// What it knows us by.
    pub client_id: String,
    /// What we prove it with, sealed; none for a public client.
    pub client_secret: Option<Vec<u8>>,
    /// How what it says is taken.
    pub rules: SignOnRules,
    /// Whether a session that began with a password is refused, but for owners'.
    pub passwords_off: bool,
}

impl std::fmt::Debug for SignOn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignOn")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

/// Who a provider says has signed in.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The provider.
    pub issuer: String,
    /// Its name for the person, which never changes.
    pub subject: String,
    /// What it says of them.
    pub claimed: Claimed,
}

/// What became of a sign-in by a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignedOn {
    /// The text of the session that it opened.
    Session(String),
    /// The person is not a member, not invited, and may not join by themselves.
    NotAMember,
    /// The provider has not made sure of the address, by which the person would be found.
    EmailNotVerified,
    /// The account of this address belongs to another of the provider's subjects.
    LinkedToAnother,
}

const SELECT: &str = "SELECT issuer, client_id, client_secret, rules, passwords_off FROM sign_on";

fn read(found: &AnyRow) -> Result<SignOn, StoreError> {
    Ok(SignOn {
        issuer: row::text(found, 0)?,
        client_id: row::text(found, 1)?,
        client_secret: row::optional_blob(found, 2)?,
        rules: row::json(found, 3)?,
        passwords_off: row::boolean(found, 4)?,
    })
}

impl Store {
    /// How an organization's members sign in by a provider; none where they do not.
    pub async fn sign_on(
        &self,
        organization: &Id<Organization>,
    ) -> Result<Option<SignOn>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        find(&mut connection, organization).await
    }

    /// Sets how an organization's members sign in by a provider. Where it is another provider or
    /// client than before, the sessions that the one before opened end.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `policies` or `groups` that there are not, or of a text.
    pub async fn set_sign_on(
        &self,
        organization: &Id<Organization>,
        new: &SignOn,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        for (field, value) in [("issuer", &new.issuer), ("clientId", &new.client_id)] {
            text::storable(field, value)?;
        }
        let mut at = self.administration(organization, actor, now).await?;
        may_set(&at)?;
        let newcomers = Grants {
            policies: new.rules.newcomer_policies.clone(),
            groups: new.rules.newcomer_groups.clone(),
        };
        let known = members::must_exist(&mut at.tx, organization, &newcomers.folded()).await;
        known.map_err(of_newcomers)?;
        let mapped = new.rules.groups.iter().map(|it| it.group.clone());
        let mapped = Grants {
            groups: mapped.collect(),
            ..Grants::default()
        };
        members::must_exist(&mut at.tx, organization, &mapped.folded()).await?;
        let before = find(&mut at.tx, organization).await?;
        let client = |it: &SignOn| (it.issuer.clone(), it.client_id.clone());
        if before.is_some_and(|before| client(&before) != client(new)) {
            sessions::end_of(&mut at.tx, organization, None).await?;
        }
        write(&mut at.tx, organization, new, now).await?;
        at.done(set(new)).await
    }

    /// Ends single sign-on. Sessions that the provider opened end; who its subjects are is kept, for
    /// the case that it comes back.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is none.
    pub async fn remove_sign_on(
        &self,
        organization: &Id<Organization>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut at = self.administration(organization, actor, now).await?;
        may_set(&at)?;
        let done = sqlx::query("DELETE FROM sign_on WHERE organization_id = $1")
            .bind(organization.as_str())
            .execute(&mut *at.tx)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound("sign-in by a provider"));
        }
        sessions::end_of(&mut at.tx, organization, None).await?;
        let event = Event {
            kind: "removeSignIn",
            params: Vec::new(),
            text: "single sign-on ended".to_owned(),
        };
        at.done(event).await
    }

    /// Begins a session for whom the organization's provider has signed in. Who is not a member yet
    /// joins where they are invited or their domain may; groups follow the mapping.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where that provider is not the organization's (any more).
    pub async fn sign_on_as(
        &self,
        organization: &Id<Organization>,
        subject: &Subject,
        seen: &Seen,
        now: Millis,
    ) -> Result<SignedOn, StoreError> {
        // The organization lets in whom its provider names: nobody else decides about it.
        let system = Actor::system();
        let mut at = self.administration(organization, &system, now).await?;
        let sign_on = find(&mut at.tx, organization).await?;
        let sign_on = sign_on.filter(|it| it.issuer == subject.issuer);
        let sign_on = sign_on.ok_or(StoreError::NotFound("sign-in by a provider"))?;
        let known = account_of(&mut at.tx, organization, subject).await?;
        let is_known = known.is_some();
        let account = match admit(&mut at, &sign_on.rules, known, subject).await? {
            Ok(account) => account,
            Err(refused) => return Ok(refused),
        };
        if !is_known && !link(&mut at.tx, organization, subject, &account, now).await? {
            return Ok(SignedOn::LinkedToAnother);
        }
        follow_groups(&mut at, &sign_on.rules, &account, &subject.claimed).await?;
        let begun = sessions::insert_of(&mut at.tx, organization, &account.id, seen, now);
        let text = begun.await?;
        at.record(&Actor::member(&account), signed_in(&account, subject, seen))
            .await?;
        at.commit().await?;
        Ok(SignedOn::Session(text))
    }
}

/// Whoever chooses the provider decides who is an owner.
fn may_set(at: &Administration<'_>) -> Result<(), StoreError> {
    at.may("organization.setSignIn", Resource::organization())?;
    at.may(OWN, Resource::organization())
}

/// That somebody signed in by a provider, in the history.
fn signed_in(account: &Account, subject: &Subject, seen: &Seen) -> Event {
    let Seen { address, agent } = seen.kept();
    Event {
        kind: "signIn",
        params: vec![
            ("email", account.email.clone()),
            ("address", address),
            ("agent", agent),
            ("provider", subject.issuer.clone()),
        ],
        text: format!("{} signed in by single sign-on", account.email),
    }
}

/// The account, as a member of the organization; whoever may join joins.
async fn admit(
    at: &mut Administration<'_>,
    rules: &SignOnRules,
    known: Option<Account>,
    subject: &Subject,
) -> Result<Result<Account, SignedOn>, StoreError> {
    let organization = at.organization;
    if let Some(account) = &known
        && members::find(&mut at.tx, organization, &account.id)
            .await?
            .is_some()
    {
        return Ok(Ok(account.clone()));
    }
    let Some(email) = &subject.claimed.email else {
        return Ok(Err(SignedOn::EmailNotVerified));
    };
    let account = match known {
        Some(account) => Some(account),
        None => accounts::of_email(&mut at.tx, email).await?,
    };
    if let Some(account) = &account
        && members::find(&mut at.tx, organization, &account.id)
            .await?
            .is_some()
    {
        return Ok(Ok(account.clone()));
    }
    let invited = links::take_invitation(&mut at.tx, organization, email, at.now).await?;
    let newcomer = rules.lets_join(email).then(|| Grants {
        policies: rules.newcomer_policies.clone(),
        groups: rules.newcomer_groups.clone(),
    });
    let Some(grants) = invited.or(newcomer) else {
        return Ok(Err(SignedOn::NotAMember));
    };
    let account = match account {
        Some(account) => account,
        None => {
            let name = display_name(&subject.claimed, email);
            accounts::insert(&mut at.tx, email, &name, at.now).await?
        }
    };
    members::insert(&mut at.tx, organization, &account.id, &grants, at.now).await?;
    let event = Event {
        kind: "joinOrganization",
        params: vec![("email", account.email.clone())],
        text: format!("{} joined by single sign-on", account.email),
    };
    at.record(&Actor::member(&account), event).await?;
    Ok(Ok(account))
}

/// The name that the provider gives, where it is one; the address else.
fn display_name(claimed: &Claimed, email: &Email) -> String {
    let given = claimed
        .name
        .as_deref()
        .and_then(|name| text::name(name).ok());
    given.unwrap_or_else(|| email.as_str().to_owned())
}

/// Puts a member into the groups that the provider says, where that leaves an owner.
async fn follow_groups(
    at: &mut Administration<'_>,
    rules: &SignOnRules,
    account: &Account,
    claimed: &Claimed,
) -> Result<(), StoreError> {
    let organization = at.organization;
    let member = members::find(&mut at.tx, organization, &account.id).await?;
    let member = member.ok_or(StoreError::NotFound("member"))?;
    let groups = rules.groups_of(&member.groups, &claimed.groups);
    if groups == member.groups {
        return Ok(());
    }
    members::set_groups(&mut at.tx, organization, &account.id, &groups).await?;
    if !holders::has_owner(&mut at.tx, organization).await? {
        // Nobody could give anybody rights any more: the last owner stays where they are.
        return members::set_groups(&mut at.tx, organization, &account.id, &member.groups).await;
    }
    let grants = Grants {
        policies: member.policies,
        groups,
    };
    let event = grants.event("updateMember", &account.email, "has by single sign-on");
    at.record(&Actor::member(account), event).await
}

/// The account that a subject is known as.
async fn account_of(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    subject: &Subject,
) -> Result<Option<Account>, StoreError> {
    let query = format!(
        "SELECT {} FROM identities JOIN accounts ON accounts.id = identities.account_id \
         WHERE organization_id = $1 AND issuer = $2 AND subject = $3",
        accounts::COLUMNS
    );
    let found = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(organization.as_str())
        .bind(subject.issuer.as_str())
        .bind(subject.subject.as_str())
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(accounts::read).transpose()
}

/// Links a subject to an account. False: the account is another subject's.
async fn link(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    subject: &Subject,
    account: &Account,
    now: Millis,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "INSERT INTO identities (organization_id, issuer, subject, account_id, created_at) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(organization.as_str())
    .bind(subject.issuer.as_str())
    .bind(subject.subject.as_str())
    .bind(account.id.as_str())
    .bind(now.0)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Forgets which of the organization's subjects an account is, and ends the sessions that they
/// opened.
pub(super) async fn forget(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    account: &Id<Account>,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM identities WHERE organization_id = $1 AND account_id = $2")
        .bind(organization.as_str())
        .bind(account.as_str())
        .execute(&mut *connection)
        .await?;
    sessions::end_of(connection, organization, Some(account)).await
}

/// Takes a group that is being deleted out of the rules: one of the same key later is another.
pub(super) async fn forget_group(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    group: &Key,
    now: Millis,
) -> Result<(), StoreError> {
    let Some(mut sign_on) = find(connection, organization).await? else {
        return Ok(());
    };
    let group = group.folded();
    sign_on.rules.groups.retain(|it| it.group != group);
    sign_on.rules.newcomer_groups.retain(|it| *it != group);
    write(connection, organization, &sign_on, now).await
}

/// Whether newcomers are given a policy (by folded key).
pub(super) async fn gives_policy(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    policy: &str,
) -> Result<bool, StoreError> {
    let found = find(connection, organization).await?;
    Ok(found.is_some_and(|it| it.rules.newcomer_policies.iter().any(|it| it == policy)))
}

async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<Option<SignOn>, StoreError> {
    let query = format!("{SELECT} WHERE organization_id = $1");
    let found = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(organization.as_str())
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

async fn write(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    sign_on: &SignOn,
    now: Millis,
) -> Result<(), StoreError> {
    let rules = serde_json::to_value(&sign_on.rules)?;
    text::storable_json("text", &rules)?;
    sqlx::query(
        "INSERT INTO sign_on (organization_id, issuer, client_id, client_secret, rules, \
         passwords_off, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7) \
         ON CONFLICT (organization_id) DO UPDATE SET issuer = excluded.issuer, \
         client_id = excluded.client_id, client_secret = excluded.client_secret, \
         rules = excluded.rules, passwords_off = excluded.passwords_off, \
         updated_at = excluded.updated_at",
    )
    .bind(organization.as_str())
    .bind(sign_on.issuer.as_str())
    .bind(sign_on.client_id.as_str())
    .bind(sign_on.client_secret.clone())
    .bind(rules.to_string())
    .bind(i16::from(sign_on.passwords_off))
    .bind(now.0)
    .execute(connection)
    .await?;
    Ok(())
}

/// Single sign-on is set so.
fn set(sign_on: &SignOn) -> Event {
    let passwords = if sign_on.passwords_off {
        "off"
    } else {
        "allowed"
    };
    let rules = &sign_on.rules;
    let mapping = |it: &GroupMapping| format!("{} → {}", it.value, it.group);
    let mappings: Vec<String> = rules.groups.iter().map(mapping).collect();
    Event {
        kind: "setSignIn",
        text: format!(
            "members sign in by {}, passwords: {passwords}",
            sign_on.issuer
        ),
        params: vec![
            ("issuer", sign_on.issuer.clone()),
            ("clientId", sign_on.client_id.clone()),
            ("passwords", passwords.to_owned()),
            ("domains", keys(&rules.domains)),
            ("groups", keys(&mappings)),
            ("newcomerPolicies", keys(&rules.newcomer_policies)),
            ("newcomerGroups", keys(&rules.newcomer_groups)),
        ],
    }
}

/// Says of a field where it is.
fn of_newcomers(error: StoreError) -> StoreError {
    match error {
        StoreError::Invalid {
            field,
            code,
            message,
        } => StoreError::Invalid {
            field: match field {
                "policies" => "newcomers/policies",
                "groups" => "newcomers/groups",
                other => other,
            },
            code,
            message,
        },
        other => other,
    }
}
