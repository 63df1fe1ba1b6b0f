//! How many of everything there may be: the last one fits, one more is refused by what and how many.

use burgee_domain::id::Id;
use burgee_domain::limits::{
    MAX_ENVIRONMENTS, MAX_FLAGS, MAX_GROUPS, MAX_INVITATIONS, MAX_MEMBERS, MAX_PERSONAL_TOKENS,
    MAX_POLICIES, MAX_PROJECTS, MAX_RELAY_KEYS, MAX_SEGMENTS, MAX_SERVICE_TOKENS,
};
use burgee_domain::people::Email;
use burgee_store::dialect::Dialect;
use burgee_store::people::accounts::Account;
use burgee_store::people::groups::Group;
use burgee_store::people::members::Grants;
use burgee_store::people::policies::PolicyText;
use burgee_store::{
    Actor, ApplyError, Grant, NewEnvironment, NewProject, NewRelayKey, NewToken, RelayKeyScope,
    Store, StoreError,
};
use serde_json::json;

use crate::kit::{Database, House, NOW, flag_on, for_each_database, house, key, request};

/// Something of which there may be so many.
struct Kind {
    most: i64,
    table: &'static str,
    /// Which row is copied.
    like: &'static str,
    /// The columns of a copy, `@` for what differs, `#` for bytes that differ.
    columns: &'static str,
}

const KINDS: [Kind; 11] = [
    Kind {
        most: MAX_POLICIES,
        table: "policies",
        like: "key = 'one'",
        columns: "organization_id, key@, key_folded@, name, description, statements, created_at",
    },
    Kind {
        most: MAX_GROUPS,
        table: "member_groups",
        like: "key = 'one'",
        columns: "organization_id, key@, key_folded@, name, description, policies, created_at",
    },
    Kind {
        most: MAX_PROJECTS,
        table: "projects",
        like: "key = 'one'",
        columns: "id@, organization_id, key@, key_folded@, name, version, created_at",
    },
    Kind {
        most: MAX_FLAGS,
        table: "flags",
        like: "key = 'one'",
        columns: "project_id, id@, key@, key_folded@, name, description, kind, variations, tags, \
                  default_on, default_off, life, search, created_at",
    },
    Kind {
        most: MAX_SEGMENTS,
        table: "segments",
        like: "key = 'one'",
        columns: "organization_id, id@, key@, key_folded@, name, description, tags, rules, life, \
                  search, created_at, included_count, excluded_count, included, excluded",
    },
    Kind {
        most: MAX_SERVICE_TOKENS,
        table: "tokens",
        like: "name = 'one' AND statements IS NOT NULL",
        columns: "id@, organization_id, name, prefix, hash#, policies, statements, networks, \
                  created_at",
    },
    Kind {
        most: MAX_PERSONAL_TOKENS,
        table: "tokens",
        like: "name = 'one' AND statements IS NULL",
        columns: "id@, organization_id, name, prefix, hash#, account_id, policies, networks, \
                  created_at",
    },
    Kind {
        most: MAX_RELAY_KEYS,
        table: "relay_keys",
        like: "name = 'one'",
        columns: "id@, organization_id, name, description, prefix, hash#, every_environment, \
                  created_at",
    },
    Kind {
        most: MAX_INVITATIONS,
        table: "links",
        like: "email_folded = 'one@x.org'",
        columns: "id@, organization_id, email@, email_folded@, grants, hash#, created_at, \
                  expires_at",
    },
    Kind {
        most: MAX_MEMBERS,
        table: "members",
        like: "1 = 1",
        columns: "organization_id, account_id@, policies, groups, joined_at",
    },
    Kind {
        most: MAX_ENVIRONMENTS,
        table: "environments",
        like: "key = 'one'",
        columns: "id@, project_id, key@, key_folded@, name, description, sort, version, chain, \
                  last_stamp, created_at",
    },
];

impl Kind {
    /// Copies a row so many times.
    async fn copy(&self, database: &Database, like: &str, count: i64) {
        let dialect = database.store.dialect();
        let bytes = match dialect {
            Dialect::Sqlite => "randomblob(32)",
            Dialect::Postgres => "decode(md5(random()::text || n), 'hex')",
        };
        let columns: Vec<&str> = self.columns.split(", ").map(str::trim).collect();
        let names = columns.iter().map(|it| it.trim_end_matches(['@', '#']));
        let names: Vec<&str> = names.collect();
        let values = columns.iter().map(|it| match it.strip_suffix('@') {
            Some(name) => format!("{name} || '-' || n"),
            None if it.ends_with('#') => bytes.to_owned(),
            None => (*it).to_owned(),
        });
        let values: Vec<String> = values.collect();
        let text = format!(
            "WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < {count}) \
             INSERT INTO {table} ({}) SELECT {} FROM {table}, many WHERE {like}",
            names.join(", "),
            values.join(", "),
            table = self.table,
        );
        let done = sqlx::query(sqlx::AssertSqlSafe(text));
        done.execute(&mut database.raw().await).await.unwrap();
    }
}

struct Maker<'a> {
    store: &'a Store,
    house: &'a House,
    member: Account,
}

