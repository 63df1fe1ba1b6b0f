//! Resources: what an action is done to, by a path of kinds and keys.

use std::fmt;

use crate::model::{Environment, Project};

/// What there is on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The organization itself; no key.
    Organization,
    /// A member, by the account's id.
    Member,
    /// A group, by key.
    Group,
    /// A policy, by key.
    Policy,
    /// An access token, by id.
    Token,
    /// A key that relays have, by id, with the relays that use it.
    RelayKey,
    /// A project, by key.
    Project,
    /// An environment of a project, by key.
    Environment,
    /// A flag: of a project (its definition) or of an environment (what is served there), by key.
    Flag,
    /// A segment: of the organization, a project or an environment, by key.
    Segment,
}

impl Kind {
    const ALL: [Self; 10] = [
        Self::Organization,
        Self::Member,
        Self::Group,
        Self::Policy,
        Self::Token,
        Self::RelayKey,
        Self::Project,
        Self::Environment,
        Self::Flag,
        Self::Segment,
    ];

    /// Its name on a path.
    pub fn name(self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Member => "member",
            Self::Group => "group",
            Self::Policy => "policy",
            Self::Token => "token",
            Self::RelayKey => "relay",
            Self::Project => "project",
            Self::Environment => "env",
            Self::Flag => "flag",
            Self::Segment => "segment",
        }
    }

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it may stand on a path right after `above` (`None`: at the beginning).
    pub fn may_follow(self, above: Option<Self>) -> bool {
        match self {
            Self::Environment => above == Some(Self::Project),
            Self::Flag => matches!(above, Some(Self::Project | Self::Environment)),
            Self::Segment => {
                matches!(above, None | Some(Self::Project | Self::Environment))
            }
            _ => above.is_none(),
        }
    }

    /// Whether it can be tagged.
    pub fn has_tags(self) -> bool {
        matches!(self, Self::Flag | Self::Segment)
    }
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Part {
    pub(super) kind: Kind,
    pub(super) key: String,
    /// Of an environment, whether it is protected. `None`: of a resource, not known; of a pattern,
    /// either.
    pub(super) protected: Option<bool>,
}

impl Part {
    pub(super) fn new(kind: Kind, key: impl Into<String>) -> Self {
        Self {
            kind,
            key: key.into(),
            protected: None,
        }
    }
}

/// What follows the key of an environment that is protected, in resources and patterns.
pub(super) const PROTECTED: &str = "@protected";
/// The same of one that is not.
pub(super) const UNPROTECTED: &str = "@unprotected";

/// One thing, by its path. Shown as `project/web:env/prod@protected:flag/checkout;payment`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    pub(super) path: Vec<Part>,
    pub(super) tags: Vec<String>,
}

impl Resource {
    /// What stands alone: the organization's own things, by key or id.
    pub fn new(kind: Kind, key: impl Into<String>) -> Self {
        Self {
            path: vec![Part::new(kind, key)],
            tags: Vec::new(),
        }
    }

    /// The organization itself.
    pub fn organization() -> Self {
        Self::new(Kind::Organization, "")
    }

    /// A project.
    pub fn project(key: impl Into<String>) -> Self {
        Self::new(Kind::Project, key)
    }

    /// An environment as it is, of a project.
    pub fn of(project: &Project, environment: &Environment) -> Self {
        let (project, key) = (project.key.as_str(), environment.key.as_str());
        Self::environment(project, key, Some(environment.protected))
    }

    /// An environment of a project. Where it is not known whether it is `protected` (`None`),
    /// nothing is allowed by a pattern that asks for it, and everything denied: it is for what is
    /// not there. Whoever has its keys alone asks [`Marks`](super::Marks).
    pub fn environment(
        project: impl Into<String>,
        key: impl Into<String>,
        protected: Option<bool>,
    ) -> Self {
        let mut it = Self::project(project);
        it.path.push(Part {
            protected,
            ..Part::new(Kind::Environment, key)
        });
        it
    }

    /// What is in this one.
    #[must_use]
    pub fn with(mut self, kind: Kind, key: impl Into<String>) -> Self {
        self.path.push(Part::new(kind, key));
        self
    }

    /// The tags that it has.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// The same with the tags that it has.
    #[must_use]
    pub fn tagged(mut self, tags: &[String]) -> Self {
        self.tags = tags.to_vec();
        self
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.path.iter().enumerate() {
            let colon = if index == 0 { "" } else { ":" };
            write!(f, "{colon}{}", part.kind.name())?;
            if !part.key.is_empty() {
                write!(f, "/{}", part.key)?;
            }
            if part.protected == Some(true) {
                f.write_str(PROTECTED)?;
            }
        }
        match self.tags.is_empty() {
            true => Ok(()),
            false => write!(f, ";{}", self.tags.join(",")),
        }
    }
}
