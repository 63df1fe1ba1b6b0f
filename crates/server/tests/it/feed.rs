//! Several servers on one database: a change through one reaches the SDKs of the others.

use burgee_testkit::api::Api;
use burgee_testkit::sdk::{Kind, Sdk};
use serde_json::json;

use crate::kit::{apply, flag_on, in_prod, on_each_database, person};

#[tokio::test(flavor = "multi_thread")]
async fn a_change_through_one_server_reaches_the_sdks_of_another() {
    on_each_database(async |app| {
        let other = app.data.serve().await;
        let there = Api::new(other.address()).with_token(&app.token);
        let keys = app.keys("prod").await;
        app.apply(flag_on("f")).await;
        let mut here = Sdk::client(app.address(), &keys.client.secret, &person("u"));
        let mut far = Sdk::client(other.address(), &keys.client.secret, &person("u"));
        far.until(|sdk| sdk.value("f") == Some("true"));
        for round in 0..4 {
            let (from, kind, value) = match round % 2 {
                0 => (&app.owner, "turnOff", "false"),
                _ => (&there, "turnOn", "true"),
            };
            apply(from, json!([in_prod(kind, "f")])).await;
            here.until(|sdk| sdk.value("f") == Some(value));
            far.until(|sdk| sdk.value("f") == Some(value));
        }

        // Keys and environments too: made and revoked there, good and bad here.
        let path = "projects/default/environments/prod/sdk-keys";
        let new = json!({"kind": "server", "name": "late"});
        let made = app.owner.post(path, &new).await.expect(201);
        let secret = made["secret"].as_str().unwrap();
        let mut late = Sdk::connect(other.address(), Kind::Server, secret);
        late.sync(0);
        assert_eq!(late.is_on("f"), Some(true));
        let one = format!("{path}/{}", made["id"].as_str().unwrap());
        app.owner.delete(&one).await.expect(204);
        assert_eq!(late.close_code(), 4003);
        there
            .delete("projects/default/environments/prod")
            .await
            .expect(204);
        assert_eq!(here.close_code(), 4003);
        assert_eq!(far.close_code(), 4003);
        other.stop().await;
    })
    .await;
}
