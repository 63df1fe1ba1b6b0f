//! What servers publish to NATS: in which order, when, and that it is not somebody else's.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::Context;
use burgee_edge::source::{Source, Unavailable};
use burgee_relay::backbone::{Counters, Fault, Publisher, verify};
use burgee_server::feed::LocalSource;
use burgee_testkit::api::PATIENCE;
use burgee_testkit::nats::Nats;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::meddling::Meddling;
use super::nats::{jetstream, level, server_sdk};
use super::{Fed, Rig, backbone, id};
use crate::kit::{App, Data, Database, flag_on, in_prod};

/// A server's publisher, of what a source has.
async fn publisher(app: &App, url: &str, source: impl Source) -> JoinHandle<()> {
    let publisher = Publisher::new(&backbone(url), Arc::new(source), Counters::default()).await;
    let installation = app.store.installation().await.unwrap();
    tokio::spawn(publisher.unwrap().run(installation))
}

fn database(app: &App) -> LocalSource {
    LocalSource::new(app.store.clone().into(), None)
}

/// The last message of a subject of the stream, once there is a stream.
async fn last(context: &Context, subject: &str) -> Option<Value> {
    let stream = context.get_stream("BURGEE").await.ok()?;
    let found = stream.get_last_raw_message_by_subject(subject).await.ok()?;
    Some(serde_json::from_slice(&found.payload).unwrap_or(Value::Null))
}

