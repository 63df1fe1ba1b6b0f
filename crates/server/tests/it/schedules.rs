//! Requests that are applied at given moments.

use std::collections::BTreeMap;

use burgee_domain::access::{DEVELOPER, READER, Rights};
use burgee_eval::time::Millis;
use burgee_server::now;
use burgee_store::Actor;
use burgee_store::dialect::Clock;
use burgee_store::requests::{NewRequest, NewRevision, NewStep, Party};
use burgee_testkit::api::Api;
use serde_json::{Value, json};

use crate::events::Listener;
use crate::kit::{App, Database, flag_on, in_prod, on_each_database, texts};
use crate::permissions::fixture::{allow, id, soon, with};
use crate::requests::{apply_path, house, inbox, look, of_default, review};
use crate::rules::{one_approval, set_rules};

fn turn(kind: &str) -> Value {
    of_default(json!([in_prod(kind, "f")]))
}

/// A request whose steps turn `f` off and on in `prod`, at these moments.
fn at(moments: &[String]) -> Value {
    let kinds = ["turnOff", "turnOn"].into_iter().cycle();
    let steps = moments.iter().zip(kinds);
    let steps = steps.map(|(at, kind)| json!({"at": at, "commands": turn(kind)}));
    json!({"title": "Later", "steps": steps.collect::<Vec<Value>>()})
}

async fn ask(api: &Api, new: &Value) -> String {
    id(&api.post("requests", new).await.expect(201))
}

