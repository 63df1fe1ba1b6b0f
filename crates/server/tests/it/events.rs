//! Listening to what happens.

use std::collections::VecDeque;

use burgee_domain::access::{DEVELOPER, READER};
use burgee_domain::people::Email;
use burgee_server::setup;
use burgee_testkit::api::PATIENCE;
use reqwest::Response;
use serde_json::{Value, json};

use crate::kit::{App, Database, create, flag_on, in_prod, on_each_database, person};
use crate::requests::{apply_path, ask, personal, review};
use crate::rules::{one_approval, set_rules};

/// Somebody who listens.
pub(crate) struct Listener {
    response: Response,
    text: String,
    events: VecDeque<Event>,
    /// What waits, as it was told: that comes beside what happens.
    inboxes: VecDeque<Value>,
    /// Of which environments connections moved: likewise.
    deliveries: VecDeque<Value>,
}

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) id: Option<i64>,
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl Listener {
    async fn open(app: &App, headers: &[(&str, &str)]) -> Response {
        let mut request =
            reqwest::Client::new().get(format!("http://{}/api/v1/events", app.address()));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    async fn of(app: &App, headers: &[(&str, &str)]) -> Self {
        let response = Self::open(app, headers).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            text: String::new(),
            events: VecDeque::new(),
            inboxes: VecDeque::new(),
            deliveries: VecDeque::new(),
        }
    }

    pub(crate) async fn with_token(app: &App, token: &str) -> Self {
        Self::of(app, &[("authorization", &format!("Bearer {token}"))]).await
    }

    /// As [`Self::with_token`], after the event with this id.
    pub(crate) async fn after(app: &App, token: &str, id: i64) -> Self {
        let id = id.to_string();
        let token = format!("Bearer {token}");
        Self::of(app, &[("authorization", &token), ("last-event-id", &id)]).await
    }

    /// The next event that is no `inbox` and no `delivery`; none at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            self.receive().await?;
        }
    }

    /// Waits until more comes; none at the end of the stream.
    async fn receive(&mut self) -> Option<()> {
        let chunk = tokio::time::timeout(PATIENCE, self.response.chunk()).await;
        let chunk = chunk.expect("nothing came").ok().flatten()?;
        self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        while let Some((message, rest)) = self.text.split_once("\n\n") {
            match read(message) {
                Some(event) if event.name == "inbox" => self.inboxes.push_back(event.data),
                Some(event) if event.name == "delivery" => self.deliveries.push_back(event.data),
                event => self.events.extend(event),
            }
            self.text = rest.to_owned();
        }
        Some(())
    }

    /// The reviews that wait for the listener, and their own requests, as they are told next.
    async fn inbox(&mut self) -> (i64, i64) {
        let told = async {
            loop {
                if let Some(inbox) = self.inboxes.pop_front() {
                    let of = |name: &str| inbox[name].as_i64().unwrap();
                    return (of("review"), of("mine"));
                }
                self.receive().await.expect("the stream ended");
            }
        };
        tokio::time::timeout(PATIENCE, told)
            .await
            .expect("no inbox")
    }

    /// The environment of which connections moved next.
    pub(crate) async fn delivery(&mut self) -> Value {
        loop {
            if let Some(delivery) = self.deliveries.pop_front() {
                return delivery;
            }
            self.receive().await.expect("the stream ended");
        }
    }

    pub(crate) async fn expect(&mut self, name: &str) -> Event {
        let event = self.next().await.expect("the stream ended");
        assert_eq!(event.name, name, "{event:?}");
        event
    }

    /// Waits for the end of the stream.
    async fn ends(&mut self) {
        while self.next().await.is_some() {}
    }
}

