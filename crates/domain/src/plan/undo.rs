//! Undoing one change set: each part that it changed goes back to what it was, and nothing else.
//!
//! A part that somebody changed again since is left alone and told: whose word counts then is for
//! people to say. A part that was changed and put back since is as the set left it, and so no
//! collision.

use std::collections::BTreeMap;

use burgee_eval::flag::Rule;

use super::Steps;
use super::flag::{FlagPlan, flag};
use super::segment::{SegmentPlan, segment};
use super::targeting::{TargetingPlan, missing_variations};
use crate::change::{of_flag, of_segment, of_targeting};
use crate::command::Command;
use crate::id::Id;
use crate::model::{Environment, Flag, Life, Segment, Targeting};
use crate::outcome::Facet;
use crate::workspace::{FlagState, ProjectState};

/// A thing as a change set found it and left it; none: it was not there.
#[derive(Clone, Debug, PartialEq)]
pub struct Touched<T> {
    /// As it was.
    pub before: Option<T>,
    /// As it was afterwards.
    pub after: Option<T>,
}

/// What a change set touched of a flag.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlagTouched {
    /// The definition, where that was touched.
    pub definition: Option<Touched<Flag>>,
    /// The targeting, wherever it was touched.
    pub targetings: BTreeMap<Id<Environment>, Touched<Targeting>>,
}

/// Parts that were changed again since.
#[derive(Clone, Debug, PartialEq)]
pub struct Collision {
    /// Where; none: in the definition, or the segment itself.
    pub environment: Option<Id<Environment>>,
    /// Which parts.
    pub facets: Vec<Facet>,
}

/// How a change set is undone for one item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Undone {
    /// What undoes it, but for what collides.
    pub steps: Steps,
    /// What was changed again since.
    pub collisions: Vec<Collision>,
}

impl Undone {
    fn collides(&mut self, environment: Option<&Id<Environment>>, facets: Vec<Facet>) {
        if !facets.is_empty() {
            self.collisions.push(Collision {
                environment: environment.cloned(),
                facets,
            });
        }
    }
}

/// Undoes what a change set did to a flag of a project, given the flag as it is; `now` is none
/// where it was deleted.
pub fn undo_flag(project: &ProjectState, touched: &FlagTouched, now: Option<&FlagState>) -> Undone {
    let gone = |flag: &&Flag| flag.life != Life::Deleted;
    let definition = touched.definition.as_ref();
    let before = definition.map(|it| it.before.as_ref().filter(gone));
    let after = definition.map(|it| it.after.as_ref().filter(gone));
    match (before, after, now) {
        // Made by the set, and gone since.
        (Some(None), _, None) => Undone::default(),
        (Some(None), after, Some(now)) => unmake(project, touched, after.flatten(), now),
        (Some(Some(before)), Some(None), now) => remake(project, touched, before, now),
        (_, _, None) => {
            let mut undone = Undone::default();
            undone.collides(None, vec![Facet::Life]);
            undone
        }
        (before, after, Some(now)) => {
            let definition = before.flatten().zip(after.flatten());
            restore(project, touched, definition, now)
        }
    }
}

/// What the set made goes, unless anything of it was edited since.
fn unmake(
    project: &ProjectState,
    touched: &FlagTouched,
    after: Option<&Flag>,
    now: &FlagState,
) -> Undone {
    let mut undone = Undone::default();
    if let Some(after) = after {
        undone.collides(None, of_flag(Some(after), &now.flag));
    }
    for (environment, targeting) in &now.targetings {
        let left = touched.targetings.get(environment);
        let facets = match left.and_then(|it| it.after.as_ref()) {
            Some(left) => of_targeting(left, targeting),
            None => vec![Facet::Life],
        };
        undone.collides(Some(environment), facets);
    }
    undone.steps = flag(&FlagPlan {
        project: project.project.key.as_str(),
        now: Some(&now.flag),
        then: None,
        targetings: Vec::new(),
    });
    undone
}

/// What the set deleted comes back, with its id and all its targeting.
fn remake(
    project: &ProjectState,
    touched: &FlagTouched,
    before: &Flag,
    now: Option<&FlagState>,
) -> Undone {
    let mut undone = Undone::default();
    if now.is_some() {
        undone.collides(None, vec![Facet::Life]);
        return undone;
    }
    let targetings = touched.targetings.iter().filter_map(|(id, targeting)| {
        Some(TargetingPlan {
            environment: key_of(project, id)?,
            now: None,
            then: Some(targeting.before.as_ref()?),
        })
    });
    undone.steps = flag(&FlagPlan {
        project: project.project.key.as_str(),
        now: None,
        then: Some(before),
        targetings: targetings.collect(),
    });
    undone
}

