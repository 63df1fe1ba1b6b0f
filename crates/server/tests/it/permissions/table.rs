//! Every operation of the API: how it is called so that it works, and what that takes.

use serde_json::{Value, json};

use super::fixture::{Fixture, allow, soon};

/// An operation as a token calls it.
pub(crate) struct Operation {
    /// As the document names it: `GET /api/v1/projects/{project}`.
    pub(crate) name: &'static str,
    /// The path below `/api/v1`, about things that are there.
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    /// Actions of which each must be allowed; without one it is 403.
    pub(crate) needs: Vec<&'static str>,
    /// The action without which a list is empty.
    pub(crate) shows: Option<&'static str>,
    /// What it takes besides, of which others would do as well.
    pub(crate) also: Option<&'static str>,
}

impl Operation {
    pub(crate) fn method(&self) -> reqwest::Method {
        let (method, _) = self.name.split_once(' ').unwrap();
        method.parse().unwrap()
    }

    /// Whether it only asks.
    pub(crate) fn asks(&self) -> bool {
        let asks = [
            "permissions",
            "projects/default/environments/prod/evaluate",
            "projects/default/environments/prod/evaluate/explain",
            "projects/default/environments/prod/flags/known/audience",
            "projects/default/environments/prod/segment-audience",
        ];
        self.method() == "GET" || asks.contains(&self.path.as_str())
    }

    /// Whether the history says that it was done: it changes something, or takes away all there is.
    pub(crate) fn is_recorded(&self) -> bool {
        let takes = [
            "audit/export",
            "projects/default/environments/prod/user-export",
        ];
        !self.asks() || takes.contains(&self.path.as_str())
    }

    /// Whether the path names something of the organization.
    pub(crate) fn names_something(&self) -> bool {
        self.name.contains('{')
    }

    fn sends(self, body: Value) -> Self {
        let body = Some(body);
        Self { body, ..self }
    }

    fn shows(self, action: &'static str) -> Self {
        let shows = Some(action);
        Self { shows, ..self }
    }

    fn also(self, action: &'static str) -> Self {
        let also = Some(action);
        Self { also, ..self }
    }
}

fn op(name: &'static str, path: impl Into<String>, needs: &[&'static str]) -> Operation {
    Operation {
        name,
        path: path.into(),
        body: None,
        needs: needs.to_vec(),
        shows: None,
        also: None,
    }
}

/// Operations that ask for no credentials.
pub(crate) const OPEN: [&str; 6] = [
    "GET /api/v1/session/oidc",
    "GET /api/v1/session/oidc/{organization}",
    "POST /api/v1/links/follow",
    "POST /api/v1/links/look",
    "POST /api/v1/session",
    "POST /api/v1/session/reset",
];

/// Streams, which do not end by themselves: who hears what is told in the stories of events.
pub(crate) const STREAMS: [&str; 1] = ["GET /api/v1/events"];

/// Operations on one's own account: for a session alone.
pub(crate) const OWN_ACCOUNT: [&str; 11] = [
    "DELETE /api/v1/me/second-factor",
    "DELETE /api/v1/me/sessions/{id}",
    "DELETE /api/v1/session",
    "GET /api/v1/me/sessions",
    "GET /api/v1/me/settings",
    "GET /api/v1/session",
    "PATCH /api/v1/me",
    "POST /api/v1/me/password",
    "POST /api/v1/me/second-factor/seed",
    "PUT /api/v1/me/second-factor",
    "PUT /api/v1/me/settings",
];

/// All other operations, in an order in which each works.
pub(crate) fn operations(of: &Fixture) -> Vec<Operation> {
    let mut all = Vec::new();
    all.extend(organization());
    all.extend(projects());
    all.extend(environments());
    all.extend(sdk_keys(of));
    all.extend(users());
    all.extend(flags_and_segments());
    all.extend(changes(of));
    all.extend(files());
    all.extend(planned());
    all.extend(history(of));
    all.extend(requests(of));
    all.extend(audit());
    all.extend(members(of));
    all.extend(sign_in());
    all.extend(groups());
    all.extend(policies());
    all.extend(tokens(of));
    all.extend(relays(of));
    all
}

