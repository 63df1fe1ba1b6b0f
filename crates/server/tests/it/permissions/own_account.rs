//! What concerns one's own account is for sessions: the cookie of somebody who signed in.

use std::time::Duration;

use burgee_domain::people::Email;
use burgee_server::setup;
use reqwest::Method;
use serde_json::{Value, json};

use super::table::OWN_ACCOUNT;
use crate::kit::{App, Database};

const PASSWORD: &str = "correct horse battery staple";

/// Somebody's browser, as far as cookies go.
struct Browser {
    base: String,
    http: reqwest::Client,
    cookie: Option<String>,
}

impl Browser {
    /// Signs in.
    async fn signed_in(app: &App, email: &str, password: &str) -> Self {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(30));
        let mut browser = Self {
            base: format!("http://{}/api/v1/", app.address()),
            http: http.build().unwrap(),
            cookie: None,
        };
        let credentials = json!({"email": email, "password": password});
        let answer = browser.request(Method::POST, "session", Some(&credentials));
        let answer = answer.await;
        assert_eq!(answer.status(), 200, "{answer:?}");
        browser.cookie = Some(cookie(&answer));
        browser
    }

    async fn request(&self, method: Method, path: &str, body: Option<&Value>) -> reqwest::Response {
        let mut request = self.http.request(method, format!("{}{path}", self.base));
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        if let Some(body) = body {
            let text = body.to_string();
            request = request
                .header("content-type", "application/json")
                .body(text);
        }
        request.send().await.unwrap()
    }

    /// Calls; the body of an answer with this status.
    async fn call(&self, method: &str, path: &str, body: Option<Value>, status: u16) -> Value {
        let method: Method = method.parse().unwrap();
        let answer = self.request(method.clone(), path, body.as_ref()).await;
        let got = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        assert_eq!(got, status, "{method} {path}: {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Changes the password, which must work: with it the session's cookie is another.
    async fn changes_password(&mut self, change: &Value) {
        let answer = self
            .request(Method::POST, "me/password", Some(change))
            .await;
        assert_eq!(answer.status(), 204, "{answer:?}");
        self.cookie = Some(cookie(&answer));
    }

    async fn get(&self, path: &str, status: u16) -> Value {
        self.call("GET", path, None, status).await
    }
}

/// The cookie that an answer sets.
fn cookie(answer: &reqwest::Response) -> String {
    let cookie = answer.headers()["set-cookie"].to_str().unwrap();
    for word in ["HttpOnly", "SameSite=Lax"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    cookie.split(';').next().unwrap().to_owned()
}

/// The owner's address, with a password that must be changed.
async fn temporary(app: &App) -> (&'static str, String) {
    let email = burgee_store::first_start::OWNER_EMAIL;
    let address = Email::new(email).unwrap();
    let account = app.store.account_by_email(&address).await;
    let account = account.unwrap().unwrap();
    let password = setup::temporary_password(&app.store, &account.id).await;
    (email, password.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_password_opens_nothing_until_it_is_changed() {
    let app = App::start(Database::Sqlite).await;
    let (email, password) = temporary(&app).await;
    let mut browser = Browser::signed_in(&app, email, &password).await;
    let me = browser.get("session", 200).await;
    assert_eq!(me["passwordMustChange"], true);
    for path in ["projects", "members", "changes", "projects/default"] {
        let refused = browser.get(path, 403).await;
        assert_eq!(refused["code"], "passwordMustChange", "{path}");
    }
    let project = Some(json!({"key": "made"}));
    browser.call("POST", "projects", project.clone(), 403).await;

    let change = json!({"current": password, "new": PASSWORD});
    browser.changes_password(&change).await;
    let me = browser.get("session", 200).await;
    assert_eq!(me["passwordMustChange"], false);
    browser.get("projects", 200).await;
    browser.call("POST", "projects", project, 201).await;
    Browser::signed_in(&app, email, PASSWORD).await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_has_no_account_to_change() {
    let app = App::start(Database::Sqlite).await;
    for name in OWN_ACCOUNT {
        let (method, path) = name.split_once(' ').unwrap();
        let path = path.replace("{id}", "0190d3a0-0000-7000-8000-000000000000");
        for caller in [&app.owner, &app.nobody()] {
            let method: Method = method.parse().unwrap();
            let body = (method != Method::GET).then(|| json!({}));
            let answer = caller.send(method, &path, body.as_ref()).await;
            assert_eq!(answer.problem(401).code(), "unauthorized", "{name}");
        }
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_keeps_their_own_account() {
    let app = App::start(Database::Sqlite).await;
    let (email, password) = temporary(&app).await;
    let mut browser = Browser::signed_in(&app, email, &password).await;
    let change = json!({"current": password, "new": PASSWORD});
    browser.changes_password(&change).await;
    let other = Browser::signed_in(&app, email, PASSWORD).await;

    let name = Some(json!({"name": "Olivia"}));
    let me = browser.call("PATCH", "me", name, 200).await;
    assert_eq!(me["name"], "Olivia");

    let sessions = browser.get("me/sessions", 200).await;
    let sessions = sessions["items"].as_array().unwrap().clone();
    assert_eq!(sessions.len(), 2, "{sessions:?}");
    let not_this = sessions.iter().find(|it| it["current"] == false).unwrap();
    let one = format!("me/sessions/{}", not_this["id"].as_str().unwrap());
    // A session that is somebody else's is not there.
    let mate = mate(&app).await;
    mate.call("DELETE", &one, None, 404).await;
    other.get("session", 200).await;
    browser.call("DELETE", &one, None, 204).await;
    other.get("session", 401).await;

    let seed = browser
        .call("POST", "me/second-factor/seed", None, 200)
        .await;
    let proof = |password: &str| json!({"seed": seed["seed"], "code": "x", "password": password});
    let wrong = Some(proof("not the password"));
    let refused = browser.call("PUT", "me/second-factor", wrong, 400).await;
    assert_eq!(refused["errors"][0]["pointer"], "/password", "{refused}");

    browser.call("DELETE", "session", None, 204).await;
    browser.get("session", 401).await;
    browser.get("projects", 401).await;
    app.stop().await;
}

/// Somebody else, who joins by an invitation.
async fn mate(app: &App) -> Browser {
    let new = json!({"email": "mate@example.com", "policies": ["reader"]});
    let invitation = app.owner.post("invitations", &new).await.expect(201);
    let text = invitation["link"]
        .as_str()
        .unwrap()
        .split_once('#')
        .unwrap();
    let follow = json!({"link": text.1, "password": PASSWORD});
    app.nobody().post("links/follow", &follow).await.expect(200);
    Browser::signed_in(app, "mate@example.com", PASSWORD).await
}
