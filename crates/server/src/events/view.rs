//! What listeners are told: shapes, and what somebody may see of them.

use burgee_domain::access::{Kind, Resource, Rights};
use burgee_store::NamedEnvironment;
use burgee_store::news::{Happened, ItemKind, Moved, MovedItem};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::sdk_keys::KeyKind;

/// `change`: a change set was applied.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeEvent {
    /// Its place in the organization's history; also the event's `id`.
    pub number: i64,
    /// The change set's id.
    pub id: String,
    /// Who applied it.
    pub actor: String,
    /// What it is a name of: `token`, `operator`, `system` or `member`.
    pub actor_kind: &'static str,
    /// When it was asked for, ISO 8601.
    pub at: String,
    /// What it moved; empty for what is done about people and the organization.
    pub places: Vec<PlaceView>,
}

/// A version that a change set made, of a project, of an environment or of the organization.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceView {
    /// The project's key; absent for segments of the organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The environment's key; absent for what the project's environments share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The version now.
    pub version: i64,
    /// Keys of flags that changed.
    pub flags: Vec<String>,
    /// Keys of segments that changed.
    pub segments: Vec<String>,
    /// Whether SDK keys or settings changed.
    pub settings: bool,
    /// Whether more changed than is named: a large change set names the first 500.
    pub more: bool,
}

/// A first sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A flag was evaluated.
    Evaluation,
    /// An SDK named a user.
    User,
    /// A program came with an SDK key.
    Sdk,
}

/// `evaluation` or `user`: the first ever seen in an environment. `sdk`: the first that came with an
/// SDK key.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// Which.
    #[serde(skip)]
    pub sign: Sign,
    /// The project's key.
    pub project: String,
    /// The environment's key.
    pub environment: String,
    /// Whether it is protected.
    #[serde(skip)]
    pub protected: bool,
    /// Of `sdk`: the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk_key: Option<SeenKey>,
}

/// An SDK key that was used for the first time.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenKey {
    /// Its id.
    pub id: String,
    /// What it may do.
    pub kind: KeyKind,
    /// Its display name.
    pub name: String,
}

impl Seen {
    /// The event's name.
    pub fn name(&self) -> &'static str {
        match self.sign {
            Sign::Evaluation => "evaluation",
            Sign::User => "user",
            Sign::Sdk => "sdk",
        }
    }

    /// Whether somebody may know.
    pub fn is_seen_by(&self, rights: &Rights) -> bool {
        let (project, key) = (self.project.as_str(), self.environment.as_str());
        let place = Resource::environment(project, key, Some(self.protected));
        rights.allow("environment.read", &place)
            && (self.sdk_key.is_none() || rights.allow("sdkKey.read", &place))
    }
}

/// `delivery`: connections of an environment came, went, or got further with its versions. Told at
/// most once a second.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryMoved {
    /// The project's key.
    pub project: String,
    /// The environment's key.
    pub environment: String,
    /// Whether it is protected.
    #[serde(skip)]
    pub protected: bool,
}

impl DeliveryMoved {
    /// It was this environment's.
    pub fn of(environment: &NamedEnvironment) -> Self {
        Self {
            project: environment.project.clone(),
            environment: environment.key.clone(),
            protected: environment.protected,
        }
    }

    /// Whether somebody may know.
    pub fn is_seen_by(&self, rights: &Rights) -> bool {
        let (project, key) = (self.project.as_str(), self.environment.as_str());
        let place = Resource::environment(project, key, Some(self.protected));
        rights.allow("environment.read", &place)
    }
}

/// `hello`: the stream begins here. `reset`: more was missed than is told again, or another history
/// than the one that was known: ask for everything anew.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Beginning {
    /// The number of the last change set; also the event's `id`.
    pub number: i64,
}

impl ChangeEvent {
    /// What somebody may see of a change set; none: nothing.
    pub fn seen_by(rights: &Rights, set: &Happened) -> Option<Self> {
        let all = rights.allow("audit.read", &Resource::organization());
        let places = set.places.iter();
        let places: Vec<_> = places.filter_map(|it| place(rights, all, it)).collect();
        (all || !places.is_empty()).then(|| Self {
            number: set.number,
            id: set.id.clone(),
            actor: set.actor.name.clone(),
            actor_kind: set.actor.kind.as_str(),
            at: set.at.to_string(),
            places,
        })
    }
}

fn place(rights: &Rights, all: bool, moved: &Moved) -> Option<PlaceView> {
    let resource = match (&moved.project, &moved.environment) {
        (Some(project), Some(key)) => {
            let (project, key) = (project.as_str(), key.as_str());
            Some(Resource::environment(project, key, Some(moved.protected)))
        }
        (Some(project), None) => Some(Resource::project(project.as_str())),
        (None, _) => None,
    };
    let action = match moved.environment {
        Some(_) => "environment.read",
        None => "project.read",
    };
    let here = resource.as_ref().is_none_or(|it| rights.allow(action, it));
    let seen = |item: &&MovedItem| all || here && sees_item(rights, resource.as_ref(), item);
    let items: Vec<&MovedItem> = moved.items.iter().filter(seen).collect();
    if !all && (!here || items.is_empty()) {
        return None;
    }
    let keys = |kind: ItemKind| {
        let keys = items.iter().filter(|it| it.kind == kind);
        keys.map(|it| it.key.clone()).collect()
    };
    Some(PlaceView {
        project: moved.project.clone(),
        environment: moved.environment.clone(),
        version: moved.version,
        flags: keys(ItemKind::Flag),
        segments: keys(ItemKind::Segment),
        settings: items.iter().any(|it| !it.kind.has_tags()),
        more: moved.more,
    })
}

fn sees_item(rights: &Rights, place: Option<&Resource>, item: &MovedItem) -> bool {
    let (action, kind) = match item.kind {
        ItemKind::Flag => ("flag.read", Kind::Flag),
        ItemKind::Segment => ("segment.read", Kind::Segment),
        // Whoever sees the environment sees that it has changed.
        ItemKind::SdkKey | ItemKind::Setting => return true,
    };
    let resource = match place {
        Some(place) => place.clone().with(kind, item.key.as_str()),
        None => Resource::new(kind, item.key.as_str()),
    };
    rights.allow(action, &resource.tagged(&item.tags))
}