/// The last message of a subject, once it is as wanted.
async fn until_last(context: &Context, subject: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let looking = async {
        loop {
            if let Some(found) = last(context, subject).await
                && wanted(&found)
            {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let found = tokio::time::timeout(PATIENCE * 2, looking).await;
    found.unwrap_or_else(|_| panic!("{subject} is not as wanted"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stood_still_names_no_older_state_as_the_newest() {
    let app = App::start(Database::Sqlite).await;
    let nats = Nats::start("").unwrap();
    app.apply(flag_on("f")).await;
    let prod = id(&app, "prod").await;
    let (read, looked) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let stands = watch::Sender::new(true);
    let stopped = {
        let (of, prod, read) = (stands.subscribe(), prod.clone(), Arc::clone(&read));
        move |id: String| {
            let (mut stands, of_prod, read) = (of.clone(), id == prod, Arc::clone(&read));
            async move {
                if of_prod {
                    read.notify_one();
                    stands.wait_for(|stands| !*stands).await.unwrap();
                }
                Ok(())
            }
        }
    };
    let again = {
        let (prod, looked) = (prod.clone(), Arc::clone(&looked));
        move |id: String| {
            if id == prod {
                looked.notify_one();
            }
            async { Ok(()) }
        }
    };
    let slow = Meddling::new(&app.store)
        .after_state(stopped)
        .before_changes(again);
    let slow = publisher(&app, &nats.url(), slow).await;
    tokio::time::timeout(PATIENCE, read.notified())
        .await
        .unwrap();
    // It has read a state, and stands still while something changes and another one publishes that.
    app.apply(json!([in_prod("turnOff", "f")])).await;
    let quick = publisher(&app, &nats.url(), database(&app)).await;
    let context = jetstream(&nats.url()).await;
    let subject = format!("burgee.state.{prod}");
    let newest = until_last(&context, &subject, |_| true).await;
    level(&app, &nats.url()).await;
    stands.send_replace(false);
    tokio::time::timeout(PATIENCE, looked.notified())
        .await
        .unwrap();
    assert_eq!(last(&context, &subject).await.unwrap(), newest);
    level(&app, &nats.url()).await;
    slow.abort();
    quick.abort();
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_that_goes_while_it_is_published_leaves_nothing_in_the_stream() {
    let app = App::start(Database::Sqlite).await;
    let nats = Nats::start("").unwrap();
    let mut new = Vec::new();
    for key in ["one", "two"] {
        let body = json!({"key": key, "name": key});
        let made = app.owner.post("projects/default/environments", &body);
        let made = made.await.expect(201);
        new.push((made["id"].as_str().unwrap().to_owned(), key));
    }
    // The first of them is deleted when it has been read, and then the database is away for a moment.
    let gone = watch::Sender::new(None::<String>);
    let meddling = {
        let (owner, new, gone) = (app.owner.clone(), new.clone(), gone.clone());
        move |id: String| {
            let (owner, new, gone) = (owner.clone(), new.clone(), gone.clone());
            async move {
                let Some((_, key)) = new.iter().find(|(new, _)| *new == id) else {
                    return Ok(());
                };
                let first = gone.borrow().clone();
                match first {
                    None => {
                        let path = format!("projects/default/environments/{key}");
                        owner.delete(&path).await.expect(204);
                        gone.send_replace(Some(id));
                        Ok(())
                    }
                    Some(first) if first.starts_with("both ") => Ok(()),
                    Some(first) => {
                        gone.send_replace(Some(format!("both {first}")));
                        Err(Unavailable("it is away".into()))
                    }
                }
            }
        }
    };
    let source = Meddling::new(&app.store).after_state(meddling);
    let publisher = publisher(&app, &nats.url(), source).await;
    let context = jetstream(&nats.url()).await;
    let listed = |it: &Value| it.as_array().is_some_and(|it| it.len() == 3);
    let all = until_last(&context, "burgee.env.all", listed).await;
    level(&app, &nats.url()).await;
    let first = gone.borrow().clone().unwrap();
    let first = first.strip_prefix("both ").unwrap();
    assert!(!all.as_array().unwrap().contains(&json!(first)));
    for of in ["env", "state"] {
        let subject = format!("burgee.{of}.{first}");
        assert_eq!(last(&context, &subject).await, None, "{subject}");
    }
    publisher.abort();
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_another_database_leave_nats_alone_and_say_so() {
    let rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let folder = tempfile::tempdir().unwrap();
    let url = rig.nats.as_ref().unwrap().url();
    rig.app.apply(flag_on("f")).await;
    let near = rig.relay(rig.address(), &[], folder.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&rig.app, &near).await;
    level(&rig.app, &url).await;

    let mut data = Data::new(Database::Sqlite).await;
    data.backbone = Some(backbone(&url));
    let other = App::start_on(data).await;
    let metrics = async {
        while !other.metrics().await.contains("burgee_backbone_foreign 1") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, metrics).await.unwrap();
    let stale = "burgee_backbone_stale_since_timestamp_seconds";
    assert!(!other.metrics().await.contains(&format!("{stale} 0.0\n")));
    let installation = other.store.installation().await.unwrap();
    let said = verify(&backbone(&url), &database(&other), &installation).await;
    let theirs = rig.app.store.installation().await.unwrap();
    assert!(matches!(said, Err(Fault::Foreign(it)) if it == theirs));

    // Whose it is notices nothing.
    rig.app.apply(json!([in_prod("turnOff", "f")])).await;
    sdk.until(|sdk| sdk.is_on("f") == Some(false));
    level(&rig.app, &url).await;
    let metrics = rig.app.metrics().await;
    assert!(metrics.contains("burgee_backbone_foreign 0"), "{metrics}");
    assert!(metrics.contains(&format!("{stale} 0.0\n")), "{metrics}");
    other.stop().await;
    near.stop().await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_state_is_written_when_the_changes_after_the_last_weigh_much() {
    let rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let url = rig.nats.as_ref().unwrap().url();
    let context = jetstream(&url).await;
    let subject = format!("burgee.state.{}", id(&rig.app, "prod").await);
    let version = |it: &Value| it["position"][0].as_i64().unwrap();
    let before = until_last(&context, &subject, |_| true).await;
    // Each change has the whole segment: five megabytes of users, which shrink to more than two.
    let many = |_| uuid::Uuid::new_v4().to_string();
    let users: Vec<String> = (0..140_000).map(many).collect();
    let segment = json!({"kind": "createSegment", "segment": "many", "included": users});
    rig.app.apply(json!([segment])).await;
    for number in 0..5 {
        let one = json!({"kind": "addIncluded", "segment": "many",
            "keys": [format!("late-{number}")]});
        rig.app.apply(json!([one])).await;
    }
    let far = |it: &Value| version(it) > version(&before) + 1;
    let newest = until_last(&context, &subject, far).await;
    assert!(newest["size"].as_u64() > Some(1 << 20), "{newest}");
    level(&rig.app, &url).await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_changed_all_the_time_is_compared_too() {
    let rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let url = rig.nats.as_ref().unwrap().url();
    rig.app.apply(flag_on("f")).await;
    level(&rig.app, &url).await;
    let busy = {
        let owner = rig.app.owner.clone();
        move |_| {
            let owner = owner.clone();
            async move {
                for way in ["turnOff", "turnOn"] {
                    crate::kit::apply(&owner, json!([in_prod(way, "f")])).await;
                }
                Ok(())
            }
        }
    };
    let installation = rig.app.store.installation().await.unwrap();
    let (at, prod) = (backbone(&url), id(&rig.app, "prod").await);
    let compare = async |source: Meddling| {
        let found = verify(&at, &source, &installation).await.unwrap();
        let mut found = found.into_iter();
        let of_prod = found.find(|it| it.environment == prod).unwrap();
        of_prod.differs.map(|it| it.to_string())
    };
    let same = Meddling::new(&rig.app.store).before_state(busy.clone());
    assert_eq!(compare(same).await, None);
    let other = Meddling::new(&rig.app.store).before_state(busy);
    let said = compare(other.losing(|state| state.flags.clear())).await;
    assert!(
        said.as_deref().is_some_and(|it| it.contains("flag f")),
        "{said:?}"
    );
    rig.stop().await;
}
