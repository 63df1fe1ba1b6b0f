//! The messages of FeatBit's SDKs, read without copying what need not be copied.
//!
//! SDKs send what their callers gave them, and an SDK that gets no answer is deaf: so whatever can
//! be read is. A property that is a number or a boolean is taken as its JSON text, keys and names
//! likewise; half a surrogate pair becomes U+FFFD; what of a user is over its [`limits`] is left
//! out. What cannot be read at all, or is unknown, is no message ([`parse`] says why): SDKs of the
//! future must not be closed for what they say in addition.

use std::borrow::Cow;

use burgee_eval::json::text;
use burgee_eval::user::User;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::metrics::Reason;
use crate::traffic::limits;

/// The answer to a ping.
pub const PONG: &[u8] = br#"{"messageType":"pong","data":{}}"#;

/// What an SDK says.
#[derive(Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// Wants a pong.
    Ping,
    /// Wants this JSON back.
    Echo(&'a str),
    /// Wants the state.
    Sync(Sync<'a>),
}

/// A `data-sync`.
#[derive(Debug, PartialEq, Eq)]
pub struct Sync<'a> {
    /// The newest stamp that the SDK has, in ms since 1970; 0 (or below) asks for everything.
    pub timestamp: i64,
    /// Who a client SDK's flags are evaluated for; `None` where there is none or it has no key.
    pub user: Option<User<'a>>,
}

/// Told what of the input broke a rule and was passed over, and how often.
pub type PassOver<'f> = &'f mut dyn FnMut(Reason, u64);

/// Reads a message; where there is nothing to do, says why.
pub fn parse<'a>(text: &'a str, pass_over: PassOver<'_>) -> Result<Message<'a>, Reason> {
    let envelope: Envelope<'_> = serde_json::from_str(text).map_err(|_| Reason::Message)?;
    let kind = &envelope.message_type;
    if kind.eq_ignore_ascii_case("ping") {
        Ok(Message::Ping)
    } else if kind.eq_ignore_ascii_case("data-sync") {
        let data = envelope.data.ok_or(Reason::Message)?;
        let body: SyncBody<'_> = serde_json::from_str(data.get()).map_err(|_| Reason::Message)?;
        Ok(Message::Sync(Sync {
            timestamp: body.timestamp.map_or(0, timestamp),
            user: body.user.and_then(|user| parse_user(user.get(), pass_over)),
        }))
    } else if kind.eq_ignore_ascii_case("echo") {
        let data = envelope.data.ok_or(Reason::Message)?;
        Ok(Message::Echo(data.get()))
    } else {
        Err(Reason::MessageType)
    }
}

/// Reads a user, within the limits of users; `None` where it is no object, or has no key, one that
/// is too long, or a list or an object for one.
pub fn parse_user<'a>(json: &'a str, pass_over: PassOver<'_>) -> Option<User<'a>> {
    let body: UserBody<'_> = serde_json::from_str(json).ok()?;
    let key = text(body.key.filter(|key| !key.get().starts_with(['[', '{'])));
    if key.trim().is_empty() || key.len() > limits::USER_KEY {
        return None;
    }
    let mut name = text(body.name);
    if name.len() > limits::USER_NAME {
        pass_over(Reason::UserName, 1);
        name = Cow::Borrowed("");
    }
    Some(User {
        key,
        name,
        properties: properties(body.properties, pass_over),
        kinds: Vec::new(),
    })
}

/// Appends the answer to an echo.
pub fn echo(data: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"messageType":"echo","data":"#);
    out.extend_from_slice(data.as_bytes());
    out.push(b'}');
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "messageType", borrow)]
    message_type: Cow<'a, str>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct SyncBody<'a> {
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    user: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct UserBody<'a> {
    #[serde(rename = "keyId", borrow)]
    key: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(rename = "customizedProperties", borrow)]
    properties: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Property<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

/// A user's properties, within their limits.
fn properties<'a>(
    list: Option<&'a RawValue>,
    pass_over: PassOver<'_>,
) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    let (mut kept, mut left_out) = (Vec::new(), 0);
    for property in list.map(properties_of).unwrap_or_default() {
        let Some(property) = property else {
            left_out += 1;
            continue;
        };
        let (name, value) = (text(property.name), text(property.value));
        // One SDK pads its list with properties that have no name.
        if name.is_empty() {
            continue;
        }
        if kept.len() == limits::PROPERTIES || name.len() + value.len() > limits::PROPERTY {
            left_out += 1;
            continue;
        }
        kept.push((name, value));
    }
    if left_out > 0 {
        pass_over(Reason::Property, left_out);
    }
    kept
}

/// What the list has; `None` for what is no property, as the list itself if it is none.
fn properties_of(list: &RawValue) -> Vec<Option<Property<'_>>> {
    if let Ok(properties) = serde_json::from_str::<Vec<Property<'_>>>(list.get()) {
        return properties.into_iter().map(Some).collect();
    }
    match serde_json::from_str::<Vec<&RawValue>>(list.get()) {
        Ok(all) => all
            .into_iter()
            .map(|json| serde_json::from_str(json.get()).ok())
            .collect(),
        Err(_) => vec![None],
    }
}

/// A number of milliseconds, or the text of one, fractions cut; what is neither asks for
/// everything.
fn timestamp(json: &RawValue) -> i64 {
    let text = json.get().trim_matches('"').trim();
    let whole = text.parse().ok();
    whole.unwrap_or_else(|| text.parse().map_or(0, |float: f64| float as i64))
}