fn organization() -> Vec<Operation> {
    vec![
        op(
            "GET /api/v1/organization",
            "organization",
            &["organization.read"],
        ),
        op(
            "PATCH /api/v1/organization",
            "organization",
            &["organization.update"],
        )
        .sends(json!({"name": "Renamed"})),
    ]
}

fn projects() -> Vec<Operation> {
    vec![
        op("GET /api/v1/projects", "projects", &[]).shows("project.read"),
        op("POST /api/v1/projects", "projects", &["project.create"]).sends(json!({"key": "made"})),
        op(
            "GET /api/v1/projects/{project}",
            "projects/default",
            &["project.read"],
        ),
        op(
            "PATCH /api/v1/projects/{project}",
            "projects/default",
            &["project.update", "project.read"],
        )
        .sends(json!({"name": "Renamed"})),
        op(
            "DELETE /api/v1/projects/{project}",
            "projects/spare",
            &["project.delete", "project.read"],
        ),
    ]
}

fn environments() -> Vec<Operation> {
    let all = "projects/default/environments";
    vec![
        op("GET /api/v1/environments", "environments", &[])
            .shows("environment.read")
            .also("project.read"),
        op(
            "GET /api/v1/projects/{project}/environments",
            all,
            &["project.read"],
        )
        .shows("environment.read"),
        op(
            "POST /api/v1/projects/{project}/environments",
            all,
            &["environment.create", "project.read"],
        )
        .sends(json!({"key": "made"})),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}",
            format!("{all}/prod"),
            &["environment.read", "project.read"],
        ),
        op(
            "PATCH /api/v1/projects/{project}/environments/{environment}",
            format!("{all}/prod"),
            &["environment.update", "environment.read", "project.read"],
        )
        .sends(json!({"name": "Renamed"})),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/move",
            format!("{all}/prod/move"),
            &["environment.update", "environment.read", "project.read"],
        )
        .sends(json!({})),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/rules",
            format!("{all}/prod/rules"),
            &["environment.read", "project.read"],
        ),
        // Of an environment that asks for more, see the fixture.
        op(
            "PUT /api/v1/projects/{project}/environments/{environment}/rules",
            format!("{all}/spare/rules"),
            &[
                "environment.setRules",
                "environment.loosenRules",
                "environment.read",
                "project.read",
            ],
        )
        .sends(json!({})),
        op(
            "DELETE /api/v1/projects/{project}/environments/{environment}",
            format!("{all}/spare"),
            &["environment.delete", "environment.read", "project.read"],
        ),
    ]
}

fn sdk_keys(of: &Fixture) -> Vec<Operation> {
    let all = "projects/default/environments/prod/sdk-keys";
    let write = ["sdkKey.write", "environment.read", "project.read"];
    vec![
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/sdk-keys",
            all,
            &["sdkKey.read", "environment.read", "project.read"],
        ),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/sdk-keys",
            all,
            &write,
        )
        .sends(json!({"kind": "client", "name": "made"})),
        op(
            "PATCH /api/v1/projects/{project}/environments/{environment}/sdk-keys/{id}",
            format!("{all}/{}", of.sdk_key),
            &write,
        )
        .sends(json!({"name": "Renamed"})),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/sdk-keys/{id}/rotate",
            format!("{all}/{}/rotate", of.sdk_key),
            &write,
        )
        .sends(json!({"graceSeconds": 3_600})),
        op(
            "DELETE /api/v1/projects/{project}/environments/{environment}/sdk-keys/{id}",
            format!("{all}/{}", of.sdk_key),
            &write,
        ),
    ]
}

