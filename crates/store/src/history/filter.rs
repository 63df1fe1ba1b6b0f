//! What of a history is looked for. The audit log is filtered in the same way.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;

use crate::sql::{Sql, containing};

/// What is looked for: all that is given must hold, and an empty filter finds everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// Who did it: an id, or a name as it was at the time, without regard to case.
    pub actor: Option<String>,
    /// A kind of command, e.g. `turnOn`.
    pub kind: Option<String>,
    /// The key of the project that it is about; also of one that was deleted.
    pub project: Option<String>,
    /// The key of the environment in it.
    pub environment: Option<String>,
    /// The key of a flag that it changed; of `project`, where that is given. Also of one that was
    /// deleted.
    pub flag: Option<String>,
    /// The key of a segment that it changed, of whichever scope; also of one that was deleted.
    pub segment: Option<String>,
    /// Asked for at this moment or later.
    pub from: Option<Millis>,
    /// Asked for before this moment.
    pub to: Option<Millis>,
    /// In who, why, or the words of what changed; without regard to case.
    pub text: Option<String>,
}

impl HistoryFilter {
    /// Appends to a `WHERE` about `change_sets c`, of which the organization is said already.
    pub(crate) fn push(&self, sql: &mut Sql, organization: &Id<Organization>) {
        self.push_who_and_when(sql, organization);
        let inside = [
            (
                "c.kinds",
                self.kind.as_deref().map(|kind| format!(" {kind} ")),
            ),
            ("c.search", self.text.as_deref().map(str::to_lowercase)),
        ];
        for (column, text) in inside {
            if let Some(text) = text {
                sql.push(" AND ").push(column).push(" LIKE ");
                sql.bind(containing(&text)).push(" ESCAPE '\\'");
            }
        }
        self.push_place(sql, organization);
        self.push_flag(sql, organization);
        self.push_segment(sql, organization);
    }

    fn push_who_and_when(&self, sql: &mut Sql, organization: &Id<Organization>) {
        if let Some(actor) = &self.actor {
            // Two lists, since each has its index.
            for (index, condition) in ["a.actor_id = ", "LOWER(a.actor_name) = LOWER("]
                .iter()
                .enumerate()
            {
                sql.push(if index == 0 {
                    " AND c.number IN ("
                } else {
                    " UNION "
                });
                sql.push("SELECT a.number FROM change_sets a WHERE a.organization_id = ");
                sql.bind(organization.as_str());
                sql.push(" AND ").push(condition).bind(actor);
            }
            sql.push("))");
        }
        if let Some(from) = self.from {
            sql.push(" AND c.at >= ").bind(from.0);
        }
        if let Some(to) = self.to {
            sql.push(" AND c.at < ").bind(to.0);
        }
    }

    /// Appends that an entry is about a project or an environment, by their keys.
    fn push_place(&self, sql: &mut Sql, organization: &Id<Organization>) {
        let Some(project) = &self.project else {
            return;
        };
        sql.push(" AND c.number IN (SELECT v.number FROM versions v JOIN environments e");
        sql.push(" ON e.id = v.scope_id WHERE v.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND e.project_id IN ");
        push_projects(sql, organization, Some(project));
        if let Some(environment) = &self.environment {
            let key = environment.to_ascii_lowercase();
            sql.push(" AND e.key_folded = ").bind(&key);
            sql.push(" UNION SELECT o.number FROM change_sets o JOIN environments e");
            sql.push(" ON e.id = o.environment_id WHERE o.organization_id = ");
            sql.bind(organization.as_str());
            sql.push(" AND e.project_id IN ");
            push_projects(sql, organization, Some(project));
            sql.push(" AND e.key_folded = ").bind(&key);
        } else {
            sql.push(" UNION SELECT v.number FROM versions v WHERE v.organization_id = ");
            sql.bind(organization.as_str());
            sql.push(" AND v.scope_id IN ");
            push_projects(sql, organization, Some(project));
            sql.push(" UNION SELECT o.number FROM change_sets o WHERE o.organization_id = ");
            sql.bind(organization.as_str());
            sql.push(" AND o.project_id IN ");
            push_projects(sql, organization, Some(project));
        }
        sql.push(")");
    }

    /// Appends that an entry changed a flag, itself or what it does somewhere.
    fn push_flag(&self, sql: &mut Sql, organization: &Id<Organization>) {
        let Some(flag) = &self.flag else {
            return;
        };
        let project = self.project.as_deref();
        begin_items(sql, organization, "flag");
        sql.push("(SELECT f.id FROM flags f WHERE f.key_folded = ");
        sql.bind(flag.to_ascii_lowercase());
        sql.push(" AND f.project_id IN ");
        push_projects(sql, organization, project);
        sql.push(") AND v.scope_id IN (SELECT p.id FROM projects p WHERE p.id IN ");
        push_projects(sql, organization, project);
        sql.push(" UNION SELECT e.id FROM environments e WHERE e.project_id IN ");
        push_projects(sql, organization, project);
        sql.push("))");
    }

    /// Appends that an entry changed a segment.
    fn push_segment(&self, sql: &mut Sql, organization: &Id<Organization>) {
        let Some(segment) = &self.segment else {
            return;
        };
        begin_items(sql, organization, "segment");
        sql.push("(SELECT s.id FROM segments s WHERE s.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND s.key_folded = ")
            .bind(segment.to_ascii_lowercase())
            .push("))");
    }
}

/// Appends the beginning of: that an entry changed an item whose id is in a list, which follows.
fn begin_items(sql: &mut Sql, organization: &Id<Organization>, kind: &str) {
    sql.push(" AND c.number IN (SELECT v.number FROM change_log l JOIN versions v");
    sql.push(" ON v.scope_id = l.scope_id AND v.version = l.version WHERE v.organization_id = ");
    sql.bind(organization.as_str());
    sql.push(" AND l.item_kind = ").bind(kind);
    sql.push(" AND l.item_id IN ");
}

/// Appends the ids of the projects of a key, those too that were deleted; of all where none is
/// given.
fn push_projects(sql: &mut Sql, organization: &Id<Organization>, key: Option<&str>) {
    sql.push("(SELECT p.id FROM projects p WHERE p.organization_id = ");
    sql.bind(organization.as_str());
    if let Some(key) = key {
        sql.push(" AND p.key_folded = ")
            .bind(key.to_ascii_lowercase());
    }
    sql.push(")");
}
