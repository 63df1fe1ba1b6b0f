//! The HTTP endpoints, through the router.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use burgee_edge::api::{self, Api};
use burgee_edge::hub::Hub;
use burgee_edge::metrics::Metrics;
use burgee_edge::traffic::{Traffic, limits};
use burgee_eval::flag::Flag;
use http_body_util::BodyExt;
use hyper::body::Frame;
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt;

use crate::memory::{EPOCH, Shelf, World, flag};

const CLIENT_POLL: &str = "/api/public/sdk/client/latest-all";
const SERVER_POLL: &str = "/api/public/sdk/server/latest-all";
const TRACK: &str = "/api/public/insight/track";
const EVALUATE: &str = "/api/public/featureflag/evaluate";

/// A router over an environment with three flags.
struct Door {
    world: Arc<World>,
    api: Api,
    router: axum::Router,
    shutdown: CancellationToken,
    _stop: DropGuard,
}

/// A body that does not come.
pub(crate) struct Never;

impl HttpBody for Never {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Pending
    }
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Checks that it is a problem; gives its field.
    fn problem(&self, status: u16) -> Value {
        assert_eq!(
            self.status.as_u16(),
            status,
            "{}",
            String::from_utf8_lossy(&self.body)
        );
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert!(problem["title"].is_string() && problem["detail"].is_string());
        problem["pointer"].clone()
    }
}

impl Door {
    async fn open() -> Self {
        let door = Self::unready();
        door.api.hub.ready().await;
        door
    }

    fn unready() -> Self {
        let world = World::with(&["env"]);
        let tagged = |key: &str, tags: &[&str]| {
            let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
            Flag {
                tags,
                ..flag(key, key)
            }
        };
        world.put(
            "env",
            vec![
                tagged("a", &["x"]),
                tagged("b", &["x", "y"]),
                tagged("c", &[]),
            ],
            vec![],
        );
        let (metrics, shutdown) = (Arc::new(Metrics::default()), CancellationToken::new());
        let hub = Hub::new(Arc::clone(&world) as _, Arc::clone(&metrics));
        tokio::spawn(Arc::clone(&hub).run(shutdown.clone()));
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
            _stop: shutdown.clone().drop_guard(),
            shutdown,
        }
    }

    async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }

    async fn get(&self, key: &str, uri: &str) -> Answer {
        self.send(request(Method::GET, key, uri, Body::empty()))
            .await
    }

    async fn post(&self, key: &str, uri: &str, body: impl Into<Body>) -> Answer {
        self.send(request(Method::POST, key, uri, body.into()))
            .await
    }

    /// Says that the body has this length, and sends none of it.
    async fn announce(&self, key: &str, uri: &str, length: usize) -> Answer {
        let mut request = request(Method::POST, key, uri, Body::new(Never));
        let headers = request.headers_mut();
        headers.insert("content-length", length.into());
        self.send(request).await
    }

    async fn evaluate(&self, filter: Value) -> Vec<String> {
        let body = json!({"user": {"keyId": "u"}, "filter": filter}).to_string();
        let answer = self.post("env-server", EVALUATE, body).await;
        assert_eq!(
            answer.status,
            200,
            "{}",
            String::from_utf8_lossy(&answer.body)
        );
        let flags = answer.json();
        let keys = flags
            .as_array()
            .unwrap()
            .iter()
            .map(|flag| flag["key"].as_str().unwrap().into());
        keys.collect()
    }
}

fn request(method: Method, key: &str, uri: &str, body: Body) -> Request<Body> {
    let request = Request::builder().method(method).uri(uri);
    request.header("authorization", key).body(body).unwrap()
}

fn ids(message: &Value) -> (String, Vec<&str>) {
    let flags = message["data"]["featureFlags"].as_array().unwrap().iter();
    let key = |flag: &'_ Value| flag.get("key").is_some();
    let names = flags.map(|flag| flag[if key(flag) { "key" } else { "id" }].as_str().unwrap());
    (
        message["data"]["eventType"].as_str().unwrap().into(),
        names.collect(),
    )
}

