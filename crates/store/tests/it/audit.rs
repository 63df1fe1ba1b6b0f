//! The audit log: chained, verified, redacted, pruned, looked through.

use burgee_domain::audit::Link;
use burgee_domain::people::Email;
use burgee_store::HistoryFilter;
use burgee_store::audit::{AuditEntry, Body, NoNotary, Notary, Verdict};
use burgee_store::dialect::Dialect;
use burgee_store::first_start::OWNER_EMAIL;
use burgee_store::page::PageRequest;
use burgee_store::people::accounts::NewPassword;
use burgee_store::people::sessions::{Ending, Seen};
use burgee_store::{Actor, Grant, NewToken, Store};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::kit::{
    Database, House, NOW, apply, flag_on, for_each_database, house, later, on_flag, request,
};

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Signs by naming its key and repeating what it signed.
struct Stamp(&'static str);

impl Notary for Stamp {
    fn sign(&self, purpose: &str, link: &Link) -> Option<Vec<u8>> {
        let signed = format!("{}|{purpose}|{link:?}", self.0);
        Some(signed.into_bytes())
    }

    fn is_signed(&self, purpose: &str, link: &Link, signature: &[u8]) -> Option<bool> {
        let known = signature.starts_with(self.0.as_bytes());
        known.then(|| self.sign(purpose, link).unwrap() == signature)
    }
}

const STAMP: Stamp = Stamp("ours");

/// A history with an entry of each sort: with versions, without, of a project.
async fn some_history(store: &Store) -> House {
    let house = house(store).await;
    apply(store, &house, flag_on("f")).await;
    token(store, &house, "tom").await;
    apply(store, &house, json!([on_flag("turnOff", "prod", "f")])).await;
    house
}

async fn token(store: &Store, house: &House, name: &str) {
    let new = NewToken {
        organization: house.organization.id.clone(),
        name: name.to_owned(),
        account: None,
        grant: Grant::Service {
            policies: vec!["reader".to_owned()],
            statements: Vec::new(),
        },
        networks: Vec::new(),
        expires_at: None,
    };
    let made = store.create_token(&new, &Actor::operator(), NOW).await;
    made.unwrap();
}

async fn verify(store: &Store, house: &House) -> Verdict {
    let verdict = store.verify_audit(&house.organization.id, &STAMP).await;
    verdict.unwrap()
}

async fn all(store: &Store, house: &House, filter: &HistoryFilter) -> Vec<AuditEntry> {
    let page = PageRequest {
        limit: Some(500),
        ..PageRequest::default()
    };
    let found = store.audit(&house.organization.id, filter, &page).await;
    found.unwrap().items
}

/// The first kind of an entry.
fn kind(entry: &AuditEntry) -> &str {
    entry.change.commands[0]["kind"].as_str().unwrap()
}

/// The number of the last entry of a kind.
async fn number_of(store: &Store, house: &House, wanted: &str) -> i64 {
    let entries = all(store, house, &HistoryFilter::default()).await;
    let mut entries = entries.iter();
    entries.find(|it| kind(it) == wanted).unwrap().number
}

/// Runs statements past the store.
async fn run(database: &Database, statements: &[String]) {
    let mut raw = database.raw().await;
    for statement in statements {
        let done = sqlx::query(AssertSqlSafe(statement.clone()))
            .execute(&mut raw)
            .await;
        done.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

#[tokio::test]
async fn what_is_done_is_sealed_in_order_and_verifies() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = some_history(store).await;
        let entries = all(store, &house, &HistoryFilter::default()).await;
        assert!(entries.iter().all(|entry| entry.chain.is_none()));
        let count = entries.len() as u64;
        let organization = &house.organization.id;
        let before = store.verify_audit(organization, &NoNotary).await.unwrap();
        assert_eq!(
            (before.verified, before.unsealed, before.bad),
            (0, count, None)
        );
        // Where there is a key, seals and their end may have been taken away.
        assert_eq!(verify(store, &house).await.bad.unwrap().number, 1);

        assert_eq!(store.seal_audit(&STAMP).await.unwrap(), count);
        assert_eq!(store.seal_audit(&STAMP).await.unwrap(), 0, "once");
        apply(store, &house, json!([on_flag("turnOn", "prod", "f")])).await;
        let after = verify(store, &house).await;
        assert_eq!((after.verified, after.unsealed), (count, 1));
        assert_eq!((after.bad, after.signed), (None, true));
        let entries = all(store, &house, &HistoryFilter::default()).await;
        let sealed = entries.iter().map(|entry| entry.chain.is_some());
        assert_eq!(sealed.filter(|it| !it).count(), 1, "the newest is not yet");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sealing_at_once_with_writers_leaves_no_gap() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = some_history(store).await;
        let mut tasks = tokio::task::JoinSet::new();
        for writer in 0..3 {
            let store = store.clone();
            let requests = (0..8).map(|round| {
                let commands = match round {
                    0 => flag_on(&format!("w{writer}")),
                    _ => {
                        let kind = ["turnOn", "turnOff"][round % 2];
                        json!([on_flag(kind, "prod", &format!("w{writer}"))])
                    }
                };
                request(&house, commands)
            });
            let requests: Vec<_> = requests.collect();
            tasks.spawn(async move {
                for request in requests {
                    store.apply(&request).await.unwrap();
                    store.seal_audit(&STAMP).await.unwrap();
                }
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
        let verdict = verify(store, &house).await;
        assert_eq!((verdict.bad, verdict.unsealed), (None, 0));
        assert!(verdict.verified > 24);
    })
    .await;
}

#[tokio::test]
async fn an_entry_that_is_changed_in_any_column_is_named() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = some_history(store).await;
        store.seal_audit(&STAMP).await.unwrap();
        let number = number_of(store, &house, "createToken").await;
        let blob = match store.dialect() {
            Dialect::Sqlite => "x'00'",
            Dialect::Postgres => "'\\x00'::bytea",
        };
        let project = format!("'{}'", house.project.id);
        let columns = [
            ("change_sets", "id", "'another'"),
            ("change_sets", "actor_kind", "'member'"),
            ("change_sets", "actor_id", "'somebody'"),
            ("change_sets", "actor_name", "'somebody'"),
            ("change_sets", "comment", "'harmless'"),
            ("change_sets", "base", "'{\"a\":1}'"),
            ("change_sets", "commands", blob),
            ("change_sets", "commands_size", "commands_size + 1"),
            ("change_sets", "vocabulary", "vocabulary + 1"),
            ("change_sets", "request_digest", blob),
            ("change_sets", "result", "'{}'"),
            ("change_sets", "at", "at + 1"),
            ("change_sets", "project_id", &*project),
            ("change_sets", "kinds", "' turnOn '"),
            ("change_sets", "search", "'nothing'"),
            ("audit_seals", "change_set_id", "'another'"),
            ("audit_seals", "salt", blob),
            ("audit_seals", "body_digest", blob),
            ("audit_seals", "chain", blob),
            ("audit_seals", "redacted_at", "1"),
            ("audit_seals", "redacted_by", "'nobody'"),
        ];
        for (table, column, value) in columns {
            run(
                database,
                &[
                    format!("CREATE TABLE kept AS SELECT * FROM {table} WHERE number = {number}"),
                    format!("UPDATE {table} SET {column} = {value} WHERE number = {number}"),
                ],
            )
            .await;
            let verdict = verify(store, &house).await;
            let bad = verdict.bad.unwrap_or_else(|| panic!("{table}.{column}"));
            assert_eq!(bad.number, number, "{table}.{column}: {bad:?}");
            run(
                database,
                &[
                    format!(
                        "UPDATE {table} SET {column} = (SELECT {column} FROM kept) \
                         WHERE number = {number}"
                    ),
                    "DROP TABLE kept".to_owned(),
                ],
            )
            .await;
            assert_eq!(verify(store, &house).await.bad, None, "{table}.{column}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_entry_that_is_removed_moved_or_added_is_named() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = some_history(store).await;
        token(store, &house, "tim").await;
        store.seal_audit(&STAMP).await.unwrap();
        let entries = all(store, &house, &HistoryFilter::default()).await;
        let last = entries[0].number;
        let other = number_of(store, &house, "createFlag").await + 1;
        let copy = |table: &str| {
            format!("CREATE TABLE kept_{table} AS SELECT * FROM {table} WHERE number >= {other}")
        };
        run(database, &[copy("change_sets"), copy("audit_seals")]).await;
        run(
            database,
            &["CREATE TABLE kept_audit_heads AS SELECT * FROM audit_heads".to_owned()],
        )
        .await;
        let gone =
            |table: &str, number: i64| format!("DELETE FROM {table} WHERE number = {number}");
        let back = |table: &str, number: i64| {
            format!("INSERT INTO {table} SELECT * FROM kept_{table} WHERE number = {number}")
        };
        let swap = |table: &str| {
            [(other, -1), (last, other), (-1, last)]
                .map(|(from, to)| format!("UPDATE {table} SET number = {to} WHERE number = {from}"))
                .to_vec()
        };
        let shift = format!("UPDATE audit_heads SET number = {}", last - 1);
        let unshift = "UPDATE audit_heads SET number = (SELECT number FROM kept_audit_heads)";
        let truncate = vec![
            gone("change_sets", last),
            gone("audit_seals", last),
            shift.clone(),
            format!(
                "UPDATE audit_heads SET chain = (SELECT chain FROM audit_seals WHERE number = {})",
                last - 1
            ),
        ];
        let restore = vec![
            back("change_sets", last),
            back("audit_seals", last),
            unshift.to_owned(),
            "UPDATE audit_heads SET chain = (SELECT chain FROM kept_audit_heads)".to_owned(),
        ];
        let empty = match store.dialect() {
            Dialect::Sqlite => "x''",
            Dialect::Postgres => "''",
        };
        let strip = format!("UPDATE audit_heads SET signature = {empty}");
        let sign = "UPDATE audit_heads SET signature = (SELECT signature FROM kept_audit_heads)";
        let sign = sign.to_owned();
        let cut_and_strip = [truncate.clone(), vec![strip.clone()]].concat();
        let uncut_and_sign = [restore.clone(), vec![sign.clone()]].concat();
        let cases: Vec<(i64, Vec<String>, Vec<String>)> = vec![
            // An entry, its seal, both; in the middle and at the end.
            (
                other,
                vec![gone("change_sets", other)],
                vec![back("change_sets", other)],
            ),
            (
                other,
                vec![gone("audit_seals", other)],
                vec![back("audit_seals", other)],
            ),
            (
                other,
                vec![gone("change_sets", other), gone("audit_seals", other)],
                vec![back("change_sets", other), back("audit_seals", other)],
            ),
            (
                last,
                vec![gone("change_sets", last)],
                vec![back("change_sets", last)],
            ),
            (
                last,
                vec![gone("audit_seals", last)],
                vec![back("audit_seals", last)],
            ),
            (
                last,
                vec![gone("change_sets", last), gone("audit_seals", last)],
                vec![back("change_sets", last), back("audit_seals", last)],
            ),
            // Whoever cuts the end off cleanly cannot sign what is left.
            (last - 1, truncate, restore),
            // Nor is an end without a signature taken for one.
            (last - 1, cut_and_strip, uncut_and_sign),
            (last, vec![strip.clone()], vec![sign.clone()]),
            // Two change places.
            (other, swap("change_sets"), swap("change_sets")),
            (other, swap("audit_seals"), swap("audit_seals")),
            (last, vec![shift], vec![unshift.to_owned()]),
            // One is added where none can be.
            (
                0,
                vec![
                    "CREATE TABLE one AS SELECT * FROM kept_change_sets".to_owned(),
                    format!("DELETE FROM one WHERE number <> {last}"),
                    "UPDATE one SET id = 'forged', number = 0".to_owned(),
                    "INSERT INTO change_sets SELECT * FROM one".to_owned(),
                ],
                vec![
                    "DELETE FROM change_sets WHERE id = 'forged'".to_owned(),
                    "DROP TABLE one".to_owned(),
                ],
            ),
            (
                last + 1,
                vec![
                    "CREATE TABLE one AS SELECT * FROM kept_change_sets".to_owned(),
                    format!("DELETE FROM one WHERE number <> {last}"),
                    format!("UPDATE one SET id = 'forged', number = {}", last + 1),
                    "INSERT INTO change_sets SELECT * FROM one".to_owned(),
                ],
                vec![
                    "DELETE FROM change_sets WHERE id = 'forged'".to_owned(),
                    "DROP TABLE one".to_owned(),
                ],
            ),
        ];
        for (number, tamper, undo) in cases {
            run(database, &tamper).await;
            let verdict = verify(store, &house).await;
            let bad = verdict.bad.unwrap_or_else(|| panic!("{tamper:?}"));
            assert_eq!(bad.number, number, "{tamper:?}: {bad:?}");
            run(database, &undo).await;
            assert_eq!(verify(store, &house).await.bad, None, "{undo:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_chain_that_is_signed_by_an_unknown_key_verifies_without_one_alone() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = some_history(store).await;
        store.seal_audit(&Stamp("theirs")).await.unwrap();
        let verdict = verify(store, &house).await;
        assert!(verdict.bad.is_some() && !verdict.signed);
        let organization = &house.organization.id;
        let verdict = store.verify_audit(organization, &NoNotary).await.unwrap();
        assert_eq!((verdict.bad, verdict.signed), (None, false));
    })
    .await;
}

#[tokio::test]
async fn a_redacted_body_is_gone_and_the_chain_verifies() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = some_history(store).await;
        let mut commands = json!([on_flag("addTargets", "prod", "f")]);
        let (on, _) = crate::kit::variations(store, &house, "f").await;
        commands[0]["variation"] = json!(on);
        commands[0]["keys"] = json!(["mallory@example.com"]);
        let added = apply(store, &house, commands.clone()).await;
        let organization = &house.organization.id;
        let forget = |body: &Body| {
            let text = body.commands.to_string();
            text.contains("mallory").then(|| Body {
                comment: body.comment.clone(),
                commands: serde_json::from_str(&text.replace("mallory@example.com", "?")).unwrap(),
                result: json!({"diff": [{"code": "x", "params": {}, "text": "redacted"}]}),
            })
        };
        // Nothing was sealed yet: that is done first.
        let operator = Actor::operator();
        let order = store.redact_audit(
            organization,
            &operator,
            "asked to",
            &STAMP,
            later(5),
            forget,
        );
        assert_eq!(order.await.unwrap(), 1);
        let again = store.redact_audit(
            organization,
            &operator,
            "asked to",
            &STAMP,
            later(6),
            forget,
        );
        assert_eq!(again.await.unwrap(), 0, "there is nothing more to take out");
        let verdict = verify(store, &house).await;
        assert_eq!((verdict.bad, verdict.redacted), (None, 1));
        assert!(verdict.signed, "though nothing is written any more");

        let entries = all(store, &house, &HistoryFilter::default()).await;
        assert!(!format!("{entries:?}").contains("mallory"));
        assert_eq!(kind(&entries[0]), "redactAudit", "and no second order");
        let redacted = entries.iter().find(|it| it.change.id == added.id).unwrap();
        let said = redacted.redacted.as_ref().unwrap();
        assert_eq!((said.at, said.why.as_str()), (later(5), "asked to"));
        assert_eq!(said.by, entries[0].change.id);
        let found = HistoryFilter {
            text: Some("mallory".to_owned()),
            ..HistoryFilter::default()
        };
        assert_eq!(all(store, &house, &found).await, []);
        // Without the entry that orders it, it is a forgery.
        let forge = "UPDATE audit_seals SET redacted_by = 'nobody' WHERE redacted_at IS NOT NULL";
        run(database, &[forge.to_owned()]).await;
        let bad = verify(store, &house).await.bad.unwrap();
        assert_eq!(bad.number, redacted.number);
    })
    .await;
}

#[tokio::test]
async fn old_entries_are_pruned_and_what_is_left_verifies() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = some_history(store).await;
        let organization = &house.organization.id;
        let operator = Actor::operator();
        let old = all(store, &house, &HistoryFilter::default()).await.len() as i64;
        for (days, is_taken) in [(Some(29), false), (Some(3_661), false), (Some(30), true)] {
            let set = store.set_audit_days(organization, days, &operator, later(40 * DAY));
            assert_eq!(set.await.is_ok(), is_taken, "{days:?}");
        }
        let now = later(50 * DAY);
        assert_eq!(
            store.prune_audit(now, &STAMP).await.unwrap(),
            0,
            "not sealed"
        );
        store.seal_audit(&STAMP).await.unwrap();
        assert_eq!(store.prune_audit(now, &STAMP).await.unwrap(), old as u64);
        assert_eq!(store.prune_audit(now, &STAMP).await.unwrap(), 0);
        store.seal_audit(&STAMP).await.unwrap();
        let verdict = verify(store, &house).await;
        assert_eq!(
            (verdict.bad, verdict.pruned, verdict.signed),
            (None, old, true)
        );
        let left = all(store, &house, &HistoryFilter::default()).await;
        let left: Vec<&str> = left.iter().map(kind).collect();
        assert_eq!(left, ["pruneAudit", "setAuditRetention"]);

        // What is served is as it was, and goes on.
        let applied = apply(store, &house, json!([on_flag("turnOn", "prod", "f")])).await;
        assert_eq!(
            applied.versions["default/prod"],
            house.prod.position.version + 3
        );
        for forged in [
            "UPDATE audit_anchors SET chain = (SELECT chain FROM audit_heads)",
            "UPDATE audit_anchors SET number = number - 1",
        ] {
            run(
                database,
                &["CREATE TABLE kept AS SELECT * FROM audit_anchors".to_owned()],
            )
            .await;
            run(database, &[forged.to_owned()]).await;
            assert!(verify(store, &house).await.bad.is_some(), "{forged}");
            let undo = "UPDATE audit_anchors SET number = (SELECT number FROM kept), \
                        chain = (SELECT chain FROM kept)";
            run(database, &[undo.to_owned(), "DROP TABLE kept".to_owned()]).await;
        }
        assert_eq!(verify(store, &house).await.bad, None);
    })
    .await;
}

