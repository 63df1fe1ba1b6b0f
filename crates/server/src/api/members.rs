//! Members of the organization.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::id::Id;
use burgee_store::people::accounts::Account;
use burgee_store::people::members::{Grants, Member, MemberFilter};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::page::{Page, PageQuery};
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
    /// When they were last signed in and asked for something, to about a minute, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<String>,
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
            last_seen_at: member.account.seen_at.map(|at| at.to_string()),
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
    /// The key of a group that they are in.
    pub group: Option<String>,
    /// The key of a policy that they were given directly.
    pub policy: Option<String>,
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
    api::searched("search", query.search.as_deref())?;
    let filter = MemberFilter {
        search: query.search,
        group: query.group,
        policy: query.policy,
    };
    let found = state.store.members(&caller.organization, &filter, &page);
    let found = found.await?;
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
    let account = account(&id)?;
    let resource = Resource::new(Kind::Member, account.as_str());
    caller.may("member.read", &resource)?;
    let found = state.store.member(&caller.organization, &account).await;
    let found = found.map_err(api::or_missing(|| missing(&id)))?;
    Ok(Json(found.into()))
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
    let missing = || missing(&id);
    let account = account(&id)?;
    api::few("/policies", update.policies.len())?;
    api::few("/groups", update.groups.len())?;
    let grants = Grants {
        policies: update.policies,
        groups: update.groups,
    };
    let (organization, actor) = (&caller.organization, &caller.actor);
    let changed = state
        .store
        .set_member(organization, &account, &grants, actor, now())
        .await;
    Ok(Json(changed.map_err(api::or_missing(missing))?.into()))
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
    let account = account(&id)?;
    let (organization, actor) = (&caller.organization, &caller.actor);
    let removed = state
        .store
        .remove_member(organization, &account, actor, now());
    removed.await.map_err(api::or_missing(|| missing(&id)))?;
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
    let account = account(&id)?;
    if !caller.in_session && caller.account.as_ref() == Some(&account) {
        let detail = "one's own password is changed by the person, not by a token";
        return Err(Problem::forbidden(detail));
    }
    let (organization, actor) = (&caller.organization, &caller.actor);
    let link = state.store.reset_link(organization, &account, actor, now());
    let link = link.await.map_err(api::or_missing(|| missing(&id)))?;
    Ok(Json(OneTimeLink {
        link: state.link(&link),
    }))
}

/// Reads an account's id: it can be written in several ways, and policies name it in one.
fn account(id: &str) -> Result<Id<Account>, Problem> {
    let known = uuid::Uuid::parse_str(id).map_err(|_| missing(id))?;
    Ok(Id::new(known.to_string()))
}

fn missing(id: &str) -> Problem {
    Problem::not_found(format!("member `{id}`"))
}