fn users() -> Vec<Operation> {
    let environment = "projects/default/environments/prod";
    let see = ["environment.read", "project.read"];
    let read = ["user.read", "environment.read", "project.read"];
    let write = ["user.write", "environment.read", "project.read"];
    vec![
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/decisions",
            format!("{environment}/decisions"),
            &read,
        )
        .shows("flag.read"),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/users",
            format!("{environment}/users"),
            &read,
        ),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/users/{key}",
            format!("{environment}/users/known"),
            &read,
        ),
        op(
            "DELETE /api/v1/projects/{project}/environments/{environment}/users/{key}",
            format!("{environment}/users/spare"),
            &write,
        ),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/users",
            format!("{environment}/users"),
            &write,
        )
        .sends(json!({"key": "made"})),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/user-export",
            format!("{environment}/user-export"),
            &read,
        ),
        op(
            "POST /api/v1/users/forget",
            "users/forget",
            &["user.forget"],
        )
        .sends(json!({"key": "gone"})),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/properties",
            format!("{environment}/properties"),
            &read,
        ),
        op(
            "GET /api/v1/projects/{project}/user-properties",
            "projects/default/user-properties",
            &["project.read"],
        ),
        op(
            "PUT /api/v1/projects/{project}/user-properties/{name}",
            "projects/default/user-properties/plan",
            &["user.write", "project.read"],
        )
        .sends(json!({"presets": [{"value": "pro"}]})),
        op(
            "GET /api/v1/projects/{project}/user-properties/{name}",
            "projects/default/user-properties/plan",
            &["project.read"],
        ),
        op(
            "DELETE /api/v1/projects/{project}/user-properties/{name}",
            "projects/default/user-properties/spare",
            &["user.write", "project.read"],
        ),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/activity",
            format!("{environment}/activity"),
            &see,
        ),
        op(
            "GET /api/v1/projects/{project}/flags/{flag}/counts",
            "projects/default/flags/known/counts?environment=prod",
            &["environment.read", "project.read", "flag.read"],
        ),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/evaluate",
            format!("{environment}/evaluate"),
            &["environment.read", "project.read", "user.read", "flag.read"],
        )
        .sends(json!({"key": "known", "flag": "known"})),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/evaluate/explain",
            format!("{environment}/evaluate/explain"),
            &["environment.read", "project.read", "user.read", "flag.read"],
        )
        .sends(json!({"key": "known", "flag": "known"})),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/effects",
            format!("{environment}/effects?from=0"),
            &["environment.read", "project.read", "user.read"],
        ),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/flags/{flag}/audience",
            format!("{environment}/flags/known/audience"),
            &["environment.read", "project.read", "user.read", "flag.read"],
        )
        .sends(json!({})),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/segment-audience",
            format!("{environment}/segment-audience"),
            &["environment.read", "project.read", "user.read"],
        )
        .sends(json!({"included": ["known"]})),
    ]
}

fn flags_and_segments() -> Vec<Operation> {
    let project = "projects/default";
    let environment = "projects/default/environments/prod";
    vec![
        op(
            "GET /api/v1/projects/{project}/flags",
            format!("{project}/flags"),
            &["project.read"],
        )
        .shows("flag.read"),
        op(
            "GET /api/v1/projects/{project}/flag-index",
            format!("{project}/flag-index"),
            &["project.read"],
        )
        .shows("flag.read"),
        op(
            "GET /api/v1/projects/{project}/flags/{flag}",
            format!("{project}/flags/known"),
            &["project.read", "flag.read"],
        ),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/prerequisites",
            format!("{environment}/prerequisites"),
            &["environment.read", "project.read"],
        )
        .shows("flag.read"),
        op("GET /api/v1/search", "search?q=known&kinds=flag", &[])
            .shows("flag.read")
            .also("project.read"),
        op("GET /api/v1/segments", "segments", &[]).shows("segment.read"),
        op(
            "GET /api/v1/segments/{segment}",
            "segments/known",
            &["segment.read"],
        ),
        op(
            "GET /api/v1/projects/{project}/segments",
            format!("{project}/segments"),
            &["project.read"],
        )
        .shows("segment.read"),
        op(
            "GET /api/v1/projects/{project}/segments/{segment}",
            format!("{project}/segments/known"),
            &["project.read", "segment.read"],
        ),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/segments",
            format!("{environment}/segments"),
            &["environment.read", "project.read"],
        )
        .shows("segment.read"),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/segments/{segment}",
            format!("{environment}/segments/known"),
            &["environment.read", "project.read", "segment.read"],
        ),
    ]
}