#[tokio::test]
async fn what_is_done_with_an_account_is_in_the_log_of_its_organizations() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let email = Email::new(OWNER_EMAIL).unwrap();
        assert!(store.first_password("hash").await.unwrap());
        let owner = store.account_by_email(&email).await.unwrap().unwrap();
        let seen = Seen {
            address: "192.0.2.1".to_owned(),
            agent: "a browser".to_owned(),
        };
        let begun = store
            .begin_session(&owner, &seen, false, NOW)
            .await
            .unwrap();
        let (session, _) = begun.unwrap();
        let codes = ["one".to_owned()];
        store
            .set_second_factor(&owner.id, &session.id, b"sealed", 7, &codes, NOW)
            .await
            .unwrap();
        assert!(
            store
                .use_recovery_code(&owner.id, "one", NOW)
                .await
                .unwrap()
        );
        assert!(
            !store
                .use_recovery_code(&owner.id, "one", NOW)
                .await
                .unwrap()
        );
        store
            .remove_second_factor(&owner.id, Some(&Actor::operator()), NOW)
            .await
            .unwrap();
        let new = NewPassword {
            hash: "the-new-hash",
            temporary: false,
        };
        let keep = Some(&session.id);
        let set = store.set_password(&owner.id, new, keep, None, NOW);
        set.await.unwrap();
        let stale = store
            .begin_session(&owner, &seen, false, NOW)
            .await
            .unwrap();
        assert!(stale.is_none(), "not signed in, so not in the log");
        store
            .rename_account(&owner.id, "Olivia", NOW)
            .await
            .unwrap();
        let end = store.end_session(&owner.id, &session.id, Ending::SignOut, NOW);
        end.await.unwrap();

        let entries = all(store, &house, &HistoryFilter::default()).await;
        let last: Vec<(&str, &str)> = entries[..7]
            .iter()
            .map(|it| (kind(it), it.change.actor.name.as_str()))
            .collect();
        assert_eq!(
            last,
            [
                ("signOut", OWNER_EMAIL),
                ("renameAccount", OWNER_EMAIL),
                ("changePassword", OWNER_EMAIL),
                ("removeSecondFactor", "operator"),
                ("useRecoveryCode", OWNER_EMAIL),
                ("setSecondFactor", OWNER_EMAIL),
                ("signIn", OWNER_EMAIL),
            ]
        );
        let signed_in = &entries[6].change.commands[0];
        assert_eq!(signed_in["address"], "192.0.2.1");
        assert!(
            !format!("{entries:?}").contains("the-new-hash"),
            "no secret"
        );
    })
    .await;
}

