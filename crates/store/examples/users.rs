//! How long lists of end users take among very many: `cargo run --package burgee-store --example
//! users -- 500000` on SQLite, `-- 5000000 postgres` on a temporary PostgreSQL.
//!
//! The rows are made by the database itself, since only reading is measured: keys in no order, three
//! properties, every second one with a name. Each figure is the median of 21.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a program that measures and prints"
)]

use std::time::Instant;

use burgee_store::page::PageRequest;
use burgee_store::traffic::UserSearch;
use burgee_store::{Location, Store};
use sqlx::{AssertSqlSafe, Connection};

const ROW: &str = "'e', KEY, CASE WHEN n % 2 = 0 THEN 'User ' || n ELSE '' END, \
    '[[\"country\",\"de\"],[\"plan\",\"pro\"],[\"version\",\"2.' || n || '\"]]', n, \
    1800000000000, 1800000000000 + n";

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let count: i64 = arguments.next().map_or(500_000, |it| it.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (location, url) = match arguments.next() {
        Some(_) => {
            let url = burgee_testkit::postgres::database().await.unwrap();
            (Location::Postgres(url.clone()), url)
        }
        None => {
            let file = format!("sqlite://{}/traffic.db", folder.path().display());
            (Location::Folder(folder.path().to_owned()), file)
        }
    };
    let store = Store::open(location).await.unwrap();
    store.migrate().await.unwrap();
    seed(&url, count).await;
    println!("{count} users, ms");
    let text = |text: &str| text.to_owned();
    time("first page of 50", || list(&store, None, None)).await;
    let deep = Some(r#"["u-8"]"#);
    time("a page from the middle", || list(&store, None, deep)).await;
    let prefix = Some(UserSearch::Prefix(text("u-12345")));
    time("keys that begin so", || list(&store, prefix.clone(), None)).await;
    let name = Some(UserSearch::Prefix(text("user 1234")));
    time("names that begin so", || list(&store, name.clone(), None)).await;
    let contains = Some(UserSearch::Contains(text("zzz")));
    time("contains, nothing found", || {
        list(&store, contains.clone(), None)
    })
    .await;
    time("20,000 seen last, and how many", || async {
        store
            .traffic()
            .recent_users("e", 20_000, 1_000_000)
            .await
            .unwrap();
    })
    .await;
    store.close().await;
}

async fn list(store: &Store, search: Option<UserSearch>, cursor: Option<&str>) {
    let page = PageRequest {
        cursor: cursor.map(str::to_owned),
        limit: None,
    };
    let traffic = store.traffic();
    let found = traffic.end_users("e", search.as_ref(), &page);
    found.await.unwrap();
}

async fn time<F: Future>(what: &str, work: impl Fn() -> F) {
    let mut times = Vec::new();
    for _ in 0..21 {
        let start = Instant::now();
        work().await;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("{what:<32} {:>8.1}", times[10]);
}

async fn seed(url: &str, count: i64) {
    let columns = "environment_id, key, name, properties, hash, first_seen, last_seen";
    let (key, rows) = match url.starts_with("postgres") {
        true => (
            "'u-' || MD5(n::text)",
            format!("generate_series(1, {count}) AS t (n)"),
        ),
        false => (
            "'u-' || LOWER(HEX(RANDOMBLOB(16)))",
            format!(
                "(WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t \
                 WHERE n < {count}) SELECT n FROM t)"
            ),
        ),
    };
    let row = ROW.replace("KEY", key);
    let mut connection = sqlx::AnyConnection::connect(url).await.unwrap();
    for statement in [
        format!("INSERT INTO end_users ({columns}) SELECT {row} FROM {rows}"),
        "ANALYZE end_users".to_owned(),
    ] {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .unwrap();
    }
}
