//! The messages of FeatBit's SDKs, read without copying what need not be copied.
//!
//! SDKs send what their callers gave them: a property that is a number or a boolean is taken as
//! its JSON text, keys and names likewise. What is malformed or unknown is no message at all
//! ([`parse`] says `None`): SDKs of the future must not be closed for what they say in addition.

use std::borrow::Cow;

use burgee_eval::user::User;
use serde::Deserialize;
use serde_json::value::RawValue;

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

/// Reads a message; `None` where there is nothing to do.
pub fn parse(text: &str) -> Option<Message<'_>> {
    let envelope: Envelope<'_> = serde_json::from_str(text).ok()?;
    let kind = &envelope.message_type;
    if kind.eq_ignore_ascii_case("ping") {
        Some(Message::Ping)
    } else if kind.eq_ignore_ascii_case("data-sync") {
        let body: SyncBody<'_> = serde_json::from_str(envelope.data?.get()).ok()?;
        Some(Message::Sync(Sync {
            timestamp: body.timestamp.map_or(0, |Timestamp(at)| at),
            user: body.user.and_then(UserBody::into_user),
        }))
    } else if kind.eq_ignore_ascii_case("echo") {
        envelope.data.map(|data| Message::Echo(data.get()))
    } else {
        None
    }
}

/// Reads a user that stands alone, as polling SDKs send it; `None` where it is malformed or has no
/// key.
pub fn parse_user(json: &str) -> Option<User<'_>> {
    let body: UserBody<'_> = serde_json::from_str(json).ok()?;
    body.into_user()
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
    timestamp: Option<Timestamp>,
    #[serde(borrow)]
    user: Option<UserBody<'a>>,
}

#[derive(Deserialize)]
struct UserBody<'a> {
    #[serde(rename = "keyId", borrow)]
    key: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(rename = "customizedProperties", borrow)]
    properties: Option<Vec<Property<'a>>>,
}

#[derive(Deserialize)]
struct Property<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

impl<'a> UserBody<'a> {
    fn into_user(self) -> Option<User<'a>> {
        let key = text(self.key)?;
        if key.trim().is_empty() {
            return None;
        }
        let properties = self.properties.unwrap_or_default();
        let properties = properties
            .into_iter()
            .map(|property| Some((text(property.name)?, text(property.value)?)))
            // One SDK pads its list with properties that have no name.
            .filter(|property| property.as_ref().is_none_or(|(name, _)| !name.is_empty()))
            .collect::<Option<_>>()?;
        Some(User {
            key,
            name: text(self.name)?,
            properties,
        })
    }
}

/// A JSON value as the text that flags are compared with: a string's content, nothing for `null`,
/// anything else as it is written. `None` for a string with an escape that means no character.
fn text(value: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let Some(json) = value.map(RawValue::get) else {
        return Some(Cow::Borrowed(""));
    };
    match json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(content) if !content.contains('\\') => Some(Cow::Borrowed(content)),
        Some(_) => serde_json::from_str(json).ok().map(Cow::Owned),
        None if json == "null" => Some(Cow::Borrowed("")),
        None => Some(Cow::Borrowed(json)),
    }
}

/// A number of milliseconds, fractions cut.
struct Timestamp(i64);

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        let at = number
            .as_i64()
            .or_else(|| number.as_f64().map(|float| float as i64));
        Ok(Self(at.unwrap_or(0)))
    }
}