#[tokio::test]
async fn failures_to_sign_in_are_logged_and_do_not_fill_the_disk() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let email = Email::new(OWNER_EMAIL).unwrap();
        let nobody = Email::new("nobody@example.com").unwrap();
        let seen = Seen::default();
        let fail = async |email: &Email, at: i64| {
            let failed = store.record_failed_sign_in(email, &seen, later(at));
            failed.await.unwrap()
        };
        assert!(!fail(&nobody, 0).await, "there is no log to write it to");
        let mut written = 0;
        for attempt in 0..100 {
            written += i32::from(fail(&email, attempt).await);
        }
        assert_eq!(written, 10);
        assert!(fail(&email, DAY).await);
        let failed = HistoryFilter {
            kind: Some("signInFailed".to_owned()),
            ..HistoryFilter::default()
        };
        let entries = all(store, &house, &failed).await;
        assert_eq!(entries.len(), 11);
        let last: &Value = &entries[0].change.commands[0];
        assert_eq!(last["leftOut"], "90");
    })
    .await;
}

#[tokio::test]
async fn the_log_is_looked_through_by_each_condition() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = some_history(store).await;
        let mut commented = request(&house, json!([on_flag("turnOn", "dev", "f")]));
        commented.comment = "Für Müller 100%".to_owned();
        commented.now = later(DAY);
        store.apply(&commented).await.unwrap();
        let none = HistoryFilter::default;
        let some = |text: &str| Some(text.to_owned());
        let everything = all(store, &house, &none()).await.len();
        let count = async |filter: HistoryFilter| all(store, &house, &filter).await.len();

        let kind = async |it: &str| {
            count(HistoryFilter {
                kind: some(it),
                ..none()
            })
            .await
        };
        assert_eq!((kind("turnOn").await, kind("turnOff").await), (2, 1));
        assert_eq!(kind("turn").await, 0, "whole kinds only");
        let actor = async |it: &str| {
            count(HistoryFilter {
                actor: some(it),
                ..none()
            })
            .await
        };
        assert_eq!(actor("Operator").await + actor("system").await, everything);
        let text = async |it: &str| {
            count(HistoryFilter {
                text: some(it),
                ..none()
            })
            .await
        };
        assert_eq!((text("für MÜLLER").await, text("100%").await), (1, 1));
        assert_eq!((text("1_0").await, text("diff").await), (0, 0));
        let from = Some(later(DAY));
        assert_eq!(count(HistoryFilter { from, ..none() }).await, 1);
        assert_eq!(
            count(HistoryFilter { to: from, ..none() }).await,
            everything - 1
        );
        let place = async |project: &str, environment: Option<&str>| {
            let environment = environment.map(str::to_owned);
            let project = some(project);
            count(HistoryFilter {
                project,
                environment,
                ..none()
            })
            .await
        };
        assert!(place("Default", None).await > place("default", Some("prod")).await);
        assert_eq!(
            place("default", Some("dev")).await,
            2,
            "made, and turned on"
        );
        assert_eq!(
            (
                place("other", None).await,
                place("other", Some("dev")).await
            ),
            (0, 0)
        );
        let organization = &house.organization.id;
        let first = store
            .audit_after(organization, &none(), 0, 3)
            .await
            .unwrap();
        let numbers: Vec<i64> = first.iter().map(|it| it.number).collect();
        assert_eq!(numbers, [1, 2, 3]);
        let rest = store
            .audit_after(organization, &none(), 3, 500)
            .await
            .unwrap();
        assert_eq!(rest.len() + 3, everything);
    })
    .await;
}
