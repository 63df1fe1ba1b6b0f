//! A record, read as a user.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::api::evaluate::check_user;
use crate::body::once;
use crate::problem::Problem;

/// What a cell may begin with that gets an apostrophe before it.
pub(super) const MARKED: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// A user as a file has it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UserRecord {
    pub(super) key: String,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default, deserialize_with = "once::each_once")]
    pub(super) properties: BTreeMap<String, String>,
    /// Downloads have these; they are not taken over.
    #[serde(rename = "firstSeen")]
    _first_seen: Option<IgnoredAny>,
    #[serde(rename = "lastSeen")]
    _last_seen: Option<IgnoredAny>,
    #[serde(rename = "propertiesSince")]
    _properties_since: Option<IgnoredAny>,
}

/// What a column of a CSV file is.
pub(super) enum Column {
    Key,
    Name,
    Properties,
    Ignored,
    Property(String),
}

/// Reads records of one kind of file.
pub(super) enum Reader {
    JsonLines,
    /// Before its header.
    Csv,
    CsvOf(Vec<Column>),
}

impl Reader {
    pub(super) fn new(csv: bool) -> Self {
        match csv {
            true => Self::Csv,
            false => Self::JsonLines,
        }
    }

    /// Whether users can be read: in CSV, once there was a header.
    pub(super) fn is_ready(&self) -> bool {
        !matches!(self, Self::Csv)
    }

    /// The user of a record; none of a header.
    pub(super) fn read(&mut self, record: &[u8]) -> Result<Option<UserRecord>, Problem> {
        let record = record.strip_prefix("\u{feff}".as_bytes()).unwrap_or(record);
        let text = std::str::from_utf8(record)
            .map_err(|_| Problem::invalid("", "utf8", "the text is no UTF-8"))?;
        let user = match self {
            Self::JsonLines => crate::body::parse::<UserRecord>(text.as_bytes())?,
            Self::Csv => {
                *self = Self::CsvOf(header(&cells(text)?)?);
                return Ok(None);
            }
            Self::CsvOf(columns) => of_cells(columns, cells(text)?)?,
        };
        check_user(&user.key, &user.name, &user.properties)?;
        Ok(Some(user))
    }
}

fn header(cells: &[String]) -> Result<Vec<Column>, Problem> {
    let mut names = std::collections::BTreeSet::new();
    if let Some(twice) = cells.iter().find(|name| !names.insert(name.as_str())) {
        let rule = format!("the column `{twice}` is there twice");
        return Err(Problem::invalid("", "header", rule));
    }
    if !names.contains("key") {
        let rule = "the first line names the columns; `key` must be one";
        return Err(Problem::invalid("", "header", rule));
    }
    let column = |name: &String| match name.as_str() {
        "key" => Column::Key,
        "name" => Column::Name,
        "properties" => Column::Properties,
        "firstSeen" | "lastSeen" | "propertiesSince" | "" => Column::Ignored,
        property => Column::Property(property.to_owned()),
    };
    Ok(cells.iter().map(column).collect())
}

fn of_cells(columns: &[Column], cells: Vec<String>) -> Result<UserRecord, Problem> {
    if cells.len() != columns.len() {
        let (found, named) = (cells.len(), columns.len());
        let rule = format!("there are {found} cells where the header names {named}");
        return Err(Problem::invalid("", "cells", rule));
    }
    let mut user = UserRecord::default();
    for (column, cell) in columns.iter().zip(cells) {
        match column {
            Column::Key => user.key = cell,
            Column::Name => user.name = cell,
            Column::Ignored => {}
            Column::Property(_) if cell.is_empty() => {}
            Column::Property(name) => {
                user.properties.insert(name.clone(), cell);
            }
            Column::Properties if cell.is_empty() => {}
            Column::Properties => {
                let read: BTreeMap<String, String> = serde_json::from_str(&cell)
                    .map_err(|error| Problem::invalid("/properties", "json", error.to_string()))?;
                user.properties.extend(read);
            }
        }
    }
    Ok(user)
}

/// The cells of a record.
fn cells(text: &str) -> Result<Vec<String>, Problem> {
    let bad = || Problem::invalid("", "quotes", "a quoted cell does not end where it should");
    let (mut cells, mut cell) = (Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    loop {
        if characters.next_if_eq(&'"').is_some() {
            loop {
                match characters.next().ok_or_else(bad)? {
                    '"' if characters.next_if_eq(&'"').is_some() => cell.push('"'),
                    '"' => break,
                    other => cell.push(other),
                }
            }
            if characters.peek().is_some_and(|next| *next != ',') {
                return Err(bad());
            }
        }
        while let Some(other) = characters.next_if(|next| *next != ',') {
            cell.push(other);
        }
        let whole = std::mem::take(&mut cell);
        let unmarked = whole.strip_prefix('\'').filter(|it| it.starts_with(MARKED));
        cells.push(unmarked.map(str::to_owned).unwrap_or(whole));
        if characters.next().is_none() {
            return Ok(cells);
        }
    }
}
