//! The operators that a condition can name, as one table.
//!
//! Names are case-sensitive, since they are so in every SDK. FeatBit's sixteen come first; what
//! follows them is known to Burgee alone, and SDKs that evaluate by themselves take it as no match
//! ([`Operator::sdks_know`]).

/// The kinds of SDK that evaluate by themselves, and so take an operator of ours as no match.
const SELF_EVALUATING_SDKS: &str = "server SDKs (Node.js, Python, Java, Go, .NET)";

/// What an operator compares, for grouping in a list and for choosing an input field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// Texts with a regular expression.
    Pattern,
    /// A text with the texts of a JSON list.
    List,
    /// `true` and `false`; the condition's value is not looked at.
    Boolean,
    /// Semantic versions.
    Version,
    /// Moments.
    Date,
    /// Whether there is a value; the condition's value is not looked at.
    Presence,
    /// Addresses with networks.
    Network,
}

/// The order between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Less,
    LessOrEqual,
    Bigger,
    BiggerOrEqual,
    Equal,
}

/// What an operator tests. Its *Not* form is the same test, negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number(Order),
    Equal,
    Contains,
    StartsWith,
    EndsWith,
    Pattern,
    OneOf,
    Boolean(bool),
    Version(Order),
    Date(Order),
    Set,
    EqualIgnoreCase,
    Network,
}

/// One operator.
#[derive(Debug)]
pub struct Operator {
    /// What conditions write in `op`.
    pub name: &'static str,
    /// What it compares.
    pub group: Group,
    /// Whether FeatBit's SDKs know it; to others it is no match wherever an SDK evaluates.
    pub sdks_know: bool,
    pub(crate) kind: Kind,
    pub(crate) negated: bool,
}

impl Operator {
    /// What its author should know of SDKs that do not know it, in words; none where all do.
    pub fn unknown_to_sdks(&self) -> Option<String> {
        let name = self.name;
        (!self.sdks_know).then(|| {
            format!(
                "{name} is evaluated by Burgee alone: {SELF_EVALUATING_SDKS} take it as no match"
            )
        })
    }
}

/// All operators, FeatBit's first.
pub static OPERATORS: [Operator; 30] = [
    featbit("LessThan", Group::Number, Kind::Number(Order::Less)),
    featbit(
        "LessEqualThan",
        Group::Number,
        Kind::Number(Order::LessOrEqual),
    ),
    featbit("BiggerThan", Group::Number, Kind::Number(Order::Bigger)),
    featbit(
        "BiggerEqualThan",
        Group::Number,
        Kind::Number(Order::BiggerOrEqual),
    ),
    featbit("Equal", Group::Text, Kind::Equal),
    not(featbit("NotEqual", Group::Text, Kind::Equal)),
    featbit("Contains", Group::Text, Kind::Contains),
    not(featbit("NotContain", Group::Text, Kind::Contains)),
    featbit("StartsWith", Group::Text, Kind::StartsWith),
    featbit("EndsWith", Group::Text, Kind::EndsWith),
    featbit("MatchRegex", Group::Pattern, Kind::Pattern),
    not(featbit("NotMatchRegex", Group::Pattern, Kind::Pattern)),
    featbit("IsOneOf", Group::List, Kind::OneOf),
    not(featbit("NotOneOf", Group::List, Kind::OneOf)),
    featbit("IsTrue", Group::Boolean, Kind::Boolean(true)),
    featbit("IsFalse", Group::Boolean, Kind::Boolean(false)),
    ours("SemverLessThan", Group::Version, Kind::Version(Order::Less)),
    ours(
        "SemverLessEqualThan",
        Group::Version,
        Kind::Version(Order::LessOrEqual),
    ),
    ours(
        "SemverBiggerThan",
        Group::Version,
        Kind::Version(Order::Bigger),
    ),
    ours(
        "SemverBiggerEqualThan",
        Group::Version,
        Kind::Version(Order::BiggerOrEqual),
    ),
    ours("SemverEqual", Group::Version, Kind::Version(Order::Equal)),
    not(ours(
        "SemverNotEqual",
        Group::Version,
        Kind::Version(Order::Equal),
    )),
    ours("Before", Group::Date, Kind::Date(Order::Less)),
    ours("After", Group::Date, Kind::Date(Order::Bigger)),
    ours("IsSet", Group::Presence, Kind::Set),
    not(ours("IsNotSet", Group::Presence, Kind::Set)),
    ours("EqualIgnoreCase", Group::Text, Kind::EqualIgnoreCase),
    not(ours(
        "NotEqualIgnoreCase",
        Group::Text,
        Kind::EqualIgnoreCase,
    )),
    ours("InCidr", Group::Network, Kind::Network),
    not(ours("NotInCidr", Group::Network, Kind::Network)),
];

/// The operator of this name.
pub fn find(name: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|operator| operator.name == name)
}

impl Operator {
    /// Whether the condition's value plays a part; where it does, it must not be `null`.
    pub fn takes_value(&self) -> bool {
        !matches!(self.group, Group::Boolean | Group::Presence)
    }
}

impl Order {
    /// Whether a value that compares so with the condition's satisfies the operator.
    pub(crate) fn allows(self, found: std::cmp::Ordering) -> bool {
        match self {
            Self::Less => found.is_lt(),
            Self::LessOrEqual => found.is_le(),
            Self::Bigger => found.is_gt(),
            Self::BiggerOrEqual => found.is_ge(),
            Self::Equal => found.is_eq(),
        }
    }
}

const fn featbit(name: &'static str, group: Group, kind: Kind) -> Operator {
    Operator {
        name,
        group,
        sdks_know: true,
        kind,
        negated: false,
    }
}

const fn ours(name: &'static str, group: Group, kind: Kind) -> Operator {
    Operator {
        sdks_know: false,
        ..featbit(name, group, kind)
    }
}

const fn not(operator: Operator) -> Operator {
    Operator {
        negated: true,
        ..operator
    }
}
