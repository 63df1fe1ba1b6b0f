//! Where SDKs that evaluate by themselves take a condition otherwise than Burgee does
//! (`docs/evaluation.md`), apart from operators that they do not know, of which the evaluator tells.
//!
//! Said when the condition is written, and again wherever it is shown ([`crate::warnings`]).

use burgee_eval::flag::Condition;
use burgee_eval::operator::{self, Group, Operator};

use super::condition::is_on_segments;

/// The code for a rule without conditions.
pub(crate) const EVERYBODY: &str = "ruleMatchesEverybody";
/// What its author is told.
pub(crate) const EVERYBODY_WORDS: &str = "a rule without conditions holds for everybody";

/// One of them.
pub(crate) struct Difference {
    /// As in the API.
    pub(crate) code: &'static str,
    /// A pointer into the condition.
    pub(crate) pointer: &'static str,
    /// In words for the author.
    pub(crate) message: String,
}

/// All of one condition; none for an operator that there is not, and for conditions on segments.
pub(crate) fn of(condition: &Condition) -> impl Iterator<Item = Difference> {
    let op = condition.op.as_deref();
    let op = op.filter(|_| !is_on_segments(&condition.property));
    let operator = op.and_then(operator::find);
    let found = operator.map(|operator| {
        [
            pattern(operator),
            number(operator, condition),
            property(condition),
        ]
    });
    found.into_iter().flatten().flatten()
}

fn pattern(operator: &Operator) -> Option<Difference> {
    let name = operator.name;
    (operator.group == Group::Pattern).then(|| Difference {
        code: "regexDiffers",
        pointer: "/op",
        message: format!(
            "{name}: the Node.js server SDK takes the user's value as the pattern, and the Java \
             server SDK wants the pattern to match the whole value"
        ),
    })
}

fn number(operator: &Operator, condition: &Condition) -> Option<Difference> {
    let name = operator.name;
    let value = condition.value.as_deref().unwrap_or_default();
    let read = value.bytes().all(|byte| byte.is_ascii_digit());
    (operator.group == Group::Number && !read).then(|| Difference {
        code: "numberUnreadByJava",
        pointer: "/value",
        message: format!(
            "{name} with '{value}': the Java server SDK reads digits only, and never matches"
        ),
    })
}

fn property(condition: &Condition) -> Option<Difference> {
    let property = condition.property.as_str();
    let reserved = |name: &&str| name.eq_ignore_ascii_case(property);
    let exact = ["keyId", "name"].contains(&property);
    let taken = !exact && ["key", "keyId", "name"].iter().any(reserved);
    taken.then(|| Difference {
        code: "propertyReserved",
        pointer: "/property",
        message: format!(
            "the property '{property}': the Python, Go and Java server SDKs take it as the user's \
             own key or name"
        ),
    })
}
