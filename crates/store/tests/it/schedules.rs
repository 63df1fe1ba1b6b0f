//! Requests whose steps have moments: what happens when they are due.

use std::collections::BTreeMap;

use burgee_domain::access::Rights;
use burgee_domain::admission::EnvironmentRules;
use burgee_domain::id::Id;
use burgee_domain::request::Stage;
use burgee_domain::request::schedule::{MAX_LATE, StepState};
use burgee_eval::time::Millis;
use burgee_store::dialect::{Clock, Dialect};
use burgee_store::page::PageRequest;
use burgee_store::people::accounts::Account;
use burgee_store::people::members::Grants;
use burgee_store::requests::{
    NewRequest, NewReview, NewRevision, NewStep, Party, Replan, RequestError, Said, ScheduleFilter,
    Seen,
};
use burgee_store::{
    Actor, ActorKind, ApplyRequest, HistoryFilter, HistoryScope, RulesAuthor, Store,
};
use serde_json::{Value, json};

use crate::kit::{
    House, NOW, apply, flag_on, for_each_database, house, key, later, on_flag, on_whole, state,
    variations,
};

use crate::people::joined;

const MINUTE: i64 = 60_000;

/// A member.
#[derive(Clone)]
struct Somebody {
    party: Party,
    account: Id<Account>,
}

async fn somebody(store: &Store, house: &House, name: &str) -> Somebody {
    let given = Grants {
        policies: vec!["developer".to_owned()],
        groups: Vec::new(),
    };
    let account = joined(store, house, &format!("{name}@example.com"), given).await;
    let actor = Actor {
        kind: ActorKind::Member,
        id: account.id.to_string(),
        name: name.to_owned(),
    };
    Somebody {
        party: Party::new(&actor, None),
        account: account.id,
    }
}

/// Somebody is a member no more.
async fn leaves(store: &Store, house: &House, who: &Somebody) {
    let organization = &house.organization.id;
    store
        .remove_member(organization, &who.account, &Actor::operator(), NOW)
        .await
        .unwrap();
}

async fn ask_one(store: &Store, house: &House) {
    let rules: EnvironmentRules =
        serde_json::from_value(json!({"approvals": {"required": 1}})).unwrap();
    let author = RulesAuthor {
        actor: &Actor::operator(),
        rights: &Rights::everything(),
    };
    store
        .set_environment_rules(&house.prod.id, &rules, author, NOW)
        .await
        .unwrap();
}

fn steps(steps: &[(i64, Value)]) -> Vec<NewStep> {
    let step = |(at, commands): &(i64, Value)| NewStep {
        due_at: Some(later(*at)),
        commands: serde_json::from_value(commands.clone()).unwrap(),
    };
    steps.iter().map(step).collect()
}

fn content(house: &House, by: &Somebody, of: &[(i64, Value)], now: Millis) -> NewRevision {
    NewRevision {
        organization: house.organization.id.clone(),
        author: by.party.clone(),
        rights: Rights::everything(),
        comment: "as agreed".to_owned(),
        base: BTreeMap::new(),
        steps: steps(of),
        clock: Clock::At(now),
    }
}

async fn ask(
    store: &Store,
    house: &House,
    by: &Somebody,
    of: &[(i64, Value)],
) -> Result<String, RequestError> {
    let new = NewRequest {
        id: None,
        title: "Roll out".to_owned(),
        description: String::new(),
        content: content(house, by, of, NOW),
    };
    store.create_request(&new).await
}

async fn seen(store: &Store, house: &House, id: &str) -> Seen {
    let viewer = Party::new(&Actor::operator(), None);
    let organization = &house.organization.id;
    store.request(organization, id, &viewer, NOW).await.unwrap()
}

async fn states(store: &Store, house: &House, id: &str) -> Vec<StepState> {
    let seen = seen(store, house, id).await;
    let stage = seen.listed.request.stage;
    let steps = seen.listed.steps.iter();
    steps.map(|it| it.state(stage)).collect()
}

/// The code with which a request stopped, and the step.
async fn stopped(store: &Store, house: &House, id: &str) -> (String, i64) {
    let request = seen(store, house, id).await.listed.request;
    assert_eq!((request.stage, request.due_at), (Stage::Stopped, None));
    let stop = request.stopped.unwrap();
    assert!(!stop.text.is_empty());
    (stop.code, stop.step)
}

