//! A flag that needs others, written as one that needs none: for SDKs that evaluate by themselves
//! and have never heard of prerequisites (`docs/adr/0020-prerequisites.md`).
//!
//! The flags that are needed are written into it: who meets the prerequisites is said by their
//! conditions before its own. Where a needed flag splits users by percentage that cannot be said,
//! as each flag's hash has the flag's own key in it; those users, and everybody where the result
//! would be large or not understood by SDKs, get the off variation. So such an SDK never serves
//! somebody who does not meet the prerequisites, and may leave out some who do.

use std::sync::Arc;

use crate::compile::{self, CompiledFlag, Plan, Segments};
use crate::flag::{Condition, Fallthrough, Flag, RolloutVariation, Rule, Variation};
use crate::rollout::{covers_everybody, is_nobody};
use crate::warning::Code;

/// The most rules that it may come to.
const MOST_RULES: usize = 200;
/// The most keys of individual targets that may become parts of conditions: SDKs read those lists
/// each time.
const MOST_KEYS: usize = 1_000;

/// A flag that needs no other.
#[derive(Debug)]
pub(crate) struct Standalone {
    pub(crate) flag: Arc<CompiledFlag>,
    /// Whether it serves everybody the same variation as the flag that it stands for.
    pub(crate) exact: bool,
}

impl CompiledFlag {
    /// The flag as SDKs are sent it that evaluate by themselves: itself, unless it needs others.
    pub fn for_sdks(&self) -> &Self {
        let standalone = self.standalone.as_ref();
        standalone.map_or(self, |standalone| &standalone.flag)
    }

    /// Writes the flags that it needs into it; none where it needs none.
    pub(crate) fn standing_alone(&self) -> Option<Standalone> {
        if self.flag.prerequisites.is_empty() || self.flag.is_archived || !self.flag.is_enabled {
            return None;
        }
        let off = || Flag {
            is_enabled: false,
            target_users: Vec::new(),
            rules: Vec::new(),
            prerequisites: Vec::new(),
            ..Flag::clone(&self.flag)
        };
        let compiled = |flag| Arc::new(compile::flag(Arc::new(flag), &Segments::default()));
        let closed = |exact| Standalone {
            flag: compiled(off()),
            exact,
        };
        match self.all_are_met() {
            Some(true) => None,
            Some(false) => Some(closed(true)),
            None => {
                let written = self.written_out();
                let written = written.map(|(flag, exact)| (compiled(flag), exact));
                // Together the patterns of several flags may be more than one flag may have.
                let sound = written.filter(|(flag, _)| is_sound(flag));
                Some(
                    sound.map_or_else(|| closed(false), |(flag, exact)| Standalone { flag, exact }),
                )
            }
        }
    }

    /// Whether everybody meets its prerequisites, or nobody; none where that depends on the user.
    fn all_are_met(&self) -> Option<bool> {
        let Plan::Targeting(targeting) = &self.plan else {
            return Some(true);
        };
        let each = targeting.prerequisites.iter().map(|it| it.is_met());
        let each: Vec<Option<bool>> = each.collect();
        match each.contains(&Some(false)) {
            true => Some(false),
            false => each.iter().all(Option::is_some).then_some(true),
        }
    }

    /// Itself with who meets its prerequisites said by conditions, and whether that is all of them;
    /// none where it cannot be written so.
    fn written_out(&self) -> Option<(Flag, bool)> {
        let mut tree = Tree::default();
        tree.grow(self)?;
        let Tree {
            mut branches,
            exact,
            ..
        } = tree;
        let last = branches.pop()?;
        debug_assert!(last.conditions.is_empty());
        let rest = self.answer(last.leaf);
        let rules = branches.into_iter().map(|branch| Rule {
            conditions: branch.conditions,
            ..self.answer(branch.leaf)
        });
        let flag = Flag {
            prerequisites: Vec::new(),
            target_users: Vec::new(),
            rules: rules.collect(),
            fallthrough: Fallthrough {
                dispatch_key: rest.dispatch_key,
                included_in_expt: rest.included_in_expt,
                variations: rest.variations,
            },
            // Those who get the off variation are in no experiment; the others' rules say it.
            expt_include_all_targets: false,
            ..head(&self.flag)
        };
        Some((flag, exact))
    }