#[tokio::test]
async fn server_sdks_poll() {
    let door = Door::open().await;
    for uri in [SERVER_POLL.to_owned(), format!("{SERVER_POLL}?timestamp=0")] {
        let answer = door.get("env-server", &uri).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.headers["content-type"], "application/json");
        assert!(!answer.headers.contains_key("etag"));
        assert_eq!(ids(&answer.json()), ("full".into(), vec!["a", "b", "c"]));
        assert_eq!(answer.json()["data"]["segments"], json!([]));
    }
    let newest = format!("{SERVER_POLL}?timestamp={}", EPOCH + 3);
    let answer = door.get("env-server", &newest).await;
    let expected = json!({"messageType": "data-sync",
        "data": {"eventType": "patch", "featureFlags": [], "segments": []}});
    assert_eq!((answer.status.as_u16(), answer.json()), (200, expected));
}

#[tokio::test]
async fn client_sdks_poll() {
    let door = Door::open().await;
    let body = json!({"keyId": "u", "name": "Ann", "customizedProperties": []}).to_string();
    let answer = door.post("env-client", CLIENT_POLL, body.clone()).await;
    assert_eq!(answer.status, 200);
    assert_eq!(ids(&answer.json()), ("full".into(), vec!["a", "b", "c"]));
    assert_eq!(answer.json()["data"]["userKeyId"], "u");

    let uri = format!("{CLIENT_POLL}?timestamp={}", EPOCH + 2);
    let answer = door.post("env-client", &uri, body.clone()).await;
    assert_eq!(ids(&answer.json()), ("patch".into(), vec!["c"]));
    let uri = format!("{CLIENT_POLL}?timestamp={}", EPOCH + 3);
    let answer = door.post("env-client", &uri, body).await;
    let expected = json!({"messageType": "data-sync",
        "data": {"eventType": "patch", "userKeyId": "u", "featureFlags": []}});
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn polling_without_a_user_or_with_a_strange_timestamp_is_refused() {
    let door = Door::open().await;
    for body in [
        "",
        "{}",
        "null",
        "[]",
        r#"{"keyId":" "}"#,
        r#"{"keyId":null}"#,
        "{",
    ] {
        let answer = door.post("env-client", CLIENT_POLL, body).await;
        assert_eq!(answer.problem(400), "/keyId", "{body}");
        assert_eq!(answer.json()["title"], "invalid end user");
    }
    let answer = door
        .post("env-client", CLIENT_POLL, vec![b'"', 0xff, b'"'])
        .await;
    assert_eq!(answer.problem(400), "/keyId");
    for timestamp in ["x", "1.5", "99999999999999999999"] {
        let uri = format!("{SERVER_POLL}?timestamp={timestamp}");
        assert_eq!(door.get("env-server", &uri).await.problem(400), "timestamp");
    }
    let huge = format!(r#"{{"keyId":"{}"}}"#, "k".repeat(600_000));
    door.post("env-client", CLIENT_POLL, huge)
        .await
        .problem(413);
}

#[tokio::test]
async fn keys_open_what_their_kind_may() {
    let door = Door::open().await;
    let user = json!({"keyId": "u"}).to_string();
    door.get("env-client", SERVER_POLL).await.problem(403);
    door.post("env-server", CLIENT_POLL, user.clone())
        .await
        .problem(403);
    for key in ["env-client", "env-server"] {
        assert_eq!(door.post(key, TRACK, "[]").await.status, 200);
        let body = format!(r#"{{"user":{user}}}"#);
        assert_eq!(door.post(key, EVALUATE, body).await.status, 200);
    }
    // No scheme, nothing but the secret.
    for key in ["", " ", "stranger", "Bearer env-server", "env-server,"] {
        door.get(key, SERVER_POLL).await.problem(401);
        door.post(key, TRACK, "[]").await.problem(401);
    }
    let bare = Request::get(SERVER_POLL).body(Body::empty()).unwrap();
    door.send(bare).await.problem(401);
}

#[tokio::test]
async fn an_unknown_key_is_refused_only_once_the_store_was_asked() {
    let door = Door::open().await;
    door.world.set_down(true);
    let answer = door.get("stranger", SERVER_POLL).await;
    answer.problem(503);
    assert!(answer.headers.contains_key("retry-after"));
    assert_eq!(
        door.get("env-server", SERVER_POLL).await.status,
        200,
        "what is known is served"
    );
    door.world.set_down(false);
    let asked = door.world.found.load(SeqCst);
    for _ in 0..20 {
        door.get("stranger", SERVER_POLL).await.problem(401);
    }
    assert_eq!(door.world.found.load(SeqCst), asked + 1);
}

#[tokio::test]
async fn track_answers_200_exactly_and_its_traffic_arrives() {
    let door = Door::open().await;
    let shelf = Arc::new(Shelf::default());
    let sending = Arc::clone(&door.api.traffic).run(Arc::clone(&shelf) as _, door.shutdown.clone());
    let sending = tokio::spawn(sending);
    let body = json!([{"user": {"keyId": "tracked"}, "variations": [{"featureFlagKey": "a",
        "timestamp": 1, "variation": {"id": "v", "value": "a"}}]}, {"nobody": true}, 7]);
    let answer = door.post("env-server", TRACK, body.to_string()).await;
    assert_eq!((answer.status.as_u16(), answer.body.len()), (200, 0));
    let user = json!({"keyId": "polled"}).to_string();
    door.post("env-client", CLIENT_POLL, user).await;
    door.shutdown.cancel();
    sending.await.unwrap();
    assert_eq!(shelf.evaluations(), 1);
    let all = shelf.all();
    let users: Vec<_> = all.users.iter().map(|seen| seen.user.user()).collect();
    let keys: Vec<_> = users.iter().map(|user| &*user.key).collect();
    assert_eq!(keys, ["tracked", "polled"]);
}

#[tokio::test]
async fn track_refuses_what_is_no_list_with_a_status_that_sdks_survive() {
    let door = Door::open().await;
    for body in ["", "{}", "nonsense", "[1,"] {
        door.post("env-server", TRACK, body).await.problem(400);
    }
    let large = vec![b' '; limits::TRACK_BODY + 1];
    door.post("env-server", TRACK, large).await.problem(400);
    door.announce("env-server", TRACK, limits::TRACK_BODY + 1)
        .await
        .problem(400);
    let metrics = door.api.metrics.encode();
    assert!(
        metrics.contains("traffic_refused_total{reason=\"body\"} 6"),
        "{metrics}"
    );
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused_unread() {
    let door = Door::open().await;
    for (key, uri) in [("env-client", CLIENT_POLL), ("env-server", EVALUATE)] {
        door.announce(key, uri, 10_000_000).await.problem(413);
        let large = vec![b' '; 600_000];
        door.post(key, uri, large).await.problem(413);
    }
}

#[tokio::test]
async fn evaluating_gives_values_without_an_sdk() {
    let door = Door::open().await;
    let body = json!({"user": {"keyId": "u"}, "filter": {"keys": ["b"]}}).to_string();
    let answer = door.post("env-server", EVALUATE, body).await;
    let expected = json!([{"key": "b", "variation": {"id": "v", "type": "string", "value": "b",
        "matchReason": "default", "sendToExperiment": false}}]);
    assert_eq!((answer.status.as_u16(), answer.json()), (200, expected));
}

#[tokio::test]
async fn evaluating_can_be_filtered() {
    let door = Door::open().await;
    let table = [
        (json!(null), vec!["a", "b", "c"]),
        (json!({}), vec!["a", "b", "c"]),
        (json!({"keys": null, "tags": []}), vec!["a", "b", "c"]),
        (json!({"keys": ["c", "a", "none"]}), vec!["a", "c"]),
        (json!({"tags": ["x"]}), vec!["a", "b"]),
        (json!({"tags": ["x", "y"]}), vec!["b"]),
        (
            json!({"tags": ["x", "y"], "tagFilterMode": "and"}),
            vec!["b"],
        ),
        (
            json!({"tags": ["x", "y"], "tagFilterMode": "or"}),
            vec!["a", "b"],
        ),
        (json!({"tags": ["x"], "keys": ["b", "c"]}), vec!["b"]),
        (json!({"timestamp": EPOCH + 1}), vec!["b", "c"]),
        (json!({"timestamp": EPOCH + 3}), vec![]),
        // As programs write it to whom all numbers are floats.
        (json!({"timestamp": (EPOCH + 1) as f64}), vec!["b", "c"]),
        (json!({"timestamp": -1.0}), vec!["a", "b", "c"]),
    ];
    for (filter, keys) in table {
        assert_eq!(door.evaluate(filter.clone()).await, keys, "{filter}");
    }
}

#[tokio::test]
async fn evaluating_says_which_field_is_wrong() {
    let door = Door::open().await;
    let table = [
        (json!({}), "/user/keyId"),
        (json!({"user": {}}), "/user/keyId"),
        (json!({"user": {"keyId": "u"}, "filter": 1}), "/filter"),
        (
            json!({"user": {"keyId": "u"}, "filter": {"keys": 1}}),
            "/filter",
        ),
        (
            json!({"user": {"keyId": "u"}, "filter": {"timestamp": 1.5}}),
            "/filter",
        ),
        (
            json!({"user": {"keyId": "u"}, "filter": {"timestamp": 1e19}}),
            "/filter",
        ),
        (
            json!({"user": {"keyId": "u"}, "filter": {"tagFilterMode": "xor"}}),
            "/filter/tagFilterMode",
        ),
        (json!([]), ""),
    ];
    for (body, pointer) in table {
        let answer = door.post("env-server", EVALUATE, body.to_string()).await;
        assert_eq!(answer.problem(400), pointer, "{body}");
    }
}

#[tokio::test]
async fn health() {
    let door = Door::unready();
    let ask = async |path: &str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        door.send(request).await
    };
    assert_eq!(ask("/health/liveness").await.status, 200);
    ask("/health/readiness").await.problem(503);
    door.api.hub.ready().await;
    assert_eq!(ask("/health/readiness").await.status, 200);
    door.world.set_down(true);
    assert_eq!(
        ask("/health/readiness").await.status,
        200,
        "what is here is served"
    );
}

#[tokio::test]
async fn browsers_may_call_from_anywhere() {
    let door = Door::open().await;
    let preflight = Request::builder()
        .method(Method::OPTIONS)
        .uri(CLIENT_POLL)
        .header("origin", "https://app.example")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization,content-type,user-agent,x-user-agent",
        )
        .body(Body::empty())
        .unwrap();
    let answer = door.send(preflight).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["access-control-allow-origin"], "*");
    let allowed = answer.headers["access-control-allow-headers"]
        .to_str()
        .unwrap();
    for header in [
        "authorization",
        "content-type",
        "user-agent",
        "x-user-agent",
    ] {
        assert!(
            allowed.split(',').any(|allowed| allowed.trim() == header),
            "{header}"
        );
    }
    assert!(
        !answer
            .headers
            .contains_key("access-control-allow-credentials")
    );

    let mut request = request(Method::POST, "stranger", TRACK, "[]".into());
    request
        .headers_mut()
        .insert("origin", "https://app.example".parse().unwrap());
    let refused = door.send(request).await;
    refused.problem(401);
    assert_eq!(
        refused.headers["access-control-allow-origin"], "*",
        "so that the page may read why"
    );
    assert!(
        !refused
            .headers
            .contains_key("access-control-expose-headers")
    );
}
