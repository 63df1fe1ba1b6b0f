//! Targeting rules.

use burgee_eval::flag::Rule;

use crate::change::Draft;
use crate::check::rule;
use crate::command::edit::{Edit, replace, targeting_command};
use crate::command::input::RuleInput;
use crate::command::{References, Target};
use crate::fault::{Fault, shown};

targeting_command! {
    /// Replaces all rules.
    SetRules {
        /// All of them, in the order in which they are tried.
        rules: Vec<RuleInput>,
    }
}

targeting_command! {
    /// Adds a rule. Repeating it with the same rule and id does nothing.
    AddRule {
        /// The new rule.
        rule: RuleInput,
        /// The id of the rule that it is put before; at the end where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    }
}

targeting_command! {
    /// Replaces one rule.
    UpdateRule {
        /// The rule, with the id of the one that it replaces.
        rule: RuleInput,
    }
}

targeting_command! {
    /// Removes a rule. It need not be there.
    RemoveRule {
        /// Its id.
        rule: String,
    }
}

targeting_command! {
    /// Moves a rule.
    MoveRule {
        /// Its id.
        rule: String,
        /// The id of the rule that it is put before; at the end where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    }
}

impl Edit for SetRules {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.setRules"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        rule::check_all(&self.rules, "/rules")
    }

    fn refer(&self, references: &mut References) {
        references.add_rules(&self.rules);
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let (place, released) = draft.release(self.target())?;
        let rules = rule::rules(&self.rules, draft, &place, "/rules")?;
        let (_, targeting) = draft.at(&place)?;
        Ok(replace(&mut targeting.rules, rules) | released)
    }
}

impl Edit for AddRule {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.addRule"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        rule::check(&self.rule, "/rule")
    }

    fn refer(&self, references: &mut References) {
        references.add_rules(std::slice::from_ref(&self.rule));
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let (place, _) = draft.release(self.target())?;
        let number = draft.at(&place)?.1.rules.len() + 1;
        let rule = rule::rule(&self.rule, draft, &place, number, "/rule")?;
        let rules = &mut draft.at(&place)?.1.rules;
        match rules.iter().find(|it| it.id == rule.id) {
            Some(same) if *same == rule => return Ok(false),
            Some(other) => {
                let message = format!("the rule '{}' has the id '{}' already", other.name, rule.id);
                return Err(Fault::new("/rule/id", "duplicateId", message));
            }
            None => {}
        }
        rule::count(rules.len() + 1, "/rule")?;
        let index = index_before(rules, self.before.as_deref())?;
        rules.insert(index, rule);
        Ok(true)
    }
}

impl Edit for UpdateRule {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.updateRule"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        self.id()?;
        rule::check(&self.rule, "/rule")
    }

    fn refer(&self, references: &mut References) {
        references.add_rules(std::slice::from_ref(&self.rule));
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let (place, _) = draft.release(self.target())?;
        let index = index_of(&draft.at(&place)?.1.rules, self.id()?, "/rule/id")?;
        let rule = rule::rule(&self.rule, draft, &place, index + 1, "/rule")?;
        let rules = &mut draft.at(&place)?.1.rules;
        Ok(rules.get_mut(index).is_some_and(|old| replace(old, rule)))
    }
}

impl UpdateRule {
    fn id(&self) -> Result<&str, Fault> {
        self.rule.id.as_deref().ok_or_else(|| {
            let message = "the rule's id says which one is replaced";
            Fault::new("/rule/id", "idMissing", message)
        })
    }
}

impl Edit for RemoveRule {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.removeRule"
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let (place, released) = draft.release(self.target())?;
        let rules = &mut draft.at(&place)?.1.rules;
        let count = rules.len();
        rules.retain(|rule| rule.id != self.rule);
        Ok(rules.len() != count || released)
    }
}

impl Edit for MoveRule {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.moveRule"
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let (place, _) = draft.release(self.target())?;
        let rules = &mut draft.at(&place)?.1.rules;
        let from = index_of(rules, &self.rule, "/rule")?;
        if self.before.as_deref() == Some(self.rule.as_str()) {
            return Ok(false);
        }
        let rule = rules.remove(from);
        let to = index_before(rules, self.before.as_deref())?;
        rules.insert(to, rule);
        Ok(from != to)
    }
}

fn index_of(rules: &[Rule], id: &str, at: &str) -> Result<usize, Fault> {
    let found = rules.iter().position(|rule| rule.id == id);
    found.ok_or_else(|| {
        let message = format!("the flag has no rule with the id '{}' here", shown(id));
        Fault::new(at, "ruleUnknown", message)
    })
}

fn index_before(rules: &[Rule], before: Option<&str>) -> Result<usize, Fault> {
    match before {
        Some(id) => index_of(rules, id, "/before"),
        None => Ok(rules.len()),
    }
}
