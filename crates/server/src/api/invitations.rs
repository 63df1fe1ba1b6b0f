//! Invitations, and the one-time links that they and resets of a password are.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::id::Id;
use burgee_domain::people::Email;
use burgee_store::StoreError;
use burgee_store::people::links::{Followed, Invitation};
use burgee_store::people::members::Grants;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::page::Page;
use crate::api::session::{self, Me};
use crate::api::{self, me};
use crate::app::{AppState, now};
use crate::auth::peer::Peer;
use crate::auth::{Caller, SignedIn, password};
use crate::body::Body;
use crate::mail::Letter;
use crate::params::Path;
use crate::problem::Problem;

/// Somebody to invite.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewInvitation {
    /// Their address of mail.
    pub email: String,
    /// Keys of the policies that they will have.
    #[serde(default)]
    pub policies: Vec<String>,
    /// Keys of the groups that they will be in.
    #[serde(default)]
    pub groups: Vec<String>,
}

/// An invitation that nobody has followed yet.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationView {
    /// Its id.
    pub id: String,
    /// Who is invited.
    pub email: String,
    /// Keys of the policies that they will have.
    pub policies: Vec<String>,
    /// Keys of the groups that they will be in.
    pub groups: Vec<String>,
    /// When it was made, ISO 8601.
    pub created_at: String,
    /// When it stops working, ISO 8601.
    pub expires_at: String,
    /// The link, to be given to the person; shown when it is made, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Whether the link is sent to the person by mail too; said when it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mailed: Option<bool>,
}

impl From<Invitation> for InvitationView {
    fn from(invitation: Invitation) -> Self {
        Self {
            id: invitation.id.to_string(),
            email: invitation.email,
            policies: invitation.grants.policies,
            groups: invitation.grants.groups,
            created_at: invitation.created_at.to_string(),
            expires_at: invitation.expires_at.to_string(),
            link: None,
            mailed: None,
        }
    }
}

/// A link's last part.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkText {
    /// What stands after `#` in the link.
    pub link: String,
}

/// What a link leads to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    /// The address that it is for.
    pub email: String,
    /// Whether a password has to be chosen.
    pub chooses_password: bool,
    /// Whether it is followed by whoever is signed in with this address.
    pub needs_sign_in: bool,
    /// Whether it leads into an organization (else it resets a password).
    pub invitation: bool,
}

/// Following a link.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkFollowed {
    /// What stands after `#` in the link.
    pub link: String,
    /// The display name of a new account; the address where none is given.
    pub name: Option<String>,
    /// The password, where one has to be chosen.
    pub password: Option<String>,
}

/// List the invitations that still work, the oldest first.
#[utoipa::path(get, path = "/api/v1/invitations", tag = "people",
    responses((status = 200, body = Page<InvitationView>)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<Json<Page<InvitationView>>, Problem> {
    caller.may("member.read", &Resource::new(Kind::Member, "*"))?;
    let all = state.store.invitations(&caller.organization, now()).await?;
    Ok(Json(Page {
        items: all.into_iter().map(Into::into).collect(),
        next: None,
    }))
}

/// Invite somebody. An invitation before of the same address stops working. It is worth what you may
/// give when it is followed.
#[utoipa::path(post, path = "/api/v1/invitations", tag = "people", request_body = NewInvitation,
    responses((status = 201, body = InvitationView), (status = 400, body = Problem),
        (status = 409, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Body(new): Body<NewInvitation>,
) -> Result<(StatusCode, Json<InvitationView>), Problem> {
    api::few("/policies", new.policies.len())?;
    api::few("/groups", new.groups.len())?;
    let email = Email::new(&new.email)
        .map_err(|error| Problem::invalid("/email", "emailInvalid", error.to_string()))?;
    let grants = Grants {
        policies: new.policies,
        groups: new.groups,
    };
    let (organization, actor) = (&caller.organization, &caller.actor);
    let (invitation, text) = state
        .store
        .invite(organization, &email, &grants, actor, now())
        .await?;
    let link = state.link(&text);
    let letter = Letter::invitation(&email, &caller.actor.name, &link);
    let view = InvitationView {
        mailed: Some(state.mail.send(letter)),
        link: Some(link),
        ..invitation.into()
    };
    Ok((StatusCode::CREATED, Json(view)))
}

/// Take an invitation back.
#[utoipa::path(delete, path = "/api/v1/invitations/{id}", tag = "people",
    params(("id", description = "The invitation's id")),
    responses((status = 204, description = "Taken back"), (status = 404, body = Problem)))]