fn in_ms(ms: i64) -> String {
    Millis(now().0 + ms).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_is_pushed_to_sdks_when_it_is_due() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let ann = app.caller("ann", DEVELOPER).await;
        let mut listener = Listener::with_token(app, &app.token).await;
        listener.expect("hello").await;
        let mut sdk = app.client_sdk("prod", "anna").await;
        assert_eq!(sdk.value("f"), Some("true"));
        let asked = ask(&ann, &at(&[in_ms(1_500), soon(60)])).await;
        sdk.until(|sdk| sdk.value("f") == Some("false"));
        let set = loop {
            let event = listener.next().await.expect("the stream ended");
            if event.name == "change" && event.data["places"][0]["environment"] == "prod" {
                break id(&event.data);
            }
        };
        let set = app.owner.get(&format!("changes/{set}")).await.expect(200);
        assert_eq!(
            (&set["actor"], &set["request"]),
            (&json!("ann"), &json!(asked))
        );
        let step = &set["step"];
        assert_eq!((&step["step"], &step["of"]), (&json!(1), &json!(2)));
        assert_eq!(step["bySchedule"], true);
        let seen = look(&ann, &asked).await;
        let states: Vec<&Value> = seen["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["state"])
            .collect();
        assert_eq!(states, ["applied", "waiting"]);
        assert_eq!(
            (&seen["state"], &seen["steps"][0]["changeSet"]),
            (&json!("approved"), &set["id"])
        );
        assert_eq!(seen["dueAt"], seen["steps"][1]["at"]);
        let audit = app.owner.get("audit?kind=turnOff").await.expect(200);
        assert_eq!(audit["items"][0]["step"]["bySchedule"], true);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fell_due_while_no_server_ran_is_done_at_the_start_or_stops() {
    for database in [Database::Sqlite, Database::Postgres] {
        let app = App::start(database).await;
        app.apply(flag_on("f")).await;
        app.apply(flag_on("g")).await;
        let listener = Listener::with_token(&app, &app.token)
            .await
            .expect("hello")
            .await;
        let (store, organization) = (app.store.clone(), app.organization.id.clone());
        let app = app
            .restart_with(async || {
                for (flag, minutes) in [("f", 5), ("g", 61)] {
                    let ago = |minutes: i64| Millis(now().0 - minutes * 60_000);
                    let off = of_default(json!([in_prod("turnOff", flag)]));
                    let new = NewRequest {
                        id: None,
                        title: flag.to_owned(),
                        description: String::new(),
                        content: NewRevision {
                            organization: organization.clone(),
                            author: Party::new(&Actor::operator(), None),
                            rights: Rights::everything(),
                            comment: String::new(),
                            base: BTreeMap::new(),
                            steps: vec![NewStep {
                                due_at: Some(ago(minutes)),
                                commands: serde_json::from_value(off).unwrap(),
                            }],
                            clock: Clock::At(ago(minutes + 1)),
                        },
                    };
                    store.create_request(&new).await.unwrap();
                }
            })
            .await;
        let mut listener = Listener::after(&app, &app.token, listener.id.unwrap()).await;
        listener.expect("hello").await;
        // Two requests, one change of what is served, one stop.
        for _ in 0..4 {
            listener.expect("change").await;
        }
        let mut found = app.owner.get("requests").await.expect(200);
        let items = found["items"].as_array_mut().unwrap();
        items.sort_by_key(|it| it["title"].to_string());
        assert_eq!(
            (&items[0]["state"], &items[1]["state"]),
            (&json!("applied"), &json!("stopped"))
        );
        let stopped = &items[1]["stopped"];
        assert_eq!(
            (&stopped["code"], &stopped["step"]),
            (&json!("late"), &json!(1))
        );
        assert_eq!(stopped["params"]["dueAt"], items[1]["steps"][0]["at"]);
        app.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_each_step_and_makes_nothing() {
    on_each_database(async |app| {
        let (ann, _) = house(app).await;
        let mut new = at(&[soon(10), soon(20)]);
        new["dryRun"] = json!(true);
        let tried = ann.post("requests", &new).await.expect(200);
        let codes: Vec<&Value> = tried["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["diff"][0]["code"])
            .collect();
        assert_eq!(codes, ["turnedOff", "turnedOn"]);
        assert_eq!(tried["diff"].as_array().unwrap().len(), 2);
        assert_eq!(tried["needs"][0]["missing"], 1);
        let none = ann.get("requests").await.expect(200);
        assert_eq!(none["items"], json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_named_where_it_was_sent() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let owner = &app.owner;
        let refused = async |new: Value| {
            let problem = owner.post("requests", &new).await.problem(400);
            (
                problem.pointers().join(","),
                problem.body["errors"][0]["code"].clone(),
            )
        };
        let was = |pointer: &str, code: &str| (pointer.to_owned(), json!(code));
        assert_eq!(
            refused(at(&[soon(-1)])).await,
            was("/steps/0/at", "momentPast")
        );
        assert_eq!(
            refused(at(&[soon(9), soon(8)])).await,
            was("/steps/1/at", "momentOrder")
        );
        let years = soon(3 * 366 * 24 * 60);
        assert_eq!(
            refused(at(&[years])).await,
            was("/steps/0/at", "momentTooFar")
        );
        assert_eq!(
            refused(at(&["soon".to_owned()])).await,
            was("/steps/0/at", "moment")
        );
        let many: Vec<String> = (1..=21).map(soon).collect();
        assert_eq!(refused(at(&many)).await, was("/steps", "tooManySteps"));
        let mut both = at(&[soon(1)]);
        both["commands"] = turn("turnOff");
        assert_eq!(refused(both).await, was("/steps", "together"));
        let mut twice = at(&[soon(1), soon(2)]);
        twice["steps"][1]["commands"] = turn("turnOff");
        assert_eq!(refused(twice).await, was("/steps/1/commands", "noEffect"));
        let mut odd = at(&[soon(1), soon(2)]);
        odd["steps"][1]["commands"][0]["kind"] = json!("turnRound");
        assert_eq!(refused(odd).await.0, "/steps/1/commands/0/kind");
        let mut none = at(&[soon(1)]);
        none["steps"][0]["commands"][0]["flag"] = json!("none");
        let problem = owner.post("requests", &none).await.problem(404);
        assert_eq!(problem.pointers(), ["/steps/0/commands/0/flag"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn moments_are_changed_steps_left_out_and_applied_at_once() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        let asked = ask(&ann, &at(&[soon(10), soon(20), soon(30)])).await;
        review(&bob, &asked, "approve").await;
        let path = format!("requests/{asked}/reschedule");
        let past = json!({"at": [soon(1), soon(-1), soon(2)]});
        assert_eq!(
            ann.post(&path, &past).await.problem(400).pointers(),
            ["/at/1"]
        );
        let few = json!({"at": [soon(1)]});
        assert_eq!(ann.post(&path, &few).await.problem(400).pointers(), ["/at"]);
        // Reviewers agreed to those moments, and to no others.
        let moments = [soon(11), soon(21), soon(31)];
        let body = json!({"at": moments});
        let changed = ann.post(&path, &body).await.expect(200);
        assert_eq!(changed["differences"], json!([]));
        let request = &changed["request"];
        assert_eq!(
            (&request["state"], &request["revision"]),
            (&json!("waiting"), &json!(2))
        );
        assert_eq!(texts(&json!({"items": request["steps"]}), "at"), moments);

        review(&bob, &asked, "approve").await;
        // Its moment does what it waits for.
        assert_eq!(inbox(&ann).await, (0, 0));
        let apply = apply_path(&asked);
        let problem = ann.post(&apply, &json!({})).await.problem(400);
        assert_eq!(problem.pointers(), ["/step"]);
        let problem = ann.post(&apply, &json!({"step": 2})).await.problem(409);
        assert_eq!(problem.code(), "notNext");
        let first = ann.post(&apply, &json!({"step": 1})).await.expect(200);
        let again = ann.post(&apply, &json!({"step": 1})).await.expect(200);
        assert_eq!(first["id"], again["id"]);

        // The last does something only after the one that is left out.
        let gone = ann
            .delete(&format!("requests/{asked}/steps/2"))
            .await
            .problem(400);
        assert_eq!(gone.pointers(), ["/steps/0/commands"]);
        let gone = ann
            .delete(&format!("requests/{asked}/steps/3"))
            .await
            .expect(200);
        assert_eq!(gone["request"]["steps"].as_array().unwrap().len(), 2);
        ann.delete(&format!("requests/{asked}/steps/3"))
            .await
            .problem(404);
        ann.delete(&format!("requests/{asked}/steps/one"))
            .await
            .problem(404);

        // One that waits for somebody gets a moment.
        let plain = json!({"title": "Some day", "commands": turn("turnOn")});
        let plain = ask(&ann, &plain).await;
        assert_eq!(look(&ann, &plain).await["steps"][0]["at"], Value::Null);
        let path = format!("requests/{plain}/reschedule");
        let body = json!({"at": [soon(60)]});
        let given = ann.post(&path, &body).await.expect(200);
        assert_eq!(given["request"]["dueAt"], body["at"][0]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_calendar_shows_what_one_may_see() {
    on_each_database(async |app| {
        let (ann, _) = house(app).await;
        let (from, to) = (soon(15), soon(25));
        let asked = ask(&ann, &at(&[soon(10), soon(20), soon(30)])).await;
        let path = format!("schedule?from={from}&to={to}&project=default&environment=prod");
        let found = app.owner.get(&path).await.expect(200);
        let items = found["items"].as_array().unwrap();
        assert_eq!(items.len(), 1);
        let item = &items[0];
        assert_eq!((&item["step"], &item["of"]), (&json!(2), &json!(3)));
        assert_eq!(item["request"]["id"], asked.as_str());
        let reader = app.caller("rita", READER).await;
        let all = reader.get("schedule").await.expect(200);
        assert_eq!(all["items"].as_array().unwrap().len(), 3);
        let elsewhere = reader.get("schedule?project=default&environment=dev").await;
        assert_eq!(elsewhere.expect(200)["items"], json!([]));
        let blind = with(app, json!([allow(&["project.read"])])).await;
        assert_eq!(blind.get("schedule").await.expect(200)["items"], json!([]));
        let problem = reader.get("schedule?from=soon").await.problem(400);
        assert_eq!(problem.pointers(), ["from"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_series_that_stopped_says_why_and_what_would_become_of_it() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        set_rules(app, "prod", one_approval()).await;
        let ann = app.caller("ann", DEVELOPER).await;
        let mut listener = Listener::with_token(app, &app.token).await;
        let asked = ask(&ann, &at(&[in_ms(500)])).await;
        // Made, and stopped.
        listener.expect("hello").await;
        for _ in 0..2 {
            listener.expect("change").await;
        }
        let seen = look(&ann, &asked).await;
        assert_eq!(
            (&seen["state"], &seen["steps"][0]["state"]),
            (&json!("stopped"), &json!("stopped"))
        );
        let stopped = &seen["stopped"];
        assert_eq!(stopped["code"], "approvalRequired", "{stopped}");
        assert_eq!(stopped["params"]["environments"], "default/prod");
        assert_eq!(seen["now"]["diff"], seen["diff"]);
        let of_state = ann.get("requests?state=stopped").await.expect(200);
        assert_eq!(id(&of_state["items"][0]), asked);
        // Another token of the operator's is somebody else.
        assert_eq!(
            (inbox(&ann).await, inbox(&app.owner).await),
            ((0, 1), (0, 0))
        );
    })
    .await;
}
