//! Where in the log the changes of an item are found that is named by its key. By key, because
//! what was deleted is in no workspace any more.

use super::Logged;
use crate::change::segment_uses;
use crate::command::Target;
use crate::key::fold;
use crate::outcome::{Item, Scope};
use crate::workspace::{ProjectState, Workspace};

/// A key, and the scopes in which it means this item.
pub(super) struct Place {
    is_flag: bool,
    /// Folded.
    key: String,
    scopes: Vec<Scope>,
}

impl Place {
    /// What a command acts on.
    pub(super) fn of(workspace: &Workspace, target: Target<'_>) -> Self {
        let project = |key: &str| workspace.projects.get(&fold(key));
        let (is_flag, key, scopes) = match target {
            Target::Flag { project: of, flag } => (true, flag, project(of).map(whole)),
            Target::Targeting {
                project: of,
                environment,
                flag,
            } => (true, flag, project(of).map(|it| part(it, environment))),
            Target::Segment {
                project: of,
                environment,
                segment,
            } => {
                let scopes = match (of, environment) {
                    (Some(of), Some(environment)) => project(of).map(|it| part(it, environment)),
                    (Some(of), None) => project(of).map(whole),
                    (None, _) => Some(everywhere(workspace)),
                };
                (false, segment, scopes)
            }
        };
        Self {
            is_flag,
            key: fold(key),
            scopes: scopes.unwrap_or_default(),
        }
    }

    /// Whether a row of the log is about it.
    pub(super) fn is(&self, row: &Logged) -> bool {
        let (is_flag, key) = match &row.item {
            Item::Flag(_, key) => (true, key),
            Item::Segment(_, key) => (false, key),
        };
        is_flag == self.is_flag && key.folded() == self.key && self.scopes.contains(&row.scope)
    }
}

/// The flags that use the segment which a command acts on, each where it does.
pub(super) fn users<'w>(
    workspace: &'w Workspace,
    target: Target<'_>,
) -> impl Iterator<Item = Place> + 'w {
    let key = match target {
        Target::Segment { segment, .. } => Some(fold(segment)),
        Target::Flag { .. } | Target::Targeting { .. } => None,
    };
    let segments = workspace.segments.values().map(|state| &state.segment);
    let segments = segments.filter(move |it| Some(it.key.folded()) == key);
    let places = segments.flat_map(|segment| segment_uses(workspace, &segment.id));
    places.filter_map(|place| {
        let mut parts = place.splitn(3, '/');
        let (project, environment, flag) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Place {
            is_flag: true,
            key: fold(flag),
            scopes: part(workspace.projects.get(&fold(project))?, environment),
        })
    })
}

fn whole(state: &ProjectState) -> Vec<Scope> {
    let environments = state.environments.values();
    let environments = environments.map(|it| Scope::Environment(it.id.clone()));
    let project = Scope::Project(state.project.id.clone());
    std::iter::once(project).chain(environments).collect()
}

fn part(state: &ProjectState, environment: &str) -> Vec<Scope> {
    let found = state.environments.get(&fold(environment));
    let found = found.map(|it| Scope::Environment(it.id.clone()));
    let project = Scope::Project(state.project.id.clone());
    std::iter::once(project).chain(found).collect()
}

fn everywhere(workspace: &Workspace) -> Vec<Scope> {
    let organization = Scope::Organization(workspace.organization.id.clone());
    let projects = workspace.projects.values().flat_map(whole);
    std::iter::once(organization).chain(projects).collect()
}
