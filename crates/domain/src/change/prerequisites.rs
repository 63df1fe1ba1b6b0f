//! What a change set leaves of flags that need flags. It is looked at when all commands are done,
//! so that their order does not count: what is needed has to be there and have the variation, no
//! flag may come back to itself, and what live flags need cannot go.

use std::collections::{BTreeMap, BTreeSet};

use burgee_eval::compile::{LONGEST_CHAIN, MOST_ASKED};
use burgee_eval::flag::Prerequisite;

use super::draft::{Draft, TouchedItem};
use crate::fault::{Fault, Rejected, shown};
use crate::id::Id;
use crate::key::fold;
use crate::model::{Environment, Life};
use crate::workspace::{FlagState, ProjectState, Workspace};

/// Checks the draft, and writes the keys of needed flags as those flags have them.
pub(super) fn check(before: &Workspace, draft: &mut Draft<'_>) -> Result<(), Rejected> {
    let projects: Vec<String> = draft.state.projects.keys().cloned().collect();
    for key in projects {
        if let Some(project) = draft.state.projects.get_mut(&key) {
            spell(project);
        }
        let Some(project) = draft.state.projects.get(&key) else {
            continue;
        };
        let checking = Check {
            key: &key,
            before: before.projects.get(&key),
            project,
            draft,
        };
        checking.run()?;
    }
    Ok(())
}

/// Commands name flags without regard to case, evaluation does not.
fn spell(project: &mut ProjectState) {
    let keys: BTreeMap<String, String> = project
        .flags
        .iter()
        .map(|(folded, state)| (folded.clone(), state.flag.key.to_string()))
        .collect();
    let targetings = project.flags.values_mut();
    for targeting in targetings.flat_map(|it| it.targetings.values_mut()) {
        for needed in &mut targeting.prerequisites {
            if let Some(key) = keys.get(&fold(&needed.flag)) {
                needed.flag.clone_from(key);
            }
        }
    }
}

struct Check<'a, 'd> {
    /// The project's folded key.
    key: &'a str,
    before: Option<&'a ProjectState>,
    project: &'a ProjectState,
    draft: &'a Draft<'d>,
}

impl Check<'_, '_> {
    fn run(&self) -> Result<(), Rejected> {
        self.nothing_needed_goes()?;
        let mut touched = BTreeSet::new();
        for (flag, state) in &self.project.flags {
            if state.flag.life != Life::Live {
                continue;
            }
            for (environment, targeting) in &state.targetings {
                let restored = self.was(flag).is_none_or(|it| it.flag.life != Life::Live);
                let changed = self.needs_before(flag, environment) != targeting.prerequisites;
                if changed {
                    self.are_there(flag, environment, &targeting.prerequisites)?;
                }
                if (changed || restored) && !targeting.prerequisites.is_empty() {
                    touched.insert(environment);
                }
            }
        }
        for environment in touched {
            self.no_circle(environment)?;
        }
        Ok(())
    }

    fn was(&self, flag: &str) -> Option<&FlagState> {
        self.before?.flags.get(flag)
    }

    fn needs_before(&self, flag: &str, environment: &Id<Environment>) -> Vec<Prerequisite> {
        let was = self.was(flag);
        let targeting = was.and_then(|it| it.targetings.get(environment));
        targeting.map_or_else(Vec::new, |it| it.prerequisites.clone())
    }

    /// That every flag that is needed is live and has the variation.
    fn are_there(
        &self,
        flag: &str,
        environment: &Id<Environment>,
        needed: &[Prerequisite],
    ) -> Result<(), Rejected> {
        let refused = |fault: Fault| fault.of_command(self.command(flag, Some(environment)));
        let old = self.needs_before(flag, environment);
        for (number, needs) in needed.iter().enumerate() {
            let at = format!("/prerequisites/{number}");
            let key = shown(&needs.flag);
            let found = self.project.flags.get(&fold(&needs.flag));
            let Some(found) = found.filter(|it| it.flag.life != Life::Deleted) else {
                // One that stays was there; its flag is loaded only where a command names it.
                if old.contains(needs) {
                    continue;
                }
                let message = format!("there is no flag with the key '{key}'");
                return Err(refused(Fault::new(at + "/flag", "flagNotFound", message)));
            };
            if found.flag.life == Life::Archived {
                let message = format!("the flag '{key}' is archived; restore it first");
                return Err(refused(Fault::new(at + "/flag", "flagArchived", message)));
            }
            let mut variations = found.flag.variations.iter();
            if !variations.any(|it| it.id == needs.variation) {
                let id = shown(&needs.variation);
                let message = format!("the flag '{key}' has no variation with the id '{id}'");
                let at = at + "/variation";
                return Err(refused(Fault::new(at, "variationUnknown", message)));
            }
        }
        Ok(())
    }

