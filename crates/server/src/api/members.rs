//! Members of the organization.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::{self, Kind, Policy, Resource};
use burgee_domain::id::Id;
use burgee_store::people::accounts::Account;
use burgee_store::people::members::{Grants, Member};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::page::{Page, PageQuery};
use crate::api::{self};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// A member.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    /// The account's id.
    pub id: String,
    /// The address of mail.
    pub email: String,
    /// The display name.
    pub name: String,
    /// Whether the account has a second factor.
    pub second_factor: bool,
    /// Keys of the policies given directly.
    pub policies: Vec<String>,
    /// Keys of the groups.
    pub groups: Vec<String>,
    /// Since when they are a member, ISO 8601.
    pub joined_at: String,
}

impl From<Member> for MemberView {
    fn from(member: Member) -> Self {
        Self {
            id: member.account.id.to_string(),
            email: member.account.email,
            name: member.account.name,
            second_factor: member.account.second_factor.is_some(),
            policies: member.policies,
            groups: member.groups,
            joined_at: member.joined_at.to_string(),
        }
    }
}

/// Which members.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MemberQuery {
    /// Those whose name or address holds this, in any case.
    pub search: Option<String>,
    /// `next` of the page before.
    pub cursor: Option<String>,
    /// How many at most: 1 to 500, 50 where none is given.
    pub limit: Option<i64>,
}

/// What a member has from now on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberUpdate {
    /// Keys of policies, given directly.
    pub policies: Vec<String>,
    /// Keys of groups.
    pub groups: Vec<String>,
}

/// A link that works once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OneTimeLink {
    /// To be given to the person it is for; it is shown this once.
    pub link: String,
}

/// List the members, by address.
#[utoipa::path(get, path = "/api/v1/members", tag = "people", params(MemberQuery),
    responses((status = 200, body = Page<MemberView>), (status = 400, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<MemberQuery>,
) -> Result<Json<Page<MemberView>>, Problem> {
    caller.may("member.read", &Resource::new(Kind::Member, "*"))?;
    let page = PageQuery {
        cursor: query.cursor,
        limit: query.limit,
    }
    .try_into()?;
    let found = state
        .store
        .members(&caller.organization, query.search.as_deref(), &page)
        .await?;
    Ok(Json(Page {
        items: found.items.into_iter().map(Into::into).collect(),
        next: found.next,
    }))
}

/// One member.
#[utoipa::path(get, path = "/api/v1/members/{id}", tag = "people",
    params(("id", description = "The account's id")),
    responses((status = 200, body = MemberView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<MemberView>, Problem> {
    Ok(Json(
        member(&state, &caller, "member.read", &id).await?.into(),
    ))
}

/// Give a member policies and groups, in place of what they had.
#[utoipa::path(put, path = "/api/v1/members/{id}", tag = "people",
    params(("id", description = "The account's id")), request_body = MemberUpdate,
    responses((status = 200, body = MemberView), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Body(update): Body<MemberUpdate>,
) -> Result<Json<MemberView>, Problem> {
    let before = member(&state, &caller, "member.update", &id).await?;
    api::few("/policies", update.policies.len())?;
    api::few("/groups", update.groups.len())?;
    let grants = Grants {
        policies: update.policies,
        groups: update.groups,
    };
    may_give(&state, &caller, &before.grants(), &grants).await?;
    let (organization, account) = (&caller.organization, &before.account.id);
    let changed = state
        .store
        .set_member(organization, account, &grants, &caller.actor, now())
        .await?;
    Ok(Json(changed.into()))
}

/// Take somebody out of the organization. Their account, and what they did, stays.
#[utoipa::path(delete, path = "/api/v1/members/{id}", tag = "people",
    params(("id", description = "The account's id")),
    responses((status = 204, description = "Removed"), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub async fn remove(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let before = member(&state, &caller, "member.remove", &id).await?;
    // Nobody gets anything by it; an owner is unmade by an owner.
    let mut taken = state
        .store
        .policies_given(&caller.organization, &before.grants())
        .await?;
    taken.retain(|policy| policy.makes_owners());
    may_give_policies(&caller, Vec::new(), taken).await?;
    let (organization, account) = (&caller.organization, &before.account.id);
    state
        .store
        .remove_member(organization, account, &caller.actor, now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Make a link by which a member chooses a new password. Only for accounts that are in this
/// organization alone: others' would open another organization's door.
#[utoipa::path(post, path = "/api/v1/members/{id}/reset-link", tag = "people",
    params(("id", description = "The account's id")),
    responses((status = 200, body = OneTimeLink), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub async fn reset_link(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<OneTimeLink>, Problem> {
    let member = member(&state, &caller, "member.reset", &id).await?;
    if !caller.in_session && caller.account.as_ref() == Some(&member.account.id) {
        let detail = "one's own password is changed by the person, not by a token";
        return Err(Problem::forbidden(detail));
    }
    // Whoever has the link can be this person.
    may_give(&state, &caller, &Grants::default(), &member.grants()).await?;
    if state
        .store
        .organizations_of(&member.account.id)
        .await?
        .len()
        > 1
    {
        let message = "this person is a member of another organization too";
        return Err(Problem::conflict("", "memberElsewhere", message.to_owned()));
    }
    let actor = &caller.actor;
    let link = state
        .store
        .reset_link(&caller.organization, &member.account, actor, now())
        .await?;
    Ok(Json(OneTimeLink {
        link: state.link(&link),
    }))
}

/// The member of this id, to whom the caller may do this. The id is read first: it can be written in
/// several ways, and policies name it in one.
async fn member(
    state: &AppState,
    caller: &Caller,
    action: &str,
    id: &str,
) -> Result<Member, Problem> {
    let missing = || Problem::not_found(format!("member `{id}`"));
    let known = uuid::Uuid::parse_str(id).map_err(|_| missing())?;
    let account: Id<Account> = Id::new(known.to_string());
    caller.may(action, &Resource::new(Kind::Member, account.as_str()))?;
    let found = state.store.member(&caller.organization, &account).await;
    found.map_err(api::or_missing(missing))
}

/// Whether the caller may make a change after which somebody has `after` in place of `before`: what
/// is new must be theirs to give, and what is gone theirs to take.
pub(super) async fn may_give(
    state: &AppState,
    caller: &Caller,
    before: &Grants,
    after: &Grants,
) -> Result<(), Problem> {
    let (organization, store) = (&caller.organization, &state.store);
    let before = store.policies_given(organization, before).await?;
    let after = store.policies_given(organization, after).await?;
    let without = |all: &[Arc<Policy>], others: &[Arc<Policy>]| -> Vec<Arc<Policy>> {
        let is_in = |it: &&Arc<Policy>| others.iter().any(|other| other.key == it.key);
        all.iter().filter(|it| !is_in(it)).cloned().collect()
    };
    let (given, taken) = (without(&after, &before), without(&before, &after));
    may_give_policies(caller, given, taken).await
}

/// The same of policies themselves.
pub(super) async fn may_give_policies(
    caller: &Caller,
    given: Vec<Arc<Policy>>,
    taken: Vec<Arc<Policy>>,
) -> Result<(), Problem> {
    let rights = caller.rights.clone();
    let decided = api::computed(move || access::may_give(&rights, &given, &taken)).await?;
    decided.map_err(|refused| Problem::may_not_give(&refused))
}
