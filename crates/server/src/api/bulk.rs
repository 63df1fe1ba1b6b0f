//! One command for many flags: a change set over a selection.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::command;
use burgee_domain::model::{Life, Project};
use burgee_store::page::{MAX_LIMIT, PageRequest};
use burgee_store::{FlagFilter, Planned};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::api;
use crate::api::flags::FlagState;
use crate::api::planned::{PlannedResult, asking, carry_out};
use crate::api::revert::{MAX_FLAGS, few_flags};
use crate::app::AppState;
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

asking! {
    /// A command for many flags.
    pub struct Bulk {
        /// The keys of the flags, 500 at most. Either this or `filter`.
        pub flags: Option<Vec<String>>,
        /// Which flags, of those that the caller sees.
        pub filter: Option<BulkFilter>,
        /// A command on a flag or its targeting (`kind` and its fields), without `flag` and `project`.
        /// See `docs/api.md` for all of them.
        #[schema(value_type = Object)]
        pub command: Value,
    }
}

/// Which flags, as their list is filtered.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BulkFilter {
    /// A text that the key, the name or the description contains, whatever its case.
    pub search: Option<String>,
    /// A tag that the flag has.
    pub tag: Option<String>,
    /// `live` (also where absent) or `archived`.
    pub state: Option<FlagState>,
    /// An environment's key: only flags that are on or off there, as `enabled` says.
    pub environment: Option<String>,
    /// With `environment`: on (`true`) or off (`false`, which includes not released).
    pub enabled: Option<bool>,
}

/// Apply one command to many flags, as one change set.
#[utoipa::path(post, path = "/api/v1/projects/{project}/bulk", tag = "flags",
    params(("project", description = "The project's key")), request_body = Bulk,
    responses((status = 200, body = PlannedResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem), (status = 503, body = Problem)))]
pub async fn apply(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    Body(mut new): Body<Bulk>,
) -> Result<Json<PlannedResult>, Problem> {
    let project = api::project(&state, &caller, &project).await?;
    let what = json!({"bulk": project.id, "flags": new.flags, "filter": new.filter,
        "command": new.command});
    let common = new.common();
    let plan = async {
        let flags = match (new.flags, new.filter) {
            (Some(flags), None) => {
                few_flags(&flags)?;
                flags
            }
            (None, Some(filter)) => selected(&state, &caller, &project, filter).await?,
            _ => {
                let rule = "say which flags: either with `flags` or with `filter`";
                return Err(Problem::invalid("/flags", "flagsMissing", rule));
            }
        };
        let commands = for_each(&new.command, flags)?;
        Ok(Planned {
            commands: command::parse(commands, Some(project.key.as_str()))?,
            ..Planned::default()
        })
    };
    carry_out(&state, &caller, common, &what, plan).await
}

/// The command for each of the flags.
fn for_each(command: &Value, flags: Vec<String>) -> Result<Vec<Value>, Problem> {
    let Value::Object(fields) = command else {
        let rule = "a command is a JSON object";
        return Err(Problem::invalid("/command", "commandInvalid", rule));
    };
    if fields.contains_key("flag") {
        let rule = "the flags are named beside the command";
        return Err(Problem::invalid("/command/flag", "flagUnexpected", rule));
    }
    if fields.contains_key("segment") {
        let rule = "only commands on flags";
        return Err(Problem::invalid(
            "/command/segment",
            "segmentUnexpected",
            rule,
        ));
    }
    let commands = flags.into_iter().map(|flag| {
        let mut fields = fields.clone();
        fields.insert("flag".to_owned(), flag.into());
        Value::Object(fields)
    });
    Ok(commands.collect())
}

/// The keys of the flags that a filter finds.
async fn selected(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    filter: BulkFilter,
) -> Result<Vec<String>, Problem> {
    let enabled = match (&filter.environment, filter.enabled) {
        (Some(key), Some(enabled)) => {
            let found = api::environment(state, caller, project.key.as_str(), key).await?;
            Some((found.1.id, enabled))
        }
        (None, None) => None,
        _ => {
            let rule = "`environment` and `enabled` go together";
            return Err(Problem::invalid("/filter/enabled", "together", rule));
        }
    };
    let filter = FlagFilter {
        search: filter.search,
        tag: filter.tag,
        life: filter.state.map(Life::from),
        enabled,
    };
    let (mut keys, mut cursor) = (Vec::new(), None);
    loop {
        let page = PageRequest {
            cursor,
            limit: Some(MAX_LIMIT),
        };
        let found = state.store.flags(&project.id, &filter, &page).await?;
        for listed in found.items {
            let flag = listed.flag;
            let resource = Resource::project(project.key.as_str());
            let resource = resource.with(Kind::Flag, flag.key.as_str());
            if caller
                .rights
                .allow("flag.read", &resource.tagged(&flag.tags))
            {
                keys.push(flag.key.to_string());
            }
        }
        if keys.len() > MAX_FLAGS {
            let rule = format!("it finds more than {MAX_FLAGS} flags, which is the limit");
            return Err(Problem::invalid("/filter", "tooManyFlags", rule));
        }
        match found.next {
            Some(next) => cursor = Some(next),
            None => return Ok(keys),
        }
    }
}
