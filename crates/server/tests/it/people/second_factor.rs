//! The second factor.

use burgee_server::auth::totp::SecondFactor;
use burgee_server::now;
use burgee_testkit::api::Api;
use serde_json::json;

use super::{OWNER, PASSWORD, joined, owner, sign_in};
use crate::kit::{Data, Database, on_each_database};

#[tokio::test]
async fn without_an_instance_key_there_is_no_second_factor_and_all_else() {
    let data = Data::new(Database::Sqlite).await;
    let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let config = burgee_server::Config {
        listen: any,
        metrics_listen: any,
        instance_key_file: None,
        ..burgee_server::Config::new(data.location.clone())
    };
    let server = burgee_server::Server::start(config).await.unwrap();
    let api = Api::new(server.address());
    let credentials = json!({"email": OWNER, "password": server.owner_password().unwrap()});
    let signed_in = api
        .clone()
        .in_session_of(&api.post("session", &credentials).await);
    let refused = signed_in.post("me/second-factor/seed", &json!({})).await;
    assert_eq!(refused.problem(501).body["code"], "instanceKeyMissing");
    server.stop().await;
}

#[tokio::test]
async fn a_second_factor_is_asked_for_and_each_code_works_once() {
    on_each_database(async |app| {
        let owner = owner(app).await;
        let new = owner
            .post("me/second-factor/seed", &json!({}))
            .await
            .expect(200);
        let seed = new["seed"].as_str().unwrap();
        assert!(
            new["address"]
                .as_str()
                .unwrap()
                .starts_with("otpauth://totp/Burgee")
        );
        let (factor, _) = SecondFactor::of_typed(seed, OWNER).unwrap();
        let proof = |code: &str| json!({"seed": seed, "code": code, "password": PASSWORD});
        let wrong = owner.put("me/second-factor", &proof("abcdef")).await;
        assert_eq!(wrong.problem(400).body["errors"][0]["pointer"], "/code");
        let code = factor.code(now());
        let set = owner.put("me/second-factor", &proof(&code)).await;
        // A copy of the cookie until now is no session with a second factor.
        owner.get("session").await.problem(401);
        let renewed = app.nobody().in_session_of(&set);
        renewed.get("session").await.expect(200);
        let codes = set.expect(200);

        let with = |code: &str| json!({"email": OWNER, "password": PASSWORD, "code": code});
        let asked = sign_in(app, OWNER, PASSWORD).await.problem(401);
        assert_eq!(asked.body["code"], "codeNeeded");
        let again = app.nobody().post("session", &with(&code)).await;
        assert_eq!(
            again.problem(401).body["code"],
            "badCredentials",
            "it was used"
        );
        let recovery = codes["codes"][0].as_str().unwrap().to_uppercase();
        let signed_in = app.nobody().post("session", &with(&recovery)).await;
        let signed_in = app.nobody().in_session_of(&signed_in);
        assert_eq!(
            signed_in.get("session").await.expect(200)["secondFactor"],
            true
        );
        app.nobody()
            .post("session", &with(&recovery))
            .await
            .problem(401);

        let away = reqwest::Method::DELETE;
        let body = json!({"password": PASSWORD});
        let refused = signed_in
            .send(away.clone(), "me/second-factor", Some(&body))
            .await;
        assert_eq!(refused.problem(400).body["errors"][0]["pointer"], "/code");
        let body = json!({"password": PASSWORD, "code": codes["codes"][1]});
        signed_in
            .send(away, "me/second-factor", Some(&body))
            .await
            .expect(204);
        assert_eq!(sign_in(app, OWNER, PASSWORD).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn who_has_a_second_factor_asks_others_for_one() {
    on_each_database(async |app| {
        let first = owner(app).await;
        let reader = joined(app, &first, "rita@example.com", &["reader"]).await;
        let ask = json!({"secondFactorRequired": true});
        let shown = reader.get("organization").await.expect(200);
        assert_eq!(shown["secondFactorRequired"], false);
        reader.patch("organization", &ask).await.problem(403);
        // Not without one, and not by a token, which has none.
        first.patch("organization", &ask).await.problem(403);
        app.owner.patch("organization", &ask).await.problem(403);
        let renamed = json!({"name": " Ours "});
        let renamed = first.patch("organization", &renamed).await.expect(200);
        assert_eq!(renamed["name"], "Ours");

        let new = first.post("me/second-factor/seed", &json!({})).await;
        let new = new.expect(200);
        let seed = new["seed"].as_str().unwrap();
        let (factor, _) = SecondFactor::of_typed(seed, OWNER).unwrap();
        let set_up = json!({"seed": seed, "code": factor.code(now()), "password": PASSWORD});
        let codes = first.put("me/second-factor", &set_up).await.expect(200);
        let code = codes["codes"][0].as_str().unwrap();
        let credentials = json!({"email": OWNER, "password": PASSWORD, "code": code});
        let signed_in = app.nobody().post("session", &credentials).await;
        let first = app.nobody().in_session_of(&signed_in);
        let personal = json!({"kind": "personal", "name": "mine"});
        let personal = reader.post("tokens", &personal).await.expect(201);
        let program = app.nobody().with_token(personal["token"].as_str().unwrap());
        program.get("projects").await.expect(200);
        first.patch("organization", &ask).await.expect(200);
        let problem = program.get("projects").await.problem(403);
        assert_eq!(problem.code(), "secondFactorNeeded");

        let problem = reader.get("projects").await.problem(403);
        assert_eq!(problem.code(), "secondFactorNeeded");
        // They can still do what they are asked for.
        reader
            .post("me/second-factor/seed", &json!({}))
            .await
            .expect(200);
        first.get("projects").await.expect(200);
        let no_more = json!({"secondFactorRequired": false});
        first.patch("organization", &no_more).await.expect(200);
        reader.get("projects").await.expect(200);
        program.get("projects").await.expect(200);
        let history = app.owner.get("changes?limit=1").await.expect(200);
        assert_eq!(
            history["items"][0]["commands"][0]["kind"],
            "updateOrganization"
        );
    })
    .await;
}

#[tokio::test]
async fn codes_are_not_guessed_in_a_session_either() {
    on_each_database(async |app| {
        let owner = owner(app).await;
        let new = owner.post("me/second-factor/seed", &json!({})).await;
        let seed = new.expect(200)["seed"].clone();
        let (factor, _) = SecondFactor::of_typed(seed.as_str().unwrap(), OWNER).unwrap();
        let code = factor.code(now());
        let proof = json!({"seed": seed, "code": code, "password": PASSWORD});
        let set = owner.put("me/second-factor", &proof).await;
        assert_eq!(set.status, 200, "{}", set.text);
        let owner = owner.in_session_of(&set);

        let away = reqwest::Method::DELETE;
        let guess = json!({"password": PASSWORD, "code": "not one"});
        let other = json!({"seed": seed, "code": code, "password": PASSWORD,
            "currentCode": "not one"});
        for _ in 0..2 {
            let wrong = owner.send(away.clone(), "me/second-factor", Some(&guess));
            let wrong = wrong.await.problem(400);
            assert_eq!(wrong.body["errors"][0]["code"], "codeWrong");
            let wrong = owner.put("me/second-factor", &other).await.problem(400);
            assert_eq!(wrong.body["errors"][0]["pointer"], "/currentCode");
        }
        // The password alone, shown elsewhere, does not make the failures forgotten.
        let short = json!({"current": PASSWORD, "new": "short"});
        owner.post("me/password", &short).await.problem(400);
        for _ in 0..2 {
            let wrong = owner.send(away.clone(), "me/second-factor", Some(&guess));
            wrong.await.problem(400);
        }
        let refused = owner.send(away, "me/second-factor", Some(&guess));
        assert_eq!(refused.await.problem(429).code(), "tooManyAttempts");
        owner.put("me/second-factor", &other).await.problem(429);
    })
    .await;
}
