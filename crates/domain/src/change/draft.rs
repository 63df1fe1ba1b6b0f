//! The copy of the workspace that the commands edit.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;

use super::find::not_found;
use crate::check::rollout::everyone;
use crate::command::Target;
use crate::command::edit::Edit;
use crate::fault::Fault;
use crate::id::Id;
use crate::key::fold;
use crate::model::{Environment, Flag, Segment, Targeting};
use crate::outcome::Warning;
use crate::workspace::Workspace;

/// The end of the year 9000: stamps have room to rise, and still have four digits for the year.
pub(crate) const LAST_MOMENT: Millis = Millis(221_876_841_600_000);

/// A command that had an effect, and what it acted on.
pub(crate) struct Touch {
    pub(crate) command: usize,
    pub(crate) item: TouchedItem,
    /// Where, if in one environment alone.
    pub(crate) environment: Option<Id<Environment>>,
}

/// What a command acted on, by folded keys or id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TouchedItem {
    Flag { project: String, flag: String },
    Segment(Id<Segment>),
}

/// A flag's targeting, found: folded keys, and the environment's id.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) project: String,
    pub(crate) environment: Id<Environment>,
    pub(crate) flag: String,
}

/// See the module.
pub(crate) struct Draft<'a> {
    pub(crate) state: Workspace,
    pub(crate) now: Millis,
    pub(crate) new_id: &'a mut dyn FnMut() -> String,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) touches: Vec<Touch>,
    /// New stamps must lie above these (an import's highest).
    pub(crate) floors: BTreeMap<Id<Environment>, Millis>,
    command: usize,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        workspace: &Workspace,
        now: Millis,
        new_id: &'a mut dyn FnMut() -> String,
    ) -> Self {
        Self {
            state: workspace.clone(),
            now,
            new_id,
            warnings: Vec::new(),
            touches: Vec::new(),
            floors: BTreeMap::new(),
            command: 0,
        }
    }

    /// Applies one command, and notes what it touched if it changed anything.
    pub(crate) fn run(&mut self, index: usize, edit: &dyn Edit) -> Result<(), Fault> {
        self.command = index;
        if edit.apply(self)? {
            let touch = self.touch(edit.target())?;
            self.touches.push(touch);
        }
        Ok(())
    }

    /// Tells the author something about the present command.
    pub(crate) fn warn(&mut self, code: &str, message: impl Into<String>) {
        self.warn_of(code, &[], message);
    }

    /// As [`Self::warn`], with what the message is made of.
    pub(crate) fn warn_of(
        &mut self,
        code: &str,
        params: &[(&str, &str)],
        message: impl Into<String>,
    ) {
        let params = params.iter();
        let params = params.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        self.warnings.push(Warning {
            code: code.into(),
            command: Some(self.command),
            params: params.collect(),
            message: message.into(),
        });
    }

    /// Makes the environment's new stamps lie above one that its SDKs may have seen elsewhere. A
    /// moment that cannot be written on the wire is passed over.
    pub(crate) fn raise_stamps(&mut self, environment: &Id<Environment>, above: Millis) {
        if above <= LAST_MOMENT {
            let floor = self.floors.entry(environment.clone()).or_default();
            *floor = above.max(*floor);
        }
    }

    /// Finds a live flag's targeting and releases the flag there if it was not yet. Says whether
    /// it had to.
    pub(crate) fn release(&mut self, target: Target<'_>) -> Result<(Place, bool), Fault> {
        let Target::Targeting {
            project,
            environment,
            flag,
        } = target
        else {
            return Err(Fault::new(
                "",
                "targetInvalid",
                "the command names no environment",
            ));
        };
        let environment = self.environment(project, environment)?.id.clone();
        let state = self.live_flag_mut(project, flag)?;
        let released = !state.targetings.contains_key(&environment);
        if released {
            let targeting = unreleased(&state.flag);
            state.targetings.insert(environment.clone(), targeting);
        }
        let place = Place {
            project: fold(project),
            environment,
            flag: fold(flag),
        };
        Ok((place, released))
    }

    /// The flag and its targeting at a place that [`Self::release`] found.
    pub(crate) fn at(&mut self, place: &Place) -> Result<(&Flag, &mut Targeting), Fault> {
        self.state
            .projects
            .get_mut(&place.project)
            .and_then(|project| project.flags.get_mut(&place.flag))
            .and_then(|state| {
                let targeting = state.targetings.get_mut(&place.environment)?;
                Some((&state.flag, targeting))
            })
            .ok_or_else(|| not_found("/flag", "flagNotFound", "flag", &place.flag))
    }

    fn touch(&self, target: Target<'_>) -> Result<Touch, Fault> {
        let command = self.command;
        let of_flag = |project: &str, flag: &str, environment| Touch {
            command,
            item: TouchedItem::Flag {
                project: fold(project),
                flag: fold(flag),
            },
            environment,
        };
        Ok(match target {
            Target::Flag { project, flag } => of_flag(project, flag, None),
            Target::Targeting {
                project,
                environment,
                flag,
            } => {
                let environment = self.environment(project, environment)?.id.clone();
                of_flag(project, flag, Some(environment))
            }
            Target::Segment { .. } => Touch {
                command,
                item: TouchedItem::Segment(self.touched_segment(target)?),
                environment: None,
            },
        })
    }

    /// Where a segment that is archived or deleted is used, in words: what the store found, put
    /// right by what this change set did to the flags that it loaded.
    pub(crate) fn segment_uses(&self, id: &Id<Segment>) -> Vec<String> {
        super::uses::segment_uses(&self.state, id)
    }
}

/// The targeting of a flag that is released but never edited: off, served by its defaults, in no
/// experiment (whoever takes part in one is recorded, so somebody must want it).
pub(crate) fn unreleased(flag: &Flag) -> Targeting {
    Targeting {
        is_enabled: false,
        prerequisites: Vec::new(),
        target_users: Vec::new(),
        rules: Vec::new(),
        fallthrough: burgee_eval::flag::Fallthrough {
            dispatch_key: None,
            included_in_expt: false,
            variations: everyone(&flag.default_on),
        },
        off_variation: flag.default_off.clone(),
        expt_include_all_targets: false,
        tracked: false,
        stamp: Millis(0),
    }
}
