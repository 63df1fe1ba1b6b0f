//! Access tokens: for programs, in the name of a person or of a service.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::{Kind, Resource, StatementInput};
use burgee_domain::id::Id;
use burgee_eval::time::Millis;
use burgee_store::{Grant, NewToken, Token};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::page::Page;
use crate::api::{self, policies};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

/// The most networks of a token.
const MAX_NETWORKS: usize = 20;

/// The longest that a token with an end works, in days: ten years.
const MAX_DAYS: u32 = 3_650;

/// What a token acts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// As its member, with what they may do at the time.
    Personal,
    /// For itself, with what its policies and statements allow, within what its maker may do at
    /// the time.
    Service,
}

/// An access token.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenView {
    /// Its id.
    pub id: String,
    /// What it acts as.
    pub kind: TokenKind,
    /// What it is for.
    pub name: String,
    /// Its first characters, by which people recognise it.
    pub prefix: String,
    /// The account that it is of, or that made it; absent where the operator did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The name of that member; absent where they are none any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member_name: Option<String>,
    /// The id of the token that it was made with, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// Keys of its policies (service).
    pub policies: Vec<String>,
    /// Its own statements (service).
    pub statements: Vec<StatementInput>,
    /// From where it may be used, as CIDR; from everywhere where there is none.
    pub networks: Vec<String>,
    /// When it was made, ISO 8601.
    pub created_at: String,
    /// When it stops working, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was last used, to about a minute, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// When it was revoked, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
    /// What to send; shown when it is made, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl From<Token> for TokenView {
    fn from(token: Token) -> Self {
        let (kind, policies, statements) = match token.grant {
            Grant::Personal => (TokenKind::Personal, Vec::new(), Vec::new()),
            Grant::Service {
                policies,
                statements,
            } => (TokenKind::Service, policies, statements),
        };
        Self {
            id: token.id.to_string(),
            kind,
            name: token.name,
            prefix: token.prefix,
            member: token.account.map(|id| id.to_string()),
            member_name: None,
            made_by: token.made_by.map(|id| id.to_string()),
            policies,
            statements: statements.iter().map(Into::into).collect(),
            networks: token.networks,
            created_at: token.created_at.to_string(),
            expires_at: token.expires_at.map(|at| at.to_string()),
            last_used_at: token.last_used_at.map(|at| at.to_string()),
            revoked_at: token.revoked_at.map(|at| at.to_string()),
            token: None,
        }
    }
}

/// A new token.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewTokenBody {
    /// What it acts as.
    pub kind: TokenKind,
    /// What it is for.
    pub name: String,
    /// Keys of policies (service).
    #[serde(default)]
    pub policies: Vec<String>,
    /// Statements of its own (service).
    #[serde(default)]
    pub statements: Vec<StatementInput>,
    /// From where it may be used, as CIDR; from everywhere where none is given. Made by a token that
    /// has networks: within those, which it has where none is given.
    #[serde(default)]
    pub networks: Vec<String>,
    /// After how many days it stops working, 1 to 3,650; never where none is given. Made by a token
    /// that ends: no later than that.
    #[schema(minimum = 1, maximum = 3650)]
    pub expires_in_days: Option<u32>,
}

/// List one's own personal tokens and, for who may see them, all of the organization's.
#[utoipa::path(get, path = "/api/v1/tokens", tag = "people",
    responses((status = 200, body = Page<TokenView>)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<Json<Page<TokenView>>, Problem> {
    let all = state.store.tokens(&caller.organization).await?;
    let seen = |token: &Token| {
        is_own(&caller, token)
            || caller
                .rights
                .allow("token.read", &resource(token.id.as_str()))
    };
    let names = state.store.member_names(&caller.organization).await?;
    let named = |token: Token| TokenView {
        member_name: token.account.as_ref().and_then(|it| names.get(it).cloned()),
        ..token.into()
    };
    Ok(Json(Page {
        items: all.into_iter().filter(seen).map(named).collect(),
        next: None,
    }))
}

/// Make a token. Its text is shown this once.
#[utoipa::path(post, path = "/api/v1/tokens", tag = "people", request_body = NewTokenBody,
    responses((status = 201, body = TokenView), (status = 400, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Body(new): Body<NewTokenBody>,
) -> Result<(StatusCode, Json<TokenView>), Problem> {
    let new = NewToken {
        organization: caller.organization.clone(),
        name: api::name("/name", &new.name)?,
        account: caller.maker.clone(),
        networks: networks(&caller, &new.networks)?,
        expires_at: end(&caller, new.expires_in_days)?,
        grant: grant(&caller, &new)?,
    };
    let (token, text) = state.store.create_token(&new, &caller.actor, now()).await?;
    let view = TokenView {
        token: Some(text),
        ..token.into()
    };
    Ok((StatusCode::CREATED, Json(view)))
}

/// Revoke a token: one's own, or any for who may.
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", tag = "people",
    params(("id", description = "The token's id")),
    responses((status = 204, description = "Revoked"), (status = 404, body = Problem)))]
