//! Whom to ask: who may do something, and who can give it to somebody else.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_store::people::colleagues::Colleague;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::permissions::{action, resource};
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::Query;
use crate::problem::Problem;

/// So many are named: to ask one, and another who is not on holiday.
const NAMED: usize = 5;

/// What is lacking.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lacking {
    /// E.g. `flag.turnOn`.
    pub action: String,
    /// E.g. `project/web:env/prod:flag/checkout;payment`, with the tags that it has.
    pub resource: String,
}

/// Whom to ask.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhomToAsk {
    /// Members who may do it themselves.
    pub holders: Named,
    /// Those of them who may also give policies to whoever asks.
    pub grantors: Named,
}

/// Some members.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Named {
    /// The names of the first five; the address of who has given none.
    pub names: Vec<String>,
    /// How many there are besides.
    pub more: usize,
}

impl Named {
    fn of<'a>(all: impl Iterator<Item = &'a Colleague>) -> Self {
        let mut names: Vec<String> = all.map(name).collect();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        Self { names, more }
    }
}

fn name(of: &Colleague) -> String {
    let account = &of.account;
    match account.name.is_empty() {
        true => account.email.clone(),
        false => account.name.clone(),
    }
}

/// Ask who may do what one may not. Everybody in the organization may ask: it tells names alone.
#[utoipa::path(get, path = "/api/v1/permissions/holders", tag = "people", params(Lacking),
    responses((status = 200, body = WhomToAsk), (status = 400, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Query(lacking): Query<Lacking>,
) -> Result<Json<WhomToAsk>, Problem> {
    action("action".to_owned(), &lacking.action)?;
    let asked = resource("resource".to_owned(), &lacking.resource)?;
    let colleagues = state.store.colleagues(&caller.organization).await?;
    let account = caller.account.as_ref();
    let asking = Resource::new(Kind::Member, account.map_or("*", |it| it.as_str()));
    // Thousands of members take a processor for a while.
    let found = api::computed(move || {
        let may = colleagues
            .iter()
            .filter(|it| it.rights.allow(&lacking.action, &asked));
        Ok(WhomToAsk {
            holders: Named::of(may.clone()),
            grantors: Named::of(may.filter(|it| it.rights.allow("member.update", &asking))),
        })
    });
    found.await?.map(Json)
}
