//! A condition, compiled: which property, and a test with everything parsed that can be.
//!
//! Compiling is where a condition can go wrong, so that testing a user cannot: what does not
//! compile never matches, in its *Not* form too. A flag whose pattern is broken must not let
//! everybody in because "not matched" happens to hold.

mod parse;
mod typed;

use std::net::IpAddr;

use ipnet::IpNet;
use regex::Regex;
use semver::Version;

use crate::flag;
use crate::ledger::Ledger;
use crate::operator::{self, Kind, Operator, Order};
use crate::time::Millis;
use crate::user::{Seen, User};
use crate::warning::{Code, Warning};

pub(crate) use parse::list;
use typed::Choices;

/// The property of a condition that tests membership in segments.
pub const IN_SEGMENT: &str = "User is in segment";
/// The property of a condition that tests the absence of membership.
pub const NOT_IN_SEGMENT: &str = "User is not in segment";

/// A user's property, with the built-in ones resolved.
#[derive(Debug)]
pub(crate) enum Property {
    Key,
    Name,
    Custom(Box<str>),
}

impl Property {
    pub(crate) fn new(name: &str) -> Self {
        match name {
            "keyId" => Self::Key,
            "name" => Self::Name,
            _ => Self::Custom(name.into()),
        }
    }

    /// The text of the user's value; a missing one is the empty text.
    pub(crate) fn of<'u>(&self, user: &'u User<'_>) -> &'u str {
        match self {
            Self::Key => &user.key,
            Self::Name => &user.name,
            Self::Custom(name) => user.custom(name).unwrap_or_default(),
        }
    }

    /// The user's value with what is known of its type.
    fn seen<'u>(&self, user: &'u User<'_>) -> Seen<'u> {
        match self {
            Self::Key => Seen::Text(&user.key),
            Self::Name => Seen::Text(&user.name),
            Self::Custom(name) => user.seen(name),
        }
    }
}

/// What is asked of a property's value.
#[derive(Debug)]
enum Test {
    Never,
    Number(Order, f64),
    Equal(Box<str>),
    Contains(Box<str>),
    StartsWith(Box<str>),
    EndsWith(Box<str>),
    Pattern(Regex),
    OneOf(Choices),
    Boolean(&'static str),
    Version(Order, Version),
    Date(Order, Millis),
    Set,
    /// The value, in lower case.
    EqualIgnoreCase(Box<str>),
    Network(Box<[IpNet]>),
}

/// A compiled condition on a property.
#[derive(Debug)]
pub(crate) struct Condition {
    property: Property,
    test: Test,
    negated: bool,
}

impl Condition {
    /// Compiles; what is wrong with it, or will not be understood by SDKs, goes to the ledger.
    pub(crate) fn new(condition: &flag::Condition, pointer: &str, ledger: &mut Ledger) -> Self {
        let operator = operator_of(condition);
        if let Ok(operator) = &operator
            && let Some(message) = operator.unknown_to_sdks()
        {
            ledger.warn(pointer, Warning::new(Code::UnknownToSdks, "/op", message));
        }
        let test = operator.and_then(|operator| {
            let test = Test::new(operator, condition.value.as_deref(), ledger)?;
            Ok((test, operator.negated))
        });
        let (test, negated) = test.unwrap_or_else(|warning| {
            ledger.warn(pointer, warning);
            (Test::Never, false)
        });
        Self {
            property: Property::new(&condition.property),
            test,
            negated,
        }
    }

    /// Whether it holds for the user.
    pub(crate) fn holds(&self, user: &User<'_>) -> bool {
        let passes = match self.property.seen(user) {
            Seen::Text(text) => self.test.passes(text),
            Seen::Number(text) => self.test.passes_number(text),
            Seen::List(items) => self.test.passes_list(items),
        };
        passes != self.negated
    }

    /// Whether it did not compile.
    pub(crate) fn is_never(&self) -> bool {
        matches!(self.test, Test::Never)
    }
}

/// Whether a condition compiles. A segment condition's ids are not looked up.
///
/// The warning's pointer is into the condition: `/op` or `/value`.
pub fn check(condition: &flag::Condition) -> Result<(), Warning> {
    if matches!(condition.property.as_str(), IN_SEGMENT | NOT_IN_SEGMENT) {
        return segment_ids(condition).map(drop);
    }
    let ledger = &mut Ledger::default();
    Test::new(operator_of(condition)?, condition.value.as_deref(), ledger).map(drop)
}

/// The ids that a segment condition names.
pub(crate) fn segment_ids(condition: &flag::Condition) -> Result<Vec<String>, Warning> {
    let value = condition.value.as_deref().ok_or_else(missing_value)?;
    list(value).map_err(|why| Warning::new(Code::NotAList, "/value", why))
}

fn operator_of(condition: &flag::Condition) -> Result<&'static Operator, Warning> {
    let name = condition.op.as_deref().unwrap_or_default();
    operator::find(name).ok_or_else(|| {
        let message = format!("there is no operator {name:?}; the condition never matches");
        Warning::new(Code::UnknownOperator, "/op", message)
    })
}

