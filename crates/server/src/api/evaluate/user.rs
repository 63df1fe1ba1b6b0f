//! Whom flags are evaluated for: a user who is known, or one who is given.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use burgee_domain::access::Resource;
use burgee_domain::model::{Environment, Project};
use burgee_eval::context::{Context, Limits};
use burgee_eval::user::User;
use serde_json::value::RawValue;

use super::{EvaluatedUser, Question};
use crate::api::users;
use crate::app::AppState;
use crate::audience::{evaluated, typed_user};
use crate::auth::Caller;
use crate::problem::Problem;

/// What a user may be, as traffic has it: a key, a name, properties, name and value of each
/// together.
const MAX_KEY: usize = 512;
const MAX_NAME: usize = 256;
const MAX_PROPERTIES: usize = 100;
const MAX_PROPERTY: usize = 1024;

/// The user that is meant: known here, or as given.
pub(super) async fn user(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    environment: &Environment,
    question: &Question,
) -> Result<EvaluatedUser, Problem> {
    let given =
        question.name.is_some() || question.properties.is_some() || question.types.is_some();
    let user = match (&question.key, &question.context) {
        (None, None) => {
            let rule = "say for whom: `key`, or a `context`";
            return Err(Problem::invalid("/key", "required", rule));
        }
        (key, Some(context)) => {
            if key.is_some() || given {
                let rule = "a context is a whole user: give no `key`, `name`, `properties` or \
                    `types` beside it";
                return Err(Problem::invalid("/context", "together", rule));
            }
            of_context(context)?
        }
        (Some(key), None) if !given => {
            caller.may("user.read", &Resource::of(project, environment))?;
            let found = users::known(state, environment, key).await?;
            let since = found.changed.unwrap_or(found.first_seen);
            return Ok(EvaluatedUser {
                stored: true,
                properties_since: Some(since.to_string()),
                ..EvaluatedUser::of(&evaluated(&found))
            });
        }
        (Some(key), None) => EvaluatedUser {
            key: key.clone(),
            name: question.name.clone().unwrap_or_default(),
            properties: question.properties.clone().unwrap_or_default(),
            types: question.types.clone().unwrap_or_default(),
            stored: false,
            properties_since: None,
        },
    };
    check_user(&user.key, &user.name, &user.properties)?;
    check_types(&user)?;
    Ok(user)
}

/// Refuses types of what is not there, or does not read as that.
fn check_types(user: &EvaluatedUser) -> Result<(), Problem> {
    for (property, of) in &user.types {
        let text = user.properties.get(property);
        if text.is_none_or(|text| of.of(text).type_of() != Some(*of)) {
            let rule = "there is no such property, or its text is not the JSON of that type";
            return Err(Problem::invalid(
                under("/types", property),
                "propertyType",
                rule,
            ));
        }
    }
    Ok(())
}

/// The JSON pointer of a member.
fn under(parent: &str, member: &str) -> String {
    format!("{parent}/{}", member.replace('~', "~0").replace('/', "~1"))
}

/// The user that a context describes.
fn of_context(context: &RawValue) -> Result<EvaluatedUser, Problem> {
    let refuse = |why: String| Problem::invalid("/context", "context", why);
    let read: Context<'_> = serde_json::from_str(context.get()).map_err(|why| {
        refuse(format!(
            "it must be an object with the user's attributes: {why}"
        ))
    })?;
    let limits = Limits {
        key: MAX_KEY,
        name: MAX_NAME,
        attributes: MAX_PROPERTIES,
        attribute: MAX_PROPERTY,
    };
    let user = read.user(&limits).map_err(|why| refuse(why.to_string()))?;
    Ok(EvaluatedUser::of(&user))
}

/// Refuses what no user of an SDK can be.
pub(crate) fn check_user(
    key: &str,
    name: &str,
    properties: &BTreeMap<String, String>,
) -> Result<(), Problem> {
    let refuse = |pointer: &str, code: &str, rule: String| {
        Err(Problem::invalid(pointer.to_owned(), code, rule))
    };
    if key.trim().is_empty() || key.len() > MAX_KEY {
        let rule = format!("a user's key has 1 to {MAX_KEY} bytes, not only blanks");
        return refuse("/key", "userKey", rule);
    }
    if name.len() > MAX_NAME {
        let rule = format!("a user's name has at most {MAX_NAME} bytes");
        return refuse("/name", "tooLong", rule);
    }
    if properties.len() > MAX_PROPERTIES {
        let rule = format!("a user has at most {MAX_PROPERTIES} properties");
        return refuse("/properties", "listTooLong", rule);
    }
    for (property, value) in properties {
        let pointer = under("/properties", property);
        if property.is_empty() || property.len() + value.len() > MAX_PROPERTY {
            let rule =
                format!("a property has a name, and with its value at most {MAX_PROPERTY} bytes");
            return refuse(&pointer, "tooLong", rule);
        }
        if property.contains('\0') || value.contains('\0') {
            let rule = "the character U+0000 is in no text here".to_owned();
            return refuse(&pointer, "nulCharacter", rule);
        }
    }
    if key.contains('\0') || name.contains('\0') {
        let pointer = if key.contains('\0') { "/key" } else { "/name" };
        let rule = "the character U+0000 is in no text here".to_owned();
        return refuse(pointer, "nulCharacter", rule);
    }
    Ok(())
}

impl EvaluatedUser {
    /// A user who is given.
    pub(crate) fn of(user: &User<'_>) -> Self {
        let (mut properties, mut types) = (BTreeMap::new(), BTreeMap::new());
        for (name, text, of) in user.typed() {
            // Of two with one name the first counts, as in evaluation.
            if let Entry::Vacant(place) = properties.entry(name.to_owned()) {
                place.insert(text.to_owned());
                types.extend(of.map(|of| (name.to_owned(), of)));
            }
        }
        Self {
            key: user.key.to_string(),
            name: user.name.to_string(),
            properties,
            types,
            stored: false,
            properties_since: None,
        }
    }

    /// The user as flags and segments take one.
    pub(super) fn as_evaluated(&self) -> User<'_> {
        let properties = self.properties.iter();
        let typed = properties.map(|(name, text)| {
            let of = self.types.get(name).copied();
            (name.as_str(), text.as_str(), of)
        });
        typed_user(&self.key, &self.name, typed)
    }
}
