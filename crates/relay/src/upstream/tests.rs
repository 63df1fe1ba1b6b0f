//! What becomes of traffic on its way up.

use super::*;

/// An upstream that refuses a batch for good.
#[derive(Default)]
struct Refusing(Mutex<Vec<i64>>);

impl Line for Refusing {
    fn tell(&self, _message: ToUpstream) -> bool {
        true
    }

    fn ask(&self, _question: u64, _message: ToUpstream) -> BoxFuture<'_, Option<ToRelay>> {
        Box::pin(async { None })
    }

    fn store(&self, batch: Batch) -> BoxFuture<'_, Option<Stored>> {
        Box::pin(async move {
            lock(&self.0).push(batch.sequence);
            Some(match batch.sequence {
                1 => Stored::Refused("it is nothing".into()),
                _ => Stored::Taken(Taken::default()),
            })
        })
    }

    fn end(&self) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_is_refused_for_good_keeps_no_others_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::open(folder.path(), "near".into(), 1 << 20).unwrap();
    for sequence in 1..=3 {
        let batch = Batch {
            sender: "s".into(),
            sequence,
            ..Batch::default()
        };
        upstream.spool.push(&batch).unwrap();
    }
    let line = Arc::new(Refusing::default());
    upstream.link.send_replace(Some(Arc::clone(&line) as _));
    let mut waiting = std::pin::pin!(upstream.empty_spool());
    while !upstream.spool.is_empty() {
        let moment = Duration::from_millis(10);
        let _ended = tokio::time::timeout(moment, waiting.as_mut()).await;
    }
    assert_eq!(*lock(&line.0), [1, 2, 3]);
    assert_eq!(upstream.lost_batches(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_were_used_while_nobody_listens_are_told_again() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::open(folder.path(), "near".into(), 1 << 20).unwrap();
    let used: [Box<str>; 1] = ["secret".into()];
    assert!(upstream.keys_used(&used).await.is_err());
    upstream
        .link
        .send_replace(Some(Arc::new(Refusing::default())));
    assert!(upstream.keys_used(&used).await.is_ok());
}
