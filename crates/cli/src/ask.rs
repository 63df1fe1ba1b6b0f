//! `burgee evaluate`, `burgee explain`, `burgee diff`: what the API answers, as people read it.
//!
//! They ask a server, as anyone may who has a token: an answer is what that server would serve, and
//! nobody needs to be where the data is.

mod server;
mod text;

use std::process::ExitCode;

use serde_json::{Map, Value, json};

use crate::args::ask::{DiffArgs, EvaluateArgs, ExplainArgs, Moment, WhoArgs};
use crate::out;
use server::Place;

/// `burgee diff` says so where somebody moved.
const SOMEBODY_MOVED: u8 = 2;

/// Flags that are asked for at once.
const PAGE: i64 = 500;

/// `burgee evaluate`.
pub(crate) async fn evaluate(args: EvaluateArgs) -> anyhow::Result<ExitCode> {
    let place = Place::new(&args.place)?;
    let mut question = question(&args.who, args.flag.as_deref());
    question.insert("steps".to_owned(), json!(false));
    question.insert("limit".to_owned(), json!(PAGE));
    let mut all: Option<Value> = None;
    loop {
        let mut page = place.post(&["evaluate"], &question).await?;
        let next = page["next"].take();
        match &mut all {
            None => {
                // It stays as it is between two pages.
                question.insert("version".to_owned(), page["version"].clone());
                question.remove("at");
                all = Some(page);
            }
            Some(all) => list(all, "items").append(list(&mut page, "items")),
        }
        match next {
            Value::String(next) => {
                let before = question.insert("cursor".to_owned(), json!(next));
                anyhow::ensure!(before != Some(json!(next)), "the server repeats a page");
            }
            _ => break,
        }
    }
    let mut answer = all.unwrap_or_default();
    if let Value::Object(answer) = &mut answer {
        answer.remove("next");
    }
    out::answer(args.place.json, &answer, |it| {
        text::evaluation(&place.name(), it)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// `burgee explain`.
pub(crate) async fn explain(args: ExplainArgs) -> anyhow::Result<ExitCode> {
    let place = Place::new(&args.place)?;
    let question = question(&args.who, Some(&args.flag));
    let answer = place.post(&["evaluate", "explain"], &question).await?;
    out::answer(args.place.json, &answer, |it| {
        text::explanation(&place.name(), it)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// `burgee diff`: 0 where nobody who is known gets something else, 2 where somebody does, 1 for an
/// error.
pub(crate) async fn diff(args: DiffArgs) -> anyhow::Result<ExitCode> {
    let place = Place::new(&args.place)?;
    let mut query = vec![moment(["from", "fromAt"], &args.from)];
    query.extend(args.to.as_ref().map(|to| moment(["to", "toAt"], to)));
    let answer = place.get(&["effects"], &query).await?;
    out::answer(args.place.json, &answer, text::effects)?;
    let moved = answer["flags"].as_array().is_some_and(|it| {
        let moved = |flag: &Value| flag["moved"].as_u64().unwrap_or_default() > 0;
        it.iter().any(moved)
    });
    Ok(match moved {
        true => ExitCode::from(SOMEBODY_MOVED),
        false => ExitCode::SUCCESS,
    })
}

/// The body of a question.
fn question(who: &WhoArgs, flag: Option<&str>) -> Map<String, Value> {
    let mut question = Map::new();
    let mut put = |name: &str, value: Value| question.insert(name.to_owned(), value);
    if let Some(user) = &who.user {
        put("key", json!(user));
    }
    if let Some(context) = &who.context {
        put("context", context.clone());
    }
    if let Some(name) = &who.name {
        put("name", json!(name));
    }
    if !who.property.is_empty() {
        let properties: Map<_, _> = who
            .property
            .iter()
            .cloned()
            .map(|(name, value)| (name, json!(value)))
            .collect();
        put("properties", Value::Object(properties));
    }
    if let Some(flag) = flag {
        put("flag", json!(flag));
    }
    match &who.at {
        Some(Moment::Version(version)) => put("version", json!(version)),
        Some(Moment::At(at)) => put("at", json!(at)),
        None => None,
    };
    question
}

/// A state as a parameter of the API, which has one name for versions and one for moments.
fn moment([version, at]: [&'static str; 2], moment: &Moment) -> (&'static str, String) {
    match moment {
        Moment::Version(number) => (version, number.to_string()),
        Moment::At(text) => (at, text.clone()),
    }
}

/// A list of an answer; one that is none is taken for empty.
fn list<'a>(answer: &'a mut Value, name: &str) -> &'a mut Vec<Value> {
    if !answer[name].is_array() {
        answer[name] = json!([]);
    }
    match &mut answer[name] {
        Value::Array(list) => list,
        _ => unreachable!("it is one now"),
    }
}
