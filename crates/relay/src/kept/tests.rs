//! What stays on the disk.

use burgee_edge::source::{BoxFuture, Changes, KeyKind, Unavailable};

use super::*;

/// Two environments, one of which cannot be read now.
struct Half(Mirror);

impl Source for Half {
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>> {
        Box::pin(async { Ok(self.0.heads()) })
    }

    fn state<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>> {
        Box::pin(async move {
            match id {
                "bad" => Err(Unavailable("not now".into())),
                _ => Ok(self.0.state(id)),
            }
        })
    }

    fn changes<'a>(
        &'a self,
        id: &'a str,
        from: Position,
    ) -> BoxFuture<'a, Result<Changes, Unavailable>> {
        Box::pin(async move { Ok(self.0.changes(id, from)) })
    }

    fn find_key<'a>(
        &'a self,
        _secret: &'a str,
    ) -> BoxFuture<'a, Result<Option<(String, KeyKind)>, Unavailable>> {
        Box::pin(async { Ok(None) })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

fn whole(id: &str) -> Whole {
    let empty = serde_json::json!({"environment": id, "position": [1, 1], "lastStamp": 0,
        "flags": [], "segments": [], "keys": []});
    serde_json::from_value(empty).unwrap()
}

#[tokio::test]
async fn the_copy_of_an_environment_that_cannot_be_loaded_stays() {
    let folder = tempfile::tempdir().unwrap();
    let copies = Environments::open(folder.path()).unwrap();
    let mirror = ["good", "bad"].map(whole).into_iter().collect();
    // One that is no more is on the disk as well.
    for id in ["bad", "gone"] {
        copies.save(&whole(id)).unwrap();
    }
    let source: Arc<dyn Source> = Arc::new(Half(mirror));
    let hub = Hub::new(Arc::clone(&source), Arc::default());
    let running = tokio::spawn(Arc::clone(&hub).run(Default::default()));
    hub.ready().await;
    let following = tokio::spawn(copies.clone().follow(Arc::clone(&hub), source));
    while copies.place("gone").exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(copies.place("good").exists() && copies.place("bad").exists());
    following.abort();
    running.abort();
}
