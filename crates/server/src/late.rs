//! The store of a server, which may start before its database can be reached: what is served comes
//! from the disk then (`--state-dir`), management waits.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use burgee_edge::source::{BoxFuture, Unavailable};
use burgee_store::Store;
use tokio::sync::watch;
use tower::{Service, ServiceExt};

use crate::problem::Problem;

/// The store, once it is open. Cheap to clone.
#[derive(Clone)]
pub struct LateStore(Arc<watch::Sender<Option<Store>>>);

impl Default for LateStore {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }
}

impl From<Store> for LateStore {
    fn from(store: Store) -> Self {
        let late = Self::default();
        late.set(store);
        late
    }
}

impl LateStore {
    /// It is open.
    pub(crate) fn set(&self, store: Store) {
        self.0.send_replace(Some(store));
    }

    /// The store, if it is open.
    pub(crate) fn get(&self) -> Option<Store> {
        self.0.borrow().clone()
    }

    /// The store, or what the edge is told without one.
    pub(crate) fn there(&self) -> Result<Store, Unavailable> {
        let missing = || Unavailable("the database was not reached yet".into());
        self.get().ok_or_else(missing)
    }

    /// The store, once it is open.
    pub(crate) async fn opened(&self) -> Store {
        let mut store = self.0.subscribe();
        loop {
            if let Some(store) = store.borrow_and_update().clone() {
                return store;
            }
            // An error means that nobody is left who could open it.
            if store.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// The routes of management, once there are any; until then everything is 503.
#[derive(Clone, Default)]
pub(crate) struct LateRoutes(Arc<OnceLock<Router>>);

impl LateRoutes {
    /// These are the routes.
    pub(crate) fn set(&self, routes: Router) {
        // There is one who sets them, once.
        let _set = self.0.set(routes);
    }
}

impl Service<Request<Body>> for LateRoutes {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let routes = self.0.get().cloned();
        Box::pin(async move {
            match routes {
                Some(routes) => routes.oneshot(request).await,
                None => Ok(Problem::unavailable().into_response()),
            }
        })
    }
}
