//! How far a change set came: which connections have it, and how long it took.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::model::Environment;
use burgee_edge::delivery::{
    ConnectionFilter, EnvironmentReport, Level, Place, Times, VersionReport,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::history;
use crate::api;
use crate::api::connections::ConnectionView;
use crate::app::AppState;
use crate::auth::Caller;
use crate::delivery::OfNode;
use crate::params::Path;
use crate::problem::Problem;

/// So many connections that do not have it are named.
const LAGGARDS: usize = 20;

/// How far a change set came.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    /// The change set's id.
    pub change: String,
    /// When it was asked for, ISO 8601; all times count from then on.
    pub committed_at: String,
    /// Whether every connection of every environment that it moved has received it.
    pub complete: bool,
    /// The environments that it moved and that the caller may see.
    pub environments: Vec<EnvironmentDelivery>,
}

/// How far an environment's version came.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentDelivery {
    /// The project's key.
    pub project: String,
    /// The environment's key.
    pub environment: String,
    /// The version that the change set made.
    pub version: i64,
    /// Whether every connection has received it.
    pub complete: bool,
    /// Of all nodes.
    pub total: DeliveryFigures,
    /// Of each node: the one that answers first. The others' are at most a second old.
    pub nodes: Vec<NodeDelivery>,
}

/// Figures of a version.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryFigures {
    /// Connections of the environment.
    pub connections: u64,
    /// Those to whose socket this version, or a newer one, was written whole.
    pub written: u64,
    /// Those that have received this version, or a newer one: their side has acknowledged it. It
    /// shows when they say something, which SDKs do every 10 to 18 s.
    pub received: u64,
    /// How long it took to be written; absent where nobody waited for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_after: Option<DeliveryTimes>,
    /// How long it took until it was known to be received, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_after: Option<DeliveryTimes>,
}

/// From the commit on, in ms, by the connections that were there when it came to their node; all but
/// `max` up to a quarter too long.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryTimes {
    /// How many they are.
    pub count: u64,
    /// Half of them took no longer.
    pub p50: f64,
    /// 99 of 100 took no longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// What one node has of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeDelivery {
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
    /// How long the version was on its way to it, in ms by both clocks; absent where it is not
    /// there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrived_after: Option<u64>,
    /// How far the version came there.
    pub figures: DeliveryFigures,
    /// Connections that have not received it.
    pub laggard_count: u64,
    /// Some of them, up to 20, those first to which it was not even written. Only of the node that
    /// answers.
    pub laggards: Vec<ConnectionView>,
}