    /// A rule that serves, to whomever it takes, what this leaf does.
    fn answer(&self, leaf: Leaf) -> Rule {
        let flag = &self.flag;
        let everybody = |variation: &str| {
            vec![RolloutVariation {
                id: variation.to_owned(),
                rollout: [0.0, 1.0],
                expt_rollout: 1.0,
            }]
        };
        let plain = |name: &str, variation: &str| Rule {
            id: name.to_owned(),
            name: name.to_owned(),
            dispatch_key: None,
            included_in_expt: false,
            conditions: Vec::new(),
            variations: everybody(variation),
        };
        let mut rule = match leaf {
            Leaf::Off | Leaf::Unsaid => {
                return plain("prerequisite failed", &flag.disabled_variation_id);
            }
            Leaf::Targets(list) => {
                let list = flag.target_users.get(list);
                plain("targeted", list.map_or("", |list| &list.variation_id))
            }
            Leaf::Rule(number) => flag.rules[number].clone(),
            Leaf::Default => Rule {
                dispatch_key: flag.fallthrough.dispatch_key.clone(),
                included_in_expt: flag.fallthrough.included_in_expt,
                variations: flag.fallthrough.variations.clone(),
                ..plain("default", "")
            },
        };
        if flag.expt_include_all_targets {
            rule.included_in_expt = true;
            for part in &mut rule.variations {
                part.expt_rollout = 1.0;
            }
        }
        rule
    }
}

/// A flag without what may be large.
fn head(flag: &Flag) -> Flag {
    Flag {
        id: flag.id.clone(),
        created_at: flag.created_at,
        updated_at: flag.updated_at,
        env_id: flag.env_id.clone(),
        name: flag.name.clone(),
        description: flag.description.clone(),
        key: flag.key.clone(),
        variation_type: flag.variation_type,
        variations: flag.variations.clone(),
        prerequisites: Vec::new(),
        target_users: Vec::new(),
        rules: Vec::new(),
        is_enabled: flag.is_enabled,
        disabled_variation_id: flag.disabled_variation_id.clone(),
        fallthrough: Fallthrough::default(),
        expt_include_all_targets: flag.expt_include_all_targets,
        tags: flag.tags.clone(),
        is_archived: flag.is_archived,
        tracked: flag.tracked,
    }
}

/// What a flag does with those whom a branch takes.
#[derive(Clone, Copy)]
enum Leaf {
    Off,
    /// What cannot be said by conditions. The flag that is written serves its off variation there;
    /// to one that needs this flag it is no answer.
    Unsaid,
    Targets(usize),
    Rule(usize),
    Default,
}

/// Users whom all these conditions take, and none of a branch before.
struct Branch {
    conditions: Vec<Condition>,
    leaf: Leaf,
}

/// A flag and all that it needs as a list of branches; the first that takes a user counts, and the
/// last one takes everybody.
struct Tree {
    branches: Vec<Branch>,
    keys: usize,
    exact: bool,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            branches: Vec::new(),
            keys: 0,
            exact: true,
        }
    }
}

impl Tree {
    /// None where that cannot be said by conditions, or not by few.
    fn grow(&mut self, flag: &CompiledFlag) -> Option<()> {
        match &flag.plan {
            Plan::Fixed(_) => self.push(&[], Leaf::Off),
            Plan::Targeting(targeting) => {
                is_sound(flag).then_some(())?;
                self.under(flag, targeting.prerequisites.len(), &[])
            }
        }
    }

