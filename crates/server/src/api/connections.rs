//! The SDKs that are connected to an environment.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::Resource;
use burgee_edge::delivery::{self, ConnectionFilter, Level, Place, SdkReport};
use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::sdk_keys::KeyKind;
use crate::app::AppState;
use crate::auth::Caller;
use crate::delivery::OfNode;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// The most connections of a page: finding them keeps others waiting.
const MOST: usize = 200;

/// How many there are where nothing is said.
const USUAL: usize = 50;

/// What an SDK says that it is.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SdkName {
    /// Its name; `browser` for SDKs that run in one, which say no more.
    pub name: String,
    /// Its version, where it says that, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A connection.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    /// What its key may do.
    pub kind: KeyKind,
    /// What it says that it is; absent where it says nothing, as some SDKs do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk: Option<SdkName>,
    /// The IP address that it comes from, perhaps a proxy's. Absent without `user.read`, and where
    /// the server hides addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Since when it is there, ISO 8601, to the second.
    pub since: String,
    /// The version that was written to it last; absent before its first answer, and where it is
    /// more than 256 versions old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<i64>,
    /// The version that it has received last, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<i64>,
    /// Whether it does not take what was sent to it: it gets the newest state when it does.
    pub stalled: bool,
}

/// Connections of one SDK.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SdkCount {
    /// What their key may do: `client` or `server`.
    pub kind: String,
    /// What they say that they are; absent where they say nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk: Option<SdkName>,
    /// How many.
    pub connections: u64,
}

/// A node's connections, by SDK.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeConnections {
    /// Names it: a server's process, with another one after each start; a relay by its id in the
    /// list of relays.
    pub node: String,
    /// What people know it by.
    pub name: String,
    /// `server` or `relay`.
    pub kind: String,
    /// The node that feeds it, for a relay; absent where that is NATS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Whether it is the one that answers.
    pub is_this: bool,
    /// All of them.
    pub connections: u64,
    /// By SDK, the most first; up to 50.
    pub sdks: Vec<SdkCount>,
}

/// An environment's connections.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionList {
    /// The `node` that answers.
    pub node: String,
    /// Some of its connections, in no order.
    pub items: Vec<ConnectionView>,
    /// The cursor of the next page, which the same node answers; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// How many there are, on each node: the one that answers first. The others' figures are at
    /// most a second old.
    pub nodes: Vec<NodeConnections>,
}

/// Which connections.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectionQuery {
    /// Those with a key of this kind: `client` or `server`.
    pub kind: Option<KeyKind>,
    /// `true`: those that have not received the environment's newest version.
    pub behind: Option<bool>,
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many, 1 to 200; 50 where absent.
    pub limit: Option<usize>,
}

/// List the SDKs that are connected to an environment on the server that answers, and how many there
/// are on each node. Their addresses are for who may `user.read`: a client's is an end user's.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/connections",
    tag = "delivery",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), ConnectionQuery),
    responses((status = 200, body = ConnectionList), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<ConnectionQuery>,
) -> Result<Json<ConnectionList>, Problem> {
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let place = Resource::of(&project, &environment);
    let addresses = !state.hide_addresses && caller.rights.allow("user.read", &place);
    let (from, most) = (query.from()?, query.most()?);
    let id = environment.id.as_str();
    let nodes = state.deliveries.of(&state.store, id).await?;
    let delivery = &state.deliveries.delivery;
    let page = delivery
        .connections(id, query.filter(), from, most, addresses)
        .await;
    let next = page.next.map(|at| format!("{}-{}", at.of_loop, at.from));
    Ok(Json(ConnectionList {
        node: state.deliveries.node.node.clone(),
        items: page.connections.into_iter().map(Into::into).collect(),
        next,
        nodes: nodes.into_iter().map(Into::into).collect(),
    }))
}

impl ConnectionQuery {
    fn filter(&self) -> ConnectionFilter {
        let behind = self.behind.unwrap_or_default();
        ConnectionFilter {
            kind: self.kind.map(|kind| match kind {
                KeyKind::Client => burgee_edge::source::KeyKind::Client,
                KeyKind::Server => burgee_edge::source::KeyKind::Server,
            }),
            without: behind.then_some((Level::Received, None)),
        }
    }

    fn from(&self) -> Result<Place, Problem> {
        let Some(cursor) = &self.cursor else {
            return Ok(Place::default());
        };
        let place = cursor.split_once('-').and_then(|(of_loop, from)| {
            Some(Place {
                of_loop: of_loop.parse().ok()?,
                from: from.parse().ok()?,
            })
        });
        let rule = "must be the `next` of a page";
        place.ok_or_else(|| Problem::invalid("cursor", "cursor", rule))
    }

    fn most(&self) -> Result<usize, Problem> {
        match self.limit.unwrap_or(USUAL) {
            limit @ 1..=MOST => Ok(limit),
            _ => {
                let rule = format!("must be from 1 to {MOST}");
                Err(Problem::invalid("limit", "range", rule))
            }
        }
    }
}

/// What an SDK's own words say: `name` or `name/version`.
fn sdk(agent: &str) -> Option<SdkName> {
    let (name, version) = match agent.split_once('/') {
        Some((name, version)) => (name, Some(version).filter(|it| !it.is_empty())),
        None => (agent, None),
    };
    (!name.is_empty()).then(|| SdkName {
        name: name.to_owned(),
        version: version.map(str::to_owned),
    })
}

impl From<delivery::ConnectionView> for ConnectionView {
    fn from(connection: delivery::ConnectionView) -> Self {
        Self {
            kind: match connection.kind {
                burgee_edge::source::KeyKind::Client => KeyKind::Client,
                burgee_edge::source::KeyKind::Server => KeyKind::Server,
            },
            sdk: sdk(&connection.agent),
            address: connection
                .address
                .map(|it| it.ip().to_canonical().to_string()),
            since: Millis(connection.since).to_string(),
            written: connection.written,
            received: connection.received,
            stalled: connection.stalled,
        }
    }
}

impl From<SdkReport> for SdkCount {
    fn from(report: SdkReport) -> Self {
        Self {
            sdk: sdk(&report.agent),
            kind: report.kind,
            connections: report.connections,
        }
    }
}

impl From<OfNode> for NodeConnections {
    fn from(of: OfNode) -> Self {
        Self {
            node: of.node.node,
            name: of.node.name,
            kind: of.node.kind,
            parent: of.node.parent,
            is_this: of.is_this,
            connections: of.report.connections,
            sdks: of.report.sdks.into_iter().map(Into::into).collect(),
        }
    }
}
