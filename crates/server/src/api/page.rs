//! Lists come in pages: `limit` items, and a `cursor` for the next ones.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use burgee_store::page::{MAX_LIMIT, PageRequest};

use crate::problem::Problem;

/// How many items a page has where nothing is said.
const DEFAULT_LIMIT: i64 = 50;

/// Which page.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PageQuery {
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many items, 1 to 500; 50 where absent.
    pub limit: Option<i64>,
}

impl TryFrom<PageQuery> for PageRequest {
    type Error = Problem;

    fn try_from(query: PageQuery) -> Result<Self, Problem> {
        match query.limit.unwrap_or(DEFAULT_LIMIT) {
            limit @ 1..=MAX_LIMIT => Ok(Self {
                cursor: query.cursor,
                limit: Some(limit),
            }),
            _ => Err(Problem::invalid(
                "limit",
                "range",
                format!("must be from 1 to {MAX_LIMIT}"),
            )),
        }
    }
}

/// A page of items.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The items, in order.
    pub items: Vec<T>,
    /// The cursor of the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// A page of the store's, with its items in the API's shape.
    pub fn from_store<S>(page: burgee_store::page::Page<S>) -> Self
    where
        T: From<S>,
    {
        Self {
            items: page.items.into_iter().map(T::from).collect(),
            next: page.next,
        }
    }
}
