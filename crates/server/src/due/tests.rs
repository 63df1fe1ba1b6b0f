use std::collections::VecDeque;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::*;

/// Tells when it looks, and answers what it is told to; then that nothing is due.
struct Told {
    looked: mpsc::UnboundedSender<Instant>,
    answers: VecDeque<Result<Option<Duration>, StoreError>>,
}

impl Job for Told {
    const NAME: &'static str = "the test's job";

    async fn look(&mut self) -> Result<Option<Duration>, StoreError> {
        self.looked.send(Instant::now()).unwrap();
        self.answers.pop_front().unwrap_or(Ok(None))
    }
}

/// Commits of this test, the looks of its job, and the moment at which that began.
fn keep_told(
    answers: impl IntoIterator<Item = Result<Option<Duration>, StoreError>>,
) -> (
    watch::Sender<u64>,
    mpsc::UnboundedReceiver<Instant>,
    Instant,
) {
    let (commits, changed) = watch::channel(0);
    let (looked, looks) = mpsc::unbounded_channel();
    let answers = answers.into_iter().collect();
    tokio::spawn(keep(changed, Told { looked, answers }));
    (commits, looks, Instant::now())
}

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test(start_paused = true)]
async fn a_job_looks_when_it_said_that_it_is_due_and_not_before() {
    let (_commits, mut looks, start) = keep_told([Ok(Some(HOUR)), Ok(Some(Duration::ZERO))]);
    assert_eq!(looks.recv().await.unwrap(), start);
    assert_eq!(looks.recv().await.unwrap(), start + HOUR);
    // What is over is looked at again, but not at once.
    let together = Told::TOGETHER;
    assert_eq!(looks.recv().await.unwrap(), start + HOUR + together);
    // Then nothing is due.
    assert!(timeout(24 * HOUR, looks.recv()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_job_looks_once_after_commits_that_come_together() {
    let (commits, mut looks, start) = keep_told([Ok(Some(HOUR))]);
    assert_eq!(looks.recv().await.unwrap(), start);
    for _ in 0..3 {
        commits.send_modify(|count| *count += 1);
        tokio::task::yield_now().await;
    }
    assert_eq!(looks.recv().await.unwrap(), start + Told::TOGETHER);
    assert!(timeout(24 * HOUR, looks.recv()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_job_that_fails_is_tried_again() {
    let away = Err(StoreError::Unavailable("away".to_owned()));
    let (_commits, mut looks, start) = keep_told([away]);
    assert_eq!(looks.recv().await.unwrap(), start);
    assert_eq!(looks.recv().await.unwrap(), start + RETRY);
}
