//! What is done with an environment's end users, as entries of the history.
//!
//! Users are traffic, and the history is truth: with the embedded database these are two files, and
//! no transaction is over both. So the entry is always committed first. Whatever becomes of the
//! server then, nothing was done that is not in the history; it may have an act of which nothing
//! came, or not all. What is only known afterwards (how many users of a file were written) is a
//! second entry.
//!
//! They move no version: neither what is served nor what the environment is has changed. And they
//! never say who it was about, neither by the key nor by its digest, by which whoever guesses a key
//! could make sure of it: who is deleted shall not stay in the history.

use burgee_domain::model::{Environment, Project};
use burgee_eval::time::Millis;

use super::Act;
use crate::Store;
use crate::change_sets::{self, Actor, Reference};
use crate::error::StoreError;

/// Something that is done with end users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserAct {
    /// The users of a file are being written.
    BeginUpload,
    /// They are, to the end of the file or to where it broke off.
    Upload {
        /// How many users were written.
        written: u64,
        /// How many lines were left out.
        refused: u64,
    },
    /// All of them are being sent, in this format.
    Export(&'static str),
    /// One is deleted.
    Delete,
}

impl UserAct {
    /// Its kind, what is known of it besides the place, and what it is in words.
    fn said(self) -> (&'static str, Vec<(&'static str, String)>, String) {
        match self {
            Self::BeginUpload => {
                let text = "an upload of end users began".to_owned();
                ("beginUserUpload", Vec::new(), text)
            }
            Self::Upload { written, refused } => {
                let params = vec![
                    ("written", written.to_string()),
                    ("refused", refused.to_string()),
                ];
                let text = format!("end users uploaded: {written} written, {refused} refused");
                ("uploadUsers", params, text)
            }
            Self::Export(format) => {
                let text = format!("all end users exported ({format})");
                ("exportUsers", vec![("format", format.to_owned())], text)
            }
            Self::Delete => ("deleteUser", Vec::new(), "an end user deleted".to_owned()),
        }
    }
}

impl Store {
    /// Writes into the history of an environment what is done with its end users: before it is
    /// done, and what came of it after.
    pub async fn record_user_act(
        &self,
        (project, environment): (&Project, &Environment),
        done: UserAct,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let (kind, known, text) = done.said();
        let place = [
            ("project", project.key.to_string()),
            ("environment", environment.key.to_string()),
        ];
        let act = Act {
            organization: &project.organization,
            actor,
            project: Some(&project.id),
            kind,
            params: place.into_iter().chain(known).collect(),
            text: format!("{}/{}: {text}", project.key, environment.key),
        };
        let mut tx = self.begin_write().await?;
        let id = self.administer(&mut tx, &act, &mut [], now).await?;
        let change_set = Reference {
            organization: project.organization.as_str(),
            id: &id,
        };
        change_sets::is_about_environment(&mut tx, &change_set, &environment.id).await?;
        self.end(tx, false).await
    }
}