fn changes(of: &Fixture) -> Vec<Operation> {
    let create = |flag: &str| {
        json!({"commands": [{"kind": "createFlag", "project": "default", "flag": flag,
            "type": "boolean"}]})
    };
    vec![
        op("GET /api/v1/changes", "changes", &[]).also("audit.read"),
        op("POST /api/v1/changes", "changes", &["flag.create"]).sends(create("made")),
        op(
            "GET /api/v1/changes/{id}",
            format!("changes/{}", of.change_set),
            &[],
        )
        .also("audit.read"),
        op(
            "GET /api/v1/changes/{id}/delivery",
            format!("changes/{}/delivery", of.change_set),
            &[],
        )
        .also("audit.read"),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/connections",
            "projects/default/environments/prod/connections",
            &["environment.read", "project.read"],
        ),
        op(
            "GET /api/v1/projects/{project}/changes",
            "projects/default/changes",
            &["project.read"],
        ),
        op(
            "POST /api/v1/projects/{project}/changes",
            "projects/default/changes",
            &["flag.create", "project.read"],
        )
        .sends(create("made-too")),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/changes",
            "projects/default/environments/prod/changes",
            &["environment.read", "project.read"],
        ),
    ]
}

fn files() -> Vec<Operation> {
    let sees = [
        "flag.read",
        "segment.read",
        "environment.read",
        "project.read",
    ];
    let file = json!({"burgee": 1, "project": "default",
        "flags": {"filed": {"type": "string", "variations": [{"value": "a"}]}}});
    let flag = json!({"id": "f1", "key": "from-featbit", "variationType": "boolean",
        "variations": [{"id": "t", "value": "true"}], "disabledVariationId": "t",
        "fallthrough": {"variations": [{"id": "t", "rollout": [0, 1]}]}});
    vec![
        op(
            "GET /api/v1/projects/{project}/export",
            "projects/default/export?format=json",
            &sees,
        ),
        op(
            "POST /api/v1/projects/{project}/import",
            "projects/default/import",
            &[&["flag.create"], &sees[..]].concat(),
        )
        .sends(json!({"file": file})),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/import/featbit",
            "projects/default/environments/prod/import/featbit",
            &["flag.import", "environment.read", "project.read"],
        )
        .sends(json!({"flags": [flag]})),
    ]
}

fn planned() -> Vec<Operation> {
    let describe = json!({"kind": "describeFlag", "description": "D"});
    vec![
        op(
            "GET /api/v1/projects/{project}/compare",
            "projects/default/compare?environments=prod,dev",
            &["environment.read", "project.read"],
        )
        .shows("flag.read"),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/promote",
            "projects/default/environments/prod/promote",
            &[
                "flag.turnOn",
                "flag.read",
                "environment.read",
                "project.read",
            ],
        )
        .sends(json!({"to": "dev", "flags": ["lit"], "targets": "copy"})),
        op(
            "POST /api/v1/projects/{project}/flags/{flag}/clone",
            "projects/default/flags/lit/clone",
            &["flag.create", "flag.read", "project.read"],
        )
        .sends(json!({"key": "twin"})),
        op(
            "POST /api/v1/projects/{project}/bulk",
            "projects/default/bulk",
            &["flag.describe", "project.read"],
        )
        .sends(json!({"flags": ["lit", "twin"], "command": describe})),
    ]
}

fn history(of: &Fixture) -> Vec<Operation> {
    let prod = "projects/default/environments/prod";
    vec![
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/versions",
            format!("{prod}/versions"),
            &["environment.read", "project.read"],
        ),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/state",
            format!("{prod}/state"),
            &["environment.read", "project.read"],
        ),
        op(
            "GET /api/v1/projects/{project}/environments/{environment}/flags/{flag}",
            format!("{prod}/flags/lit"),
            &["environment.read", "project.read"],
        )
        .also("flag.read"),
        op(
            "POST /api/v1/projects/{project}/environments/{environment}/revert",
            format!("{prod}/revert"),
            &["flag.turnOff", "environment.read", "project.read"],
        )
        .sends(json!({"version": 0, "flags": ["lit"]})),
        op(
            "POST /api/v1/changes/{id}/revert",
            format!("changes/{}/revert", of.change_set),
            &[
                "flag.archive",
                "flag.delete",
                "segment.archive",
                "segment.delete",
            ],
        )
        .sends(json!({}))
        .also("audit.read"),
    ]
}

fn audit() -> Vec<Operation> {
    vec![
        op("GET /api/v1/audit", "audit", &["audit.read"]),
        op("GET /api/v1/audit/export", "audit/export", &["audit.read"]),
        op(
            "GET /api/v1/audit/retention",
            "audit/retention",
            &["audit.read"],
        ),
        op(
            "PUT /api/v1/audit/retention",
            "audit/retention",
            &["audit.retain"],
        )
        .sends(json!({"days": 90})),
    ]
}