async fn run(store: &Store, at: i64) -> usize {
    let clock = Clock::At(later(at));
    store.apply_due_steps(clock).await.unwrap()
}

/// How long after [`NOW`] the next step is due, in milliseconds.
async fn next(store: &Store) -> Option<u64> {
    let next = store.next_step_due(Clock::At(NOW)).await.unwrap();
    next.map(|it| it.as_millis() as u64)
}

/// The commands that serve `on` to a share.
fn share(on: &str, off: &str, to: f64) -> Value {
    let mut command = on_flag("setDefaultRule", "prod", "f");
    command["variations"] =
        json!([{"id": on, "rollout": [0.0, to]}, {"id": off, "rollout": [to, 1.0]}]);
    json!([command])
}

/// The share of `on` in `prod`.
async fn served(store: &Store, house: &House) -> f64 {
    let flags = state(store, &house.prod).await.flags;
    let flag = flags.iter().find(|it| it.key == "f").unwrap();
    flag.fallthrough.variations[0].rollout[1]
}

/// A flag on in `prod`, somebody, and a series of three shares, a minute apart.
async fn series(store: &Store) -> (House, Somebody, Vec<(i64, Value)>) {
    let house = house(store).await;
    apply(store, &house, flag_on("f")).await;
    let (on, off) = variations(store, &house, "f").await;
    let ann = somebody(store, &house, "ann").await;
    let of = [(1, 0.1), (2, 0.5), (3, 0.9)];
    let of = of.map(|(at, to)| (at * MINUTE, share(&on, &off, to)));
    (house, ann, of.to_vec())
}

fn turn(kind: &str) -> Value {
    json!([on_flag(kind, "prod", "f")])
}

#[tokio::test]
async fn a_series_is_applied_step_by_step_each_when_it_is_due() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        let id = ask(store, &house, &ann, &of).await.unwrap();
        assert_eq!(next(store).await, Some(MINUTE as u64));
        assert_eq!(run(store, MINUTE - 1).await, 0);
        for (index, (at, to)) in [(1, 0.1), (2, 0.5), (3, 0.9)].into_iter().enumerate() {
            assert_eq!(run(store, at * MINUTE).await, 1);
            assert_eq!(run(store, at * MINUTE).await, 0);
            assert_eq!(served(store, &house).await, to);
            let states = states(store, &house, &id).await;
            let applied = states.iter().filter(|it| **it == StepState::Applied);
            assert_eq!(applied.count(), index + 1);
            // Beside it, others do what they want.
            let rename = json!([{"kind": "renameFlag", "project": "default", "flag": "f",
                "name": at.to_string()}]);
            apply(store, &house, rename).await;
        }
        assert_eq!(next(store).await, None);
        let seen = seen(store, &house, &id).await;
        assert_eq!(seen.listed.request.stage, Stage::Applied);
        let set = seen.listed.request.change_set.unwrap();
        let set = store
            .change_set(&house.organization.id, &set)
            .await
            .unwrap();
        assert_eq!(
            (set.actor.name.as_str(), set.comment.as_str()),
            ("ann", "as agreed")
        );
        let due_at = later(3 * MINUTE).to_string();
        assert_eq!(
            set.result["step"],
            json!({"step": 3, "of": 3, "dueAt": due_at, "bySchedule": true})
        );
        assert_eq!(set.result["request"], id.as_str());
    })
    .await;
}

