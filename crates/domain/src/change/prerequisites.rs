//! What a change set leaves of flags that need flags. It is looked at when all commands are done,
//! so that their order does not count: what is needed has to be there and have the variation, no
//! flag may come back to itself, and what live flags need cannot go.

use std::collections::{BTreeMap, BTreeSet};

use burgee_eval::compile::{LONGEST_CHAIN, MOST_ASKED};
use burgee_eval::flag::{Prerequisite, Variation};

use super::draft::{Draft, TouchedItem};
use crate::fault::{Fault, Rejected, shown};
use crate::id::Id;
use crate::key::{Key, fold};
use crate::model::{Environment, Life};
use crate::outcome::Warning;
use crate::workspace::{FlagState, ProjectState, Workspace};

/// Checks the draft, writes the keys of needed flags as those flags have them, and warns of those that
/// flags need which are served again, and that are gone. (That is no refusal: what an archived flag
/// needs cannot be edited, so it could never be restored.)
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
        let warnings = checking.run()?;
        draft.warnings.extend(warnings);
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
    fn run(&self) -> Result<Vec<Warning>, Rejected> {
        self.nothing_needed_goes()?;
        let (mut touched, mut warnings) = (BTreeSet::new(), Vec::new());
        for (flag, state) in &self.project.flags {
            if state.flag.life != Life::Live {
                continue;
            }
            for (environment, targeting) in &state.targetings {
                let was = self.was(flag);
                let restored = was.is_none_or(|it| it.flag.life != Life::Live);
                let changed = self.needs_before(flag, environment) != targeting.prerequisites;
                if changed {
                    self.are_there(flag, environment, &targeting.prerequisites)?;
                }
                if restored && was.is_some() {
                    let gone = |it: &Prerequisite| self.warning(flag, environment, it);
                    warnings.extend(targeting.prerequisites.iter().filter_map(gone));
                }
                if (changed || restored) && !targeting.prerequisites.is_empty() {
                    touched.insert(environment);
                }
            }
        }
        for environment in touched {
            self.no_circle(environment)?;
        }
        Ok(warnings)
    }

    fn was(&self, flag: &str) -> Option<&FlagState> {
        self.before?.flags.get(flag)
    }

    fn needs_before(&self, flag: &str, environment: &Id<Environment>) -> Vec<Prerequisite> {
        let was = self.was(flag);
        let targeting = was.and_then(|it| it.targetings.get(environment));
        targeting.map_or_else(Vec::new, |it| it.prerequisites.clone())
    }

    /// That every flag that is needed is live and has the variation; what stays may be as it was.
    fn are_there(
        &self,
        flag: &str,
        environment: &Id<Environment>,
        needed: &[Prerequisite],
    ) -> Result<(), Rejected> {
        let old = self.needs_before(flag, environment);
        for (number, needs) in needed.iter().enumerate() {
            if old.contains(needs) {
                continue;
            }
            if let Err(lacking) = self.is_there(needs) {
                let at = format!("/prerequisites/{number}{}", lacking.field);
                let fault = Fault::new(at, lacking.code, lacking.message);
                return Err(fault.of_command(self.command(flag, Some(environment))));
            }
        }
        Ok(())
    }

    /// What is said where a flag that is served again needs what is gone.
    fn warning(
        &self,
        flag: &str,
        environment: &Id<Environment>,
        needs: &Prerequisite,
    ) -> Option<Warning> {
        let lacking = self.is_there(needs).err()?;
        let mut environments = self.project.environments.values();
        let place = &environments.find(|it| it.id == *environment)?.key;
        let (key, message) = (&self.project.flags.get(flag)?.flag.key, lacking.message);
        Some(Warning {
            code: "prerequisiteUnknown".into(),
            command: Some(self.command(flag, None)),
            params: BTreeMap::new(),
            message: format!("in {place} nobody meets a prerequisite of '{key}': {message}"),
        })
    }

    /// Whether what is needed is live, and has the variation.
    fn is_there(&self, needs: &Prerequisite) -> Result<(), Lacking> {
        let key = shown(&needs.flag);
        let lacks = |field, code, message| {
            Err(Lacking {
                field,
                code,
                message,
            })
        };
        let found = self.project.flags.get(&fold(&needs.flag));
        let Some(found) = found.filter(|it| it.flag.life != Life::Deleted) else {
            let message = format!("there is no flag with the key '{key}'");
            return lacks("/flag", "flagNotFound", message);
        };
        if found.flag.life == Life::Archived {
            let message = format!("the flag '{key}' is archived; restore it first");
            return lacks("/flag", "flagArchived", message);
        }
        let mut variations = found.flag.variations.iter();
        if !variations.any(|it| it.id == needs.variation) {
            let id = shown(&needs.variation);
            let message = format!("the flag '{key}' has no variation with the id '{id}'");
            return lacks("/variation", "variationUnknown", message);
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
        let going: BTreeMap<&str, Going<'_>> = self.going().collect();
        if going.is_empty() {
            return Ok(());
        }
        let mut by: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for environment in self.project.environments.values() {
            for (dependant, needs) in self.project.needs(&environment.id) {
                for needed in needs {
                    let found = going.get_key_value(fold(&needed.flag).as_str());
                    if let Some((flag, going)) = found
                        && going.takes(&needed)
                    {
                        let dependant = format!("'{dependant}' in {}", environment.key);
                        by.entry(flag).or_default().push(dependant);
                    }
                }
            }
        }
        let Some((flag, by)) = by.first_key_value() else {
            return Ok(());
        };
        let by = crate::diff::some(by);
        let fault = match going[flag] {
            Going::Whole(key) => Fault::new(
                "/flag",
                "flagNeeded",
                format!("the flag '{key}' is a prerequisite of {by}"),
            ),
            Going::Variations(_) => Fault::new(
                "/variations",
                "variationNeeded",
                format!("a variation cannot be removed, it is a prerequisite of {by}"),
            ),
        };
        Err(fault.of_command(self.command(flag, None)))
    }

    /// What goes of flags that were live, by folded key.
    fn going(&self) -> impl Iterator<Item = (&str, Going<'_>)> {
        self.project.flags.iter().filter_map(|(flag, state)| {
            let was = self.was(flag).filter(|it| it.flag.life == Life::Live)?;
            if state.flag.life != Life::Live {
                return Some((flag.as_str(), Going::Whole(&state.flag.key)));
            }
            let kept = |id: &str| state.flag.variations.iter().any(|it| it.id == id);
            let mut before = was.flag.variations.iter();
            let all = before.all(|it| kept(&it.id));
            (!all).then_some((flag.as_str(), Going::Variations(&state.flag.variations)))
        })
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

/// What is needed and not there.
struct Lacking {
    /// Of the prerequisite, as a pointer.
    field: &'static str,
    code: &'static str,
    message: String,
}

/// What goes of a flag.
enum Going<'a> {
    /// All of it.
    Whole(&'a Key),
    /// All variations but these.
    Variations(&'a [Variation]),
}

impl Going<'_> {
    /// Whether what is needed goes too.
    fn takes(&self, needed: &Prerequisite) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::Variations(left) => !left.iter().any(|it| it.id == needed.variation),
        }
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
        // A row that is longer than what may be asked is not gone to its end: it would take a stack.
        if self.path.len() > MOST_ASKED {
            return Err(self.too_long());
        }
        self.path.push(flag.to_owned());
        let (mut depth, mut asked) = (0, 0_usize);
        for needed in needs {
            let (deeper, more) = self.reach(&fold(&needed.flag))?;
            depth = depth.max(deeper + 1);
            asked = asked.saturating_add(more).saturating_add(1);
        }
        if depth > LONGEST_CHAIN {
            return Err(self.too_long());
        }
        if asked > MOST_ASKED {
            return Err(too_deep(format!(
                "for '{flag}' {asked} other flags would be asked; at most {MOST_ASKED} may"
            )));
        }
        self.path.pop();
        self.known.insert(flag.to_owned(), (depth, asked));
        Ok((depth, asked))
    }

    fn too_long(&self) -> Fault {
        let row: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let row = row[..row.len().min(LONGEST_CHAIN + 1)].join(" needs ");
        too_deep(format!(
            "more than {LONGEST_CHAIN} flags would stand in a row, each needing the next: {row}, and \
             so on"
        ))
    }
}

fn too_deep(message: String) -> Fault {
    Fault::new("/prerequisites", "prerequisitesTooDeep", message)
}
