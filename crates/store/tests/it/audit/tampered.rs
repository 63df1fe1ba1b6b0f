//! Whatever is done to the log past the store is noticed, and named.

use burgee_store::audit::{AuditFilter, NoNotary};
use burgee_store::dialect::Dialect;

use super::{STAMP, Stamp, all, number_of, run, some_history, token, verify};
use crate::kit::for_each_database;

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
        let entries = all(store, &house, &AuditFilter::default()).await;
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
async fn a_chain_that_is_signed_by_an_unknown_key_verifies_unsigned() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = some_history(store).await;
        store.seal_audit(&Stamp("theirs")).await.unwrap();
        let verdict = verify(store, &house).await;
        assert_eq!((verdict.bad, verdict.signed), (None, false));
        let organization = &house.organization.id;
        let verdict = store.verify_audit(organization, &NoNotary).await.unwrap();
        assert_eq!((verdict.bad, verdict.signed), (None, false));
    })
    .await;
}