#[tokio::test]
async fn what_others_did_in_the_middle_stops_it_and_a_revision_goes_on() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        let id = ask(store, &house, &ann, &of).await.unwrap();
        run(store, MINUTE).await;
        let (on, off) = variations(store, &house, "f").await;
        apply(store, &house, share(&on, &off, 0.3)).await;
        assert_eq!(run(store, 2 * MINUTE).await, 1);
        assert_eq!(
            stopped(store, &house, &id).await,
            ("rebaseNeeded".to_owned(), 2)
        );
        assert_eq!(served(store, &house).await, 0.3);
        use StepState::{Applied, Stopped, Waiting};
        assert_eq!(
            states(store, &house, &id).await,
            [Applied, Stopped, Stopped]
        );
        assert_eq!(run(store, 3 * MINUTE).await, 0);
        let (all, first) = (HistoryScope::Organization, PageRequest::default());
        let history = store
            .history(
                &house.organization.id,
                &all,
                &HistoryFilter::default(),
                &first,
            )
            .await;
        let last = &history.unwrap().items[0];
        assert_eq!(last.actor.kind, ActorKind::System);
        assert_eq!(last.commands[0]["kind"], "stopRequest");
        assert_eq!(last.commands[0]["reason"], "rebaseNeeded");

        // The moments are past: the steps that are left get others, and are tried anew.
        let organization = &house.organization.id;
        let rights = Rights::everything();
        let by = (&ann.party, &rights);
        let now = later(4 * MINUTE);
        let past = store.rebase_request(organization, &id, by, &Replan::Same, Clock::At(now));
        assert!(matches!(past.await, Err(RequestError::Schedule(it)) if it.code == "momentPast"));
        let few = Replan::At(vec![later(9 * MINUTE)]);
        let few = store.rebase_request(organization, &id, by, &few, Clock::At(now));
        assert!(matches!(few.await, Err(RequestError::Schedule(it)) if it.code == "momentCount"));
        let two = Replan::At(vec![later(5 * MINUTE), later(6 * MINUTE)]);
        let rebased = store.rebase_request(organization, &id, by, &two, Clock::At(now));
        let rebased = rebased.await.unwrap();
        assert_eq!((rebased.revision, rebased.differences.len()), (2, 1));
        assert_eq!(
            states(store, &house, &id).await,
            [Applied, Waiting, Waiting]
        );
        assert_eq!(run(store, 5 * MINUTE).await, 1);
        assert_eq!(served(store, &house).await, 0.5);
        assert_eq!(run(store, 6 * MINUTE).await, 1);
        let seen = seen(store, &house, &id).await;
        let numbers: Vec<i64> = seen.listed.steps.iter().map(|it| it.step).collect();
        assert_eq!((numbers, seen.before.len()), (vec![1, 2, 3], 1));
        assert_eq!(seen.listed.request.stage, Stage::Applied);
    })
    .await;
}

#[tokio::test]
async fn late_steps_are_applied_in_order_for_an_hour() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        let id = ask(store, &house, &ann, &of).await.unwrap();
        assert_eq!(run(store, MINUTE + MAX_LATE - 1).await, 3);
        assert_eq!(served(store, &house).await, 0.9);
        assert_eq!(
            seen(store, &house, &id).await.listed.request.stage,
            Stage::Applied
        );

        let off = [(MINUTE, turn("turnOff"))];
        let late = ask(store, &house, &ann, &off).await.unwrap();
        assert_eq!(run(store, MINUTE + MAX_LATE).await, 1);
        assert_eq!(stopped(store, &house, &late).await, ("late".to_owned(), 1));
        let flags = state(store, &house.prod).await.flags;
        assert!(flags.iter().any(|it| it.key == "f" && it.is_enabled));
    })
    .await;
}

async fn approve(store: &Store, house: &House, id: &str, by: &Somebody) {
    let review = NewReview {
        organization: house.organization.id.clone(),
        request: id.to_owned(),
        revision: None,
        said: Said::Approve,
        by: by.party.clone(),
        text: String::new(),
        now: NOW,
    };
    store.review_request(&review).await.unwrap();
}

#[tokio::test]
async fn approval_is_of_the_whole_series_and_other_moments_need_it_anew() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        let bob = somebody(store, &house, "bob").await;
        ask_one(store, &house).await;
        let id = ask(store, &house, &ann, &of).await.unwrap();
        assert_eq!(run(store, MINUTE).await, 1);
        let missing = ("approvalRequired".to_owned(), 1);
        assert_eq!(stopped(store, &house, &id).await, missing);

        let id = ask(store, &house, &ann, &of).await.unwrap();
        approve(store, &house, &id, &bob).await;
        assert_eq!(run(store, 2 * MINUTE).await, 2);
        assert_eq!(served(store, &house).await, 0.5);
        let later_on = Replan::At(vec![later(9 * MINUTE)]);
        let rights = Rights::everything();
        let by = (&ann.party, &rights);
        store
            .rebase_request(
                &house.organization.id,
                &id,
                by,
                &later_on,
                Clock::At(later(2 * MINUTE)),
            )
            .await
            .unwrap();
        assert_eq!(run(store, 9 * MINUTE).await, 1);
        assert_eq!(
            stopped(store, &house, &id).await,
            ("approvalRequired".to_owned(), 3)
        );
        assert_eq!(served(store, &house).await, 0.5);
    })
    .await;
}

