//! Who asks too often.

use burgee_server::{Config, Rates, Server, setup};
use burgee_store::Store;
use burgee_testkit::api::Api;
use serde_json::json;

use crate::kit::{Data, Database};

async fn asked(caller: &Api, most: usize) -> usize {
    for count in 0..most {
        let answer = caller.get("projects").await;
        if answer.status != 200 {
            let refused = answer.problem(429);
            assert_eq!(refused.code(), "tooManyRequests");
            let wait: i64 = refused.headers["retry-after"]
                .to_str()
                .unwrap()
                .parse()
                .unwrap();
            assert!((1..=60).contains(&wait), "{wait}");
            return count;
        }
    }
    most
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_too_often_has_to_wait_and_nobody_else() {
    let data = Data::new(Database::Sqlite).await;
    let any = ([127, 0, 0, 1], 0).into();
    let config = Config {
        listen: any,
        metrics_listen: any,
        rates: Rates::of(Some(1)),
        trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
        ..Config::new(data.location.clone())
    };
    let server = Server::start(config).await.unwrap();
    let store = Store::open(data.location.clone()).await.unwrap();
    let organization = setup::organization(&store).await.unwrap();
    let mut callers = Vec::new();
    for name in ["one", "two", "three", "four", "five"] {
        let policies = ["reader".to_owned()];
        let token = setup::create_token(&store, &organization, name, &policies).await;
        let api = Api::new(server.address()).with_token(&token.unwrap());
        callers.push(api.with_header("x-forwarded-for", "192.0.2.1"));
    }
    let first = asked(&callers[0], 100).await;
    assert!((10..100).contains(&first), "{first}");
    for caller in &callers[1..4] {
        let more = asked(caller, 9).await;
        assert_eq!(more, 9);
    }
    // So much for one address; another one is not held up, whatever the proxy's is.
    let rest = asked(&callers[4], 100).await;
    let elsewhere = callers[3]
        .clone()
        .with_header("x-forwarded-for", "192.0.2.2");
    assert!(rest < 100, "{rest}");
    assert!(asked(&elsewhere, 1).await == 1);
    // SDKs are not management.
    let health = Api::new(server.address()).get("/health/liveness").await;
    assert_eq!(health.status, 200);
    store.close().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_one_caller_whatever_comes_with_its_cookie() {
    let data = Data::new(Database::Sqlite).await;
    let any = ([127, 0, 0, 1], 0).into();
    let config = Config {
        listen: any,
        metrics_listen: any,
        rates: Rates::of(Some(1)),
        ..Config::new(data.location.clone())
    };
    let server = Server::start(config).await.unwrap();
    let nobody = Api::new(server.address());
    let password = server.owner_password().unwrap();
    let credentials = json!({"email": "owner@localhost", "password": password});
    let answer = nobody.post("session", &credentials).await;
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap();
    // Fewer than the forty that the address may.
    let mut refused = 0;
    for count in 0..16 {
        let varied = nobody
            .clone()
            .with_header("cookie", &format!("x={count}; {cookie}; y={count}"))
            .with_token(&count.to_string());
        let answer = varied.get("session").await;
        refused += usize::from(answer.status == 429);
    }
    assert!(refused > 0);
    server.stop().await;
}