fn requests(of: &Fixture) -> Vec<Operation> {
    let turn = |environment: &str| {
        json!([{"kind": "turnOn", "project": "default", "flag": "asked",
            "environment": environment}])
    };
    let one = format!("requests/{}", of.request);
    let sees = ["environment.read", "flag.read"];
    let and = |action: &'static str| [&[action], &sees[..]].concat();
    vec![
        op("GET /api/v1/requests", "requests", &[])
            .shows("environment.read")
            .also("flag.read"),
        op("POST /api/v1/requests", "requests", &["flag.turnOn"])
            .sends(json!({"title": "Made", "commands": turn("dev")})),
        op("GET /api/v1/requests/{id}", &*one, &sees),
        op(
            "POST /api/v1/requests/{id}/comments",
            format!("{one}/comments"),
            &and("change.comment"),
        )
        .sends(json!({"text": "Why?"})),
        op(
            "POST /api/v1/requests/{id}/reviews",
            format!("{one}/reviews"),
            &and("change.review"),
        )
        .sends(json!({"verdict": "approve", "revision": 1})),
        op(
            "POST /api/v1/requests/{id}/revisions",
            format!("{one}/revisions"),
            &and("flag.turnOn"),
        )
        .sends(json!({"commands": turn("dev")})),
        op(
            "POST /api/v1/requests/{id}/rebase",
            format!("{one}/rebase"),
            &and("flag.turnOn"),
        ),
        op("GET /api/v1/schedule", "schedule", &[])
            .shows("environment.read")
            .also("flag.read"),
        op("GET /api/v1/inbox", "inbox", &[]),
        op(
            "POST /api/v1/requests/{id}/reschedule",
            format!("requests/{}/reschedule", of.series),
            &[&and("flag.turnOn")[..], &["flag.turnOff"]].concat(),
        )
        .sends(json!({"at": [soon(30), soon(40), soon(50)]})),
        op(
            "DELETE /api/v1/requests/{id}/steps/{step}",
            format!("requests/{}/steps/3", of.series),
            &[&and("flag.turnOn")[..], &["flag.turnOff"]].concat(),
        ),
        op(
            "POST /api/v1/requests/{id}/apply",
            format!("{one}/apply"),
            &and("change.apply"),
        )
        .sends(json!({})),
        op(
            "POST /api/v1/requests/{id}/withdraw",
            format!("requests/{}/withdraw", of.idle_request),
            &and("change.withdraw"),
        ),
    ]
}

fn members(of: &Fixture) -> Vec<Operation> {
    let (mate, leaver) = (
        format!("members/{}", of.mate),
        format!("members/{}", of.leaver),
    );
    let update = json!({"policies": ["developer"], "groups": ["ours"]});
    let invite = json!({"email": "new@example.com", "policies": ["reader"]});
    vec![
        op("GET /api/v1/members", "members", &["member.read"]),
        op("GET /api/v1/members/{id}", &*mate, &["member.read"]),
        op("PUT /api/v1/members/{id}", &*mate, &["member.update"])
            .sends(update)
            .also("policy.give"),
        op(
            "POST /api/v1/members/{id}/reset-link",
            format!("{mate}/reset-link"),
            &["member.reset"],
        )
        .also("policy.give"),
        op("DELETE /api/v1/members/{id}", leaver, &["member.remove"]),
        op("GET /api/v1/invitations", "invitations", &["member.read"]),
        op(
            "POST /api/v1/invitations",
            "invitations",
            &["member.invite"],
        )
        .sends(invite)
        .also("policy.give"),
        op(
            "DELETE /api/v1/invitations/{id}",
            format!("invitations/{}", of.invitation),
            &["member.invite"],
        ),
    ]
}

fn sign_in() -> Vec<Operation> {
    let set = json!({"issuer": "https://id.test", "clientId": "burgee",
        "domains": ["made.test"], "newcomers": {"policies": ["reader"]}});
    let path = "organization/sign-in";
    let set_needs = ["organization.setSignIn", "organization.own"];
    vec![
        op("PUT /api/v1/organization/sign-in", path, &set_needs).sends(set),
        op(
            "GET /api/v1/organization/sign-in",
            path,
            &["organization.read"],
        ),
        op("DELETE /api/v1/organization/sign-in", path, &set_needs),
    ]
}

