//! Change sets that stand on each other, tried out one after the other: what a file comes to, before
//! anything of it is written.

use std::borrow::Cow;

use burgee_domain::change;
use burgee_domain::command;
use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization};
use burgee_domain::outcome::Outcome;
use burgee_domain::workspace::Workspace;

use super::{
    Applied, ApplyError, ChangeSetRequest, Texts, admission, applied, commands_of, new_id,
};
use crate::{Store, Tx, workspace};

/// Why the change set of this index cannot be applied.
pub(crate) type Untried = (usize, ApplyError);

impl Store {
    /// Tries change sets out, each on what those before it leave. What is lacking is refused, or
    /// told where a set is a dry run. It ends the transaction, whose one moment it looks at: so
    /// bases say nothing that is not so, and are not looked at. `made` are environments that shall
    /// be there by then.
    ///
    /// # Errors
    /// Of the first change set that cannot be applied.
    pub(crate) async fn try_sets(
        &self,
        mut tx: Tx,
        organization: &Id<Organization>,
        sets: &[ChangeSetRequest],
        made: &[Environment],
    ) -> Result<Vec<Applied>, Untried> {
        let references = command::references(sets.iter().flat_map(|it| &it.commands));
        let before = workspace::look(&mut tx, organization, &references).await;
        let mut before = before.map_err(of_all)?;
        make(&mut before, made);
        let tried = try_each(&mut tx, &before, sets).await?;
        tx.rollback().await.map_err(of_all)?;
        let mut answers = Vec::with_capacity(tried.len());
        for (request, (mut answer, outcome)) in sets.iter().zip(tried) {
            let rights = Some(&request.rights);
            let evaluated = self.still_evaluated(&before, &outcome, rights, request.now);
            answer.warnings.extend(evaluated.await);
            answers.push(answer);
        }
        Ok(answers)
    }
}

/// What keeps all of them from being tried.
fn of_all(error: impl Into<ApplyError>) -> Untried {
    (0, error.into())
}

fn make(workspace: &mut Workspace, made: &[Environment]) {
    for environment in made {
        let mut projects = workspace.projects.values_mut();
        if let Some(state) = projects.find(|it| it.project.id == environment.project) {
            let key = environment.key.folded();
            state.environments.insert(key, environment.clone());
        }
    }
}

async fn try_each(
    tx: &mut Tx,
    before: &Workspace,
    sets: &[ChangeSetRequest],
) -> Result<Vec<(Applied, Outcome)>, Untried> {
    let mut state = Cow::Borrowed(before);
    let mut tried = Vec::with_capacity(sets.len());
    for (index, request) in sets.iter().enumerate() {
        let one = try_set(tx, &state, request).await;
        let (answer, outcome) = one.map_err(|error| (index, error))?;
        if index + 1 < sets.len() {
            state.to_mut().advance(&outcome);
        }
        tried.push((answer, outcome));
    }
    Ok(tried)
}

async fn try_set(
    tx: &mut Tx,
    workspace: &Workspace,
    request: &ChangeSetRequest,
) -> Result<(Applied, Outcome), ApplyError> {
    let checked = change::well_formed(&request.commands)?;
    let texts = Texts::of(request)?;
    let work = texts.work(request);
    work.check()?;
    work.may_touch(workspace)?;
    let decision = commands_of(workspace, checked, &work, &mut new_id)?;
    let asks = admission::asks(tx, workspace, &work, &decision.outcome).await?;
    let admitted = admission::admit(&work, &asks, &[])?;
    let mut answer = applied(&new_id(), workspace, &decision.outcome, admitted);
    answer.permissions = decision.permissions;
    Ok((answer, decision.outcome))
}
