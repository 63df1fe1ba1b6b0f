//! An organization with one of everything that a route can be about.

use burgee_domain::access::{StatementInput, statements};
use burgee_domain::id::Id;
use burgee_eval::time::Millis;
use burgee_server::now;
use burgee_store::traffic::{Batch, Decision, UserSeen};
use burgee_store::{Actor, AgentSeen, Grant, NewToken, RelayKind};
use burgee_testkit::api::Api;
use serde_json::{Value, json};

use crate::kit::{App, create, flag_on, in_prod, variations};
use crate::people::joined;

/// What the routes of the table are called about.
pub(crate) struct Fixture {
    /// A member who may read, and one to be removed.
    pub(crate) mate: String,
    pub(crate) leaver: String,
    pub(crate) invitation: String,
    pub(crate) token: String,
    pub(crate) sdk_key: String,
    /// Two relays use it: `here`, and `gone`.
    pub(crate) relay_key: String,
    pub(crate) change_set: String,
    /// Requests of the owner's: one to work on, one to be withdrawn.
    pub(crate) request: String,
    pub(crate) idle_request: String,
    /// One with three steps that wait for their moments.
    pub(crate) series: String,
}

impl Fixture {
    pub(crate) async fn new(app: &App) -> Self {
        let owner = &app.owner;
        let made = async |path: &str, body: Value| owner.post(path, &body).await.expect(201);
        let environment = "projects/default/environments/prod";
        made("projects", json!({"key": "spare"})).await;
        made("projects/default/environments", json!({"key": "spare"})).await;
        for key in ["ours", "spare"] {
            let policy = json!({"key": key, "name": key, "statements": [allow(&["flag.read"])]});
            made("policies", policy).await;
            made("groups", json!({"key": key, "name": key, "policies": []})).await;
        }
        let provider = json!({"issuer": "https://id.test", "clientId": "spare"});
        let set = owner.put("organization/sign-in", &provider).await;
        set.expect(200);
        users(app).await;
        let key = json!({"kind": "server", "name": "spare"});
        let key = made(&format!("{environment}/sdk-keys"), key).await;
        let token = json!({"kind": "service", "name": "spare", "policies": ["reader"]});
        let token = made("tokens", token).await;
        let relay = json!({"name": "spare", "scope": {"all": true}});
        let relay = made("relay-keys", relay).await;
        relays(app, &id(&relay)).await;
        let somebody = json!({"email": "somebody@example.com", "policies": ["reader"]});
        let invitation = made("invitations", somebody).await;
        let change_set = flags_and_segments(app).await;
        for property in ["plan", "spare"] {
            let property = format!("projects/default/user-properties/{property}");
            owner.put(&property, &json!({})).await.expect(200);
        }
        // To be loosened.
        let asks = json!({"comment": "required"});
        let rules = "projects/default/environments/spare/rules";
        owner.put(rules, &asks).await.expect(200);
        // A person: no token of the operator's reviews what another asks for.
        let author = joined(app, owner, "author@example.com", &["owner"]).await;
        Self {
            mate: member(app, "mate@example.com").await,
            leaver: member(app, "leaver@example.com").await,
            invitation: id(&invitation),
            token: id(&token),
            sdk_key: id(&key),
            relay_key: id(&relay),
            change_set,
            request: request(&author).await,
            idle_request: request(&author).await,
            series: series(app).await,
        }
    }

    /// Ids and secrets that nobody outside of the organization may be told.
    pub(crate) async fn marks(&self, app: &App) -> Vec<String> {
        let project = app.owner.get("projects/default").await.expect(200);
        let prod = "projects/default/environments/prod";
        let prod = app.owner.get(prod).await.expect(200);
        let known = [&self.mate, &self.leaver, &self.invitation, &self.token];
        let mut marks: Vec<String> = known.into_iter().cloned().collect();
        marks.extend([self.sdk_key.clone(), self.change_set.clone()]);
        marks.push(self.relay_key.clone());
        marks.extend([self.request.clone(), self.idle_request.clone()]);
        marks.push(self.series.clone());
        marks.extend([id(&project), id(&prod), "example.com".to_owned()]);
        marks.push("secret-name".to_owned());
        marks.push(app.keys("prod").await.server.secret);
        marks
    }
}

/// The id of what was answered.
pub(crate) fn id(of: &Value) -> String {
    of["id"].as_str().unwrap().to_owned()
}

/// End users of `prod`.
async fn users(app: &App) {
    let prod = app.owner.get("projects/default/environments/prod").await;
    let environment = id(&prod.expect(200));
    let users = ["known", "spare"].map(|key| UserSeen {
        types: "".into(),
        environment: environment.as_str().into(),
        key: key.into(),
        name: "secret-name".into(),
        properties: Vec::new(),
        at: now(),
    });
    app.store.traffic().put_users(&users).await.unwrap();
    let decision = Decision {
        environment: environment.as_str().into(),
        user: "known".into(),
        flag: "lit".into(),
        flag_id: "lit".into(),
        variation: "on".into(),
        surface: "track".into(),
        reason: None,
        rule: None,
        position: None,
        at: now(),
    };
    let batch = Batch {
        sender: "fixture".into(),
        decisions: vec![decision],
        ..Batch::default()
    };
    app.store.traffic().write(&batch).await.unwrap();
}