fn groups() -> Vec<Operation> {
    let new = json!({"key": "made", "name": "Made", "policies": ["reader"]});
    let update = json!({"name": "Renamed", "policies": ["reader"]});
    vec![
        op("GET /api/v1/groups", "groups", &[]).shows("group.read"),
        op("POST /api/v1/groups", "groups", &["group.write"])
            .sends(new)
            .also("policy.give"),
        op("GET /api/v1/groups/{group}", "groups/ours", &["group.read"]),
        op(
            "PUT /api/v1/groups/{group}",
            "groups/ours",
            &["group.write"],
        )
        .sends(update)
        .also("policy.give"),
        op(
            "DELETE /api/v1/groups/{group}",
            "groups/spare",
            &["group.write"],
        ),
    ]
}

fn policies() -> Vec<Operation> {
    let statements = json!([allow(&["flag.read"])]);
    let new = json!({"key": "made", "name": "Made", "statements": statements});
    let update = json!({"name": "Renamed", "statements": statements});
    let question = json!({"action": "flag.read", "resource": "project/default:flag/known"});
    vec![
        op("GET /api/v1/actions", "actions", &["policy.read"]),
        op("GET /api/v1/policies", "policies", &[]).shows("policy.read"),
        op("POST /api/v1/policies", "policies", &["policy.write"])
            .sends(new)
            .also("policy.give"),
        op(
            "GET /api/v1/policies/{policy}",
            "policies/ours",
            &["policy.read"],
        ),
        op(
            "PUT /api/v1/policies/{policy}",
            "policies/ours",
            &["policy.write"],
        )
        .sends(update)
        .also("policy.give"),
        op(
            "DELETE /api/v1/policies/{policy}",
            "policies/spare",
            &["policy.write"],
        ),
        op("POST /api/v1/permissions", "permissions", &[]).sends(json!({"questions": [question]})),
        op(
            "GET /api/v1/permissions/holders",
            "permissions/holders?action=flag.turnOn&resource=project/*",
            &[],
        ),
    ]
}

fn tokens(of: &Fixture) -> Vec<Operation> {
    let new = json!({"kind": "service", "name": "made", "policies": ["reader"]});
    vec![
        op("GET /api/v1/tokens", "tokens", &[]).shows("token.read"),
        // A token that stands for nobody bounds nothing.
        op(
            "POST /api/v1/tokens",
            "tokens",
            &["token.write", "organization.own"],
        )
        .sends(new)
        .also("policy.give"),
        op(
            "DELETE /api/v1/tokens/{id}",
            format!("tokens/{}", of.token),
            &["token.write"],
        ),
    ]
}

fn relays(of: &Fixture) -> Vec<Operation> {
    let key = format!("relay-keys/{}", of.relay_key);
    let reveal = "sdkKey.reveal";
    vec![
        op("GET /api/v1/relay-keys", "relay-keys", &[]).shows("relayKey.read"),
        op(
            "POST /api/v1/relay-keys",
            "relay-keys",
            &["relayKey.create", reveal],
        )
        .sends(json!({"name": "made", "scope": {"all": true}})),
        op(
            "GET /api/v1/relay-keys/{id}",
            key.as_str(),
            &["relayKey.read"],
        ),
        op(
            "PATCH /api/v1/relay-keys/{id}",
            key.as_str(),
            &["relayKey.update"],
        )
        .sends(json!({"name": "Renamed"})),
        op(
            "POST /api/v1/relay-keys/{id}/rotate",
            format!("{key}/rotate"),
            &["relayKey.rotate", reveal],
        )
        .sends(json!({"graceSeconds": 60})),
        op("DELETE /api/v1/relay-keys/{id}", key, &["relayKey.revoke"]),
        op("GET /api/v1/relay-agents", "relay-agents", &[]).shows("relayAgent.read"),
        op(
            "DELETE /api/v1/relay-agents/{id}",
            "relay-agents/gone",
            &["relayAgent.remove"],
        ),
    ]
}
