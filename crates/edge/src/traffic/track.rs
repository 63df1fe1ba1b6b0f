//! The body of `insight/track`, read as forgivingly as SDKs are different: one entry that is wrong
//! costs itself and no other.

use std::borrow::Cow;

use burgee_eval::user::User;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::message::{PassOver, parse_user};

/// One entry: a user and what they did.
pub(super) struct Entry<'a> {
    pub(super) user: Option<User<'a>>,
    pub(super) evaluations: Vec<Option<Evaluation<'a>>>,
    pub(super) metrics: Vec<Option<Metric<'a>>>,
}

/// A variation that an SDK gave.
pub(super) struct Evaluation<'a> {
    pub(super) flag: Cow<'a, str>,
    /// The variation's id; one SDK sends none where a flag was archived meanwhile.
    pub(super) variation: Option<Cow<'a, str>>,
    /// `None` where the SDK does not say.
    pub(super) experiment: Option<bool>,
    pub(super) at: Option<i64>,
}

/// A metric event.
pub(super) struct Metric<'a> {
    pub(super) event: Cow<'a, str>,
    pub(super) value: f64,
    pub(super) route: Cow<'a, str>,
    pub(super) kind: Cow<'a, str>,
    pub(super) app_type: Cow<'a, str>,
    pub(super) at: Option<i64>,
}

/// The entries of a body; `None` for one that is malformed. Fails where the body is no JSON list.
pub(super) fn parse<'a>(
    body: &'a [u8],
    pass_over: PassOver<'_>,
) -> Result<Vec<Option<Entry<'a>>>, serde_json::Error> {
    let entries: Vec<&RawValue> = serde_json::from_slice(body)?;
    Ok(entries
        .into_iter()
        .map(|entry| entry_of(entry.get(), pass_over))
        .collect())
}

#[derive(Deserialize)]
struct EntryBody<'a> {
    #[serde(borrow)]
    user: Option<&'a RawValue>,
    #[serde(borrow)]
    variations: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    metrics: Option<Vec<&'a RawValue>>,
}

fn entry_of<'a>(json: &'a str, pass_over: PassOver<'_>) -> Option<Entry<'a>> {
    let body: EntryBody<'_> = serde_json::from_str(json).ok()?;
    let evaluations = body.variations.unwrap_or_default().into_iter();
    let metrics = body.metrics.unwrap_or_default().into_iter();
    Some(Entry {
        user: body.user.and_then(|user| parse_user(user.get(), pass_over)),
        evaluations: evaluations.map(|json| evaluation_of(json.get())).collect(),
        metrics: metrics.map(|json| metric_of(json.get())).collect(),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EvaluationBody<'a> {
    #[serde(borrow)]
    feature_flag_key: Cow<'a, str>,
    #[serde(borrow)]
    variation: Option<VariationBody<'a>>,
    send_to_experiment: Option<bool>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct VariationBody<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
}

fn evaluation_of(json: &str) -> Option<Evaluation<'_>> {
    let body: EvaluationBody<'_> = serde_json::from_str(json).ok()?;
    Some(Evaluation {
        flag: body.feature_flag_key,
        variation: body.variation.and_then(|variation| variation.id),
        experiment: body.send_to_experiment,
        at: body.timestamp.and_then(number).map(|at| at as i64),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MetricBody<'a> {
    #[serde(borrow)]
    event_name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    numeric_value: Option<&'a RawValue>,
    #[serde(borrow)]
    route: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    app_type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
}

fn metric_of(json: &str) -> Option<Metric<'_>> {
    let body: MetricBody<'_> = serde_json::from_str(json).ok()?;
    let value = match body.numeric_value {
        Some(value) => number(value)?,
        None => 1.0,
    };
    Some(Metric {
        event: body.event_name.unwrap_or_default(),
        value,
        route: body.route.unwrap_or_default(),
        kind: body.kind.unwrap_or_default(),
        app_type: body.app_type.unwrap_or_default(),
        at: body.timestamp.and_then(number).map(|at| at as i64),
    })
}

/// A finite number, or the text of one.
fn number(json: &RawValue) -> Option<f64> {
    let text = json.get().trim_matches('"');
    text.parse().ok().filter(|number: &f64| number.is_finite())
}
