//! The API's routes, one readable table: a handler cannot be mounted without being documented.
//!
//! The server publishes the reviewed description, `openapi.json`, as the text that it is; a test
//! compares it with what the table's handlers say. To build it at each start would take 3 MiB
//! and a thousand functions' code into memory for good, for something that hardly anybody asks of a
//! running server.

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::http::{HeaderMap, Method, Uri, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{MethodRouter, get};
use burgee_store::dialect::Dialect;
use tower::Layer;
use tower_http::compression::predicate::{NotForContentType, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel, Predicate};
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::path::HttpMethod;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{OpenApi, Path};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::{PathItemExt, paste, routes};

use crate::api::{
    activity, all_environments, audience, audit, bulk, changes, compare, connections, decisions,
    environments, evaluate, events, flag_clone, flag_index, flags, forget, groups, holders,
    invitations, me, members, oidc, organization, past_effects, permissions, policies,
    prerequisites, project_files, projects, promote, properties, relay_agents, relay_keys,
    requests, revert, rules, sdk_keys, search, segments, session, sign_in, state, tokens,
    user_files, user_properties, users, versions,
};
use crate::app::AppState;
use crate::auth::session::renew;
use crate::conditional::{self, Guarded, guard};
use crate::deadline::answer_in_time;
use crate::docs;
use crate::events::view::{Beginning, ChangeEvent, DeliveryMoved, Seen};
use crate::headers::private;
use crate::openapi::{PUBLISHED, complete};
use crate::portal::Portal;
use crate::problem::Problem;
use crate::rates;
use crate::traced::traced;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Burgee",
        description = "Feature flags: management. Every edit of a flag or a segment is a command \
            of a change set (`POST …/changes`)."
    ),
    components(schemas(Beginning, ChangeEvent, DeliveryMoved, Seen)),
    security(("token" = []), ("session" = []))
)]
struct Description;

/// Up to so many bytes an answer is sent as it is.
const SMALL: u64 = 1_024;

/// How hard answers are compressed: from 5 on brotli takes several times as long for a tenth less.
const BROTLI: i32 = 4;

/// The API.
pub fn router(state: AppState) -> Router {
    let dialect = state.store.dialect();
    let limit = from_fn_with_state(state.clone(), rates::limit);
    let mut router = mounted().with_state(state);
    if dialect == Dialect::Postgres {
        router = router.layer(from_fn(answer_in_time));
    }
    let router = router.layer(from_fn(traced));
    let portal = Portal::built_in();
    let api = router
        .fallback(
            move |method: Method, address: Uri, headers: HeaderMap| async move {
                portal.answer(&method, &address, &headers)
            },
        )
        .method_not_allowed_fallback(|| async { Problem::method_not_allowed() });
    // Around the whole of it: what is edited is looked at by another route.
    let guarded = Arc::new(Guarded::of(answered()));
    let api = from_fn_with_state(guarded, guard).layer(api);
    Router::new()
        .fallback_service(api)
        .layer(from_fn(renew))
        .route("/api/openapi.json", get(publish))
        .merge(docs::router())
        .layer(limit)
        .layer(from_fn(private))
        .layer(compression())
        .method_not_allowed_fallback(|| async { Problem::method_not_allowed() })
}

/// What the API's description is, by the code: for the test that compares it with the text that is
/// published ([`PUBLISHED`]).
pub fn description() -> Document {
    let (_, mut document) = described().split_for_parts();
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
    conditional::describe(&mut document);
    document
}

/// Answers go out as br or gzip where that is asked for. Not small ones, which fit a packet anyhow,
/// and not streams of events, each of which has to arrive by itself.
fn compression() -> CompressionLayer<impl Predicate> {
    let large = SizeAbove::new(SMALL).and(NotForContentType::SSE);
    CompressionLayer::new()
        .quality(CompressionLevel::Precise(BROTLI))
        .compress_when(large)
}

/// The type that describes an operation: a handler's path with `__path_` before its last name.
macro_rules! description_of {
    ([$($module:ident)*] $handler:ident) => {
        paste! { $($module::)* [<__path_ $handler>] }
    };
    ([$($module:ident)*] $next:ident :: $($rest:tt)+) => {
        description_of!([$($module)* $next] $($rest)+)
    };
}