/// A message; none where it is a comment. One without data only says how far the reader is.
fn read(message: &str) -> Option<Event> {
    let field = |name: &str| {
        let mut lines = message.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    let id = field("id").map(|it| it.parse().unwrap());
    let name = field("event").unwrap_or_default().to_owned();
    let data = field("data").map_or(Value::Null, |it| serde_json::from_str(it).unwrap());
    (!message.starts_with(':')).then_some(Event { id, name, data })
}

async fn token(app: &App, name: &str, policy: &str) -> String {
    let policies = [policy.to_owned()];
    setup::create_token(&app.store, &app.organization, name, &policies)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn listeners_hear_what_changes_whoever_changes_it() {
    on_each_database(async |app| {
        let mut owner = Listener::with_token(app, &app.token).await;
        let hello = owner.expect("hello").await;
        assert_eq!(hello.id, hello.data["number"].as_i64());
        let set = app.apply(flag_on("lit")).await;
        let heard = owner.expect("change").await;
        assert_eq!(heard.id, hello.id.map(|it| it + 1));
        assert_eq!(heard.data["id"], set["id"]);
        assert_eq!(heard.data["actor"], "olivia");
        let places = json!([
            {"project": "default", "version": set["versions"]["default"], "flags": ["lit"],
                "segments": [], "settings": false, "more": false},
            {"project": "default", "environment": "prod",
                "version": set["versions"]["default/prod"], "flags": ["lit"], "segments": [],
                "settings": false, "more": false}]);
        let mut heard_places = heard.data["places"].as_array().unwrap().clone();
        heard_places.sort_by_key(|it| it.get("environment").is_some());
        assert_eq!(Value::Array(heard_places), places);

        // Another process on the same data.
        let elsewhere = app.data.serve().await;
        let there = app.owner.at(elsewhere.address());
        crate::kit::apply(&there, json!([in_prod("turnOff", "lit")])).await;
        let heard = owner.expect("change").await;
        assert_eq!(heard.data["places"][0]["environment"], "prod");
        elsewhere.stop().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_hears_what_they_missed() {
    let app = App::start(Database::Sqlite).await;
    let mut first = Listener::with_token(&app, &app.token).await;
    let known = first.expect("hello").await.id.unwrap();
    drop(first);
    app.apply(json!([create("one")])).await;
    app.apply(json!([create("two")])).await;
    let mut again = Listener::after(&app, &app.token, known).await;
    assert_eq!(again.expect("hello").await.id, Some(known));
    for (number, flag) in [(known + 1, "one"), (known + 2, "two")] {
        let heard = again.expect("change").await;
        assert_eq!(heard.id, Some(number));
        assert_eq!(heard.data["places"][0]["flags"], json!([flag]));
    }
    app.apply(json!([create("three")])).await;
    assert_eq!(again.expect("change").await.id, Some(known + 3));

    // A number that this history has not reached is another history's.
    let mut lost = Listener::after(&app, &app.token, known + 1_000).await;
    assert_eq!(lost.expect("reset").await.id, Some(known + 3));
    let bad = app
        .owner
        .clone()
        .with_header("last-event-id", "x")
        .get("events")
        .await;
    assert_eq!(bad.problem(400).pointers(), ["Last-Event-ID"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_and_strangers_hear_nothing_of_an_organization() {
    let app = App::start(Database::Sqlite).await;
    app.nobody().get("events").await.problem(401);
    let made_up = format!("bgt_{}", "0".repeat(64));
    app.nobody()
        .with_token(&made_up)
        .get("events")
        .await
        .problem(401);
    let stranger = crate::access::neighbour(&app).await;
    let reader = json!({"kind": "service", "name": "r", "policies": ["owner"]});
    let token = stranger.post("tokens", &reader).await.expect(201);
    let mut there = Listener::with_token(&app, token["token"].as_str().unwrap()).await;
    let hello = there.expect("hello").await;
    app.apply(flag_on("ours")).await;
    stranger
        .post("projects", &json!({"key": "more"}))
        .await
        .expect(201);
    let heard = there.expect("change").await;
    assert_eq!(heard.id, hello.id.map(|it| it + 1));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_hears_what_they_may_see() {
    let app = App::start(Database::Sqlite).await;
    let policy = json!({"key": "dev-only", "name": "Dev", "statements": [
        {"effect": "allow", "actions": ["*.read"], "resources": ["project/default"]},
        {"effect": "deny", "actions": ["environment.read"], "resources": ["project/*:env/prod"]},
        {"effect": "deny", "actions": ["flag.read"], "resources": ["project/default:flag/*;secret"]}]});
    app.owner.post("policies", &policy).await.expect(201);
    let token = token(&app, "dora", "dev-only").await;
    let mut dora = Listener::with_token(&app, &token).await;
    dora.expect("hello").await;
    let mut secret = create("hidden");
    secret["tags"] = json!(["secret"]);
    app.apply(json!([secret])).await;
    // How far the history is, and nothing else.
    let passed = dora.expect("").await;
    assert_eq!(passed.data, Value::Null);
    app.apply(json!([create("shown"), in_prod("turnOn", "shown")]))
        .await;
    let heard = dora.expect("change").await;
    assert_eq!(heard.id, passed.id.map(|it| it + 1));
    let places = heard.data["places"].as_array().unwrap();
    assert_eq!(places.len(), 1, "{places:?}");
    assert_eq!(places[0]["flags"], json!(["shown"]));
    assert_eq!(places[0].get("environment"), None);

    // Who is given more is told so, and hears more from then on.
    let more = json!({"name": "Dev", "statements": [
        {"effect": "allow", "actions": ["*.read"], "resources": ["project/default"]}]});
    app.owner.put("policies/dev-only", &more).await.expect(200);
    dora.expect("permissions").await;
    dora.expect("").await;
    app.apply(json!([in_prod("turnOff", "shown")])).await;
    let heard = dora.expect("change").await;
    assert_eq!(heard.data["places"][0]["environment"], "prod");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_the_session_or_the_token() {
    let app = App::start(Database::Sqlite).await;
    let new = json!({"kind": "service", "name": "bot", "policies": ["reader"]});
    let made = app.owner.post("tokens", &new).await.expect(201);
    let mut bot = Listener::with_token(&app, made["token"].as_str().unwrap()).await;
    bot.expect("hello").await;
    let path = format!("tokens/{}", made["id"].as_str().unwrap());
    assert_eq!(app.owner.delete(&path).await.status, 204);
    bot.ends().await;

    let email = Email::new(burgee_store::first_start::OWNER_EMAIL).unwrap();
    let account = app.store.account_by_email(&email).await.unwrap().unwrap();
    let password = setup::temporary_password(&app.store, &account.id)
        .await
        .unwrap();
    let sign_in = async |password: &str| {
        let credentials = json!({"email": account.email, "password": password});
        let answer = app.nobody().post("session", &credentials).await;
        answer.headers["set-cookie"]
            .to_str()
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned()
    };
    let cookie = sign_in(&password).await;
    let refused = Listener::open(&app, &[("cookie", &cookie)]).await;
    assert_eq!(refused.status(), 403);
    let change = json!({"current": password, "new": "correct horse battery staple"});
    let person = app.nobody().with_header("cookie", &cookie);
    let changed = person.post("me/password", &change).await;
    assert_eq!(changed.status, 204);
    let cookie = changed.headers["set-cookie"].to_str().unwrap();
    let person = app.nobody().in_session_of(&changed);
    let cookie = cookie.split(';').next().unwrap();
    let mut session = Listener::of(&app, &[("cookie", cookie)]).await;
    session.expect("hello").await;
    assert_eq!(person.delete("session").await.status, 204);
    session.ends().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_has_so_many_streams_and_a_stopping_server_ends_them() {
    let app = App::start(Database::Sqlite).await;
    let mut streams = Vec::new();
    for _ in 0..8 {
        let mut stream = Listener::with_token(&app, &app.token).await;
        stream.expect("hello").await;
        streams.push(stream);
    }
    let refused = app.owner.get("events").await.problem(429);
    assert_eq!(refused.code(), "tooManyStreams");
    assert!(refused.headers.contains_key("retry-after"));
    let other = token(&app, "other", "reader").await;
    Listener::with_token(&app, &other)
        .await
        .expect("hello")
        .await;
    app.stop().await;
    for mut stream in streams {
        stream.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_evaluation_is_told() {
    on_each_database(async |app| {
        app.apply(flag_on("lit")).await;
        let mut owner = Listener::with_token(app, &app.token).await;
        owner.expect("hello").await;
        let keys = app.keys("prod").await;
        let (on, _) = crate::kit::variations(&app.owner, "lit").await;
        let flag = app
            .owner
            .get("projects/default/flags/lit")
            .await
            .expect(200);
        let track = json!([{"user": person("ana"), "variations": [{"featureFlagKey": "lit",
            "featureFlagId": flag["id"], "variation": {"id": on, "value": "true"}}], "metrics": []}]);
        let sdk = app.nobody().with_sdk_key(&keys.client.secret);
        let tracked = sdk.post("/api/public/insight/track", &track).await;
        assert_eq!(tracked.status, 200, "{tracked:?}");
        let mut heard = Vec::new();
        for _ in 0..3 {
            heard.push(owner.next().await.unwrap());
        }
        heard.sort_by(|a, b| a.name.cmp(&b.name));
        let place = json!({"project": "default", "environment": "prod"});
        let mut of_key = place.clone();
        of_key["sdkKey"] = json!({"id": keys.client.id, "kind": "client", "name": "client"});
        let expected = [("evaluation", &place), ("sdk", &of_key), ("user", &place)];
        for (event, (name, data)) in heard.iter().zip(expected) {
            assert_eq!((event.name.as_str(), &event.data), (name, data));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_use_of_each_key_is_told_once_to_who_may_see_keys() {
    on_each_database(async |app| {
        let statement = |effect: &str, actions: &[&str]| json!({"effect": effect, "actions": actions, "resources": ["*"]});
        let policy = json!({"key": "no-keys", "name": "No keys", "statements": [
            statement("allow", &["*"]), statement("deny", &["sdkKey.read"])]});
        app.owner.post("policies", &policy).await.expect(201);
        let blind = token(app, "blind", "no-keys").await;
        let keys = app.keys("prod").await;
        let _held = app.server_sdk("prod").await;
        let seen = |listed: Value| {
            let mut items = listed["items"].as_array().unwrap().clone();
            items.retain(|it| it["id"] == keys.server.id.as_str());
            items[0]["firstUsedAt"].is_string()
        };
        let path = "projects/default/environments/prod/sdk-keys";
        while !seen(app.owner.get(path).await.expect(200)) {}

        // That was before they listen.
        let mut owner = Listener::with_token(app, &app.token).await;
        owner.expect("hello").await;
        let mut other = Listener::with_token(app, &blind).await;
        other.expect("hello").await;
        let _held = app.client_sdk("prod", "ana").await;
        let mut heard = [owner.next().await.unwrap(), owner.next().await.unwrap()];
        heard.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(heard[0].name, "sdk");
        assert_eq!(heard[0].data["sdkKey"]["id"], keys.client.id.as_str());
        assert_eq!(heard[1].name, "user");
        other.expect("user").await;
        app.apply(flag_on("lit")).await;
        owner.expect("change").await;
        other.expect("change").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_told_where_it_changes() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        set_rules(app, "prod", one_approval()).await;
        let tokens = [
            personal(app, "ann", DEVELOPER).await,
            personal(app, "bob", DEVELOPER).await,
        ];
        let [ann, bob] = tokens.each_ref().map(|it| app.nobody().with_token(it));
        let mut of_ann = Listener::with_token(app, &tokens[0]).await;
        let mut of_bob = Listener::with_token(app, &tokens[1]).await;
        assert_eq!(
            (of_ann.inbox().await, of_bob.inbox().await),
            ((0, 0), (0, 0))
        );

        let off = json!([in_prod("turnOff", "f")]);
        let asked = ask(&ann, off.clone()).await;
        assert_eq!(of_bob.inbox().await, (1, 0));
        // What is about flags alone changes nothing, and is not told.
        app.apply(json!([create("g")])).await;
        review(&bob, &asked, "approve").await;
        assert_eq!(
            (of_ann.inbox().await, of_bob.inbox().await),
            ((0, 1), (0, 0))
        );
        ann.post(&apply_path(&asked), &json!({})).await.expect(200);
        assert_eq!(of_ann.inbox().await, (0, 0));

        // What an environment asks, and what people are.
        let on = json!([in_prod("turnOn", "f")]);
        let asked = ask(&ann, on).await;
        assert_eq!(of_bob.inbox().await, (1, 0));
        set_rules(app, "prod", json!({})).await;
        assert_eq!(
            (of_ann.inbox().await, of_bob.inbox().await),
            ((0, 1), (0, 0))
        );
        set_rules(app, "prod", one_approval()).await;
        assert_eq!(
            (of_ann.inbox().await, of_bob.inbox().await),
            ((0, 0), (1, 0))
        );
        let listed = app.owner.get("members").await.expect(200);
        let mut members = listed["items"].as_array().unwrap().iter();
        let member = members.find(|it| it["email"] == "bob@example.com").unwrap();
        let member = format!("members/{}", member["id"].as_str().unwrap());
        let put = async |policy: &str| {
            let grants = json!({"policies": [policy], "groups": []});
            app.owner.put(&member, &grants).await.expect(200);
        };
        put(READER).await;
        assert_eq!(of_bob.inbox().await, (0, 0));
        put(DEVELOPER).await;
        assert_eq!(of_bob.inbox().await, (1, 0));
        review(&bob, &asked, "decline").await;
        assert_eq!(
            (of_ann.inbox().await, of_bob.inbox().await),
            ((0, 1), (0, 0))
        );

        // Who comes back is told what it is by now, and so is who asks.
        let mut again = Listener::after(app, &tokens[0], 1).await;
        assert_eq!(again.inbox().await, (0, 1));
        let told = ann.get("inbox").await.expect(200);
        assert_eq!(told, json!({"review": 0, "mine": 1}));
    })
    .await;
}
