//! Whom flags are evaluated for: a user who is known, or one who is given.

use std::collections::BTreeMap;

use burgee_domain::access::Resource;
use burgee_domain::model::{Environment, Project};
use burgee_eval::user::User;

use super::{EvaluatedUser, Question};
use crate::api::users;
use crate::app::AppState;
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
    if question.name.is_none() && question.properties.is_none() {
        caller.may("user.read", &Resource::of(project, environment))?;
        let found = users::known(state, environment, &question.key).await?;
        let found = users::EndUserView::from(found);
        return Ok(EvaluatedUser {
            key: found.key,
            name: found.name,
            properties: found.properties,
            stored: true,
            properties_since: Some(found.properties_since),
        });
    }
    let user = EvaluatedUser {
        key: question.key.clone(),
        name: question.name.clone().unwrap_or_default(),
        properties: question.properties.clone().unwrap_or_default(),
        stored: false,
        properties_since: None,
    };
    check_user(&user.key, &user.name, &user.properties)?;
    Ok(user)
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
        let pointer = format!(
            "/properties/{}",
            property.replace('~', "~0").replace('/', "~1")
        );
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
    /// The user as flags and segments take one.
    pub(super) fn as_evaluated(&self) -> User<'_> {
        let properties = self.properties.iter();
        User {
            key: self.key.as_str().into(),
            name: self.name.as_str().into(),
            properties: properties
                .map(|(name, value)| (name.as_str().into(), value.as_str().into()))
                .collect(),
            kinds: Vec::new(),
        }
    }
}
