//! Importing FeatBit's files: planned under the same locks, written the same way, logged as the
//! commands that the plan came to.

use std::collections::BTreeMap;

use burgee_domain::access::{self, Rights};
use burgee_domain::change;
use burgee_domain::id::Id;
use burgee_domain::import::{self, Input, Report};
use burgee_domain::model::Organization;
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;

use super::{Applied, ApplyError, Decision, NewId, Work, authority};
use crate::change_sets::Actor;
use crate::{Store, text};

/// Files to be imported into an environment.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// In which organization.
    pub organization: Id<Organization>,
    /// By whom.
    pub actor: Actor,
    /// What they may do; none: everything, as the operator.
    pub rights: Option<Rights>,
    /// The project's key.
    pub project: String,
    /// The environment's key.
    pub environment: String,
    /// What the files hold.
    pub input: Input,
    /// Why, in words for the history.
    pub comment: String,
    /// Why approvals that the environment asks for are gone without.
    pub override_reason: Option<String>,
    /// Whether to only show what it would do.
    pub dry_run: bool,
    /// The moment of the import.
    pub now: Millis,
}

/// What an import did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The change set that it came to; without versions where nothing differed.
    pub applied: Applied,
    /// What became of each item.
    pub report: Report,
}

impl Store {
    /// Imports flags and segments into an environment, as one change set. What cannot be
    /// represented is left out, and the report says why; importing the same again changes nothing.
    ///
    /// # Errors
    /// Where there is no such project or environment, and what the store has.
    pub async fn import(&self, request: &ImportRequest) -> Result<Imported, ApplyError> {
        let (project, environment) = (&request.project, &request.environment);
        for key in [project, environment] {
            text::storable("project", key)?;
        }
        let reason = request.override_reason.as_deref();
        let reason = reason.map(change::override_reason).transpose()?;
        let references = import::references(project, environment, &request.input);
        let work = Work {
            id: None,
            organization: &request.organization,
            actor: &request.actor,
            comment: &request.comment,
            base: &BTreeMap::new(),
            rebase: false,
            commands: &[],
            rights: request.rights.as_ref(),
            override_reason: reason.as_deref(),
            asked: "import",
            planned_from: None,
            dry_run: request.dry_run,
            now: request.now,
        };
        let mut report = Report::default();
        let decide = |workspace: &Workspace, new_id: NewId<'_>| {
            let plan = import::plan(
                workspace,
                project,
                environment,
                &request.input,
                request.now,
                new_id,
            )?;
            let permissions = match &request.rights {
                Some(rights) => {
                    let needs = access::needs(workspace, &plan.commands, &plan.outcome);
                    authority::check(needs, rights, request.dry_run)?
                }
                None => Vec::new(),
            };
            report = plan.report;
            let commands = serde_json::to_value(&plan.commands)?;
            text::storable_json("flags", &commands)?;
            Ok(Decision {
                outcome: plan.outcome,
                commands: commands.to_string(),
                permissions,
            })
        };
        let applied = self.change(&work, &references, decide).await?;
        Ok(Imported { applied, report })
    }
}
