//! What somebody may be told of why a change set is refused.

use burgee_domain::Rejected;
use burgee_domain::access::{Kind, Resource, Rights};
use burgee_domain::command::{Command, Target};
use burgee_domain::key::fold;
use burgee_domain::workspace::{ProjectState, Workspace};

/// The refusal; without the names of other flags where it is about flags that need flags, and the
/// author does not see all of the project's that do. (Which of them stand against the change is not
/// looked at: their tags are not loaded.)
pub(super) fn refusal(
    rejected: Rejected,
    rights: &Rights,
    workspace: &Workspace,
    commands: &[Command],
) -> Rejected {
    let message = match rejected.code.as_str() {
        "flagNeeded" => "the flag is a prerequisite of others, not all of which you may see",
        "variationNeeded" => {
            "a variation cannot be removed, it is a prerequisite of flags not all of which you may \
             see"
        }
        "prerequisiteCircular" => {
            "flags would need each other in a circle, not all of which you may see"
        }
        "prerequisitesTooDeep" => {
            "too many flags would stand in a row, or be asked for one, not all of which you may see"
        }
        _ => return rejected,
    };
    let target = commands.get(rejected.command).map(Command::target);
    let Some(Target::Flag { project, .. } | Target::Targeting { project, .. }) = target else {
        return rejected;
    };
    match workspace.projects.get(&fold(project)) {
        Some(project) if !sees_needs(rights, project) => Rejected {
            message: message.to_owned(),
            ..rejected
        },
        _ => rejected,
    }
}

/// Whether somebody sees every flag of a project that needs another, and where.
fn sees_needs(rights: &Rights, project: &ProjectState) -> bool {
    let own = Resource::project(project.project.key.as_str());
    let sees = |key: &str| {
        let flag = own.clone().with(Kind::Flag, key);
        match project.flags.get(&fold(key)) {
            Some(state) => rights.allow("flag.read", &flag.tagged(&state.flag.tags)),
            None => !rights.depend_on_tags() && rights.allow("flag.read", &flag),
        }
    };
    let mut environments = project.environments.values();
    environments.all(|environment| {
        let needs = project.needs(&environment.id);
        let place = Resource::of(&project.project, environment);
        let mut flags = needs.iter();
        needs.is_empty()
            || rights.allow("environment.read", &place)
                && flags.all(|(flag, needs)| sees(flag) && needs.iter().all(|it| sees(&it.flag)))
    })
}
