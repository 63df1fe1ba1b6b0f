//! How many of everything there may be: each limit with the query that counts.
//!
//! A limit is looked at after the new one was written, under a lock that others who write one wait
//! for; where there are too many, nothing is committed.

use burgee_domain::limits::{
    MAX_ENVIRONMENTS, MAX_FLAGS, MAX_GROUPS, MAX_INVITATIONS, MAX_MEMBERS, MAX_PERSONAL_TOKENS,
    MAX_POLICIES, MAX_PROJECTS, MAX_RELAY_AGENTS, MAX_RELAY_KEYS, MAX_SDK_KEYS, MAX_SEGMENTS,
    MAX_SERVICE_TOKENS, MAX_USER_PROPERTIES,
};
use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use crate::error::StoreError;
use crate::row;

/// How many of something there may be.
pub(crate) struct Limit {
    /// Of what, in words.
    what: &'static str,
    most: i64,
    /// Counts those of `$1` and so on.
    count: &'static str,
}

pub(crate) const POLICIES: Limit = Limit {
    what: "policies in this organization",
    most: MAX_POLICIES,
    count: "SELECT COUNT(*) FROM policies WHERE organization_id = $1",
};

pub(crate) const GROUPS: Limit = Limit {
    what: "groups in this organization",
    most: MAX_GROUPS,
    count: "SELECT COUNT(*) FROM member_groups WHERE organization_id = $1",
};

pub(crate) const MEMBERS: Limit = Limit {
    what: "members in this organization",
    most: MAX_MEMBERS,
    count: "SELECT COUNT(*) FROM members WHERE organization_id = $1",
};

/// Of an organization, at a moment.
pub(crate) const INVITATIONS: Limit = Limit {
    what: "invitations in this organization",
    most: MAX_INVITATIONS,
    count: "SELECT COUNT(*) FROM links WHERE organization_id = $1 AND expires_at > $2",
};

/// Of an organization, at a moment.
pub(crate) const SERVICE_TOKENS: Limit = Limit {
    what: "service tokens in this organization",
    most: MAX_SERVICE_TOKENS,
    count: "SELECT COUNT(*) FROM tokens WHERE organization_id = $1 AND statements IS NOT NULL \
            AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)",
};

/// Of an organization and an account, at a moment.
pub(crate) const PERSONAL_TOKENS: Limit = Limit {
    what: "personal tokens of yours",
    most: MAX_PERSONAL_TOKENS,
    count: "SELECT COUNT(*) FROM tokens WHERE organization_id = $1 AND account_id = $2 \
            AND statements IS NULL AND revoked_at IS NULL \
            AND (expires_at IS NULL OR expires_at > $3)",
};

pub(crate) const PROJECTS: Limit = Limit {
    what: "projects in this organization",
    most: MAX_PROJECTS,
    count: "SELECT COUNT(*) FROM projects WHERE organization_id = $1 AND deleted_at IS NULL",
};

pub(crate) const ENVIRONMENTS: Limit = Limit {
    what: "environments in this project",
    most: MAX_ENVIRONMENTS,
    count: "SELECT COUNT(*) FROM environments WHERE project_id = $1 AND deleted_at IS NULL",
};

pub(crate) const SDK_KEYS: Limit = Limit {
    what: "SDK keys in this environment",
    most: MAX_SDK_KEYS,
    count: "SELECT COUNT(*) FROM sdk_keys WHERE environment_id = $1 AND revoked_at IS NULL",
};

pub(crate) const RELAY_KEYS: Limit = Limit {
    what: "relay keys in this organization",
    most: MAX_RELAY_KEYS,
    count: "SELECT COUNT(*) FROM relay_keys WHERE organization_id = $1 AND revoked_at IS NULL",
};

/// Of an organization and the key of who told of them.
pub(crate) const RELAY_AGENTS: Limit = Limit {
    what: "relays of this key",
    most: MAX_RELAY_AGENTS,
    count: "SELECT COUNT(*) FROM relay_agents WHERE organization_id = $1 AND told_by = $2",
};

pub(crate) const FLAGS: Limit = Limit {
    what: "flags in this project",
    most: MAX_FLAGS,
    count: "SELECT COUNT(*) FROM flags WHERE project_id = $1 AND life <> 'deleted'",
};

/// Of an organization, a project and an environment; the last two are empty for what is shared.
pub(crate) const SEGMENTS: Limit = Limit {
    what: "segments of this scope",
    most: MAX_SEGMENTS,
    count: "SELECT COUNT(*) FROM segments WHERE organization_id = $1 \
            AND COALESCE(project_id, '') = $2 AND COALESCE(environment_id, '') = $3 \
            AND life <> 'deleted'",
};

pub(crate) const USER_PROPERTIES: Limit = Limit {
    what: "known properties in this project",
    most: MAX_USER_PROPERTIES,
    count: "SELECT COUNT(*) FROM user_properties WHERE project_id = $1",
};

impl Limit {
    /// Refuses where there are more than there may be.
    ///
    /// # Errors
    /// [`StoreError::Refused`] by `tooMany`.
    pub(crate) async fn holds(
        &self,
        connection: &mut AnyConnection,
        of: &[&str],
    ) -> Result<(), StoreError> {
        self.counted(connection, of, None).await
    }

    /// The same at a moment, which comes after what it is of.
    pub(crate) async fn holds_at(
        &self,
        connection: &mut AnyConnection,
        of: &[&str],
        now: Millis,
    ) -> Result<(), StoreError> {
        self.counted(connection, of, Some(now)).await
    }

    async fn counted(
        &self,
        connection: &mut AnyConnection,
        of: &[&str],
        now: Option<Millis>,
    ) -> Result<(), StoreError> {
        let mut query = sqlx::query(self.count);
        for of in of {
            query = query.bind(*of);
        }
        if let Some(now) = now {
            query = query.bind(now.0);
        }
        let found = query.fetch_one(connection).await?;
        match row::number(&found, 0)? <= self.most {
            true => Ok(()),
            false => Err(StoreError::too_many(self.what, self.most)),
        }
    }
}
