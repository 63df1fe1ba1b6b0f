//! What policies are for: the sentences that people want to say with them.

use serde_json::{Value, json};

use super::fixture::{allow, id, on, with};
use crate::kit::{create, flag_on, in_prod, on_each_database, texts, variations};

const EVALUATE: &str = "projects/default/environments/prod/evaluate";

fn tagged(flag: &str, tag: &str) -> Value {
    json!({"kind": "createFlag", "flag": flag, "type": "boolean", "tags": [tag]})
}

fn of_default(mut command: Value) -> Value {
    command["project"] = json!("default");
    command
}

fn set(commands: &[Value]) -> Value {
    let commands: Vec<Value> = commands.iter().cloned().map(of_default).collect();
    json!({ "commands": commands })
}

fn turn_on_in(environment: &str) -> Value {
    json!({"kind": "turnOn", "flag": "known", "environment": environment})
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_turns_flags_on_and_off_in_prod_but_edits_no_rules() {
    on_each_database(async |app| {
        app.apply(json!([create("known")])).await;
        let (on_variation, _) = variations(&app.owner, "known").await;
        let switches = ["flag.turnOn", "flag.turnOff"];
        let where_ = ["project/default:env/prod:flag/*"];
        let operator = with(app, json!([on("allow", &switches, &where_)])).await;
        for kind in ["turnOn", "turnOff", "turnOn"] {
            let command = set(&[in_prod(kind, "known")]);
            operator.post("changes", &command).await.expect(200);
        }
        let mut rule = in_prod("addRule", "known");
        rule["rule"] = json!({"conditions": [], "variation": on_variation});
        let before = app.owner.get("projects/default/flags/known").await;
        let before = before.expect(200);
        for refused in [
            set(&[rule.clone()]),
            set(&[turn_on_in("dev")]),
            // Not even together with what is allowed: all or nothing.
            set(&[in_prod("turnOff", "known"), rule]),
        ] {
            operator.post("changes", &refused).await.problem(403);
        }
        let after = app.owner.get("projects/default/flags/known").await;
        assert_eq!(after.expect(200), before);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_segment_takes_the_permission_in_each_environment() {
    on_each_database(async |app| {
        let made = json!({"commands": [{"kind": "createSegment", "segment": "staff"}]});
        app.owner.post("changes", &made).await.expect(200);
        let staff = id(&app.owner.get("segments/staff").await.expect(200));
        app.apply(json!([create("known")])).await;
        let (on_variation, _) = variations(&app.owner, "known").await;
        let rule = |environment: &str| {
            json!({"kind": "addRule", "flag": "known", "environment": environment, "rule":
                {"variation": on_variation, "conditions": [{"property": "User is in segment",
                    "value": json!([staff]).to_string()}]}})
        };
        app.apply(json!([rule("prod"), rule("dev")])).await;

        let include = json!({"commands": [
            {"kind": "addIncluded", "segment": "staff", "keys": ["ann"]}]});
        let add = ["segment.addIncluded"];
        let segment_alone = with(app, json!([on("allow", &add, &["segment/*"])])).await;
        segment_alone.post("changes", &include).await.problem(403);
        for environment in ["prod", "dev"] {
            let place = format!("project/default:env/{environment}");
            let but = json!([allow(&["*"]), on("deny", &add, &[&place])]);
            let refused = with(app, but).await.post("changes", &include).await;
            let problem = refused.problem(403);
            let detail = problem.body["detail"].as_str().unwrap();
            assert!(detail.contains(&place), "{detail}");
        }
        let shown = app.owner.get("segments/staff").await.expect(200);
        assert_eq!(shown["included"], json!([]));
        let places = ["segment/staff", "project/default"];
        let may = with(app, json!([on("allow", &add, &places)])).await;
        may.post("changes", &include).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_tags_a_flag_into_or_out_of_their_reach() {
    on_each_database(async |app| {
        app.apply(json!([tagged("mine", "mine"), tagged("theirs", "theirs")]))
            .await;
        let reach = ["project/default:flag/*;mine"];
        let caller = with(app, json!([on("allow", &["flag.*"], &reach)])).await;
        let tags = |flag: &str, tags: Value| {
            set(&[json!({"kind": "setFlagTags", "flag": flag, "tags": tags})])
        };
        let rename = json!({"kind": "renameFlag", "flag": "theirs", "name": "Mine"});
        for refused in [
            tags("theirs", json!(["mine"])),
            tags("theirs", json!(["theirs", "mine"])),
            tags("mine", json!(["theirs"])),
            tags("mine", json!([])),
            // In one change set, where the tag would be there by then.
            set(&[
                json!({"kind": "setFlagTags", "flag": "theirs", "tags": ["mine"]}),
                rename,
            ]),
        ] {
            caller.post("changes", &refused).await.problem(403);
        }
        let also = tags("mine", json!(["mine", "more"]));
        caller.post("changes", &also).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_show_what_somebody_may_see() {
    on_each_database(async |app| {
        let other = json!({"key": "other"});
        app.owner.post("projects", &other).await.expect(201);
        app.apply(json!([tagged("mine", "mine"), tagged("theirs", "theirs"),
            {"kind": "createSegment", "segment": "mine", "project": "default"},
            {"kind": "createSegment", "segment": "theirs", "project": "default"}]))
            .await;
        let shared = json!({"commands": [{"kind": "createSegment", "segment": "everyones"}]});
        app.owner.post("changes", &shared).await.expect(200);
        let caller = with(
            app,
            json!([
                on("allow", &["project.read"], &["project/default"]),
                on("allow", &["environment.read"], &["project/default:env/dev"]),
                on("allow", &["flag.read"], &["project/default:flag/*;mine"]),
                on("allow", &["segment.read"], &["project/default:segment/m*"]),
            ]),
        )
        .await;
        let keys = async |path: &str| texts(&caller.get(path).await.expect(200), "key");
        assert_eq!(keys("projects").await, ["default"]);
        assert_eq!(keys("projects/default/environments").await, ["dev"]);
        assert_eq!(keys("projects/default/flags").await, ["mine"]);
        assert_eq!(keys("projects/default/segments").await, ["mine"]);
        assert_eq!(keys("segments").await, [""; 0]);
        caller.get("projects/other").await.problem(403);
        let prod = "projects/default/environments/prod";
        caller.get(prod).await.problem(403);
        caller
            .get("projects/default/flags/theirs")
            .await
            .problem(403);
        caller
            .get("projects/default/segments/theirs")
            .await
            .problem(403);
        let flag = caller.get("projects/default/flags/mine").await.expect(200);
        assert!(flag["versions"].get("default/prod").is_none(), "{flag}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_segment_is_listed_where_it_can_be_used() {
    on_each_database(async |app| {
        let commands = json!({"commands": [{"kind": "createSegment", "segment": "everyones"},
            {"kind": "createSegment", "segment": "ours", "project": "default"}]});
        app.owner.post("changes", &commands).await.expect(200);
        let see = ["project.read", "segment.read"];
        let path = "projects/default/segments?withShared=true";
        let here = with(app, json!([on("allow", &see, &["project/default"])])).await;
        let seen = texts(&here.get(path).await.expect(200), "key");
        assert_eq!(seen, ["everyones", "ours"]);
        // Who is in it is told by its own place.
        here.get("segments/everyones").await.problem(403);
        let elsewhere = json!([
            on("allow", &["project.read"], &["project/default"]),
            on("allow", &["segment.read"], &["project/other"]),
        ]);
        let page = with(app, elsewhere).await.get(path).await.expect(200);
        assert_eq!(page["items"], json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn history_is_told_as_far_as_somebody_sees() {
    on_each_database(async |app| {
        app.apply(flag_on("known")).await;
        app.apply(json!([turn_on_in("dev"), in_prod("turnOff", "known")]))
            .await;
        let both = app.owner.get("changes?limit=1").await.expect(200);
        let both = id(&both["items"][0]);
        let hidden = app.apply(json!([in_prod("turnOn", "known")])).await;
        let group = json!({"key": "ours", "name": "Ours"});
        app.owner.post("groups", &group).await.expect(201);

        let caller = with(
            app,
            json!([
                on(
                    "allow",
                    &["project.read", "environment.read", "flag.read"],
                    &["project/default"]
                ),
                on("deny", &["environment.read"], &["project/default:env/prod"]),
            ]),
        )
        .await;
        let hidden = format!("changes/{}", id(&hidden));
        caller.get(&hidden).await.problem(404);
        app.owner.get(&hidden).await.expect(200);
        let part = caller.get(&format!("changes/{both}")).await.expect(200);
        assert!(part["versions"].get("default/dev").is_some(), "{part}");
        let kinds: Vec<_> = part["commands"].as_array().unwrap().iter().collect();
        assert_eq!(kinds.len(), 1, "{part}");
        for path in ["changes", "projects/default/changes"] {
            let page = caller.get(path).await.expect(200);
            assert!(!page["items"].as_array().unwrap().is_empty(), "{page}");
            assert!(!page.to_string().contains("prod"), "{page}");
            assert!(!page.to_string().contains("ours"), "{page}");
        }
        let places = &["project.read", "environment.read"];
        let places = with(app, json!([on("allow", places, &["project/default"])])).await;
        let part = places.get(&format!("changes/{both}")).await.expect(200);
        assert_eq!(part["commands"], json!([]), "no flag may be seen: {part}");
        let prod = "projects/default/environments/prod/changes";
        caller.get(prod).await.problem(403);
        let nothing = with(app, json!([allow(&["member.read"])])).await;
        let page = nothing.get("changes").await.expect(200);
        assert_eq!(page["items"], json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_an_owner_gives_what_makes_an_owner() {
    on_each_database(async |app| {
        // By another name, it is the same.
        let policy = json!({"key": "chief", "name": "Chief", "statements": [allow(&["*"])]});
        let admin = app.caller("anna", "administrator").await;
        admin.post("policies", &policy).await.problem(403);
        app.owner.post("policies", &policy).await.expect(201);
        let chiefs = json!({"key": "chiefs", "name": "Chiefs", "policies": ["Chief"]});
        admin.post("groups", &chiefs).await.problem(403);
        app.owner.post("groups", &chiefs).await.expect(201);
        for grants in [
            json!({"email": "a@example.com", "policies": ["chief"]}),
            json!({"email": "a@example.com", "policies": ["owner"]}),
            json!({"email": "a@example.com", "groups": ["chiefs"]}),
        ] {
            admin.post("invitations", &grants).await.problem(403);
        }
        let none = json!({"name": "Chief", "statements": [allow(&["flag.read"])]});
        let change = admin.send(reqwest::Method::PUT, "policies/chief", Some(&none));
        change.await.problem(403);
        let fewer = json!({"name": "Chiefs", "policies": []});
        let change = admin.send(reqwest::Method::PUT, "groups/chiefs", Some(&fewer));
        change.await.problem(403);
        admin.delete("groups/chiefs").await.problem(403);
        // What makes no owner, they give.
        let reader = json!({"email": "a@example.com", "policies": ["reader"]});
        admin.post("invitations", &reader).await.expect(201);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_thousands_is_asked_about_at_once() {
    on_each_database(async |app| {
        let somewhere = ["project/default:env/dev:flag/*;shop"];
        let caller = with(app, json!([on("allow", &["flag.turnOn"], &somewhere)])).await;
        let mut resources: Vec<String> = (0..20_000)
            .map(|it| format!("project/default:env/prod:flag/flag-{it}"))
            .collect();
        resources[4_321] = "project/default:env/dev:flag/known;shop".to_owned();
        let actions = ["flag.turnOn", "flag.turnOff"];
        let asked = json!({"each": {"actions": actions, "resources": resources}});
        let answer = caller.post("permissions", &asked).await.expect(200);
        let rows = answer["each"].as_array().unwrap();
        assert_eq!(rows.len(), resources.len());
        let allowed = rows.iter().enumerate().filter(|(_, row)| row[0] == true);
        let allowed: Vec<_> = allowed.collect();
        assert_eq!(allowed, [(4_321, &json!([true, false]))]);

        resources.push("project/default".to_owned());
        for (each, pointer) in [
            (
                json!({"actions": [], "resources": resources}),
                "/each/resources",
            ),
            (
                json!({"actions": vec!["flag.turnOn"; 21], "resources": []}),
                "/each/actions",
            ),
            (
                json!({"actions": ["flag.fly"], "resources": []}),
                "/each/actions/0",
            ),
            (
                json!({"actions": [], "resources": ["planet/mars"]}),
                "/each/resources/0",
            ),
        ] {
            let refused = caller
                .post("permissions", &json!({"each": each}))
                .await
                .problem(400);
            assert_eq!(refused.pointers(), [pointer]);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_speak_of_protected_environments() {
    on_each_database(async |app| {
        app.apply(json!([create("known")])).await;
        let prod = "projects/default/environments/prod";
        let protect = |protected: bool| json!({ "protected": protected });
        let shown = app.owner.patch(prod, &protect(true)).await.expect(200);
        assert_eq!(shown["protected"], true);
        let everything = allow(&["*"]);
        let guarded = "project/*:env/*@protected";
        let guarded = with(app, json!([everything, on("deny", &["*"], &[guarded])])).await;
        let open = [
            "project/default:env/*@unprotected",
            "project/default:flag/*",
        ];
        let open = with(
            app,
            json!([
                on("allow", &["project.read"], &["*"]),
                on("allow", &["environment.*", "sdkKey.*", "flag.*"], &open)
            ]),
        )
        .await;
        let in_dev = set(&[turn_on_in("dev")]);
        let in_prod = set(&[turn_on_in("prod")]);
        for caller in [&guarded, &open] {
            caller.post("changes", &in_dev).await.expect(200);
            caller.post("changes", &in_prod).await.problem(403);
            let seen = caller.get("projects/default/environments").await;
            assert_eq!(texts(&seen.expect(200), "key"), ["dev"]);
            caller.get(prod).await.problem(403);
            caller.get(&format!("{prod}/sdk-keys")).await.problem(403);
            caller.patch(prod, &protect(false)).await.problem(403);
            caller.delete(prod).await.problem(403);
            let dev = "projects/default/environments/dev";
            caller.get(&format!("{dev}/sdk-keys")).await.expect(200);
            // What is not there is told to whom it would be told of anything.
            let nothing = caller.get("projects/default/environments/none").await;
            nothing.problem(403);
        }
        // Whoever may set it may not therefore take it away.
        let all_but = json!([
            allow(&["*"]),
            on("deny", &["environment.unprotect"], &["*"])
        ]);
        let keeper = with(app, all_but).await;
        keeper.patch(prod, &protect(false)).await.problem(403);
        keeper.patch(prod, &protect(true)).await.expect(200);
        let problem = app.owner.delete(prod).await.problem(409);
        assert_eq!(problem.code(), "protected");
        app.owner.patch(prod, &protect(false)).await.expect(200);
        guarded.post("changes", &in_prod).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_gives_what_they_may_not_do() {
    on_each_database(async |app| {
        let write = ["member.*", "group.write", "policy.write", "token.*"];
        let ours = [on("allow", &["flag.*"], &["project/default"]), allow(&write)];
        let manager = with(app, json!(ours)).await;
        let statements = |place: &str| json!([on("allow", &["flag.turnOn"], &[place])]);
        let policy = |key: &str, place: &str| {
            json!({"key": key, "name": key, "statements": statements(place)})
        };
        let more = policy("more", "project/other");
        let problem = manager.post("policies", &more).await.problem(403);
        let detail = problem.body["detail"].as_str().unwrap();
        assert!(detail.contains("flag.turnOn") && detail.contains("policy.give"), "{detail}");
        app.owner.post("policies", &more).await.expect(201);
        let less = policy("less", "project/default");
        manager.post("policies", &less).await.expect(201);

        let wider = json!({"name": "Less", "statements": statements("*")});
        manager.put("policies/less", &wider).await.problem(403);
        let renamed = json!({"name": "More or less", "statements": statements("project/other")});
        manager.put("policies/more", &renamed).await.expect(200);
        for (key, status) in [("more", 403), ("less", 201)] {
            let group = json!({"key": format!("of-{key}"), "name": key, "policies": [key]});
            assert_eq!(manager.post("groups", &group).await.status, status);
            let person = json!({"email": format!("{key}@example.com"), "policies": [key]});
            assert_eq!(manager.post("invitations", &person).await.status, status);
        }
        // Named by somebody, it stays.
        let problem = app.owner.delete("policies/less").await.problem(409);
        assert_eq!(problem.code(), "inUse");
        app.owner.delete("policies/more").await.expect(204);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_a_token_or_an_invitation_names_stays() {
    on_each_database(async |app| {
        let policy = json!({"key": "ours", "name": "Ours", "statements": [allow(&["flag.read"])]});
        app.owner.post("policies", &policy).await.expect(201);
        let token = json!({"kind": "service", "name": "robot", "policies": ["ours"]});
        let token = app.owner.post("tokens", &token).await.expect(201);
        let person = json!({"email": "a@example.com", "policies": ["reader", "ours"]});
        let person = app.owner.post("invitations", &person).await.expect(201);
        let in_use = async || {
            let problem = app.owner.delete("policies/OURS").await.problem(409);
            problem.body["detail"].as_str().unwrap().to_owned()
        };
        assert!(in_use().await.contains("the token `robot`"));
        let token = format!("tokens/{}", id(&token));
        app.owner.delete(&token).await.expect(204);
        assert!(in_use().await.contains("a@example.com"));
        let person = format!("invitations/{}", id(&person));
        app.owner.delete(&person).await.expect(204);
        app.owner.delete("policies/ours").await.expect(204);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_nothing_learns_nothing_of_what_there_is() {
    on_each_database(async |app| {
        app.apply(json!([create("known")])).await;
        let shared = json!({"commands": [{"kind": "createSegment", "segment": "known"}]});
        app.owner.post("changes", &shared).await.expect(200);
        let guest = with(app, json!([on("allow", &["organization.read"], &["*"])])).await;
        let answers = async |set: [Value; 2]| {
            let mut answers = Vec::new();
            for commands in set {
                let answer = guest.post("changes", &commands).await;
                let body: Value = serde_json::from_str(&answer.text).unwrap();
                answers.push((answer.status, body["code"].clone()));
            }
            answers
        };
        let flag = |flag: &str| {
            let mut command = create(flag);
            command["project"] = json!("default");
            json!({ "commands": [command] })
        };
        let segment = |key: &str| json!({"commands": [{"kind": "createSegment", "segment": key}]});
        for set in [
            [flag("known"), flag("unknown")],
            [segment("known"), segment("unknown")],
        ] {
            let told = answers(set).await;
            assert_eq!(told[0], told[1]);
            assert_eq!(told[0].0, 403);
        }
        // Nor which versions what it may not see has had.
        for (there, nowhere) in [("default", "nope"), ("default/prod", "default/nope")] {
            for version in [0, 999] {
                let base = |scope: &str| json!({"commands": [], "base": {scope: version}});
                let told = answers([base(there), base(nowhere)]).await;
                assert_eq!(told[0], told[1]);
                assert_eq!(told[0].0, 400);
            }
        }
        let seeing = with(app, json!([allow(&["*.read"])])).await;
        let base = json!({"commands": [], "base": {"default": 0, "default/prod": 0}});
        seeing.post("changes", &base).await.expect(200);
        // What may be made is told by the tags that it is made with.
        let pay = on("allow", &["flag.create"], &["project/default:flag/*;pay"]);
        let payer = with(app, json!([pay])).await;
        payer.post("changes", &flag("theirs")).await.problem(403);
        let mut tagged = flag("theirs");
        tagged["commands"][0]["tags"] = json!(["pay"]);
        payer.post("changes", &tagged).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_by_its_tag_or_its_key_is_hidden_in_the_history_too() {
    on_each_database(async |app| {
        app.apply(json!([tagged("secret", "hush"), create("open")]))
            .await;
        let segment = json!({"kind": "createSegment", "segment": "staff", "environment": "prod",
            "name": "Staff", "tags": ["hush"]});
        app.apply(json!([segment])).await;
        app.apply(json!([in_prod("turnOn", "secret")])).await;
        let all = [
            "project/default:flag/*;hush",
            "project/default:env/*:segment/*;hush",
        ];
        let by_tag = on("deny", &["*.read"], &all);
        let by_key = on(
            "deny",
            &["*.read"],
            &[
                "project/default:flag/secret",
                "project/default:env/*:segment/staff",
            ],
        );
        let lists = [
            "changes",
            "projects/default/environments/prod/changes",
            "projects/default/environments/prod/versions",
            "projects/default/environments/prod/segments",
        ];
        let reads = [
            "project.read",
            "environment.read",
            "flag.read",
            "segment.read",
        ];
        for deny in [None, Some(by_tag), Some(by_key)] {
            let is_hidden = deny.is_some();
            let statements: Vec<Value> = [allow(&reads)].into_iter().chain(deny).collect();
            let reader = with(app, json!(statements)).await;
            for list in lists {
                let told = reader.get(list).await.expect(200).to_string();
                for hidden in ["secret", "staff"] {
                    // The environment's flags and segments are asked apart.
                    if hidden == "secret" && list.ends_with("/segments") {
                        continue;
                    }
                    assert_ne!(told.contains(hidden), is_hidden, "{list} {hidden}\n{told}");
                }
            }
            let changes = reader.get("changes").await.expect(200).to_string();
            assert!(changes.contains("open"), "{changes}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_a_flag_by_a_draft_that_takes_away_what_hides_it() {
    on_each_database(async |app| {
        app.apply(json!([tagged("secret", "hush"), create("open")]))
            .await;
        app.apply(json!([
            in_prod("turnOn", "secret"),
            in_prod("turnOn", "open")
        ]))
        .await;
        let reads = ["project.read", "environment.read", "flag.*", "user.read"];
        let hush = ["project/default:flag/*;hush"];
        let may = json!([allow(&reads), on("deny", &["flag.read"], &hush)]);
        let caller = with(app, may).await;
        let untag = of_default(json!({"kind": "setFlagTags", "flag": "secret", "tags": []}));
        for (api, seen) in [
            (&app.owner, json!(["open", "secret"])),
            (&caller, json!(["open"])),
        ] {
            let question = json!({"key": "ana", "properties": {}, "commands": [&untag]});
            let told = api.post(EVALUATE, &question).await.expect(200);
            let told = told["items"].as_array().unwrap().iter();
            assert_eq!(told.map(|it| it["flag"].clone()).collect::<Value>(), seen);
            let mut one = question;
            one["flag"] = json!("secret");
            let status = if seen[1].is_null() { 403 } else { 200 };
            api.post(EVALUATE, &one).await.expect(status);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_a_flag_as_it_was_before_it_was_hidden() {
    on_each_database(async |app| {
        app.apply(json!([create("open"), create("secret"), create("needy")]))
            .await;
        let (serves, _) = variations(&app.owner, "secret").await;
        let mut needs = in_prod("setPrerequisites", "needy");
        needs["prerequisites"] = json!([{"flag": "secret", "variation": serves}]);
        app.apply(json!([
            in_prod("turnOn", "open"),
            in_prod("turnOn", "needy"),
            needs
        ]))
        .await;
        let ana = json!({"key": "ana", "properties": {}});
        let before = app.owner.post(EVALUATE, &ana).await.expect(200)["version"].clone();
        app.apply(json!([in_prod("turnOn", "secret")])).await;
        let bare = app.owner.post(EVALUATE, &ana).await.expect(200)["version"].clone();
        app.apply(json!([of_default(
            json!({"kind": "setFlagTags", "flag": "secret", "tags": ["hush"]})
        )]))
        .await;
        let hush = ["project/default:flag/*;hush"];
        let may = json!([
            on("allow", &["*.read"], &["*"]),
            on("deny", &["flag.read"], &hush)
        ]);
        let caller = with(app, may).await;
        let keys = |told: &Value, list: &str, key: &str| {
            let items = told[list].as_array().unwrap().iter();
            items.map(|it| it[key].clone()).collect::<Value>()
        };
        let prod = "projects/default/environments/prod";
        for (api, owns, others) in [
            (&app.owner, true, json!(["needy", "open", "secret"])),
            (&caller, false, json!(["needy", "open"])),
        ] {
            let mut question = ana.clone();
            question["version"] = bare.clone();
            let told = api.post(EVALUATE, &question).await.expect(200);
            assert_eq!(keys(&told, "items", "flag"), others);
            question["flag"] = json!("needy");
            let told = api.post(EVALUATE, &question).await.expect(200);
            let needed = &told["items"][0]["steps"][1]["prerequisite"];
            assert_eq!(needed["served"].is_null(), !owns, "{told}");
            question["flag"] = json!("secret");
            let status = if owns { 200 } else { 403 };
            api.post(EVALUATE, &question).await.expect(status);
            let effects = format!("{prod}/effects?from={before}&to={bare}");
            let moved = api.get(&effects).await.expect(200);
            let moved = keys(&moved, "flags", "flag");
            let tells = moved.as_array().unwrap().contains(&json!("secret"));
            assert_eq!(tells, owns, "{moved}");
            let state = format!("{prod}/state?of=flags&version={bare}");
            let state = api.get(&state).await.expect(200);
            assert_eq!(keys(&state, "flags", "key"), others);
            let status = if owns { 200 } else { 404 };
            let past = format!("{prod}/flags/secret?version={bare}");
            api.get(&past).await.expect(status);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_see_a_flag_or_a_segment_there_is_told_nothing_of_it_by_answers() {
    on_each_database(async |app| {
        app.apply(json!([create("open"), create("payroll"), {
            "kind": "createSegment", "segment": "staff", "included": ["boss"], "tags": ["hush"],
        }]))
        .await;
        let staff = app
            .owner
            .get("projects/default/segments/staff")
            .await
            .expect(200)["id"]
            .clone();
        let (serves, _) = variations(&app.owner, "open").await;
        let mut rule = in_prod("addRule", "open");
        rule["rule"] = json!({"variation": serves, "conditions": [
            {"property": "User is in segment", "value": json!([staff]).to_string()}]});
        app.apply(json!([
            in_prod("turnOn", "open"),
            in_prod("turnOn", "payroll"),
            rule
        ]))
        .await;
        let segments = ["project/default:env/*:segment/*;hush"];
        let there = ["project/default:env/prod:flag/payroll"];
        let may = json!([
            on("allow", &["*.read"], &["*"]),
            on("deny", &["segment.read"], &segments),
            on("deny", &["flag.read"], &there)
        ]);
        let caller = with(app, may).await;
        let mut boss = json!({"key": "boss", "properties": {}});
        let told = caller.post(EVALUATE, &boss).await.expect(200);
        assert_eq!(told["items"].as_array().unwrap().len(), 1, "{told}");
        boss["flag"] = json!("payroll");
        caller.post(EVALUATE, &boss).await.expect(403);
        boss["flag"] = json!("open");
        for (api, why) in [(&app.owner, "included"), (&caller, "hidden")] {
            let told = api.post(EVALUATE, &boss).await.expect(200);
            let mut taken = told["items"][0]["steps"].as_array().unwrap().iter();
            let taken = taken.find(|it| it["result"] == "taken").unwrap();
            let asked = &taken["conditions"][0]["segments"][0];
            assert_eq!(asked["why"], why, "{told}");
        }
    })
    .await;
}
