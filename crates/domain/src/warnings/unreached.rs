//! Rules that can never decide, by what they say themselves: whoever they would hold for is taken by
//! a rule before them, or their conditions exclude each other.
//!
//! It is said only where it is certain whatever users there are; a rule that merely nobody meets is
//! told by a count of users (`…/audience`), not here.

use std::collections::BTreeSet;

use burgee_eval::flag::{Condition, Rule};

use super::ItemWarning;

/// All of a flag's rules that never decide.
pub(super) fn of(rules: &[Rule]) -> impl Iterator<Item = ItemWarning> {
    let numbered = rules.iter().enumerate();
    numbered.filter_map(|(number, rule)| taken(rules, number).or_else(|| excluded(number, rule)))
}

/// An earlier rule holds wherever this one does: each of its conditions is one of this one's.
fn taken(rules: &[Rule], number: usize) -> Option<ItemWarning> {
    let rule = &rules[number];
    let all_of_it = |earlier: &Rule| {
        earlier
            .conditions
            .iter()
            .all(|it| rule.conditions.contains(it))
    };
    let by = rules[..number].iter().position(all_of_it)?;
    Some(ItemWarning {
        code: "ruleNeverReached".to_owned(),
        pointer: format!("/rules/{number}"),
        message: format!(
            "rule {} takes everybody whom this rule would: it decides for nobody",
            by + 1
        ),
    })
}

/// Two conditions on one property that no value meets.
fn excluded(number: usize, rule: &Rule) -> Option<ItemWarning> {
    let conditions = rule.conditions.iter().enumerate();
    let (at, property) = conditions.into_iter().find_map(|(at, one)| {
        let before = rule.conditions[..at].iter();
        let mut before = before.filter(|it| it.property == one.property);
        before
            .any(|it| exclude(it, one))
            .then(|| (at, one.property.clone()))
    })?;
    Some(ItemWarning {
        code: "conditionsExclude".to_owned(),
        pointer: format!("/rules/{number}/conditions/{at}"),
        message: format!("no value of `{property}` meets this and the condition before it"),
    })
}

fn exclude(one: &Condition, other: &Condition) -> bool {
    let sets = |a: &Condition, b: &Condition| match (wanted(a), wanted(b), unwanted(b)) {
        (Some(a), Some(b), _) => a.is_disjoint(&b),
        (Some(a), _, Some(b)) => a.is_subset(&b),
        _ => false,
    };
    let booleans = [one.op.as_deref(), other.op.as_deref()];
    sets(one, other)
        || sets(other, one)
        || booleans == [Some("IsTrue"), Some("IsFalse")]
        || booleans == [Some("IsFalse"), Some("IsTrue")]
        || apart(one, other)
        || apart(other, one)
}

/// The only texts that meet a condition.
fn wanted(condition: &Condition) -> Option<BTreeSet<String>> {
    texts(condition, "Equal", "IsOneOf")
}

/// The texts that do not meet a condition, where all others do.
fn unwanted(condition: &Condition) -> Option<BTreeSet<String>> {
    texts(condition, "NotEqual", "NotOneOf")
}

fn texts(condition: &Condition, one: &str, list: &str) -> Option<BTreeSet<String>> {
    let (op, value) = (condition.op.as_deref()?, condition.value.as_deref()?);
    if op == one {
        return Some(BTreeSet::from([value.to_owned()]));
    }
    (op == list).then(|| serde_json::from_str(value).ok())?
}

/// Whether everything above the bound of the one is not below that of the other.
fn apart(above: &Condition, below: &Condition) -> bool {
    let strict = |op: &str| ["BiggerThan", "LessThan"].contains(&op);
    let bound = |of: &Condition, ops: [&str; 2]| {
        let op = of.op.as_deref().filter(|op| ops.contains(op))?;
        let value: f64 = of.value.as_deref()?.trim().parse().ok()?;
        Some((value, strict(op)))
    };
    let least = bound(above, ["BiggerThan", "BiggerEqualThan"]);
    let most = bound(below, ["LessThan", "LessEqualThan"]);
    least
        .zip(most)
        .is_some_and(|((least, over), (most, under))| {
            least > most || (least == most && (over || under))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(property: &str, op: &str, value: &str) -> Condition {
        Condition {
            property: property.to_owned(),
            op: Some(op.to_owned()),
            value: Some(value.to_owned()),
        }
    }

    fn rule(conditions: &[(&str, &str, &str)]) -> Rule {
        let mut rule: Rule = serde_json::from_str("{}").unwrap();
        let conditions = conditions.iter().map(|(a, b, c)| condition(a, b, c));
        rule.conditions = conditions.collect();
        rule
    }

    fn told(rules: &[Rule]) -> Vec<(String, String)> {
        of(rules).map(|it| (it.code, it.pointer)).collect()
    }

    #[test]
    fn a_rule_behind_one_that_takes_all_of_its_users_is_told() {
        let germany = ("country", "Equal", "de");
        let beta = ("beta", "IsTrue", "");
        let found = told(&[rule(&[germany]), rule(&[beta]), rule(&[beta, germany])]);
        assert_eq!(
            found,
            [("ruleNeverReached".to_owned(), "/rules/2".to_owned())]
        );
        let found = told(&[rule(&[]), rule(&[beta])]);
        assert_eq!(
            found,
            [("ruleNeverReached".to_owned(), "/rules/1".to_owned())]
        );
        assert!(told(&[rule(&[germany, beta]), rule(&[germany]), rule(&[])]).is_empty());
    }

    #[test]
    fn conditions_that_exclude_each_other_are_told() {
        for pair in [
            [("c", "Equal", "de"), ("c", "Equal", "fr")],
            [("c", "IsOneOf", r#"["de","at"]"#), ("c", "Equal", "fr")],
            [("c", "NotOneOf", r#"["de","at"]"#), ("c", "Equal", "de")],
            [("c", "Equal", "de"), ("c", "NotEqual", "de")],
            [("b", "IsTrue", ""), ("b", "IsFalse", "")],
            [("n", "BiggerThan", "5"), ("n", "LessThan", "5")],
            [("n", "LessEqualThan", "4.5"), ("n", "BiggerEqualThan", "5")],
        ] {
            let at = "/rules/0/conditions/1".to_owned();
            let found = told(&[rule(&pair)]);
            assert_eq!(found, [("conditionsExclude".to_owned(), at)], "{pair:?}");
        }
        for pair in [
            [("c", "Equal", "de"), ("d", "Equal", "fr")],
            [("c", "IsOneOf", r#"["de","at"]"#), ("c", "NotEqual", "de")],
            [("c", "NotEqual", "de"), ("c", "NotEqual", "fr")],
            [("n", "BiggerEqualThan", "5"), ("n", "LessEqualThan", "5")],
            [("n", "BiggerThan", "x"), ("n", "LessThan", "5")],
            [("c", "IsOneOf", "no list"), ("c", "Equal", "fr")],
        ] {
            assert!(told(&[rule(&pair)]).is_empty(), "{pair:?}");
        }
    }
}
