//! Texts at the border: names and descriptions by the domain's rules, and no U+0000 anywhere, which
//! PostgreSQL cannot store.

use burgee_domain::Rejected;
use serde_json::Value;
use uuid::Uuid;

use crate::error::StoreError;

/// A display name, as it is kept.
pub(crate) fn name(text: &str) -> Result<String, StoreError> {
    burgee_domain::check_name(text).map_err(invalid("name"))
}

/// A description, as it is kept.
pub(crate) fn description(text: &str) -> Result<String, StoreError> {
    burgee_domain::check_description(text).map_err(invalid("description"))
}

fn invalid(field: &'static str) -> impl FnOnce(Rejected) -> StoreError {
    move |rejected| StoreError::Invalid {
        field,
        code: rejected.code.into(),
        message: rejected.message,
    }
}

/// Refuses a text that holds U+0000.
pub(crate) fn storable(field: &'static str, text: &str) -> Result<(), StoreError> {
    if text.contains('\0') {
        return Err(StoreError::Invalid {
            field,
            code: "nulCharacter".into(),
            message: "the character U+0000 cannot be stored".to_owned(),
        });
    }
    Ok(())
}

/// Refuses a document that holds U+0000 in any text or name.
pub(crate) fn storable_json(field: &'static str, value: &Value) -> Result<(), StoreError> {
    match value {
        Value::String(text) => storable(field, text),
        Value::Array(values) => values.iter().try_for_each(|v| storable_json(field, v)),
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            storable(field, name)?;
            storable_json(field, value)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// A text that nobody guesses, 244 random bits, after a prefix that tells what it is. Only its
/// [digest](crate::digest) is stored.
pub(crate) fn secret(prefix: &str) -> String {
    let [a, b] = [Uuid::new_v4(), Uuid::new_v4()];
    format!("{prefix}{}{}", a.simple(), b.simple())
}
