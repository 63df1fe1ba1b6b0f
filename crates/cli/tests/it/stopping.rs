//! SIGTERM and SIGINT: connections are told to come back, what is buffered is stored, exit 0.

use burgee_domain::key::Key;
use burgee_eval::time::Millis;
use burgee_store::{Location, Store};
use burgee_testkit::api::Api;
use burgee_testkit::sdk::{self, Kind, Sdk};
use serde_json::{Value, json};

use crate::kit::{Data, Program, apply, flag_on, person};

/// An evaluation of a flag, as an SDK tells it.
fn tracked(user: &str, flag: &Value) -> Value {
    json!([{ "user": person(user), "metrics": [], "variations": [{
        "featureFlagKey": flag["key"], "sendToExperiment": false, "timestamp": sdk::now(),
        "variation": { "id": flag["variations"][0]["id"], "value": "true" } }] }])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_polite_end_loses_nothing() {
    let data = Data::folder();
    for signal in ["TERM", "INT"] {
        let mut program = Program::start(&data);
        let api = program.api(&data.token());
        let flag = format!("of-{signal}");
        apply(&api, flag_on(&flag)).await;
        let flag = api
            .get(&format!("projects/default/flags/{flag}"))
            .await
            .expect(200);
        let (client, server) = data.sdk_keys("prod");
        let user = format!("user-{signal}");
        let mut clients: Vec<_> = (0..5)
            .map(|_| Sdk::client(program.address, &client, &person(&user)))
            .collect();
        let mut server = Sdk::server(program.address, &server);
        let silent = Sdk::connect(program.address, Kind::Client, &client);
        let told = Api::new(program.address).with_sdk_key(&client);
        for _ in 0..3 {
            let track = "/api/public/insight/track";
            assert_eq!(told.post(track, &tracked(&user, &flag)).await.status, 200);
        }

        program.signal(signal);
        for sdk in clients.iter_mut().chain([&mut server]) {
            assert_eq!(sdk.close_code(), 1001);
        }
        assert!(program.ended().success(), "{:?}", program.said());
        drop(silent);
        assert!(Sdk::try_connect(program.address, Kind::Client, &client).is_err());
        assert_eq!(stored(&data, &user, &flag).await, 3, "{:?}", program.said());
    }
}

/// How many evaluations of a flag are stored; the user must be.
async fn stored(data: &Data, user: &str, flag: &Value) -> i64 {
    let store = Store::open(Location::Folder(data.path())).await.unwrap();
    let organization = store
        .organization(&Key::new("default").unwrap())
        .await
        .unwrap();
    let key = Key::new("default").unwrap();
    let project = store.project(&organization.id, &key).await.unwrap();
    let prod = store
        .environment(&project.id, &Key::new("prod").unwrap())
        .await
        .unwrap();
    let found = store
        .traffic()
        .end_user(prod.id.as_str(), user)
        .await
        .unwrap();
    assert!(found.is_some(), "{user}");
    let all = (Millis(0), Millis(i64::MAX));
    let counts = store
        .traffic()
        .counts(prod.id.as_str(), all.0, all.1)
        .await
        .unwrap();
    store.close().await;
    let of_flag = counts.iter().filter(|it| {
        let of = [("key", &it.flag), ("id", &it.flag_id)];
        of.iter().all(|(part, text)| flag[*part] == ***text)
    });
    of_flag.map(|it| it.count).sum()
}
