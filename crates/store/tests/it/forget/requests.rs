//! Forgetting a person in requests: those that wait, those that do not, and what is said of them.

use std::collections::BTreeMap;

use burgee_domain::access::Rights;
use burgee_domain::admission::EnvironmentRules;
use burgee_domain::people::Email;
use burgee_domain::request::Stage;
use burgee_store::audit::NoNotary;
use burgee_store::dialect::Clock;
use burgee_store::requests::{
    NewRequest, NewReview, NewRevision, NewStep, Party, Replan, RequestError, Said, Seen,
};
use burgee_store::{Actor, ApplyError, ApplyRequest, RulesAuthor, Store, StoreError};
use serde_json::{Value, json};
use sqlx::Row;

use super::{KEY, targets};
use crate::kit::{
    Database, House, NOW, apply, flag_on, for_each_database, house, later, on_flag, state,
    variations,
};

const MINUTE: i64 = 60_000;

fn author() -> Party {
    Party::new(&Actor::operator(), None)
}

/// The first owner, who reviews what the operator asks for.
async fn reviewer(store: &Store) -> Party {
    let owner = Email::new("owner@localhost").unwrap();
    let owner = store.account_by_email(&owner).await.unwrap().unwrap();
    Party::new(&Actor::member(&owner), None)
}

fn content(house: &House, comment: &str, steps: Vec<NewStep>) -> NewRevision {
    NewRevision {
        organization: house.organization.id.clone(),
        author: author(),
        rights: Rights::everything(),
        comment: comment.to_owned(),
        base: BTreeMap::new(),
        steps,
        clock: Clock::At(NOW),
    }
}

fn step(due_at: Option<i64>, commands: Value) -> NewStep {
    NewStep {
        due_at: due_at.map(later),
        commands: serde_json::from_value(commands).unwrap(),
    }
}

/// A request of the operator's with words and steps.
fn new(house: &House, words: &str, steps: Vec<NewStep>) -> NewRequest {
    NewRequest {
        id: Some(uuid::Uuid::now_v7().to_string()),
        title: format!("For {words}"),
        description: format!("{words} wrote"),
        content: content(house, &format!("as {words} wants"), steps),
    }
}

async fn ask(store: &Store, house: &House, words: &str, steps: Vec<NewStep>) -> String {
    let new = new(house, words, steps);
    store.create_request(&new).await.unwrap()
}

async fn say(store: &Store, house: &House, id: &str, by: &Party, said: Said, text: &str) {
    let new = NewReview {
        organization: house.organization.id.clone(),
        request: id.to_owned(),
        revision: None,
        said,
        by: by.clone(),
        text: text.to_owned(),
        now: NOW,
    };
    store.review_request(&new).await.unwrap();
}

async fn seen(store: &Store, house: &House, id: &str) -> Seen {
    let organization = &house.organization.id;
    let seen = store.request(organization, id, &author(), NOW).await;
    seen.unwrap()
}

async fn apply_step(store: &Store, house: &House, id: &str) -> Result<(), RequestError> {
    let asked = ApplyRequest {
        organization: house.organization.id.clone(),
        request: id.to_owned(),
        revision: None,
        step: None,
        applier: (Actor::operator(), Rights::everything()),
        override_reason: None,
        now: NOW,
    };
    store.apply_request(&asked).await.map(drop)
}

async fn ask_one(store: &Store, house: &House) {
    let rules: EnvironmentRules =
        serde_json::from_value(json!({"approvals": {"required": 1}})).unwrap();
    let author = RulesAuthor {
        actor: &Actor::operator(),
        rights: &Rights::everything(),
    };
    let set = store.set_environment_rules(&house.prod.id, &rules, author, NOW);
    set.await.unwrap();
}

async fn forget(store: &Store, house: &House) -> u64 {
    let operator = Actor::operator();
    let forgotten = store.forget_in_requests(&house.organization.id, KEY, &operator, later(1));
    forgotten.await.unwrap()
}