    /// That no flag of an environment comes back to itself, or asks too many others.
    fn no_circle(&self, environment: &Id<Environment>) -> Result<(), Rejected> {
        let graph = self.project.needs(environment);
        let mut walk = Walk {
            graph: &graph,
            path: Vec::new(),
            known: BTreeMap::new(),
        };
        let mut flags: Vec<&String> = graph.keys().collect();
        // What was changed is asked first, as it is what can be blamed.
        flags.sort_by_key(|flag| !self.is_changed(flag, environment));
        for flag in flags {
            walk.reach(flag).map_err(|fault| {
                let changed = |it: &&String| self.is_changed(it, environment);
                let blamed = walk.path.iter().find(changed).unwrap_or(flag);
                fault.of_command(self.command(blamed, Some(environment)))
            })?;
        }
        Ok(())
    }

    fn is_changed(&self, flag: &str, environment: &Id<Environment>) -> bool {
        let state = self.project.flags.get(flag);
        let targeting = state.and_then(|it| it.targetings.get(environment));
        targeting.is_some_and(|it| it.prerequisites != self.needs_before(flag, environment))
    }

    /// That flags that are archived, deleted or lose a variation are not needed by live ones.
    fn nothing_needed_goes(&self) -> Result<(), Rejected> {
        for (flag, state) in &self.project.flags {
            let Some(was) = self.was(flag).filter(|it| it.flag.life == Life::Live) else {
                continue;
            };
            let gone = state.flag.life != Life::Live;
            let kept = |id: &str| state.flag.variations.iter().any(|it| it.id == id);
            if !gone && was.flag.variations.iter().all(|it| kept(&it.id)) {
                continue;
            }
            let by = self.needed_by(flag, |needs| gone || !kept(&needs.variation));
            if by.is_empty() {
                continue;
            }
            let key = &state.flag.key;
            let by = crate::diff::some(&by);
            let fault = match gone {
                true => Fault::new(
                    "/flag",
                    "flagNeeded",
                    format!("the flag '{key}' is a prerequisite of {by}"),
                ),
                false => Fault::new(
                    "/variations",
                    "variationNeeded",
                    format!("a variation cannot be removed, it is a prerequisite of {by}"),
                ),
            };
            return Err(fault.of_command(self.command(flag, None)));
        }
        Ok(())
    }

    /// Who needs a flag so, as `flag in environment`.
    fn needed_by(&self, flag: &str, so: impl Fn(&Prerequisite) -> bool) -> Vec<String> {
        let mut by = Vec::new();
        for environment in self.project.environments.values() {
            for (dependant, needs) in self.project.needs(&environment.id) {
                let mut needs = needs.iter().filter(|it| fold(&it.flag) == flag);
                if needs.any(&so) {
                    by.push(format!("'{dependant}' in {}", environment.key));
                }
            }
        }
        by
    }

    /// The last command that touched a flag's targeting, or the flag.
    fn command(&self, flag: &str, environment: Option<&Id<Environment>>) -> usize {
        let item = TouchedItem::Flag {
            project: self.key.to_owned(),
            flag: flag.to_owned(),
        };
        let of_it = self.draft.touches.iter().rev().filter(|it| it.item == item);
        let mut here = of_it
            .clone()
            .filter(|it| it.environment.as_ref() == environment);
        let found = here.next().or_else(|| of_it.clone().next());
        found.map_or(0, |it| it.command)
    }
}

/// How far a flag reaches: how many stand in a row behind it, how many are asked.
type Reach = (usize, usize);

struct Walk<'a> {
    graph: &'a BTreeMap<String, Vec<Prerequisite>>,
    /// The flags that led here.
    path: Vec<String>,
    known: BTreeMap<String, Reach>,
}

impl Walk<'_> {
    fn reach(&mut self, flag: &str) -> Result<Reach, Fault> {
        if let Some(known) = self.known.get(flag) {
            return Ok(*known);
        }
        if let Some(start) = self.path.iter().position(|it| it == flag) {
            let circle = self.path[start..].iter().map(String::as_str);
            let circle: Vec<&str> = circle.chain([flag]).collect();
            let message = format!(
                "flags would need each other in a circle: {}",
                circle.join(" needs ")
            );
            return Err(Fault::new(
                "/prerequisites",
                "prerequisiteCircular",
                message,
            ));
        }
        let Some(needs) = self.graph.get(flag) else {
            return Ok((0, 0));
        };
        self.path.push(flag.to_owned());
        let (mut depth, mut asked) = (0, 0_usize);
        for needed in needs {
            let (deeper, more) = self.reach(&fold(&needed.flag))?;
            depth = depth.max(deeper + 1);
            asked = asked.saturating_add(more).saturating_add(1);
        }
        let fault = |message| {
            Err(Fault::new(
                "/prerequisites",
                "prerequisitesTooDeep",
                message,
            ))
        };
        if depth > LONGEST_CHAIN {
            let row = self.path.join(" needs ");
            return fault(format!(
                "more than {LONGEST_CHAIN} flags would stand in a row, each needing the next: {row}, \
                 and so on"
            ));
        }
        if asked > MOST_ASKED {
            return fault(format!(
                "for '{flag}' {asked} other flags would be asked; at most {MOST_ASKED} may"
            ));
        }
        self.path.pop();
        self.known.insert(flag.to_owned(), (depth, asked));
        Ok((depth, asked))
    }
}
