//! What an empty database is set up with, once, whichever process comes first.

use burgee_domain::key::{Key, KeyError};
use burgee_domain::model::Organization;
use burgee_domain::people::Email;
use burgee_eval::time::Millis;

use crate::change_sets::Actor;
use crate::dialect::Lock;
use crate::environments::NewEnvironment;
use crate::error::StoreError;
use crate::organizations::NewOrganization;
use crate::projects::NewProject;
use crate::{Store, organizations};

/// The key of the organization and the project that the first start makes.
pub const DEFAULT: &str = "default";

/// The address of the owner's account until it is changed.
pub const OWNER_EMAIL: &str = "owner@localhost";

/// What the first start made, or found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstStart {
    /// The default organization.
    pub organization: Organization,
    /// Whether it was made just now.
    pub created: bool,
}

impl Store {
    /// Sets an empty database up: the organization `default` with an owner's account, and the
    /// project `default` with the environments `prod` and `dev`, each with one SDK key of each
    /// kind. Where there is an organization already, nothing is made.
    pub async fn first_start(&self, now: Millis) -> Result<FirstStart, StoreError> {
        let mut tx = self.begin_write().await?;
        self.shared.dialect.lock(&mut tx, Lock::FirstStart).await?;
        let key = default_key(DEFAULT)?;
        if let Some(organization) = organizations::first(&mut tx).await? {
            tx.rollback().await?;
            return Ok(FirstStart {
                organization,
                created: false,
            });
        }
        let new = NewOrganization {
            key: key.clone(),
            name: "Default".to_owned(),
            owner: Email::new(OWNER_EMAIL).map_err(|error| StoreError::Other(Box::new(error)))?,
        };
        let (organization, _) = organizations::create_in(&mut tx, &new, "Owner", now).await?;
        let project = NewProject {
            organization: organization.id.clone(),
            key,
            name: "Default".to_owned(),
        };
        let project = self
            .create_project_in(&mut tx, &project, &Actor::system(), now)
            .await?;
        for (key, name) in [("prod", "Production"), ("dev", "Development")] {
            let environment = NewEnvironment {
                project: project.id.clone(),
                key: default_key(key)?,
                name: name.to_owned(),
                description: String::new(),
            };
            self.create_in(&mut tx, &environment, &Actor::system(), now)
                .await?;
        }
        self.end(tx, false).await?;
        Ok(FirstStart {
            organization,
            created: true,
        })
    }

    /// What tells this database from others, also of other servers: the id of its first organization,
    /// which is never deleted. A copy has the same, as has what is restored from a backup.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] before the first start.
    pub async fn installation(&self) -> Result<String, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let first = organizations::first(&mut connection).await?;
        let first = first.ok_or(StoreError::NotFound("organization"))?;
        Ok(first.id.to_string())
    }
}

fn default_key(text: &str) -> Result<Key, StoreError> {
    Key::new(text).map_err(|error: KeyError| StoreError::Other(Box::new(error)))
}