fn missing_value() -> Warning {
    Warning::new(
        Code::MissingValue,
        "/value",
        "there is no value to compare with; the condition never matches",
    )
}

/// In lower case letter by letter, without regard to neighbours (as a final sigma would need), so
/// that both sides come out the same.
fn lower(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

/// A moment, as a date or in whole milliseconds since 1970.
fn moment(text: &str) -> Option<Millis> {
    let text = text.trim();
    text.parse()
        .map(Millis)
        .ok()
        .or_else(|| Millis::parse(text))
}

impl Test {
    fn new(operator: &Operator, value: Option<&str>, ledger: &mut Ledger) -> Result<Self, Warning> {
        match operator.kind {
            Kind::Set => return Ok(Self::Set),
            Kind::Boolean(_) if value.is_none() => return Err(missing_value()),
            Kind::Boolean(true) => return Ok(Self::Boolean("true")),
            Kind::Boolean(false) => return Ok(Self::Boolean("false")),
            _ => {}
        }
        let value = value.ok_or_else(missing_value)?;
        let read = match operator.kind {
            Kind::Number(order) => parse::number(value)
                .map(|bound| Self::Number(order, bound))
                .ok_or((Code::NotANumber, "the value is no number".to_owned())),
            Kind::Pattern => ledger
                .pattern(value)
                .map(Self::Pattern)
                .map_err(|why| (Code::NotAPattern, why)),
            Kind::OneOf => list(value)
                .map(|texts| Self::OneOf(Choices::new(texts)))
                .map_err(|why| (Code::NotAList, why)),
            Kind::Version(order) => parse::version(value)
                .map(|bound| Self::Version(order, bound))
                .ok_or((
                    Code::NotAVersion,
                    "the value is no semantic version".to_owned(),
                )),
            Kind::Date(order) => moment(value)
                .map(|bound| Self::Date(order, bound))
                .ok_or((Code::NotADate, "the value is no ISO 8601 date".to_owned())),
            Kind::Network => parse::networks(value)
                .map(|networks| Self::Network(networks.into()))
                .map_err(|why| (Code::NotANetwork, why)),
            Kind::Contains => Ok(Self::Contains(value.into())),
            Kind::StartsWith => Ok(Self::StartsWith(value.into())),
            Kind::EndsWith => Ok(Self::EndsWith(value.into())),
            Kind::EqualIgnoreCase => Ok(Self::EqualIgnoreCase(lower(value).collect())),
            Kind::Equal | Kind::Set | Kind::Boolean(_) => Ok(Self::Equal(value.into())),
        };
        read.map_err(|(code, why)| {
            Warning::new(
                code,
                "/value",
                format!("{why}; the condition never matches"),
            )
        })
    }

    /// Whether the value passes. Nothing is allocated, but for a version whose pre-release is
    /// longer than 8 letters, which `semver` does not keep in place.
    fn passes(&self, value: &str) -> bool {
        match self {
            Self::Never => false,
            Self::Number(order, bound) => parse::number(value)
                .and_then(|number| number.partial_cmp(bound))
                .is_some_and(|found| order.allows(found)),
            Self::Equal(text) => value == &**text,
            Self::Contains(text) => value.contains(&**text),
            Self::StartsWith(text) => value.starts_with(&**text),
            Self::EndsWith(text) => value.ends_with(&**text),
            Self::Pattern(pattern) => pattern.is_match(value),
            Self::OneOf(choices) => choices.have(value),
            Self::Boolean(word) => value.eq_ignore_ascii_case(word),
            Self::Version(order, bound) => parse::version(value)
                .is_some_and(|version| order.allows(version.cmp_precedence(bound))),
            Self::Date(order, bound) => {
                moment(value).is_some_and(|moment| order.allows(moment.cmp(bound)))
            }
            Self::Set => !value.is_empty(),
            Self::EqualIgnoreCase(text) => lower(value).eq(text.chars()),
            Self::Network(networks) => value.trim().parse::<IpAddr>().is_ok_and(|address| {
                let address = address.to_canonical();
                networks.iter().any(|network| network.contains(&address))
            }),
        }
    }
}
