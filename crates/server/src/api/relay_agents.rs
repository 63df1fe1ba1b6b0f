//! Relays: which there are, what they serve, and how far they are.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_eval::time::Millis;
use burgee_store::page::PageRequest;
use burgee_store::{AgentPosition, RelayAgent, RelayKind};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::page::{Page, PageQuery};
use crate::api::relay_keys::{Places, key_id, resource};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// Which relays.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentQuery {
    /// The id of the relay key that they use; of all keys where absent.
    pub key: Option<String>,
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many items, 1 to 500; 50 where absent.
    pub limit: Option<i64>,
}

/// A relay, as it was when it was last seen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelayAgentView {
    /// The id that it made for itself.
    pub id: String,
    /// The id of the relay key that it uses.
    pub key: String,
    /// What it calls itself.
    pub name: String,
    /// The version of its program; empty where it does not say, as FeatBit's agents do not.
    pub version: String,
    /// What it is.
    pub kind: AgentKind,
    /// From where it is connected.
    pub address: String,
    /// The server that it hangs on.
    pub node: String,
    /// Whether it is connected. A relay that was not heard of for a minute is not.
    pub connected: bool,
    /// How many SDKs are connected to it; 0 of FeatBit's agents, which do not say.
    pub connections: i64,
    /// What it serves, as far as the caller may see it, by keys.
    pub environments: Vec<AgentEnvironment>,
    /// Since when it is connected, or was when it was last seen, ISO 8601.
    pub connected_at: String,
    /// When it was last heard of, to about fifteen seconds, ISO 8601.
    pub last_seen_at: String,
    /// When its connection ended, ISO 8601; absent while it has one, and where nobody was there to
    /// notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disconnected_at: Option<String>,
}

/// What a relay is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentKind {
    /// `burgee relay`.
    Burgee,
    /// An agent of FeatBit's.
    FeatBit,
}

impl From<RelayKind> for AgentKind {
    fn from(kind: RelayKind) -> Self {
        match kind {
            RelayKind::Burgee => Self::Burgee,
            RelayKind::FeatBit => Self::FeatBit,
        }
    }
}

/// How far a relay is in an environment.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEnvironment {
    /// The project's key.
    pub project: String,
    /// The environment's key.
    pub environment: String,
    /// The version that it served when it was last seen.
    pub version: i64,
    /// How many versions came after that one by now; 0: none.
    pub behind: i64,
}

impl RelayAgentView {
    fn new(agent: RelayAgent, places: &Places<'_>, now: Millis) -> Self {
        let connected = agent.is_connected_at(now);
        let seen = agent.seen;
        let serves = |it: &AgentPosition| {
            let place = places.of_id(&it.environment)?;
            Some(AgentEnvironment {
                project: place.project.clone(),
                environment: place.key.clone(),
                version: it.position.version,
                behind: (place.version - it.position.version).max(0),
            })
        };
        let mut environments: Vec<_> = seen.environments.iter().filter_map(serves).collect();
        environments.sort_unstable();
        Self {
            id: seen.agent,
            key: seen.key.to_string(),
            name: seen.name,
            version: seen.version,
            kind: seen.kind.into(),
            address: seen.address,
            node: seen.node,
            connected,
            connections: seen.connections,
            environments,
            connected_at: seen.connected_at.to_string(),
            last_seen_at: seen.at.to_string(),
            disconnected_at: agent.disconnected_at.map(|at| at.to_string()),
        }
    }
}

/// List the relays, by key and id: those that are connected, and those that were in the last 30
/// days.
#[utoipa::path(get, path = "/api/v1/relay-agents", tag = "relays", params(AgentQuery),
    responses((status = 200, body = Page<RelayAgentView>), (status = 400, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<AgentQuery>,
) -> Result<Json<Page<RelayAgentView>>, Problem> {
    let (cursor, limit) = (query.cursor, query.limit);
    let page: PageRequest = PageQuery { cursor, limit }.try_into()?;
    let unknown = || Problem::invalid("key", "relayKeyInvalid", "must be a relay key's id");
    let key = query.key.map(|it| key_id(&it).ok_or_else(unknown));
    let key = key.transpose()?;
    // In this order, so that none seems to be ahead of its environment.
    let organization = &caller.organization;
    let found = state.store.relay_agents(organization, key.as_ref(), &page);
    let found = found.await?;
    let places = Places::seen(&state, &caller).await?;
    let may = |it: &RelayAgent| {
        let of_key = resource(&it.seen.key);
        caller.rights.allow("relayAgent.read", &of_key)
    };
    let (agents, now) = (found.items.into_iter().filter(may), now());
    Ok(Json(Page {
        items: agents
            .map(|it| RelayAgentView::new(it, &places, now))
            .collect(),
        next: found.next,
    }))
}

/// Remove a relay that is not connected from the list. One that comes back is listed again.
#[utoipa::path(delete, path = "/api/v1/relay-agents/{id}", tag = "relays",
    params(("id", description = "The relay's id")),
    responses((status = 204, description = "Removed"), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub async fn remove(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let (organization, actor) = (&caller.organization, &caller.actor);
    let removed = state
        .store
        .remove_relay_agent(organization, &id, actor, now())
        .await;
    removed.map_err(api::or_missing(|| {
        Problem::not_found(format!("relay `{id}`"))
    }))?;
    Ok(StatusCode::NO_CONTENT)
}