#[tokio::test]
async fn a_step_that_is_exempt_by_itself_waits_with_its_series() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, _) = series(store).await;
        let rules = json!({"approvals": {"required": 1, "exempt": ["turnOff"]}});
        let rules: EnvironmentRules = serde_json::from_value(rules).unwrap();
        let author = RulesAuthor {
            actor: &Actor::operator(),
            rights: &Rights::everything(),
        };
        let set = store.set_environment_rules(&house.prod.id, &rules, author, NOW);
        set.await.unwrap();
        let both = [(MINUTE, turn("turnOff")), (2 * MINUTE, turn("turnOn"))];
        let id = ask(store, &house, &ann, &both).await.unwrap();
        run(store, MINUTE).await;
        assert_eq!(
            stopped(store, &house, &id).await,
            ("approvalRequired".to_owned(), 1)
        );
        let off = ask(store, &house, &ann, &both[..1]).await.unwrap();
        run(store, MINUTE).await;
        assert_eq!(states(store, &house, &off).await, [StepState::Applied]);
    })
    .await;
}

#[tokio::test]
async fn who_left_has_nothing_applied_but_what_others_approved() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        let bob = somebody(store, &house, "bob").await;
        let id = ask(store, &house, &ann, &of).await.unwrap();
        run(store, MINUTE).await;
        leaves(store, &house, &ann).await;
        assert_eq!(run(store, 2 * MINUTE).await, 1);
        assert_eq!(
            stopped(store, &house, &id).await,
            ("authorGone".to_owned(), 2)
        );

        let cem = somebody(store, &house, "cem").await;
        ask_one(store, &house).await;
        let id = ask(store, &house, &cem, &of[1..]).await.unwrap();
        approve(store, &house, &id, &bob).await;
        leaves(store, &house, &cem).await;
        assert_eq!(run(store, 2 * MINUTE).await, 1);
        assert_eq!(served(store, &house).await, 0.5);
        // Their voice counts as long as they are there.
        leaves(store, &house, &bob).await;
        assert_eq!(run(store, 3 * MINUTE).await, 1);
        assert_eq!(
            stopped(store, &house, &id).await,
            ("authorGone".to_owned(), 2)
        );
    })
    .await;
}

#[tokio::test]
async fn what_does_not_fit_any_more_stops_whole() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, _) = series(store).await;
        apply(store, &house, flag_on("g")).await;
        let both = json!([
            on_flag("turnOff", "prod", "f"),
            on_flag("turnOff", "prod", "g")
        ]);
        let id = ask(store, &house, &ann, &[(MINUTE, both)]).await.unwrap();
        let gone = json!([on_whole("archiveFlag", "g"), on_whole("deleteFlag", "g")]);
        apply(store, &house, gone).await;
        assert_eq!(run(store, MINUTE).await, 1);
        let (code, step) = stopped(store, &house, &id).await;
        assert_eq!((code.as_str(), step), ("rebaseNeeded", 1));
        let flags = state(store, &house.prod).await.flags;
        assert!(flags.iter().any(|it| it.key == "f" && it.is_enabled));
    })
    .await;
}

#[tokio::test]
async fn later_steps_build_on_what_earlier_ones_make() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, _) = series(store).await;
        let make = json!([{"kind": "createFlag", "project": "default", "flag": "new",
            "type": "boolean"}]);
        let on = json!([on_flag("turnOn", "prod", "new")]);
        let of = [(MINUTE, make), (2 * MINUTE, on)];
        let new = NewRequest {
            id: None,
            title: "New".to_owned(),
            description: String::new(),
            content: content(&house, &ann, &of, NOW),
        };
        // Tried, it shows each step, and leaves nothing.
        let tried = store.try_request(&new).await.unwrap();
        let codes = tried.newest.steps.iter().map(|it| it.diff[0].code.as_str());
        assert_eq!(codes.collect::<Vec<_>>(), ["flagCreated", "flagReleased"]);
        assert_eq!(next(store).await, None);
        store.create_request(&new).await.unwrap();
        assert_eq!(run(store, 2 * MINUTE).await, 2);
        let flags = state(store, &house.prod).await.flags;
        assert!(flags.iter().any(|it| it.key == "new" && it.is_enabled));
    })
    .await;
}