fn restore(
    project: &ProjectState,
    touched: &FlagTouched,
    definition: Option<(&Flag, &Flag)>,
    now: &FlagState,
) -> Undone {
    let mut undone = Undone::default();
    let mut then = now.flag.clone();
    if let Some((before, after)) = definition {
        undone.collides(None, put_back_definition(before, after, &mut then));
    }
    let mut targetings = BTreeMap::new();
    for (id, touched) in &touched.targetings {
        let (Some(after), Some(present)) = (&touched.after, now.targetings.get(id)) else {
            continue;
        };
        let wanted = match &touched.before {
            Some(before) => {
                let mut wanted = present.clone();
                undone.collides(Some(id), put_back_targeting(before, after, &mut wanted));
                Some(wanted)
            }
            None => {
                undone.collides(Some(id), of_targeting(after, present));
                None
            }
        };
        let missing = |it: &Targeting| !missing_variations(it, &then.variations).is_empty();
        if wanted.as_ref().is_some_and(missing) && !missing(present) {
            undone.collides(None, vec![Facet::Variations]);
        }
        targetings.insert(id, (present, wanted));
    }
    let plans = targetings.iter().filter_map(|(id, (now, then))| {
        Some(TargetingPlan {
            environment: key_of(project, id)?,
            now: Some(now),
            then: then.as_ref(),
        })
    });
    undone.steps = flag(&FlagPlan {
        project: project.project.key.as_str(),
        now: Some(&now.flag),
        then: Some(&then),
        targetings: plans.collect(),
    });
    // Archived since, and a thing that is archived cannot be edited.
    let steps = &mut undone.steps.commands;
    let restores = matches!(steps.first(), Some(Command::RestoreFlag(_)));
    if restores && then.life == Life::Archived && definition.is_none_or(same_life) {
        undone.collides(None, vec![Facet::Life]);
    }
    undone
}

fn same_life((before, after): (&Flag, &Flag)) -> bool {
    before.life == after.life
}

fn key_of<'p>(project: &'p ProjectState, id: &Id<Environment>) -> Option<&'p str> {
    let mut environments = project.environments.values();
    let found = environments.find(|environment| environment.id == *id);
    found.map(|environment| environment.key.as_str())
}

/// Puts a value back that was changed; whether it was changed again since.
fn put_back<T: PartialEq + Clone>(before: &T, after: &T, now: &mut T) -> bool {
    if before == after {
        return false;
    }
    let again = now != after && now != before;
    *now = before.clone();
    again
}

/// Puts the parts of a definition back; those that were changed again since.
fn put_back_definition(before: &Flag, after: &Flag, now: &mut Flag) -> Vec<Facet> {
    let mut again = Vec::new();
    let metadata = put_back(&before.name, &after.name, &mut now.name)
        | put_back(
            &before.description,
            &after.description,
            &mut now.description,
        )
        | put_back(&before.tags, &after.tags, &mut now.tags);
    if metadata {
        again.push(Facet::Metadata);
    }
    let variations = put_back(&before.variations, &after.variations, &mut now.variations)
        | put_back(&before.default_on, &after.default_on, &mut now.default_on)
        | put_back(
            &before.default_off,
            &after.default_off,
            &mut now.default_off,
        );
    if variations {
        again.push(Facet::Variations);
    }
    if put_back(&before.life, &after.life, &mut now.life) {
        again.push(Facet::Life);
    }
    again
}

/// Puts the parts of a targeting back; those that were changed again since.
fn put_back_targeting(before: &Targeting, after: &Targeting, now: &mut Targeting) -> Vec<Facet> {
    let facets = of_targeting(before, after);
    let since = of_targeting(after, now);
    // What is again as it was before needs nothing.
    let still = of_targeting(before, now);
    let mut again: Vec<Facet> = facets
        .iter()
        .filter(|it| since.contains(it))
        .cloned()
        .collect();
    again.retain(|facet| still.contains(facet));
    for facet in facets.iter().filter(|facet| still.contains(facet)) {
        match facet {
            Facet::OnOff => now.is_enabled = before.is_enabled,
            Facet::Targets(id) => put_back_targets(before, id, now),
            Facet::Rule(id) => put_back_rule(before, id, &mut now.rules),
            Facet::DefaultRule => now.fallthrough = before.fallthrough.clone(),
            Facet::OffVariation => now.off_variation = before.off_variation.clone(),
            Facet::Prerequisites => now.prerequisites = before.prerequisites.clone(),
            Facet::Tracking => {
                now.tracked = before.tracked;
                now.expt_include_all_targets = before.expt_include_all_targets;
            }
            _ => {}
        }
    }
    if facets.contains(&Facet::RuleOrder) {
        put_back_order(&before.rules, &mut now.rules);
    }
    again.extend(taken(&facets, now));
    again
}

fn put_back_targets(before: &Targeting, variation: &str, now: &mut Targeting) {
    now.target_users
        .retain(|list| list.variation_id != variation);
    let lists = before.target_users.iter();
    let wanted = lists.filter(|list| list.variation_id == variation);
    now.target_users.extend(wanted.cloned());
}