/// All that is in the tables of requests and of the history, what is compressed too.
async fn tables(database: &Database) -> String {
    let mut raw = database.raw().await;
    let mut told = String::new();
    for table in [
        "requests",
        "request_revisions",
        "request_steps",
        "request_scopes",
        "request_events",
        "change_sets",
        "change_log",
    ] {
        let query = sqlx::AssertSqlSafe(format!("SELECT * FROM {table}"));
        for row in &sqlx::query(query).fetch_all(&mut raw).await.unwrap() {
            for column in 0..row.len() {
                if let Ok(Some(text)) = row.try_get::<Option<String>, _>(column) {
                    told.push_str(&text);
                }
                if let Ok(Some(bytes)) = row.try_get::<Option<Vec<u8>>, _>(column) {
                    let bytes = zstd::decode_all(&bytes[..]).unwrap_or(bytes);
                    told.push_str(&String::from_utf8_lossy(&bytes));
                }
                told.push('\n');
            }
        }
    }
    told
}

/// A rule that asks for the key.
fn rule(on: &str) -> Value {
    let mut command = on_flag("addRule", "prod", "g");
    let conditions = json!([{"property": "keyId", "op": "Equal", "value": KEY}]);
    command["rule"] = json!({"id": "by-key", "name": format!("for {KEY}"),
        "conditions": conditions, "variation": on});
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_lose_a_forgotten_key_and_the_audit_log_verifies() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        apply(store, &house, flag_on("f")).await;
        apply(store, &house, flag_on("g")).await;
        let (on, _) = variations(store, &house, "f").await;
        let (its_on, _) = variations(store, &house, "g").await;
        let keys = [KEY.to_owned(), "bob".to_owned()];
        let both = || vec![step(None, json!([targets("f", &on, &keys), rule(&its_on)]))];
        let reviewer = reviewer(store).await;

        // One was taken back, one revised, one applied; each is told in all its words.
        let mut all = Vec::new();
        for _ in 0..3 {
            let id = ask(store, &house, KEY, both()).await;
            let text = format!("{KEY} is a customer");
            say(store, &house, &id, &reviewer, Said::Comment, &text).await;
            say(store, &house, &id, &reviewer, Said::Approve, &text).await;
            all.push(id);
        }
        let other = vec![step(None, json!([on_flag("turnOff", "prod", "g")]))];
        let other = content(&house, "instead", other);
        store.revise_request(&all[1], &other).await.unwrap();
        store
            .withdraw_request(organization, &all[0], &author(), NOW)
            .await
            .unwrap();
        apply_step(store, &house, &all[2]).await.unwrap();
        let mut unrule = on_flag("removeRule", "prod", "g");
        unrule["rule"] = json!("by-key");
        apply(store, &house, json!([unrule])).await;
        assert!(tables(database).await.contains(KEY));

        let mentions = store.mentions(organization, KEY).await.unwrap();
        apply(store, &house, Value::Array(mentions.commands)).await;
        assert_eq!(forget(store, &house).await, 3);
        assert_eq!(forget(store, &house).await, 0, "they are rid of it");
        store.forget_in_images(organization, KEY).await.unwrap();
        let operator = Actor::operator();
        let entries = store.forget_in_history(organization, KEY, &operator, &NoNotary, later(2));
        entries.await.unwrap();

        let told = tables(database).await;
        assert_eq!(told.matches(KEY).count(), 0, "{told}");
        assert!(told.contains("[forgotten] is a customer") && told.contains("bob"));
        for (id, stage) in all
            .iter()
            .zip([Stage::Withdrawn, Stage::Open, Stage::Applied])
        {
            let seen = seen(store, &house, id).await;
            assert_eq!(seen.listed.request.stage, stage);
            assert_eq!(seen.listed.request.title, "For [forgotten]");
            assert_eq!(seen.listed.request.description, "[forgotten] wrote");
        }
        let applied = seen(store, &house, &all[2]).await;
        assert_eq!(applied.newest.head.comment, "as [forgotten] wants");
        let commands = json!(applied.newest.steps[0].commands);
        assert_eq!(commands[0]["keys"], json!(["bob"]));
        let rule = &commands[1]["rule"];
        assert_eq!(rule["conditions"][0]["value"], "[forgotten]");
        assert_eq!(
            (&rule["id"], &rule["name"]),
            (&json!("by-key"), &json!("for [forgotten]"))
        );
        // Applied again it gives the first answer, which does not have it either.
        apply_step(store, &house, &all[2]).await.unwrap();

        assert!(store.leave_no_trace().await.unwrap());
        assert_eq!(database.files_with(KEY), Vec::<std::path::PathBuf>::new());
        store.seal_audit(&NoNotary).await.unwrap();
        let verdict = store.verify_audit(organization, &NoNotary).await.unwrap();
        assert_eq!(verdict.bad, None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_do_something_with_a_forgotten_key_stops_and_is_agreed_to_anew() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        apply(store, &house, flag_on("f")).await;
        let (on, _) = variations(store, &house, "f").await;
        let reviewer = reviewer(store).await;
        ask_one(store, &house).await;
        let keys = [KEY.to_owned(), "bob".to_owned()];
        let naming = ask(
            store,
            &house,
            "us",
            vec![step(None, json!([targets("f", &on, &keys)]))],
        );
        let naming = naming.await;
        // Its second step alone names the key.
        let off = json!([on_flag("turnOff", "prod", "f")]);
        let only = json!([targets("f", &on, &keys[..1])]);
        let series = vec![
            step(Some(MINUTE), off.clone()),
            step(Some(2 * MINUTE), only),
        ];
        let series = ask(store, &house, "us", series).await;
        let telling = ask(store, &house, KEY, vec![step(None, off)]).await;
        for id in [&naming, &series, &telling] {
            say(store, &house, id, &reviewer, Said::Approve, "fine").await;
        }
        assert_eq!(forget(store, &house).await, 3);

        for id in [&naming, &series] {
            let request = seen(store, &house, id).await.listed.request;
            let stop = request.stopped.unwrap();
            assert_eq!((request.stage, request.due_at), (Stage::Stopped, None));
            assert_eq!((stop.code.as_str(), stop.step), ("forgotten", 1));
            let refused = apply_step(store, &house, id).await.unwrap_err();
            let closed = matches!(
                refused,
                RequestError::Closed(_) | RequestError::StepUnnamed(_)
            );
            assert!(closed, "{refused:?}");
        }
        let due = store.apply_due_steps(Clock::At(later(MINUTE))).await;
        assert_eq!(due.unwrap(), 0);

        // What is left of it is tried out anew, and the approval from before is not one of that.
        let by = (&author(), &Rights::everything());
        let rebased =
            store.rebase_request(organization, &naming, by, &Replan::Same, Clock::At(NOW));
        assert_eq!(rebased.await.unwrap().revision, 2);
        let refused = apply_step(store, &house, &naming).await.unwrap_err();
        let missing = matches!(
            refused,
            RequestError::Apply(ApplyError::ApprovalRequired(_))
        );
        assert!(missing, "{refused:?}");
        say(store, &house, &naming, &reviewer, Said::Approve, "fine").await;
        apply_step(store, &house, &naming).await.unwrap();
        let served = format!("{:?}", state(store, &house.prod).await.flags);
        assert!(served.contains("bob") && !served.contains(KEY), "{served}");

        // Only its words had the key: it goes on with the approval that it has.
        let told = seen(store, &house, &telling).await.listed.request;
        assert_eq!(
            (told.stage, told.title.as_str()),
            (Stage::Open, "For [forgotten]")
        );
        apply_step(store, &house, &telling).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_request_with_nothing_left_to_do_can_only_be_revised_or_withdrawn() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        apply(store, &house, flag_on("f")).await;
        let (on, _) = variations(store, &house, "f").await;
        let only = json!([targets("f", &on, &[KEY.to_owned()])]);
        let new = new(&house, "us", vec![step(None, only)]);
        let id = store.create_request(&new).await.unwrap();
        assert_eq!(store.create_request(&new).await.unwrap(), id);
        assert_eq!(forget(store, &house).await, 1);
        let again = store.create_request(&new).await.unwrap_err();
        let reused = matches!(
            again,
            RequestError::Apply(ApplyError::Store(StoreError::Reused))
        );
        assert!(reused, "{again:?}");
        let by = (&author(), &Rights::everything());
        let rebased = store.rebase_request(organization, &id, by, &Replan::Same, Clock::At(NOW));
        let refused = rebased.await.unwrap_err();
        assert!(matches!(refused, RequestError::NoEffect), "{refused:?}");
        let other = vec![step(None, json!([on_flag("turnOff", "prod", "f")]))];
        let other = content(&house, "instead", other);
        assert_eq!(store.revise_request(&id, &other).await.unwrap(), 2);
        let request = seen(store, &house, &id).await.listed.request;
        assert_eq!((request.stage, request.stopped), (Stage::Open, None));
        apply_step(store, &house, &id).await.unwrap();
    })
    .await;
}
