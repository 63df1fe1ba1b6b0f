//! The little HTTP that the streaming loop speaks itself: enough to tell a WebSocket upgrade of
//! `/streaming` from everything else, and to answer it.
//!
//! Everything else, malformed requests included, is handed to the HTTP server next door, so that
//! there is one place that answers ordinary requests.

pub mod answer;
pub mod extensions;
pub mod head;
pub mod query;
