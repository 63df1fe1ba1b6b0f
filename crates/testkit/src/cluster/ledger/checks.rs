//! What must be true of the data: in the history, by the API, and as SDKs are sent it.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde_json::{Value, json};

use super::{ENVIRONMENTS, Keys, Ledger, WRITERS, count, pair};
use crate::api::Api;
use crate::sdk::Sdk;

/// What a server SDK gets, by environment and flag.
type Served = BTreeMap<(&'static str, String), Value>;

/// Checks the data as a server has it and a node serves it.
///
/// # Panics
/// As [`Ledger::check`].
pub(super) async fn all(ledger: &Ledger, api: &Api, node: SocketAddr, keys: &Keys) {
    let history = history(api, "prod").await;
    no_version_is_missing(&history, "default/prod");
    no_version_is_missing(&self::history(api, "dev").await, "default/dev");
    what_was_acknowledged_is_there(&history, ledger);
    let served = served(node, keys);
    for writer in 0..WRITERS {
        what_is_served_is_the_last_of_the_log(api, &history, &served, writer).await;
    }
}

/// An environment's change sets, newest first.
///
/// # Panics
/// Where they cannot be read.
pub async fn history(api: &Api, environment: &str) -> Vec<Value> {
    let path = format!("projects/default/environments/{environment}/changes?limit=500");
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let mut page = api.get(&format!("{path}{cursor}")).await.expect(200);
        found.append(page["items"].as_array_mut().expect("a page's items"));
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

fn no_version_is_missing(history: &[Value], scope: &str) {
    let versions = history.iter().rev();
    let versions: Vec<i64> = versions
        .filter_map(|it| it["versions"][scope].as_i64())
        .collect();
    let all: Vec<i64> = (1..).take(versions.len()).collect();
    assert_eq!(versions, all);
}

fn what_was_acknowledged_is_there(history: &[Value], ledger: &Ledger) {
    let logged: BTreeMap<&str, &Value> = history
        .iter()
        .filter_map(|it| Some((it["id"].as_str()?, it)))
        .collect();
    let mut acknowledged = 0;
    for (id, sent) in ledger.sent().iter() {
        if let Some(answer) = &sent.answer {
            let found = logged.get(id.as_str());
            let logged = found.unwrap_or_else(|| panic!("{id} is lost: {answer}"));
            assert_eq!(logged["versions"], answer["versions"], "{logged}");
            assert_eq!(logged["diff"], answer["diff"], "{logged}");
            acknowledged += 1;
        }
    }
    assert!(acknowledged > 0);
}

fn served(node: SocketAddr, keys: &Keys) -> Served {
    let mut found = BTreeMap::new();
    for environment in ENVIRONMENTS {
        let sdk = Sdk::server(node, keys.server_of(environment));
        let flags = sdk.flags.into_iter();
        found.extend(flags.map(|(key, flag)| ((environment, key), flag)));
    }
    found
}

async fn what_is_served_is_the_last_of_the_log(
    api: &Api,
    history: &[Value],
    served: &Served,
    writer: usize,
) {
    let comment = writer.to_string();
    let Some(last) = history.iter().find(|it| it["comment"] == comment.as_str()) else {
        return nothing_is_served(served, writer);
    };
    let n = &last["commands"][0]["keys"][0];
    for flag in pair(writer) {
        let path = format!("projects/default/flags/{flag}");
        let seen = api.get(&path).await.expect(200);
        for environment in ENVIRONMENTS {
            let stored = &seen["environments"][environment]["targets"][0]["keyIds"];
            assert_eq!(stored, &json!([n]), "{flag} in {environment}: {last}");
            let sent = &served[&(environment, flag.clone())]["targetUsers"][0]["keyIds"][0];
            assert_eq!(sent, n, "{flag} in {environment}");
        }
    }
    for environment in ENVIRONMENTS {
        let sent = &served[&(environment, count(writer))]["variations"][0]["value"];
        assert_eq!(sent, n, "in {environment}: {last}");
    }
}

/// Of a writer whose first set was never done: flags that nobody edited are not sent, and the number
/// is that which it was made with.
fn nothing_is_served(served: &Served, writer: usize) {
    for environment in ENVIRONMENTS {
        for flag in pair(writer) {
            let sent = served.get(&(environment, flag));
            assert!(sent.is_none(), "in {environment}: {sent:?}");
        }
        let sent = &served[&(environment, count(writer))]["variations"][0]["value"];
        assert_eq!(sent, "0", "in {environment}");
    }
}
