//! Sources that something happens to between two steps of who reads them.

use std::sync::Arc;

use burgee_edge::source::{
    BoxFuture, Changes, Head, KeyKind, Position, Source, State, Unavailable,
};
use burgee_server::feed::LocalSource;
use burgee_store::Store;

/// What happens, told of the environment's id.
type Happens = Arc<dyn Fn(String) -> BoxFuture<'static, Result<(), Unavailable>> + Send + Sync>;

/// The database as a server reads it.
pub(super) struct Meddling {
    inner: LocalSource,
    /// Before a state is read.
    before_state: Happens,
    /// After one was read, and before who asked has it.
    after_state: Happens,
    /// Before changes are read.
    before_changes: Happens,
    /// What is lost of each state.
    lost: fn(&mut State),
}

impl Meddling {
    pub(super) fn new(store: &Store) -> Self {
        let nothing: Happens = Arc::new(|_| Box::pin(async { Ok(()) }));
        Self {
            inner: LocalSource::new(store.clone().into(), None),
            before_state: Arc::clone(&nothing),
            after_state: Arc::clone(&nothing),
            before_changes: nothing,
            lost: |_| {},
        }
    }

    pub(super) fn before_state<F>(
        mut self,
        it: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), Unavailable>> + Send + 'static,
    {
        self.before_state = happens(it);
        self
    }

    pub(super) fn after_state<F>(mut self, it: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), Unavailable>> + Send + 'static,
    {
        self.after_state = happens(it);
        self
    }

    pub(super) fn before_changes<F>(
        mut self,
        it: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), Unavailable>> + Send + 'static,
    {
        self.before_changes = happens(it);
        self
    }

    pub(super) fn losing(mut self, lost: fn(&mut State)) -> Self {
        self.lost = lost;
        self
    }
}

fn happens<F>(it: impl Fn(String) -> F + Send + Sync + 'static) -> Happens
where
    F: Future<Output = Result<(), Unavailable>> + Send + 'static,
{
    Arc::new(move |id| Box::pin(it(id)))
}

impl Source for Meddling {
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>> {
        self.inner.environments()
    }

    fn state<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>> {
        Box::pin(async move {
            (self.before_state)(id.to_owned()).await?;
            let mut found = self.inner.state(id).await?;
            found.iter_mut().for_each(self.lost);
            (self.after_state)(id.to_owned()).await?;
            Ok(found)
        })
    }

    fn changes<'a>(
        &'a self,
        id: &'a str,
        from: Position,
    ) -> BoxFuture<'a, Result<Changes, Unavailable>> {
        Box::pin(async move {
            (self.before_changes)(id.to_owned()).await?;
            self.inner.changes(id, from).await
        })
    }

    fn find_key<'a>(
        &'a self,
        secret: &'a str,
    ) -> BoxFuture<'a, Result<Option<(String, KeyKind)>, Unavailable>> {
        self.inner.find_key(secret)
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        self.inner.changed()
    }
}
