//! What a pool asks of PostgreSQL besides what it was given to ask.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use burgee_testkit::postgres::database;
use sqlx::AnyPool;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::Notify;

use super::{Doubt, Location, POSTGRES_TRUSTED, postgres};
use crate::Store;

/// What takes longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A way to a database on which round trips are counted, and connections can be forgotten.
struct Way {
    url: String,
    passed: Arc<Passed>,
}

#[derive(Default)]
struct Passed {
    /// Messages that an answer is waited for.
    asked: AtomicUsize,
    /// Connections that were made before this last rose are forgotten.
    forgotten: AtomicUsize,
    /// Ends those that there are.
    end: Notify,
}

impl Way {
    async fn to(url: &str) -> Self {
        sqlx::any::install_default_drivers();
        let (front, folder) = url.split_once("?host=").unwrap();
        let database = front.rsplit_once('/').unwrap().1;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let passed = Arc::<Passed>::default();
        let socket = Path::new(folder).join(".s.PGSQL.5432");
        tokio::spawn(accept(listener, socket, Arc::clone(&passed)));
        Self {
            url: format!("postgres://postgres@{address}/{database}?sslmode=disable"),
            passed,
        }
    }

    fn asked(&self) -> usize {
        self.passed.asked.load(SeqCst)
    }

    /// From now on nothing arrives of what the connections that there are say, and nobody is told.
    fn forget(&self) {
        self.passed.forgotten.fetch_add(1, SeqCst);
    }

    /// Ends the connections that there are, as a database does that stops.
    fn end(&self) {
        self.passed.end.notify_waiters();
    }
}

async fn accept(listener: TcpListener, socket: PathBuf, passed: Arc<Passed>) {
    while let Ok((near, _)) = listener.accept().await {
        let far = UnixStream::connect(&socket).await.unwrap();
        tokio::spawn(carry(near, far, Arc::clone(&passed)));
    }
}

async fn carry(near: TcpStream, far: UnixStream, passed: Arc<Passed>) {
    let known = passed.forgotten.load(SeqCst);
    near.set_nodelay(true).unwrap();
    let (mut questions, mut to_near) = near.into_split();
    let (mut answers, mut to_far) = far.into_split();
    let asking = async {
        let (mut unread, mut started) = (Vec::new(), false);
        while let Ok(1..) = questions.read_buf(&mut unread).await {
            while let Some(length) = message(&unread, started) {
                let message: Vec<u8> = unread.drain(..length).collect();
                // "Sync": it ends every question.
                if started && message[0] == b'S' {
                    passed.asked.fetch_add(1, SeqCst);
                }
                started = true;
                let is_known = known == passed.forgotten.load(SeqCst);
                if is_known && to_far.write_all(&message).await.is_err() {
                    return;
                }
            }
        }
    };
    tokio::select! {
        () = asking => {}
        _ = tokio::io::copy(&mut answers, &mut to_near) => {}
        () = passed.end.notified() => {}
    }
}

/// How long the next message is, if it is all there. The first one does not say of what kind it is.
fn message(bytes: &[u8], started: bool) -> Option<usize> {
    let kind = usize::from(started);
    let length = u32::from_be_bytes(*bytes.get(kind..)?.first_chunk()?);
    let whole = kind + length as usize;
    (bytes.len() >= whole).then_some(whole)
}

async fn ask(pool: &AnyPool) {
    let asking = sqlx::query("SELECT 1").fetch_one(pool);
    tokio::time::timeout(PATIENCE, asking)
        .await
        .unwrap()
        .unwrap();
}

/// Waits until so many connections lie idle.
async fn idle(pool: &AnyPool, many: usize) {
    let deadline = Instant::now() + PATIENCE;
    while pool.num_idle() < many {
        assert!(Instant::now() < deadline, "they never came back");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_statement_is_asked_for_and_its_connection_once_when_it_comes_back() {
    const TIMES: usize = 20;
    let way = Way::to(&database().await.unwrap()).await;
    let pool = postgres(&way.url, 1, 1, &Doubt::default())
        .await
        .unwrap()
        .read;
    // It is prepared from here on.
    ask(&pool).await;
    // Having it, all that was to be asked of it was asked.
    let held = pool.acquire().await.unwrap();
    let before = way.asked();
    drop(held);
    for _ in 0..TIMES {
        ask(&pool).await;
    }
    let held = pool.acquire().await.unwrap();
    let asked = way.asked() - before;
    // Some may have been idle for long on a busy machine.
    assert!(
        (2 * TIMES..3 * TIMES).contains(&asked),
        "{TIMES} statements were {asked} round trips"
    );
    drop(held);
}

#[tokio::test]
async fn a_connection_that_was_forgotten_while_it_was_idle_is_nobodys_trouble() {
    let way = Way::to(&database().await.unwrap()).await;
    let pool = postgres(&way.url, 1, 1, &Doubt::default())
        .await
        .unwrap()
        .read;
    ask(&pool).await;
    idle(&pool, 1).await;
    way.forget();
    // That nothing happens is what makes it doubtful: there is nothing to be awaited.
    tokio::time::sleep(POSTGRES_TRUSTED + Duration::from_millis(100)).await;
    ask(&pool).await;
}

#[tokio::test]
async fn a_database_that_ends_all_connections_is_noticed_before_they_are_used() {
    const MANY: usize = 4;
    let way = Way::to(&database().await.unwrap()).await;
    let store = Store::open(Location::Postgres(way.url.clone()));
    let store = store.await.unwrap();
    let mut commits = store.changed();
    let listening = store.clone();
    tokio::spawn(async move { listening.listen().await });
    // It is told when listening begins.
    commits.changed().await.unwrap();
    let pool = &store.shared.truth.read;
    let mut held = Vec::new();
    for _ in 0..MANY {
        held.push(pool.acquire().await.unwrap());
    }
    drop(held);
    idle(pool, MANY).await;
    way.end();
    let deadline = Instant::now() + PATIENCE;
    while !store.shared.doubt.is_raised() {
        assert!(Instant::now() < deadline, "nobody noticed");
        tokio::task::yield_now().await;
    }
    for _ in 0..MANY {
        ask(pool).await;
    }
}

#[tokio::test]
async fn nobody_waits_for_what_hangs_on_a_database_that_says_nothing() {
    let url = database().await.unwrap();
    let store = Store::open(Location::Postgres(url)).await.unwrap();
    // In the middle of a statement, for all that is known.
    let hangs = store.shared.truth.read.acquire().await.unwrap();
    let closed = tokio::time::timeout(PATIENCE, store.close()).await;
    assert!(closed.is_ok(), "it is waited for");
    drop(hangs);
}