pub async fn revoke(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let missing = || Problem::not_found(format!("token `{id}`"));
    let known = uuid::Uuid::parse_str(&id).map_err(|_| missing())?;
    let id = Id::new(known.to_string());
    let (organization, actor) = (&caller.organization, &caller.actor);
    let revoked = state.store.revoke_token(organization, &id, actor, now());
    revoked.await.map_err(api::or_missing(missing))?;
    Ok(StatusCode::NO_CONTENT)
}

fn resource(id: &str) -> Resource {
    Resource::new(Kind::Token, id)
}

fn is_own(caller: &Caller, token: &Token) -> bool {
    token.grant == Grant::Personal && token.account.is_some() && token.account == caller.account
}

/// What a new token may do.
fn grant(caller: &Caller, new: &NewTokenBody) -> Result<Grant, Problem> {
    if new.kind == TokenKind::Personal {
        let of_service = !new.policies.is_empty() || !new.statements.is_empty();
        return match (&caller.account, of_service) {
            (Some(_), _) if !caller.in_session => Err(Problem::forbidden(
                "personal tokens are made by the person, signed in, not by a token",
            )),
            (Some(_), false) => Ok(Grant::Personal),
            (Some(_), true) => Err(Problem::invalid(
                "/kind",
                "kindInvalid",
                "a personal token has no policies and statements: it may do what you may",
            )),
            (None, _) => Err(Problem::invalid(
                "/kind",
                "kindInvalid",
                "only a person has personal tokens",
            )),
        };
    }
    api::few("/policies", new.policies.len())?;
    if new.policies.is_empty() && new.statements.is_empty() {
        let message = "a service token needs policies or statements";
        return Err(Problem::invalid("/policies", "listEmpty", message));
    }
    let statements = match new.statements.is_empty() {
        true => Vec::new(),
        false => policies::statements(&new.statements)?,
    };
    Ok(Grant::Service {
        policies: new.policies.clone(),
        statements,
    })
}

/// From where a new token works: nowhere that the token that makes it does not.
fn networks(caller: &Caller, texts: &[String]) -> Result<Vec<String>, Problem> {
    if texts.len() > MAX_NETWORKS {
        let message = format!("a token has at most {MAX_NETWORKS} networks");
        return Err(Problem::invalid("/networks", "listTooLong", message));
    }
    let bounds = &caller.networks;
    if texts.is_empty() {
        return Ok(bounds.iter().map(IpNet::to_string).collect());
    }
    let network = |(index, text): (usize, &String)| {
        let invalid = |code, message: &str| {
            Problem::invalid(format!("/networks/{index}"), code, message.to_owned())
        };
        let parsed: Result<IpNet, _> = text.parse();
        let network = parsed.map_err(|_| {
            let message = "a network has the form 192.0.2.0/24 or 2001:db8::/32";
            invalid("networkInvalid", message)
        })?;
        match bounds.is_empty() || bounds.iter().any(|it| it.contains(&network)) {
            true => Ok(network.trunc().to_string()),
            false => Err(invalid(
                "networkTooWide",
                "the token that makes it may not be used from all of this network",
            )),
        }
    };
    texts.iter().enumerate().map(network).collect()
}

/// When a new token stops working: no later than the token that makes it.
fn end(caller: &Caller, days: Option<u32>) -> Result<Option<Millis>, Problem> {
    const DAY: i64 = 24 * 60 * 60 * 1_000;
    let asked = match days {
        None => None,
        Some(days @ 1..=MAX_DAYS) => Some(Millis(now().0 + i64::from(days) * DAY)),
        Some(_) => {
            let message = format!("a token works for 1 to {MAX_DAYS} days, or without end");
            return Err(Problem::invalid("/expiresInDays", "outOfRange", message));
        }
    };
    Ok([asked, caller.until].into_iter().flatten().min())
}
