//! Answers as people read them.

use std::fmt::Write;

use serde_json::Value;

/// What a user gets of each flag: a line for each.
pub(super) fn evaluation(place: &str, answer: &Value) -> String {
    let mut text = format!("{}\n", heading(place, answer));
    let rows: Vec<[String; 3]> = items(answer, "items")
        .map(|item| {
            let flag = string(&item["flag"]).to_owned();
            [
                flag,
                variation(&item["variation"]),
                string(&item["reason"]["text"]).to_owned(),
            ]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let (flags, values) = (width(0).unwrap_or(0), width(1).unwrap_or(0));
    for [flag, value, why] in &rows {
        let _ = writeln!(text, "  {flag:flags$}  {value:values$}  {why}");
    }
    if rows.is_empty() {
        text.push_str("  no flags\n");
    }
    text
}

/// What a user gets of one flag, and all that led to it.
pub(super) fn explanation(place: &str, answer: &Value) -> String {
    let mut text = format!("{}\n", heading(place, answer));
    for item in items(answer, "items") {
        let (flag, why) = (string(&item["flag"]), string(&item["reason"]["text"]));
        let _ = writeln!(
            text,
            "\n{flag}: {}, since {why}",
            variation(&item["variation"])
        );
        for number in items(item, "steps").enumerate() {
            step(&mut text, number);
        }
        for warning in items(item, "warnings") {
            let _ = writeln!(text, "  beware: {}", string(&warning["message"]));
        }
        since(&mut text, &item["since"]);
    }
    text
}

/// Who moved between two versions.
pub(super) fn effects(answer: &Value) -> String {
    items(answer, "text").fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{}", string(line));
        text
    })
}

/// Whom, where and when.
fn heading(place: &str, answer: &Value) -> String {
    let user = &answer["user"];
    let key = string(&user["key"]);
    let known = match (user["stored"].as_bool(), user["propertiesSince"].as_str()) {
        (Some(true), Some(since)) => format!("as known here, the same since {since}"),
        (Some(true), None) => "as known here".to_owned(),
        _ => "as given".to_owned(),
    };
    let at = answer["at"].as_str();
    let at = at.map(|at| format!(" of {at}")).unwrap_or_default();
    format!(
        "{key} ({known}) in {place}, version {}{at}",
        answer["version"]
    )
}

/// A variation by its value and its name.
fn variation(variation: &Value) -> String {
    match variation["value"].as_str() {
        None => "nothing (programs give their default)".to_owned(),
        Some(value) => match string(&variation["name"]) {
            "" => value.to_owned(),
            name if name == value => value.to_owned(),
            name => format!("{value} ({name})"),
        },
    }
}

fn step(text: &mut String, (number, step): (usize, &Value)) {
    let kind = string(&step["kind"]);
    let result = match (kind, string(&step["result"])) {
        ("archived" | "off", "taken") => "yes",
        ("archived" | "off", "passed") => "no",
        ("prerequisite", "taken") => "not met",
        ("prerequisite", "passed") => "met",
        (_, "taken") => "takes the user",
        (_, "passed") => "does not take the user",
        _ => "not asked",
    };
    let name = match kind {
        "archived" => "archived".to_owned(),
        "off" => "switched off".to_owned(),
        "prerequisite" => {
            let needed = string(&step["prerequisite"]["flag"]);
            format!("prerequisite {needed}")
        }
        "targets" => "individual targets".to_owned(),
        "rule" => {
            let place = step["index"].as_u64().unwrap_or_default() + 1;
            match string(&step["name"]) {
                "" => format!("rule {place}"),
                name => format!("rule {place} ({name})"),
            }
        }
        _ => "default rule".to_owned(),
    };
    let _ = writeln!(text, "  {}. {name}: {result}", number + 1);
    if let Some(why) = step["prerequisite"]["reason"]["text"].as_str() {
        let _ = writeln!(text, "       {why}");
    }
    for condition in items(step, "conditions") {
        self::condition(text, condition);
    }
    split(text, &step["split"]);
}

fn condition(text: &mut String, condition: &Value) {
    let holds = match condition["holds"].as_bool() {
        Some(true) => "yes",
        _ => "no",
    };
    let asked = [
        &condition["property"],
        &condition["op"],
        &condition["value"],
    ];
    let asked: Vec<&str> = asked.into_iter().filter_map(Value::as_str).collect();
    let _ = write!(text, "       {}: {holds}", asked.join(" "));
    let mut segments = items(condition, "segments").peekable();
    if segments.peek().is_none() {
        let _ = match condition["actual"].as_str() {
            Some(actual) => writeln!(text, ", the user has “{actual}”"),
            None => writeln!(text, ", the user has none"),
        };
        return;
    }
    text.push('\n');
    for segment in segments {
        let is_in = match segment["member"].as_bool() {
            Some(true) => "in",
            _ => "not in",
        };
        let why = match string(&segment["why"]) {
            "unknown" => "there is no such segment",
            "archived" => "it is archived",
            "excluded" => "excluded by key",
            "included" => "included by key",
            "rule" => "a rule of it takes the user",
            "hidden" => "why is hidden from this token",
            _ => "no list and no rule of it takes the user",
        };
        let (name, id) = (string(&segment["name"]), string(&segment["id"]));
        let name = if name.is_empty() { id } else { name };
        let _ = writeln!(text, "         {is_in} {name}: {why}");
    }
}

fn split(text: &mut String, split: &Value) {
    let Some(bucket) = split["bucket"].as_f64() else {
        return;
    };
    let by = match string(&split["by"]) {
        "keyId" => "key",
        other => other,
    };
    let _ = writeln!(
        text,
        "       by {by}, the user falls at {:.2} %:",
        bucket * 100.0
    );
    for part in items(split, "parts") {
        let share = |of: &Value| of.as_f64().unwrap_or_default() * 100.0;
        let here = match part["taken"].as_bool() {
            Some(true) => "  here",
            _ => "",
        };
        let (from, to) = (share(&part["from"]), share(&part["to"]));
        let name = string(&part["variation"]);
        let _ = writeln!(text, "         {from:.2} to {to:.2} %: {name}{here}");
    }
}

fn since(text: &mut String, since: &Value) {
    if !since.is_object() {
        return;
    }
    let (at, actor) = (string(&since["at"]), string(&since["actor"]));
    let _ = write!(
        text,
        "\nSince version {} of {at}, by {actor}",
        since["version"]
    );
    match string(&since["comment"]) {
        "" => text.push('\n'),
        comment => {
            let _ = writeln!(text, ": {comment}");
        }
    }
    let _ = writeln!(text, "  change {}", string(&since["change"]));
    let before = variation(&since["before"]);
    let _ = match (
        since["atLeast"].as_bool(),
        since["reasonBefore"]["text"].as_str(),
    ) {
        (Some(true), _) => writeln!(text, "  perhaps for longer: before it, it was {before} too"),
        (_, Some(why)) => writeln!(text, "  before it: {before}, since {why}"),
        (_, None) => writeln!(text, "  before it the flag was not there"),
    };
}

fn items<'a>(answer: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    answer[name].as_array().into_iter().flatten()
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