/// Lists that the set did not touch, and that hold users whom it would take back.
fn taken(facets: &[Facet], now: &mut Targeting) -> Vec<Facet> {
    let is_back = |id: &str| {
        facets
            .iter()
            .any(|it| matches!(it, Facet::Targets(of) if of == id))
    };
    let (back, others): (Vec<_>, Vec<_>) = now
        .target_users
        .iter()
        .partition(|list| is_back(&list.variation_id));
    let back: std::collections::HashSet<&String> =
        back.into_iter().flat_map(|list| &list.key_ids).collect();
    let others = others.into_iter();
    others
        .filter(|list| list.key_ids.iter().any(|key| back.contains(key)))
        .map(|list| Facet::Targets(list.variation_id.clone()))
        .collect()
}

/// A rule as it was: at its place if it is there, before the rule that followed it if it is not.
fn put_back_rule(before: &Targeting, id: &str, now: &mut Vec<Rule>) {
    let place = now.iter().position(|rule| rule.id == id);
    let Some(index) = before.rules.iter().position(|rule| rule.id == id) else {
        now.retain(|rule| rule.id != id);
        return;
    };
    let Some(wanted) = before.rules.get(index) else {
        return;
    };
    if let Some(rule) = place.and_then(|place| now.get_mut(place)) {
        *rule = wanted.clone();
        return;
    }
    let following = before.rules.iter().skip(index + 1);
    let next = following
        .filter_map(|next| now.iter().position(|rule| rule.id == next.id))
        .next();
    now.insert(next.unwrap_or(now.len()), wanted.clone());
}

/// The rules that were there before take the places that they have now, in the old order.
fn put_back_order(before: &[Rule], now: &mut [Rule]) {
    let was = |rule: &Rule| before.iter().position(|old| old.id == rule.id);
    let places: Vec<usize> = (0..now.len())
        .filter(|place| now.get(*place).is_some_and(|rule| was(rule).is_some()))
        .collect();
    let mut rules: Vec<Rule> = places
        .iter()
        .filter_map(|place| now.get(*place))
        .cloned()
        .collect();
    rules.sort_by_key(was);
    for (place, rule) in places.into_iter().zip(rules) {
        if let Some(old) = now.get_mut(place) {
            *old = rule;
        }
    }
}

/// Undoes what a change set did to a segment, given it as it is; the keys are those of its scope.
pub fn undo_segment(
    project: Option<&str>,
    environment: Option<&str>,
    touched: &Touched<Segment>,
    now: Option<&Segment>,
) -> Undone {
    let gone = |segment: &&Segment| segment.life != Life::Deleted;
    let before = touched.before.as_ref().filter(gone);
    let after = touched.after.as_ref().filter(gone);
    let mut undone = Undone::default();
    let then = match (before, after, now) {
        (None, _, None) => return undone,
        (None, Some(after), Some(now)) => {
            undone.collides(None, of_segment(Some(after), now));
            None
        }
        (Some(before), None, None) => Some(before.clone()),
        (Some(before), Some(after), Some(now)) => {
            let mut then = now.clone();
            undone.collides(None, put_back_segment(before, after, &mut then));
            Some(then)
        }
        (_, _, _) => {
            undone.collides(None, vec![Facet::Life]);
            return undone;
        }
    };
    undone.steps = segment(&SegmentPlan {
        project,
        environment,
        now,
        then: then.as_ref(),
    });
    let archived = |it: Option<&Segment>| it.is_some_and(|it| it.life == Life::Archived);
    let mut commands = undone.steps.commands.iter();
    let restores = commands.any(|it| matches!(it, Command::RestoreSegment(_)));
    if restores && archived(then.as_ref()) {
        undone.collides(None, vec![Facet::Life]);
    }
    undone
}

fn put_back_segment(before: &Segment, after: &Segment, now: &mut Segment) -> Vec<Facet> {
    let mut again = Vec::new();
    let metadata = put_back(&before.name, &after.name, &mut now.name)
        | put_back(
            &before.description,
            &after.description,
            &mut now.description,
        )
        | put_back(&before.tags, &after.tags, &mut now.tags);
    let parts = [
        (metadata, Facet::Metadata),
        (
            put_back(&before.life, &after.life, &mut now.life),
            Facet::Life,
        ),
        (
            put_back(&before.included, &after.included, &mut now.included),
            Facet::Included,
        ),
        (
            put_back(&before.excluded, &after.excluded, &mut now.excluded),
            Facet::Excluded,
        ),
        (
            put_back(&before.rules, &after.rules, &mut now.rules),
            Facet::SegmentRules,
        ),
    ];
    again.extend(
        parts
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, facet)| facet),
    );
    again
}
