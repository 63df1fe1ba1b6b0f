//! OFREP, through the router.

mod bulk;
mod events;
mod hints;
mod odd;
mod plain;
mod refused;
mod single;

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, Method, Request};
use burgee_edge::api::{self, Api};
use burgee_edge::hub::Hub;
use burgee_edge::metrics::Metrics;
use burgee_edge::traffic::Traffic;
use burgee_eval::flag::Flag;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt;

use crate::memory::World;

const ALL: &str = "/ofrep/v1/evaluate/flags";

/// A router over the environments `env` and `other`.
pub(crate) struct Desk {
    world: Arc<World>,
    api: Api,
    router: axum::Router,
    _stop: DropGuard,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    fn tag(&self) -> &str {
        self.headers["etag"].to_str().unwrap()
    }

    /// Checks that it is an error in OFREP's form; gives its code and its words.
    fn refusal(&self, status: u16) -> (String, String) {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.headers["content-type"], "application/json");
        let text = |name: &str| self.json()[name].as_str().unwrap().to_owned();
        (text("errorCode"), text("errorDetails"))
    }
}

impl Desk {
    pub(crate) async fn open(flags: Vec<Flag>) -> Self {
        let world = World::with(&["env", "other"]);
        world.put("env", flags.clone(), vec![]);
        world.put("other", flags, vec![]);
        Self::over(world).await
    }

    /// One more node of the same world.
    async fn over(world: Arc<World>) -> Self {
        let (metrics, shutdown) = (Arc::new(Metrics::default()), CancellationToken::new());
        let hub = Hub::new(Arc::clone(&world) as _, Arc::clone(&metrics));
        tokio::spawn(Arc::clone(&hub).run(shutdown.clone()));
        hub.ready().await;
        let traffic = Traffic::new("sender".into(), Arc::clone(&metrics));
        let api = Api {
            hub,
            traffic,
            metrics,
        };
        let router = api::router(api.clone());
        Self {
            world,
            api,
            router,
            _stop: shutdown.drop_guard(),
        }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes().to_vec(),
        }
    }

    /// Asks with a key, for a context.
    async fn ask(&self, key: &str, uri: &str, context: Value) -> Answer {
        let body = json!({ "context": context }).to_string();
        let request = asking(uri).header("authorization", format!("Bearer {key}"));
        self.send(request.body(body.into()).unwrap()).await
    }

    /// Asks for a flag, for a user without attributes.
    async fn flag(&self, key: &str, flag: &str) -> Answer {
        let uri = format!("{ALL}/{flag}");
        self.ask(key, &uri, json!({"targetingKey": "u"})).await
    }

    /// Asks for all with a client key, when this tag is there already.
    async fn all_but(&self, tag: &str, context: &Value) -> Answer {
        let body = json!({ "context": context }).to_string();
        let request = asking(ALL)
            .header("x-api-key", "env-client")
            .header("if-none-match", tag);
        self.send(request.body(body.into()).unwrap()).await
    }

    fn metric(&self, name: &str) -> u64 {
        let text = self.api.metrics.encode();
        let mut lines = text.lines();
        let line = lines.find(|line| line.starts_with(name));
        line.map_or(0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
    }
}

fn asking(uri: &str) -> axum::http::request::Builder {
    let request = Request::builder().method(Method::POST).uri(uri);
    request.header("content-type", "application/json; charset=utf-8")
}

/// A flag with these fields over one that serves its first variation, `a`, to everybody.
pub(crate) fn flag(key: &str, kind: &str, values: &[&str], over: Value) -> Flag {
    let ids = ["a", "b", "c"];
    let variations = values.iter().zip(ids);
    let variations: Vec<Value> = variations
        .map(|(value, id)| json!({"id": id, "value": value}))
        .collect();
    let mut flag = json!({
        "id": key, "key": key, "name": key, "variationType": kind, "variations": variations,
        "isEnabled": true, "disabledVariationId": "b",
        "fallthrough": {"variations": [{"id": "a", "rollout": [0, 1]}]},
    });
    let fields = over.as_object().unwrap().clone();
    flag.as_object_mut().unwrap().extend(fields);
    serde_json::from_value(flag).unwrap()
}

/// A rule with one condition that gives `b`.
fn rule(property: &str, op: &str, value: &str) -> Value {
    json!({"id": "rule-1", "name": "Some people",
        "conditions": [{"property": property, "op": op, "value": value}],
        "variations": [{"id": "b", "rollout": [0, 1]}]})
}