impl Maker<'_> {
    /// Makes one more of what a table holds.
    async fn make(&self, kind: &Kind, name: &str) -> Result<(), StoreError> {
        let (store, organization) = (self.store, &self.house.organization.id);
        let actor = &Actor::operator();
        let token = |account: Option<Id<Account>>, grant| NewToken {
            organization: organization.clone(),
            name: name.into(),
            account,
            grant,
            networks: Vec::new(),
            expires_at: None,
        };
        match kind.table {
            "policies" => {
                let text = PolicyText {
                    name: name.into(),
                    description: String::new(),
                    statements: Vec::new(),
                };
                let key = key(name);
                let made = store.create_policy(organization, &key, &text, actor, NOW);
                made.await.map(drop)
            }
            "member_groups" => {
                let group = Group {
                    key: key(name),
                    name: name.into(),
                    description: String::new(),
                    policies: Vec::new(),
                };
                let made = store.create_group(organization, &group, actor, NOW);
                made.await.map(drop)
            }
            "projects" => {
                let new = NewProject {
                    organization: organization.clone(),
                    key: key(name),
                    name: name.into(),
                };
                store.create_project(&new, actor, NOW).await.map(drop)
            }
            "environments" => {
                let new = NewEnvironment {
                    project: self.house.project.id.clone(),
                    key: key(name),
                    name: name.into(),
                    description: String::new(),
                };
                store.create_environment(&new, actor, NOW).await.map(drop)
            }
            "flags" => self.apply(flag_on(name)).await,
            "segments" => {
                let commands = json!([{"kind": "createSegment", "segment": name}]);
                self.apply(commands).await
            }
            "tokens" => {
                let service = Grant::Service {
                    policies: vec!["reader".into()],
                    statements: Vec::new(),
                };
                let new = match kind.most == MAX_SERVICE_TOKENS {
                    true => token(None, service),
                    false => token(Some(self.member.id.clone()), Grant::Personal),
                };
                store.create_token(&new, actor, NOW).await.map(drop)
            }
            "relay_keys" => {
                let new = NewRelayKey {
                    organization: organization.clone(),
                    name: name.into(),
                    description: String::new(),
                    scope: RelayKeyScope::All,
                };
                store.create_relay_key(&new, actor, NOW).await.map(drop)
            }
            "links" => {
                let address = Email::new(&format!("{name}@x.org")).unwrap();
                let given = Grants::default();
                let made = store.invite(organization, &address, &given, actor, NOW);
                made.await.map(drop)
            }
            _ => {
                let address = format!("{name}@y.org");
                let email = Email::new(&address).unwrap();
                let given = Grants::default();
                let invited = store.invite(organization, &email, &given, actor, NOW);
                let (_, text) = invited.await.unwrap();
                let joined = store.follow_link(&text, &address, Some("hash"), None, NOW);
                joined.await.map(drop)
            }
        }
    }

    async fn apply(&self, commands: serde_json::Value) -> Result<(), StoreError> {
        match self.store.apply(&request(self.house, commands)).await {
            Ok(_) => Ok(()),
            Err(ApplyError::Store(error)) => Err(error),
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// How many there are that count, of what was copied from.
async fn count(database: &Database, kind: &Kind) -> i64 {
    let which = match kind.table {
        "tokens" => kind.like.replace("name = 'one'", "1 = 1"),
        _ => "1 = 1".to_owned(),
    };
    let environments = match kind.table {
        "environments" => " AND deleted_at IS NULL",
        _ => "",
    };
    let text = format!(
        "SELECT COUNT(*) FROM {} WHERE {which}{environments}",
        kind.table
    );
    let found = sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(text));
    found.fetch_one(&mut database.raw().await).await.unwrap()
}

#[tokio::test]
async fn the_last_one_fits_and_one_more_is_refused_by_what_and_how_many() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let email = Email::new("owner@localhost").unwrap();
        let member = store.account_by_email(&email).await.unwrap().unwrap();
        let maker = Maker {
            store,
            house: &house,
            member,
        };
        for kind in &KINDS {
            let table = kind.table;
            if table == "members" {
                // Who joins is invited.
                let all = sqlx::query("DELETE FROM links");
                all.execute(&mut database.raw().await).await.unwrap();
            }
            maker.make(kind, "one").await.unwrap();
            if table == "members" {
                // Their accounts, which rows of members refer to.
                let accounts = Kind {
                    most: 0,
                    table: "accounts",
                    like: "",
                    columns: "id@, email@, email_folded@, name, password_temporary, created_at",
                };
                let like = "email_folded = 'one@y.org'";
                accounts.copy(database, like, kind.most).await;
            }
            let like = match table {
                "members" => {
                    "account_id = (SELECT id FROM accounts WHERE email_folded = 'one@y.org')"
                }
                _ => kind.like,
            };
            let room = kind.most - count(database, kind).await;
            kind.copy(database, like, room - 1).await;
            maker.make(kind, "last").await.unwrap();
            let refused = maker.make(kind, "over").await.unwrap_err();
            let StoreError::Refused { code, message, .. } = &refused else {
                panic!("{table}: {refused:?}");
            };
            assert_eq!(*code, "tooMany", "{table}");
            let said = message.contains(&format!("there are {} ", kind.most));
            assert!(said, "{table}: {message}");
            assert_eq!(count(database, kind).await, kind.most, "{table}");
        }
    })
    .await;
}
