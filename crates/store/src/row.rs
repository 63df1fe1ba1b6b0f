//! Reading columns into the domain's types.
//!
//! Columns are read by their place: each `SELECT` stands beside the function that reads its rows.
//! SQLite reads NULL as a value where it is not asked for an `Option`, so every nullable column is.

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Life;
use burgee_eval::time::Millis;
use serde::de::DeserializeOwned;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;

pub(crate) fn text(row: &AnyRow, column: usize) -> Result<String, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn optional_text(row: &AnyRow, column: usize) -> Result<Option<String>, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn id<T>(row: &AnyRow, column: usize) -> Result<Id<T>, StoreError> {
    Ok(Id::new(text(row, column)?))
}

pub(crate) fn optional_id<T>(row: &AnyRow, column: usize) -> Result<Option<Id<T>>, StoreError> {
    let text: Option<String> = row.try_get(column)?;
    Ok(text.map(Id::new))
}

pub(crate) fn key(row: &AnyRow, column: usize) -> Result<Key, StoreError> {
    let text = text(row, column)?;
    Key::new(text).map_err(|error| StoreError::Other(Box::new(error)))
}

pub(crate) fn number(row: &AnyRow, column: usize) -> Result<i64, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn millis(row: &AnyRow, column: usize) -> Result<Millis, StoreError> {
    Ok(Millis(number(row, column)?))
}

pub(crate) fn optional_number(row: &AnyRow, column: usize) -> Result<Option<i64>, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn optional_millis(row: &AnyRow, column: usize) -> Result<Option<Millis>, StoreError> {
    Ok(optional_number(row, column)?.map(Millis))
}

pub(crate) fn boolean(row: &AnyRow, column: usize) -> Result<bool, StoreError> {
    Ok(number(row, column)? != 0)
}

pub(crate) fn blob(row: &AnyRow, column: usize) -> Result<Vec<u8>, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn optional_blob(row: &AnyRow, column: usize) -> Result<Option<Vec<u8>>, StoreError> {
    Ok(row.try_get(column)?)
}

/// A 32-byte hash.
pub(crate) fn hash(row: &AnyRow, column: usize) -> Result<[u8; 32], StoreError> {
    blob(row, column)?
        .try_into()
        .map_err(|_| StoreError::corrupt("a stored hash has not 32 bytes"))
}

/// A column of JSON.
pub(crate) fn json<T: DeserializeOwned>(row: &AnyRow, column: usize) -> Result<T, StoreError> {
    let text: &str = row.try_get(column)?;
    Ok(serde_json::from_str(text)?)
}

/// A column that holds the name of one of an enum's cases, as serde writes it.
pub(crate) fn name<T: DeserializeOwned>(row: &AnyRow, column: usize) -> Result<T, StoreError> {
    let text = text(row, column)?;
    Ok(serde_json::from_value(serde_json::Value::String(text))?)
}

/// The name that [`Life`] is stored by.
pub(crate) fn life_name(life: Life) -> &'static str {
    match life {
        Life::Live => "live",
        Life::Archived => "archived",
        Life::Deleted => "deleted",
    }
}
