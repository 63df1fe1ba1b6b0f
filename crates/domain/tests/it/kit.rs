//! A small organization to change: project `web` with `prod` and `dev`.

use std::collections::BTreeMap;

use burgee_domain::Rejected;
use burgee_domain::change;
use burgee_domain::colour::Colour;
use burgee_domain::command::Command;
use burgee_domain::decision_log::Sample;
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Flag, Organization, Project, Segment, Targeting};
use burgee_domain::outcome::{Outcome, Scope, Step};
use burgee_domain::position::Position;
use burgee_domain::workspace::{ProjectState, Workspace};
use burgee_eval::time::Millis;
use serde_json::{Value, json};

/// When everything happens.
pub(crate) const NOW: Millis = Millis(1_800_000_000_000);

pub(crate) fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

/// An organization without flags: projects `web` and `app`, each with `prod` and `dev`.
pub(crate) fn empty() -> Workspace {
    Workspace {
        organization: Organization {
            id: Id::new("org"),
            key: key("org"),
            name: "Org".into(),
            version: 0,
        },
        projects: ["web", "app"]
            .into_iter()
            .map(|it| (it.into(), project(it)))
            .collect(),
        segments: BTreeMap::new(),
        segment_uses: BTreeMap::new(),
    }
}

fn project(name: &str) -> ProjectState {
    let environment = |env: &str| Environment {
        id: Id::new(format!("{name}-{env}")),
        project: Id::new(name),
        key: key(env),
        name: env.into(),
        description: String::new(),
        protected: false,
        colour: Colour::given(&key(env), &[]),
        decisions: Sample::NONE,
        sort: 0,
        position: Position::default(),
        chain: [0; 32],
        last_stamp: Millis(0),
        created_at: Millis(0),
    };
    ProjectState {
        project: Project {
            id: Id::new(name),
            organization: Id::new("org"),
            key: key(name),
            name: name.into(),
            version: 0,
            stale_days: burgee_domain::staleness::StaleDays::default(),
            created_at: Millis(0),
        },
        environments: ["prod", "dev"]
            .into_iter()
            .map(|it| (it.into(), environment(it)))
            .collect(),
        flags: BTreeMap::new(),
        prerequisites: BTreeMap::new(),
    }
}

/// Commands from their JSON. A command that names no scope is in the project `web`.
pub(crate) fn commands(list: Value) -> Vec<Command> {
    serde_json::from_value(list).unwrap()
}

/// Applies commands at [`NOW`], with ids `id-1`, `id-2`, ….
pub(crate) fn apply(workspace: &Workspace, list: Value) -> Result<Outcome, Rejected> {
    let mut count = 0;
    let commands = commands(list);
    change::apply(workspace, change::well_formed(&commands)?, NOW, &mut || {
        count += 1;
        format!("id-{count}")
    })
}

/// The workspace after commands that must be fine.
pub(crate) fn after(mut workspace: Workspace, list: Value) -> Workspace {
    let outcome = apply(&workspace, list).unwrap();
    workspace.advance(&outcome);
    workspace
}

pub(crate) fn flag<'w>(workspace: &'w Workspace, key: &str) -> &'w Flag {
    &workspace.projects["web"].flags[key].flag
}

pub(crate) fn targeting<'w>(
    workspace: &'w Workspace,
    environment: &str,
    key: &str,
) -> &'w Targeting {
    &workspace.projects["web"].flags[key].targetings[&Id::new(format!("web-{environment}"))]
}

pub(crate) fn segment<'w>(workspace: &'w Workspace, id: &str) -> &'w Segment {
    &workspace.segments[&Id::new(id)].segment
}

/// The step of a scope, by the id of its project or environment.
pub(crate) fn step<'o>(outcome: &'o Outcome, of: &str) -> &'o Step {
    let is = |scope: &Scope| match scope {
        Scope::Organization(id) => id.as_str() == of,
        Scope::Project(id) => id.as_str() == of,
        Scope::Environment(id) => id.as_str() == of,
    };
    outcome.steps.iter().find(|step| is(&step.scope)).unwrap()
}

/// The workspace that most tests begin with. In `web`: the flags `bool` (variations `t`, `f`),
/// `text` (`a`, `b`, `c`) on in prod, `number` (`n`), `json` (`j`) and the archived `old`. Segments
/// by id: `in-prod`, `in-dev`, `in-app` (another project), `shared` (the organization's).
pub(crate) fn ready() -> Workspace {
    let flag = |key: &str, kind: &str, variations: Value| {
        json!({"kind": "createFlag", "project": "web", "flag": key, "id": format!("id-of-{key}"),
            "type": kind, "variations": variations})
    };
    let segment = |key: &str, at: Value| {
        let mut segment = json!({"kind": "createSegment", "segment": key, "id": key});
        let fields = segment.as_object_mut().unwrap();
        fields.extend(at.as_object().unwrap().clone());
        segment
    };
    after(
        empty(),
        json!([
            flag("bool", "boolean", json!([{"id": "t", "value": "true"}, {"id": "f", "value": "false"}])),
            flag("text", "string", json!([{"id": "a", "value": "A"}, {"id": "b", "value": "B"}, {"id": "c", "value": "C"}])),
            flag("number", "number", json!([{"id": "n", "value": "1"}])),
            flag("json", "json", json!([{"id": "j", "value": "{}"}])),
            flag("old", "boolean", json!([])),
            {"kind": "archiveFlag", "project": "web", "flag": "old"},
            {"kind": "turnOn", "project": "web", "environment": "prod", "flag": "text"},
            segment("in-prod", json!({"project": "web", "environment": "prod"})),
            segment("in-dev", json!({"project": "web", "environment": "dev"})),
            segment("in-app", json!({"project": "app"})),
            segment("shared", json!({})),
        ]),
    )
}

/// A command on a flag of `web`, in `prod` where it needs an environment.
pub(crate) fn on(flag: &str, kind: &str, fields: Value) -> Value {
    let of_flag = [
        "createFlag",
        "renameFlag",
        "describeFlag",
        "setFlagTags",
        "setVariations",
        "updateVariation",
        "archiveFlag",
        "restoreFlag",
        "deleteFlag",
    ];
    let mut command = json!({"kind": kind, "project": "web", "flag": flag});
    if !of_flag.contains(&kind) {
        command["environment"] = "prod".into();
    }
    with(command, fields)
}

/// A command on the segment `in-prod`.
pub(crate) fn people(kind: &str, fields: Value) -> Value {
    let command =
        json!({"kind": kind, "project": "web", "environment": "prod", "segment": "in-prod"});
    with(command, fields)
}

/// An object with fields set.
pub(crate) fn with(mut object: Value, fields: Value) -> Value {
    for (name, field) in fields.as_object().unwrap() {
        object[name] = field.clone();
    }
    object
}