    /// What follows where all but the last `left` prerequisites are met by whom `taken` takes.
    fn under(&mut self, flag: &CompiledFlag, left: usize, taken: &[Condition]) -> Option<()> {
        let Plan::Targeting(targeting) = &flag.plan else {
            return self.push(taken, Leaf::Off);
        };
        let next = targeting.prerequisites.len() - left;
        let Some(prerequisite) = targeting.prerequisites.get(next) else {
            return self.body(&flag.flag, taken);
        };
        let Some((needed, wanted)) = &prerequisite.needed else {
            return self.push(taken, Leaf::Off);
        };
        let mut tree = Self {
            keys: self.keys,
            ..Self::default()
        };
        needed.segments.are_sound.then_some(())?;
        tree.grow(needed)?;
        self.keys = tree.keys;
        self.exact &= tree.exact;
        for branch in tree.branches {
            let both = [taken, &branch.conditions].concat();
            match needed.gives(branch.leaf, *wanted) {
                Gives::Always => self.under(flag, left - 1, &both)?,
                Gives::Never => self.push(&both, Leaf::Off)?,
                Gives::Some => {
                    self.exact = false;
                    self.push(&both, Leaf::Unsaid)?;
                }
            }
        }
        Some(())
    }

    /// The flag's own targeting.
    fn body(&mut self, flag: &Flag, taken: &[Condition]) -> Option<()> {
        for (number, list) in flag.target_users.iter().enumerate() {
            if list.key_ids.is_empty() {
                continue;
            }
            self.keys += list.key_ids.len();
            if self.keys > MOST_KEYS {
                return None;
            }
            let named = Condition {
                property: "keyId".to_owned(),
                op: Some("IsOneOf".to_owned()),
                value: serde_json::to_string(&list.key_ids).ok(),
            };
            self.push(&[taken, &[named]].concat(), Leaf::Targets(number))?;
        }
        for (number, rule) in flag.rules.iter().enumerate() {
            self.push(&[taken, &rule.conditions].concat(), Leaf::Rule(number))?;
        }
        self.push(taken, Leaf::Default)
    }

    fn push(&mut self, conditions: &[Condition], leaf: Leaf) -> Option<()> {
        self.branches.push(Branch {
            conditions: conditions.to_vec(),
            leaf,
        });
        (self.branches.len() <= MOST_RULES).then_some(())
    }
}

/// Whom a leaf gives a variation.
enum Gives {
    Always,
    Never,
    /// By their hash.
    Some,
}

impl CompiledFlag {
    fn gives(&self, leaf: Leaf, wanted: usize) -> Gives {
        let flag = &self.flag;
        let is_it = |id: &str| position(&flag.variations, id) == Some(wanted);
        let whole = |id: Option<&str>| match id.is_some_and(is_it) {
            true => Gives::Always,
            false => Gives::Never,
        };
        let parts = match leaf {
            Leaf::Off => return whole(Some(&flag.disabled_variation_id)),
            Leaf::Unsaid => return Gives::Some,
            Leaf::Targets(list) => {
                let list = flag.target_users.get(list);
                return whole(list.map(|list| list.variation_id.as_str()));
            }
            Leaf::Rule(number) => flag.rules.get(number).map(|rule| &rule.variations),
            Leaf::Default => Some(&flag.fallthrough.variations),
        };
        let parts = parts.map_or(&[][..], Vec::as_slice);
        let mut reached = parts.iter().filter(|part| !is_nobody(part.rollout));
        match reached.clone().any(|part| is_it(&part.id)) {
            false => Gives::Never,
            true if reached.all(|part| is_it(&part.id)) && covers_everybody(parts) => Gives::Always,
            true => Gives::Some,
        }
    }
}

/// Whether SDKs take each of its conditions as it is meant.
fn is_sound(flag: &CompiledFlag) -> bool {
    let mut warnings = flag.warnings().iter();
    !warnings.any(|it| it.code.is_broken_condition() || it.code == Code::UnknownToSdks)
}

/// Of two variations with one id the first counts.
pub(crate) fn position(variations: &[Variation], id: &str) -> Option<usize> {
    variations.iter().position(|variation| variation.id == id)
}
