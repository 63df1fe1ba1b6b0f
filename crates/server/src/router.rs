//! The API's routes, one readable table: a handler cannot be mounted without being documented.

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::get;
use burgee_store::dialect::Dialect;
use bytes::Bytes;
use tower_http::compression::predicate::{NotForContentType, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel, Predicate};
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::{
    activity, audit, bulk, changes, compare, environments, evaluate, events, flag_clone,
    flag_index, flags, forget, groups, invitations, me, members, oidc, organization, permissions,
    policies, project_files, projects, promote, properties, requests, revert, rules, sdk_keys,
    search, segments, session, sign_in, state, tokens, user_files, users, versions,
};
use crate::app::AppState;
use crate::auth::session::renew;
use crate::deadline::answer_in_time;
use crate::docs;
use crate::events::view::{Beginning, ChangeEvent, Seen};
use crate::headers::private;
use crate::openapi::complete;
use crate::problem::Problem;
use crate::rates;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Burgee",
        description = "Feature flags: management. Every edit of a flag or a segment is a command \
            of a change set (`POST …/changes`)."
    ),
    components(schemas(Beginning, ChangeEvent, Seen)),
    security(("token" = []), ("session" = []))
)]
struct Description;

/// Up to so many bytes an answer is sent as it is.
const SMALL: u64 = 1_024;

/// How hard answers are compressed: from 5 on brotli takes several times as long for a tenth less.
const BROTLI: i32 = 4;

/// The API and its description.
pub fn router(state: AppState) -> (Router, Document) {
    let dialect = state.store.dialect();
    let limit = from_fn_with_state(state.clone(), rates::limit);
    let (mut router, mut document) = table().with_state(state).split_for_parts();
    if dialect == Dialect::Postgres {
        router = router.layer(from_fn(answer_in_time));
    }
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    document
        .components
        .get_or_insert_default()
        .add_security_scheme("token", token);
    let cookie = ApiKeyValue::with_description(
        "burgee",
        "The cookie of a session; `__Host-burgee` where people come by HTTPS. Requests name their \
         organization in the header `Burgee-Organization` where there are several.",
    );
    document
        .components
        .get_or_insert_default()
        .add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    complete(&mut document);
    let described = serde_json::to_value(&document).unwrap_or_default();
    // As a text: the tree takes some twenty times the memory.
    let text = Bytes::from(described.to_string());
    let published = Router::new()
        .route("/api/openapi.json", get(publish))
        .with_state(text);
    let router = router
        .layer(from_fn(renew))
        .merge(published)
        .merge(docs::router(&described))
        .layer(limit)
        .layer(from_fn(private))
        .layer(compression())
        .fallback(|| async { Problem::not_found("such address") })
        .method_not_allowed_fallback(|| async { Problem::method_not_allowed() });
    (router, document)
}

/// Answers go out as br or gzip where that is asked for. Not small ones, which fit a packet anyhow,
/// and not streams of events, each of which has to arrive by itself.
fn compression() -> CompressionLayer<impl Predicate> {
    let large = SizeAbove::new(SMALL).and(NotForContentType::SSE);
    CompressionLayer::new()
        .quality(CompressionLevel::Precise(BROTLI))
        .compress_when(large)
}

fn table() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(organization::get, organization::update))
        .routes(routes!(projects::list, projects::create))
        .routes(routes!(projects::get, projects::update, projects::delete))
        .routes(routes!(environments::list, environments::create))
        .routes(routes!(
            environments::get,
            environments::update,
            environments::delete
        ))
        .routes(routes!(rules::get, rules::set))
        .routes(routes!(environments::reorder))
        .routes(routes!(sdk_keys::list, sdk_keys::create))
        .routes(routes!(sdk_keys::rename, sdk_keys::revoke))
        .routes(routes!(sdk_keys::rotate))
        .routes(routes!(flags::list))
        .routes(routes!(flag_index::get))
        .routes(routes!(flags::get))
        .routes(routes!(search::find))
        .routes(routes!(activity::counts))
        .routes(routes!(activity::activity))
        .routes(routes!(users::list, user_files::upload))
        .routes(routes!(users::get, users::delete))
        .routes(routes!(user_files::download))
        .routes(routes!(forget::forget))
        .routes(routes!(properties::seen))
        .routes(routes!(evaluate::evaluate))
        .routes(routes!(segments::list_shared))
        .routes(routes!(segments::list_of_project))
        .routes(routes!(segments::list_of_environment))
        .routes(routes!(segments::get_shared))
        .routes(routes!(segments::get_of_project))
        .routes(routes!(segments::get_of_environment))
        .routes(routes!(changes::history::list, changes::apply))
        .routes(routes!(changes::history::get))
        .routes(routes!(
            changes::history::list_of_project,
            changes::apply_to_project
        ))
        .routes(routes!(changes::history::list_of_environment))
        .routes(routes!(bulk::apply))
        .routes(routes!(compare::get))
        .routes(routes!(flag_clone::clone))
        .routes(routes!(promote::promote))
        .routes(routes!(revert::change_set))
        .routes(routes!(revert::environment))
        .routes(routes!(state::get))
        .routes(routes!(state::get_flag))
        .routes(routes!(versions::list))
        .routes(routes!(events::get))
        .routes(routes!(requests::list, requests::create))
        .routes(routes!(requests::get))
        .routes(routes!(requests::revise))
        .routes(routes!(requests::rebase))
        .routes(routes!(requests::review))
        .routes(routes!(requests::comment_on))
        .routes(routes!(requests::withdraw))
        .routes(routes!(requests::apply))
        .routes(routes!(project_files::export))
        .routes(routes!(project_files::import))
        .routes(routes!(project_files::featbit))
        .routes(routes!(audit::list))
        .routes(routes!(audit::export))
        .routes(routes!(audit::retention, audit::set_retention))
        .routes(routes!(session::get, session::sign_in, session::sign_out))
        .routes(routes!(session::reset))
        .routes(routes!(oidc::begin))
        .routes(routes!(oidc::finish))
        .routes(routes!(sign_in::get, sign_in::set, sign_in::remove))
        .routes(routes!(me::update))
        .routes(routes!(me::change_password))
        .routes(routes!(me::settings::get, me::settings::put))
        .routes(routes!(me::sessions))
        .routes(routes!(me::end_session))
        .routes(routes!(me::new_second_factor))
        .routes(routes!(me::set_second_factor, me::remove_second_factor))
        .routes(routes!(members::list))
        .routes(routes!(members::get, members::update, members::remove))
        .routes(routes!(members::reset_link))
        .routes(routes!(invitations::list, invitations::create))
        .routes(routes!(invitations::withdraw))
        .routes(routes!(invitations::look))
        .routes(routes!(invitations::follow))
        .routes(routes!(groups::list, groups::create))
        .routes(routes!(groups::get, groups::update, groups::delete))
        .routes(routes!(policies::actions))
        .routes(routes!(policies::list, policies::create))
        .routes(routes!(policies::get, policies::update, policies::delete))
        .routes(routes!(permissions::ask))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
}

async fn publish(State(document): State<Bytes>) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, document)
}