#[tokio::test]
async fn a_step_can_be_applied_at_once_left_out_and_all_withdrawn() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        let organization = &house.organization.id;
        let id = ask(store, &house, &ann, &of).await.unwrap();
        let by_hand = |step: Option<i64>| ApplyRequest {
            organization: organization.clone(),
            request: id.clone(),
            revision: None,
            step,
            applier: (ann.party.actor.clone(), Rights::everything()),
            override_reason: None,
            now: NOW,
        };
        let unnamed = store.apply_request(&by_hand(None)).await;
        assert!(matches!(unnamed, Err(RequestError::StepUnnamed(1))));
        let ahead = store.apply_request(&by_hand(Some(2))).await;
        assert!(matches!(ahead, Err(RequestError::NotNext(1))));
        let first = store.apply_request(&by_hand(Some(1))).await.unwrap();
        assert!(!first.step.as_ref().unwrap().by_schedule);
        let again = store.apply_request(&by_hand(Some(1))).await.unwrap();
        assert_eq!(again.id, first.id);
        // Its moment comes, and it was applied.
        assert_eq!(run(store, MINUTE).await, 0);

        let rights = Rights::everything();
        let by = (&ann.party, &rights);
        let leave_out = async |step: i64| {
            let replan = Replan::Without(step);
            store
                .rebase_request(organization, &id, by, &replan, Clock::At(later(MINUTE)))
                .await
        };
        assert!(matches!(leave_out(1).await, Err(RequestError::Apply(_))));
        leave_out(2).await.unwrap();
        let seen_now = seen(store, &house, &id).await;
        let left: Vec<_> = seen_now
            .listed
            .steps
            .iter()
            .map(|it| (it.step, it.due_at))
            .collect();
        assert_eq!(
            left,
            [(1, Some(later(MINUTE))), (2, Some(later(3 * MINUTE)))]
        );
        assert!(
            matches!(leave_out(2).await, Err(RequestError::Schedule(it)) if it.code == "lastStep")
        );
        // An answer that was given stays, of whichever revision it was.
        let again = store.apply_request(&by_hand(Some(1))).await.unwrap();
        assert_eq!(again.id, first.id);

        store
            .withdraw_request(organization, &id, &ann.party, NOW)
            .await
            .unwrap();
        assert_eq!(run(store, 3 * MINUTE).await, 0);
        use StepState::{Applied, Withdrawn};
        assert_eq!(states(store, &house, &id).await, [Applied, Withdrawn]);
        assert_eq!(served(store, &house).await, 0.1);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_scheduled_is_refused() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        let past = ask(store, &house, &ann, &[(0, turn("turnOff"))]).await;
        assert!(matches!(past, Err(RequestError::Schedule(it)) if it.pointer == "/steps/0/at"));
        // Each step must do something after those before it.
        let twice = [of[0].clone(), (2 * MINUTE, of[0].1.clone())];
        let idle = ask(store, &house, &ann, &twice).await;
        let Err(RequestError::InStep(1, inner)) = idle else {
            panic!("{idle:?}");
        };
        assert!(matches!(*inner, RequestError::NoEffect));
        let missing = json!([on_flag("turnOn", "prod", "none")]);
        let missing = ask(store, &house, &ann, &[of[0].clone(), (2 * MINUTE, missing)]).await;
        assert!(matches!(missing, Err(RequestError::InStep(1, _))));
    })
    .await;
}

