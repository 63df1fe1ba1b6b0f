//! Whether flags that a change set takes away are still asked for.
//!
//! Looked up in the traffic when the change set is through, since nobody's lock shall wait for that:
//! it is a warning, on which nothing depends. So it is not part of the answer that is kept.

use std::collections::BTreeMap;

use burgee_domain::access::{Resource, Rights};
use burgee_domain::model::Environment;
use burgee_domain::outcome::{Outcome, Warning};
use burgee_domain::still_evaluated::{self, DAYS, Evaluated, TakenAway};
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;

use crate::Store;
use crate::error::StoreError;

impl Store {
    /// Warns of the flags that an outcome takes away and that were evaluated lately, as far as
    /// `rights` (all where there are none) let somebody see where. Where that cannot be looked up,
    /// the warning says so.
    pub(crate) async fn still_evaluated(
        &self,
        before: &Workspace,
        outcome: &Outcome,
        rights: Option<&Rights>,
        now: Millis,
    ) -> Vec<Warning> {
        let taken = still_evaluated::taken_away(before, outcome);
        let mut warnings = Vec::new();
        let since = Millis(now.0 - DAYS * 86_400_000);
        match self.evaluated_since(&taken, rights, since).await {
            Ok(found) => warnings.extend(
                taken
                    .iter()
                    .zip(found)
                    .filter_map(|(of, evaluated)| still_evaluated::warning(*of, &evaluated)),
            ),
            Err(_) => warnings.push(Warning {
                code: "evaluationsUnknown".into(),
                command: None,
                params: BTreeMap::new(),
                message: "whether the flags are still evaluated could not be looked up".into(),
            }),
        }
        warnings
    }

    /// Of each flag, where it was evaluated since a moment.
    async fn evaluated_since(
        &self,
        taken: &[TakenAway<'_>],
        rights: Option<&Rights>,
        since: Millis,
    ) -> Result<Vec<Vec<Evaluated>>, StoreError> {
        let mut all = vec![Vec::new(); taken.len()];
        let mut projects: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, it) in taken.iter().enumerate() {
            let project = it.project.project.key.as_str();
            projects.entry(project).or_default().push(index);
        }
        for indices in projects.values() {
            let state = taken[indices[0]].project;
            let flags: Vec<(&str, &str)> = indices
                .iter()
                .map(|index| taken[*index].flag)
                .map(|flag| (flag.key.as_str(), flag.id.as_str()))
                .collect();
            let seen = |it: &&Environment| {
                let place = Resource::of(&state.project, it);
                rights.is_none_or(|rights| rights.allow("environment.read", &place))
            };
            for environment in state.environments.values().filter(seen) {
                let traffic = self.traffic();
                let mut found = traffic
                    .evaluations(environment.id.as_str(), &flags, since)
                    .await?;
                for (index, flag) in indices.iter().zip(&flags) {
                    if let Some((count, last)) = found.remove(flag.1) {
                        all[*index].push(Evaluated {
                            environment: environment.key.clone(),
                            count,
                            last,
                        });
                    }
                }
            }
        }
        Ok(all)
    }
}