/// How far a change set came: of each environment that it moved, how many connections have its
/// version or a newer one, on which node, after what time, and who lacks it.
#[utoipa::path(get, path = "/api/v1/changes/{id}/delivery", tag = "delivery",
    params(("id", description = "The change set's id, or its number in the organization's history")),
    responses((status = 200, body = DeliveryView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DeliveryView>, Problem> {
    let change = history::find(&state, &caller, &id).await?;
    let mut environments = Vec::new();
    for (scope, version) in &change.versions {
        let Some((project, key)) = scope.split_once('/').filter(|it| !it.0.is_empty()) else {
            continue;
        };
        // One that was deleted has no connections; one that the caller may not see has none either.
        let Ok((_, environment)) = api::environment(&state, &caller, project, key).await else {
            continue;
        };
        // A younger one that took a deleted one's key never had this version.
        if environment.created_at.to_string() > change.at || environment.position.version < *version
        {
            continue;
        }
        environments.push(of_environment(&state, project, &environment, *version).await?);
    }
    Ok(Json(DeliveryView {
        change: change.id,
        committed_at: change.at,
        complete: environments.iter().all(|it| it.complete),
        environments,
    }))
}

async fn of_environment(
    state: &AppState,
    project: &str,
    environment: &Environment,
    version: i64,
) -> Result<EnvironmentDelivery, Problem> {
    let id = environment.id.as_str();
    let all = state.deliveries.of(&state.store, id).await?;
    let reports = all.iter().map(|it| &it.report);
    let total = figures(reports, version);
    let mut nodes = Vec::new();
    for of_node in all {
        nodes.push(node(state, id, of_node, version).await);
    }
    Ok(EnvironmentDelivery {
        project: project.to_owned(),
        environment: environment.key.to_string(),
        version,
        complete: total.received == total.connections,
        total,
        nodes,
    })
}

async fn node(state: &AppState, environment: &str, of: OfNode, version: i64) -> NodeDelivery {
    let figures = figures(std::iter::once(&of.report), version);
    let laggard_count = figures.connections - figures.received;
    let laggards = match of.is_this && laggard_count > 0 {
        true => laggards(state, environment, version).await,
        false => Vec::new(),
    };
    NodeDelivery {
        node: of.node.node,
        name: of.node.name,
        kind: of.node.kind,
        parent: of.node.parent,
        is_this: of.is_this,
        arrived_after: of.report.at(version).map(|it| it.travelled),
        figures,
        laggard_count,
        laggards,
    }
}

/// Those first to which it was not written.
async fn laggards(state: &AppState, environment: &str, version: i64) -> Vec<ConnectionView> {
    let without = |level| ConnectionFilter {
        kind: None,
        without: Some((level, Some(version))),
    };
    let delivery = &state.deliveries.delivery;
    let mut found = Vec::new();
    for level in [Level::Written, Level::Received] {
        let search = delivery.connections(
            environment,
            without(level),
            Place::default(),
            LAGGARDS,
            false,
        );
        let connections = search.await.connections;
        let is_new = |it: &burgee_edge::delivery::ConnectionView| {
            level == Level::Written || it.written.is_some_and(|at| at >= version)
        };
        found.extend(connections.into_iter().filter(is_new));
    }
    found.truncate(LAGGARDS);
    found.into_iter().map(Into::into).collect()
}

fn figures<'a>(
    reports: impl Iterator<Item = &'a EnvironmentReport> + Clone,
    version: i64,
) -> DeliveryFigures {
    let at = || reports.clone().filter_map(|report| report.at(version));
    let sum = |of: fn(&VersionReport) -> u64| at().map(of).sum();
    DeliveryFigures {
        connections: reports.clone().map(|it| it.connections).sum(),
        written: sum(|it| it.written),
        received: sum(|it| it.received),
        written_after: times(at().map(|it| (it.travelled, &it.written_after))),
        received_after: times(at().map(|it| (it.travelled, &it.received_after))),
    }
}

/// From the commit on: what each node measured is counted from when the version came there.
fn times<'a>(all: impl Iterator<Item = (u64, &'a Times)>) -> Option<DeliveryTimes> {
    let mut lengths = BTreeMap::<u64, u64>::new();
    for (travelled, times) in all {
        for (micros, count) in times.sizes() {
            let micros = micros.saturating_add(travelled.saturating_mul(1_000));
            *lengths.entry(micros).or_default() += count;
        }
    }
    let count: u64 = lengths.values().sum();
    let percentile = |percent: u64| {
        let mut left = (count * percent).div_ceil(100);
        let found = lengths.iter().find(|(_, count)| {
            left = left.saturating_sub(**count);
            left == 0
        });
        found.map_or(0.0, |(micros, _)| *micros as f64 / 1_000.0)
    };
    (count > 0).then(|| DeliveryTimes {
        count,
        p50: percentile(50),
        p99: percentile(99),
        max: percentile(100),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use burgee_edge::delivery::Times;

    use super::times;

    #[test]
    fn percentiles_are_counted_from_the_commit_on_over_all_nodes() {
        let of = |micros: &[u64]| {
            let mut times = Times::default();
            for &micros in micros {
                times.add(Duration::from_micros(micros));
            }
            times
        };
        // 98 of 200 µs here; two there, which the version took 50 ms to reach.
        let (here, there) = (of(&[200; 98]), of(&[200, 4_000_000]));
        let all = times([(1, &here), (50, &there)].into_iter()).unwrap();
        assert_eq!((all.count, all.p50, all.p99), (100, 1.2, 50.2));
        assert_eq!(all.max, 4_050.0);
        assert!(times([(1, &Times::default())].into_iter()).is_none());
    }
}