#[tokio::test]
async fn the_calendar_has_the_steps_by_their_moments() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        ask(store, &house, &ann, &of).await.unwrap();
        let between = [(MINUTE + 1, turn("turnOff"))];
        ask(store, &house, &ann, &between).await.unwrap();
        run(store, MINUTE).await;
        let list = async |filter: ScheduleFilter, limit: i64| {
            let (mut all, mut cursor) = (Vec::new(), None);
            loop {
                let page = PageRequest {
                    cursor,
                    limit: Some(limit),
                };
                let found = store.schedule(&house.organization.id, &ann.party, &filter, &page, NOW);
                let found = found.await.unwrap();
                all.extend(found.items.into_iter().map(|it| {
                    let due = it.step.due_at.unwrap().0 - NOW.0;
                    (
                        due,
                        it.step.step,
                        it.of,
                        it.step.state(it.listed.request.stage),
                    )
                }));
                cursor = found.next;
                if cursor.is_none() {
                    return all;
                }
            }
        };
        use StepState::{Applied, Waiting};
        let all = [
            (MINUTE, 1, 3, Applied),
            (MINUTE + 1, 1, 1, Waiting),
            (2 * MINUTE, 2, 3, Waiting),
            (3 * MINUTE, 3, 3, Waiting),
        ];
        for limit in [1, 50] {
            assert_eq!(list(ScheduleFilter::default(), limit).await, all);
        }
        let some = ScheduleFilter {
            from: Some(later(MINUTE + 1)),
            to: Some(later(3 * MINUTE)),
            scope: Some(house.prod.id.to_string()),
        };
        assert_eq!(list(some, 50).await, all[1..3]);
        let elsewhere = ScheduleFilter {
            scope: Some(house.dev.id.to_string()),
            ..ScheduleFilter::default()
        };
        assert_eq!(list(elsewhere, 50).await, []);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_servers_one_applies_each_step() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        let before = version(store, &house).await;
        for n in 0..4 {
            let flag = format!("g{n}");
            apply(store, &house, flag_on(&flag)).await;
            let off = json!([on_flag("turnOff", "prod", &flag)]);
            ask(store, &house, &ann, &[(MINUTE, off)]).await.unwrap();
        }
        ask(store, &house, &ann, &of).await.unwrap();
        let mut servers = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let server = database.another().await;
            servers.spawn(async move {
                let mut count = 0;
                // Who passes a step over looks again.
                while next(&server).await.is_some() {
                    count += server
                        .apply_due_steps(Clock::At(later(3 * MINUTE)))
                        .await
                        .unwrap_or(0);
                }
                count
            });
        }
        let counts = servers.join_all().await;
        assert_eq!(counts.iter().sum::<usize>(), 7, "{counts:?}");
        assert_eq!(version(store, &house).await, before + 4 + 7);
        assert_eq!(served(store, &house).await, 0.9);
    })
    .await;
}

async fn version(store: &Store, house: &House) -> i64 {
    let prod = store.environment(&house.project.id, &key("prod")).await;
    prod.unwrap().position.version
}

#[tokio::test]
async fn a_step_that_another_server_is_at_is_passed_over_and_is_free_when_that_one_dies() {
    let database = crate::kit::database(Dialect::Postgres).await;
    let store = &database.store;
    let (house, ann, of) = series(store).await;
    ask(store, &house, &ann, &of[..1]).await.unwrap();
    // Another server has the step, and dies in the middle of it.
    let mut other = database.raw().await;
    let run_on = |text: &'static str| sqlx::query(text);
    run_on("BEGIN").execute(&mut other).await.unwrap();
    let claim = "SELECT step FROM request_steps FOR NO KEY UPDATE";
    run_on(claim).execute(&mut other).await.unwrap();
    let done = "UPDATE request_steps SET change_set_id = 'x', applied_at = 1";
    run_on(done).execute(&mut other).await.unwrap();
    assert_eq!(run(store, MINUTE).await, 0);
    drop(other);
    // The database notices that it is gone a little later.
    while run(store, MINUTE).await == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(served(store, &house).await, 0.1);
    database.store.close().await;
}

#[tokio::test]
async fn due_is_by_the_clock_that_all_servers_share() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        ask(store, &house, &ann, &of[..1]).await.unwrap();
        // This machine's clock is ahead; PostgreSQL's is right, and `NOW` is far ahead of it.
        let shared = Clock::Shared(later(MINUTE));
        let applied = store.apply_due_steps(shared).await.unwrap();
        assert_eq!(applied == 1, store.dialect() == Dialect::Sqlite);
    })
    .await;
}

#[tokio::test]
async fn a_request_that_is_sent_again_is_made_once() {
    for_each_database(async |database| {
        let store = &database.store;
        let (house, ann, of) = series(store).await;
        let mut new = NewRequest {
            id: Some("one".to_owned()),
            title: "Once".to_owned(),
            description: String::new(),
            content: content(&house, &ann, &of, NOW),
        };
        for _ in 0..2 {
            assert_eq!(store.create_request(&new).await.unwrap(), "one");
        }
        new.content.steps[0].due_at = Some(later(1));
        assert!(store.create_request(&new).await.is_err());
    })
    .await;
}
