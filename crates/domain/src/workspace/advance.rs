//! The workspace that an outcome leads to, as it would be loaded after it was written: so that what
//! comes after a change can be tried out before that change is made.

use super::{FlagState, SegmentState, Workspace};
use crate::model::{Environment, Life};
use crate::outcome::{FlagEdit, Outcome, Scope, SegmentEdit, Step, TargetingEdit};

impl Workspace {
    /// Makes it what it is after an outcome that came from it.
    pub fn advance(&mut self, outcome: &Outcome) {
        for edit in &outcome.flags {
            self.flag(edit);
        }
        for edit in &outcome.targetings {
            self.targeting(edit);
        }
        for edit in &outcome.segments {
            self.segment(edit);
        }
        for step in &outcome.steps {
            self.step(step);
        }
    }

    fn flag(&mut self, edit: &FlagEdit) {
        let mut projects = self.projects.values_mut();
        let Some(project) = projects.find(|it| it.project.id == edit.project) else {
            return;
        };
        let key = edit.after.key.folded();
        if edit.after.life == Life::Deleted {
            project.flags.remove(&key);
            for needs in project.prerequisites.values_mut() {
                needs.remove(&key);
            }
            return;
        }
        let state = project.flags.entry(key).or_insert_with(|| FlagState {
            flag: edit.after.clone(),
            targetings: Default::default(),
        });
        state.flag = edit.after.clone();
    }

    fn targeting(&mut self, edit: &TargetingEdit) {
        let projects = self.projects.values_mut();
        let mut flags = projects.flat_map(|it| it.flags.values_mut());
        if let Some(state) = flags.find(|it| it.flag.id == edit.flag) {
            let after = edit.after.clone();
            state.targetings.insert(edit.environment.clone(), after);
        }
    }

    fn segment(&mut self, edit: &SegmentEdit) {
        let id = &edit.after.id;
        if edit.after.life == Life::Deleted {
            self.segments.remove(id);
            return;
        }
        let state = self.segments.entry(id.clone());
        let state = state.or_insert_with(|| SegmentState {
            segment: edit.after.clone(),
            stamps: Default::default(),
        });
        state.segment = edit.after.clone();
        state.stamps.extend(edit.stamps.iter().cloned());
    }

    fn step(&mut self, step: &Step) {
        let version = step.position.version;
        match &step.scope {
            Scope::Organization(_) => self.organization.version = version,
            Scope::Project(id) => {
                let mut projects = self.projects.values_mut();
                if let Some(state) = projects.find(|it| it.project.id == *id) {
                    state.project.version = version;
                }
            }
            Scope::Environment(id) => {
                let projects = self.projects.values_mut();
                let mut environments = projects.flat_map(|it| it.environments.values_mut());
                if let Some(environment) = environments.find(|it| it.id == *id) {
                    move_on(environment, step);
                }
            }
        }
    }
}

fn move_on(environment: &mut Environment, step: &Step) {
    environment.position = step.position;
    environment.chain = step.chain;
    environment.last_stamp = step.last_stamp;
}
