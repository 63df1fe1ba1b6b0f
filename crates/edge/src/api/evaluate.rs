//! `featureflag/evaluate`: what a user gets, without an SDK.

use axum::Json;
use axum::extract::State;
use burgee_eval::compile::CompiledFlag;
use burgee_eval::user::User;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;
use serde_json::value::RawValue;

use super::access::Caller;
use super::body::Whole;
use super::{Api, Problem, USER_BODY, now};
use crate::message::parse_user;
use crate::metrics::Reason;
use crate::sink::Surface;
use crate::traffic::Given;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    user: Option<&'a RawValue>,
    #[serde(borrow)]
    filter: Option<&'a RawValue>,
}

/// Which flags; an empty list lets all through.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Filter {
    keys: Option<Vec<String>>,
    tags: Option<Vec<String>>,
    tag_filter_mode: Option<String>,
    /// Only flags that changed after this, in ms since 1970.
    #[serde(default, deserialize_with = "whole")]
    timestamp: Option<i64>,
}

/// A whole number, however it is written: for some programs all numbers are `1.7e12` or `17.0`.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    let Some(number) = Option::<Number>::deserialize(from)? else {
        return Ok(None);
    };
    let is_whole = |it: &f64| it.fract() == 0.0 && it.abs() < i64::MAX as f64;
    let float = || number.as_f64().filter(is_whole).map(|it| it as i64);
    let found = number.as_i64().or_else(float).map(Some);
    found.ok_or_else(|| D::Error::custom(format!("{number} is no whole number of 64 bits")))
}

/// A flag's answer.
#[derive(Serialize)]
pub(super) struct Evaluated {
    key: String,
    variation: Served,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Served {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    value: String,
    match_reason: String,
    send_to_experiment: bool,
}

pub(super) async fn evaluate(
    State(api): State<Api>,
    Caller(access): Caller,
    Whole(body): Whole<USER_BODY>,
) -> Result<Json<Vec<Evaluated>>, Problem> {
    let body: Body<'_> = serde_json::from_slice(&body)
        .map_err(|error| Problem::bad_request("malformed body", error.to_string(), ""))?;
    let user = body
        .user
        .and_then(|user| {
            parse_user(user.get(), &mut |reason, count| {
                api.metrics.refuse(reason, count)
            })
        })
        .ok_or_else(|| {
            api.metrics.refuse(Reason::UserKey, 1);
            Problem::invalid_user("/user/keyId")
        })?;
    let filter = Filter::parse(body.filter)?;
    let encoded = access.environment.current();
    let flags = encoded.snapshot().flags().iter().enumerate();
    let flags = flags.filter(|(_, flag)| filter.takes(flag));
    let given = Given {
        environment: access.environment.id(),
        state: &encoded,
        user: &user,
        surface: Surface::Evaluate,
        at: now(),
    };
    let places = flags.clone().map(|(place, _)| place);
    api.traffic.decided(&given, places);
    let answers = flags.filter_map(|(_, flag)| evaluated(flag, &user));
    Ok(Json(answers.collect()))
}

impl Filter {
    fn parse(json: Option<&RawValue>) -> Result<Self, Problem> {
        let Some(json) = json else {
            return Ok(Self::default());
        };
        let filter: Option<Self> = serde_json::from_str(json.get()).map_err(|error| {
            Problem::bad_request("invalid filter", error.to_string(), "/filter")
        })?;
        let filter = filter.unwrap_or_default();
        match filter.tag_filter_mode.as_deref().unwrap_or_default() {
            "" | "and" | "or" => Ok(filter),
            _ => {
                let detail = "tagFilterMode is `and` or `or`";
                Err(Problem::bad_request(
                    "invalid filter",
                    detail,
                    "/filter/tagFilterMode",
                ))
            }
        }
    }

    fn takes(&self, flag: &CompiledFlag) -> bool {
        let newer = self
            .timestamp
            .is_none_or(|timestamp| flag.timestamp().0 > timestamp);
        let keys = self.keys.as_deref().unwrap_or_default();
        newer && (keys.is_empty() || keys.contains(&flag.flag().key)) && self.takes_tags(flag)
    }

    fn takes_tags(&self, flag: &CompiledFlag) -> bool {
        let tags = self.tags.as_deref().unwrap_or_default();
        let has = |tag: &String| flag.flag().tags.contains(tag);
        match self.tag_filter_mode.as_deref() {
            _ if tags.is_empty() => true,
            Some("or") => tags.iter().any(has),
            _ => tags.iter().all(has),
        }
    }
}

fn evaluated(flag: &CompiledFlag, user: &User<'_>) -> Option<Evaluated> {
    let outcome = flag.outcome(flag.evaluate(user)?)?;
    let variation = flag.flag().variations.get(outcome.variation)?;
    Some(Evaluated {
        key: flag.flag().key.clone(),
        variation: Served {
            id: variation.id.clone(),
            kind: flag.flag().variation_type.as_str(),
            value: variation.value.clone(),
            match_reason: flag.match_reason(outcome.reason).to_owned(),
            send_to_experiment: outcome.send_to_experiment,
        },
    })
}