/// Makes of one table what mounts its handlers, what is answered where, and what describes them.
macro_rules! operations {
    ($(.routes(routes!($($first:ident)::+ $(, $($other:ident)::+)*)))+) => {
        fn mounted() -> Router<AppState> {
            Router::new()$(.route(
                &<description_of!([] $($first)::+) as Path>::path(),
                on::<description_of!([] $($first)::+), _, _>($($first)::+)
                    $(.merge(on::<description_of!([] $($other)::+), _, _>($($other)::+)))*,
            ))+
        }

        /// The addresses, each with the methods that are answered there.
        fn answered() -> Vec<(String, Vec<HttpMethod>)> {
            vec![$((
                <description_of!([] $($first)::+) as Path>::path(),
                [
                    <description_of!([] $($first)::+) as Path>::methods()
                    $(, <description_of!([] $($other)::+) as Path>::methods())*
                ].into_iter().flatten().collect(),
            )),+]
        }

        fn described() -> OpenApiRouter<AppState> {
            OpenApiRouter::with_openapi(Description::openapi())
                $(.routes(routes!($($first)::+ $(, $($other)::+)*)))+
        }
    };
}

/// Has a handler answer the methods that its description says.
fn on<D: Path, H: Handler<T, AppState>, T: 'static>(handler: H) -> MethodRouter<AppState> {
    let methods = D::methods();
    methods.iter().fold(MethodRouter::new(), |router, method| {
        router.on(method.to_method_filter(), handler.clone())
    })
}

operations! {
        .routes(routes!(organization::get, organization::update))
        .routes(routes!(projects::list, projects::create))
        .routes(routes!(projects::get, projects::update, projects::delete))
        .routes(routes!(all_environments::list))
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
        .routes(routes!(prerequisites::graph))
        .routes(routes!(search::find))
        .routes(routes!(activity::counts))
        .routes(routes!(activity::activity))
        .routes(routes!(decisions::list))
        .routes(routes!(users::list, user_files::upload))
        .routes(routes!(users::get, users::delete))
        .routes(routes!(user_files::download))
        .routes(routes!(forget::forget))
        .routes(routes!(properties::seen))
        .routes(routes!(user_properties::list))
        .routes(routes!(
            user_properties::get,
            user_properties::set,
            user_properties::delete
        ))
        .routes(routes!(evaluate::evaluate))
        .routes(routes!(evaluate::explain))
        .routes(routes!(segments::list_shared))
        .routes(routes!(segments::list_of_project))
        .routes(routes!(segments::list_of_environment))
        .routes(routes!(segments::get_shared))
        .routes(routes!(segments::get_of_project))
        .routes(routes!(segments::get_of_environment))
        .routes(routes!(changes::history::list, changes::apply))
        .routes(routes!(changes::history::get))
        .routes(routes!(changes::delivery::get))
        .routes(routes!(connections::list))
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
        .routes(routes!(audience::of_flag))
        .routes(routes!(audience::of_segment))
        .routes(routes!(state::get))
        .routes(routes!(state::get_flag))
        .routes(routes!(versions::list))
        .routes(routes!(past_effects::get))
        .routes(routes!(events::get))
        .routes(routes!(requests::list, requests::create))
        .routes(routes!(requests::get))
        .routes(routes!(requests::revise))
        .routes(routes!(requests::rebase))
        .routes(routes!(requests::reschedule))
        .routes(routes!(requests::leave_out))
        .routes(routes!(requests::calendar::list))
        .routes(routes!(requests::inbox::get))
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
        .routes(routes!(holders::get))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(relay_keys::list, relay_keys::create))
        .routes(routes!(
            relay_keys::get,
            relay_keys::update,
            relay_keys::revoke
        ))
        .routes(routes!(relay_keys::rotate))
        .routes(routes!(relay_agents::list))
        .routes(routes!(relay_agents::remove))
}

async fn publish() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, PUBLISHED)
}