pub async fn withdraw(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let missing = || Problem::not_found(format!("invitation `{id}`"));
    let known = uuid::Uuid::parse_str(&id).map_err(|_| missing())?;
    let id = Id::new(known.to_string());
    let (organization, actor) = (&caller.organization, &caller.actor);
    let done = state
        .store
        .withdraw_invitation(organization, &id, actor, now())
        .await;
    done.map_err(api::or_missing(missing))?;
    Ok(StatusCode::NO_CONTENT)
}

/// See what a link leads to, without following it.
#[utoipa::path(post, path = "/api/v1/links/look", tag = "people", request_body = LinkText,
    security(()),
    responses((status = 200, body = LinkView), (status = 404, body = Problem),
        (status = 429, body = Problem)))]
pub async fn look(
    State(state): State<AppState>,
    Body(LinkText { link }): Body<LinkText>,
) -> Result<Json<LinkView>, Problem> {
    let found = looked_at(&state, &link).await?;
    Ok(Json(LinkView {
        chooses_password: found.chooses_password,
        needs_sign_in: needs_sign_in(&found),
        invitation: found.organization.is_some(),
        email: found.email,
    }))
}

/// Follow a link, once: join the organization, or choose a new password. Where a password is
/// chosen, the answer signs in as well. An invitation of an address that has an account is followed
/// in a session of it.
#[utoipa::path(post, path = "/api/v1/links/follow", tag = "people", request_body = LinkFollowed,
    security(()),
    responses((status = 200, body = Me), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn follow(
    State(state): State<AppState>,
    Peer(address): Peer,
    headers: HeaderMap,
    signed_in: Option<SignedIn>,
    Body(followed): Body<LinkFollowed>,
) -> Result<impl IntoResponse, Problem> {
    let found = looked_at(&state, &followed.link).await?;
    if let Some(signed_in) = &signed_in {
        signed_in.settled()?;
    }
    // What one organization's provider says of somebody opens no other's door.
    let signed_in = signed_in.filter(|it| it.session.organization.is_none());
    let signed_in = signed_in.map(|it| it.account.id);
    let sign_in_first = || Problem::unauthorized(&format!("sign in as {} first", found.email));
    if needs_sign_in(&found) && signed_in != found.account {
        return Err(sign_in_first());
    }
    let name = followed.name.as_deref().unwrap_or(&found.email);
    let name = api::name("/name", name)?;
    let hash = match (&followed.password, found.chooses_password) {
        (Some(password), true) => {
            me::new_password("/password", password, &found.email)?;
            Some(password::hash(password).await?)
        }
        _ => None,
    };
    let done = state
        .store
        .follow_link(
            &followed.link,
            &name,
            hash.as_deref(),
            signed_in.as_ref(),
            now(),
        )
        .await;
    let done = done.map_err(api::or_missing(no_link))?;
    let account = done.ok_or_else(sign_in_first)?;
    if hash.is_some() && found.account.is_some() {
        let notice = Letter::password_changed(&account.email, &state.public_url);
        state.mail.send(notice);
    }
    let mut cookies = HeaderMap::new();
    // Whoever could read the link is not who knows the account's password or has its second factor.
    if hash.is_some() && account.second_factor.is_none() {
        let seen = crate::auth::session::seen(&headers, address);
        let begun = state
            .store
            .begin_session(&account, &seen, false, now())
            .await?;
        if let Some((_, text)) = begun {
            let cookie = crate::auth::session::cookie(&text, state.secure_cookies);
            cookies.insert(header::SET_COOKIE, cookie);
        }
    }
    Ok((cookies, session::me(&state, account, None).await?))
}

fn needs_sign_in(found: &Followed) -> bool {
    found.account.is_some() && !found.chooses_password
}

async fn looked_at(state: &AppState, link: &str) -> Result<Followed, Problem> {
    let found = state.store.look_at_link(link, now()).await;
    match found {
        Ok(Some(found)) => Ok(found),
        Ok(None) | Err(StoreError::NotFound(_)) => Err(no_link()),
        Err(error) => Err(error.into()),
    }
}

fn no_link() -> Problem {
    Problem::not_found("such link; it may have been used, or have expired")
}
