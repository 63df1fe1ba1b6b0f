//! People: signing in and out, passwords, the second factor, invitations.

mod invitations;
mod owners;
mod provider;
mod second_factor;
mod sign_in;

use burgee_domain::people::Email;
use burgee_server::setup;
use burgee_testkit::api::{Answer, Api};
use serde_json::{Value, json};

use crate::kit::App;

const OWNER: &str = "owner@localhost";
const PASSWORD: &str = "correct horse";

async fn sign_in(app: &App, email: &str, password: &str) -> Answer {
    let credentials = json!({"email": email, "password": password});
    app.nobody().post("session", &credentials).await
}

/// The owner, signed in with a password of their own.
async fn owner(app: &App) -> Api {
    let email = Email::new(OWNER).unwrap();
    let account = app.store.account_by_email(&email).await.unwrap().unwrap();
    let first = setup::temporary_password(&app.store, &account.id)
        .await
        .unwrap();
    let answer = sign_in(app, OWNER, &first).await;
    let owner = app.nobody().in_session_of(&answer);
    let change = json!({"current": first, "new": PASSWORD});
    let changed = owner.post("me/password", &change).await;
    assert_eq!(changed.status, 204, "{}", changed.text);
    owner.in_session_of(&changed)
}

/// What follows `#` in a link.
fn text(link: &Value) -> &str {
    link.as_str().unwrap().rsplit('#').next().unwrap()
}

/// Somebody who was invited and came.
pub(crate) async fn joined(app: &App, owner: &Api, email: &str, policies: &[&str]) -> Api {
    let invitation = json!({"email": email, "policies": policies});
    let invited = owner.post("invitations", &invitation).await.expect(201);
    let follow = json!({"link": text(&invited["link"]), "password": PASSWORD});
    let answer = app.nobody().post("links/follow", &follow).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    app.nobody().in_session_of(&answer)
}