/// Relays that use a key: one that is connected, and one that is not.
async fn relays(app: &App, key: &str) {
    for agent in ["here", "gone"] {
        let seen = AgentSeen {
            agent: agent.into(),
            key: Id::new(key),
            told_by: Id::new(key),
            organization: app.organization.id.clone(),
            name: "secret-name".into(),
            version: String::new(),
            kind: RelayKind::Burgee,
            address: String::new(),
            node: String::new(),
            connections: 0,
            environments: Vec::new(),
            connected_at: now(),
            // However long the test takes: it does not fall silent meanwhile.
            at: Millis(now().0 + 3_600_000),
        };
        app.store.relay_agent_seen(&seen).await.unwrap();
        if agent == "gone" {
            let gone = seen.connection();
            app.store.relay_agent_gone(&gone, now()).await.unwrap();
        }
    }
}

async fn flags_and_segments(app: &App) -> String {
    let mut commands = vec![create("known")];
    for place in [
        json!({}),
        json!({"project": "default"}),
        json!({"project": "default", "environment": "prod"}),
    ] {
        let mut command = json!({"kind": "createSegment", "segment": "known"});
        for (name, value) in place.as_object().unwrap() {
            command[name] = value.clone();
        }
        commands.push(command);
    }
    commands[0]["project"] = json!("default");
    app.apply(flag_on("lit")).await;
    app.apply(json!([create("asked"), create("needed"), create("needy")]))
        .await;
    let (variation, _) = variations(&app.owner, "needed").await;
    let mut needs = in_prod("setPrerequisites", "needy");
    needs["prerequisites"] = json!([{"flag": "needed", "variation": variation}]);
    app.apply(json!([needs])).await;
    let set = json!({ "commands": commands });
    id(&app.owner.post("changes", &set).await.expect(200))
}

async fn request(author: &Api) -> String {
    let on = json!({"kind": "turnOn", "project": "default", "flag": "asked",
        "environment": "prod"});
    let new = json!({"title": "Known to all", "commands": [on]});
    id(&author.post("requests", &new).await.expect(201))
}

/// A moment so many minutes ahead.
pub(crate) fn soon(minutes: i64) -> String {
    Millis(now().0 + minutes * 60_000).to_string()
}

async fn series(app: &App) -> String {
    let turn = |kind: &str| json!([{"kind": kind, "project": "default", "flag": "asked", "environment": "prod"}]);
    let steps = [
        json!({"at": soon(60), "commands": turn("turnOn")}),
        json!({"at": soon(120), "commands": turn("turnOff")}),
        json!({"at": soon(180), "commands": turn("turnOn")}),
    ];
    let new = json!({"title": "On and off", "steps": steps});
    id(&app.owner.post("requests", &new).await.expect(201))
}

/// Somebody joins by an invitation; the account's id.
async fn member(app: &App, email: &str) -> String {
    let new = json!({"email": email, "policies": ["reader"]});
    let invitation = app.owner.post("invitations", &new).await.expect(201);
    let link = invitation["link"].as_str().unwrap();
    let text = link.split_once('#').unwrap().1;
    let follow = json!({"link": text, "password": "correct horse battery staple"});
    let joined = app.nobody().post("links/follow", &follow).await;
    id(&joined.expect(200))
}

/// A statement that allows actions everywhere.
pub(crate) fn allow(actions: &[&str]) -> Value {
    on("allow", actions, &["*"])
}

/// A statement.
pub(crate) fn on(effect: &str, actions: &[&str], resources: &[&str]) -> Value {
    json!({"effect": effect, "actions": actions, "resources": resources})
}

/// A caller with a token of these statements.
pub(crate) async fn with(app: &App, list: Value) -> Api {
    let inputs: Vec<StatementInput> = serde_json::from_value(list).unwrap();
    let new = NewToken {
        organization: app.organization.id.clone(),
        name: "tried".to_owned(),
        account: None,
        grant: Grant::Service {
            policies: Vec::new(),
            statements: statements(&inputs).unwrap(),
        },
        networks: Vec::new(),
        expires_at: None,
    };
    let operator = Actor::operator();
    let made = app.store.create_token(&new, &operator, now()).await;
    app.nobody().with_token(&made.unwrap().1)
}

/// A caller who may do everything but this.
pub(crate) async fn all_but(app: &App, action: &str) -> Api {
    let deny = on("deny", &[action], &["*"]);
    with(app, json!([allow(&["*"]), deny])).await
}

/// A caller who may do these things, everywhere, and nothing else.
pub(crate) async fn only(app: &App, actions: &[&str]) -> Api {
    match actions.is_empty() {
        // A token has some statement: this one allows nothing.
        true => with(app, json!([on("deny", &["organization.read"], &["*"])])).await,
        false => with(app, json!([allow(actions)])).await,
    }
}

/// All that an owner sees, to tell whether something was changed.
pub(crate) async fn everything(app: &App) -> Vec<Value> {
    let mut seen = Vec::new();
    for path in [
        "projects?limit=500",
        "projects/default/environments",
        "projects/default/environments/prod/sdk-keys",
        "projects/default/environments/prod/users?limit=500",
        "projects/default/flags?limit=500",
        "projects/default/segments?limit=500",
        "segments?limit=500",
        "changes?limit=500",
        "requests?limit=500",
        "members?limit=500",
        "invitations",
        "groups",
        "policies",
        "tokens",
        "relay-keys",
        "relay-agents",
    ] {
        let mut page = app.owner.get(path).await.expect(200);
        for item in page["items"].as_array_mut().unwrap() {
            // A token's use is recorded.
            item.as_object_mut().unwrap().remove("lastUsedAt");
        }
        seen.push(page);
    }
    seen
}
