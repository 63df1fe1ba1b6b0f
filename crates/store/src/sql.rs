//! SQL texts that are put together at run time: filters, lists, rows in bulk.
//!
//! `sqlx::QueryBuilder<Any>` writes `?`, which PostgreSQL does not know; here a bound value
//! appends its own `$n`, which both databases read. Texts come from this crate only, values are
//! always bound.

use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe};

use crate::error::StoreError;
use crate::text;

/// A statement under construction.
pub(crate) struct Sql {
    text: String,
    values: Vec<Value>,
}

impl Sql {
    /// A statement that begins with `text`.
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            values: Vec::new(),
        }
    }

    /// Appends a text.
    pub(crate) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Appends `$n` for a value.
    pub(crate) fn bind(&mut self, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        self.text.push_str(&format!("${}", self.values.len()));
        self
    }

    /// Begins the `index`th row of a `VALUES` list.
    pub(crate) fn row(&mut self, index: usize) -> &mut Self {
        self.push(if index == 0 { "(" } else { ", (" })
    }

    /// Appends `, $n` for a further value of a row.
    pub(crate) fn next(&mut self, value: impl Into<Value>) -> &mut Self {
        self.push(", ").bind(value)
    }

    /// Appends `($n, $n, …)` for texts. None at all give `(NULL)`, which nothing is in.
    pub(crate) fn list<'t>(&mut self, values: impl IntoIterator<Item = &'t str>) -> &mut Self {
        self.text.push('(');
        let before = self.values.len();
        for value in values {
            if self.values.len() > before {
                self.text.push_str(", ");
            }
            self.bind(value);
        }
        if self.values.len() == before {
            self.text.push_str("NULL");
        }
        self.push(")")
    }

    /// As [`Self::query`], for a connection whose database is known: for statements of many values.
    /// SQLite looks each `$n` (and `?n`) up by name among all of them, so that a statement's cost
    /// grows with the square; a bare `?` has no name. (`cargo bench -p burgee-store`: a metric event
    /// 27 µs with `$n`, 6 µs so.)
    pub(crate) fn query_for(
        mut self,
        backend: &str,
    ) -> Result<Query<'static, Any, AnyArguments>, StoreError> {
        if backend == "SQLite" {
            self.text = anonymous(&self.text);
        }
        self.query()
    }

    /// As [`Self::query_for`], for a text that comes again: the connection keeps it prepared.
    /// Reading a statement of some hundred values takes longer than running it.
    pub(crate) fn kept_for(
        self,
        backend: &str,
    ) -> Result<Query<'static, Any, AnyArguments>, StoreError> {
        Ok(self.query_for(backend)?.persistent(true))
    }

    /// The statement. It is not kept prepared: its text is another one each time.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] where a text holds U+0000, which PostgreSQL cannot store or compare.
    pub(crate) fn query(self) -> Result<Query<'static, Any, AnyArguments>, StoreError> {
        for value in &self.values {
            if let Value::Text(Some(text)) = value {
                text::storable("text", text)?;
            }
        }
        let query = sqlx::query(AssertSqlSafe(self.text)).persistent(false);
        let query = self
            .values
            .into_iter()
            .fold(query, |query, value| match value {
                Value::Text(text) => query.bind(text),
                Value::Number(number) => query.bind(number),
                Value::Small(number) => query.bind(number),
                Value::Real(number) => query.bind(number),
                Value::Blob(bytes) => query.bind(bytes),
            });
        Ok(query)
    }
}

/// The text with `?` in place of each `$n`. A builder's values stand in it once each, in order.
fn anonymous(text: &str) -> String {
    let mut parts = text.split('$');
    let mut anonymous = String::with_capacity(text.len());
    anonymous.push_str(parts.next().unwrap_or_default());
    for part in parts {
        anonymous.push('?');
        anonymous.push_str(part.trim_start_matches(|it: char| it.is_ascii_digit()));
    }
    anonymous
}

/// A value to be bound, of the few types that columns have.
pub(crate) enum Value {
    Text(Option<String>),
    Number(Option<i64>),
    Small(i16),
    Real(f64),
    Blob(Vec<u8>),
}

macro_rules! values {
    ($($from:ty => $value:ident => $into:expr;)*) => {
        $(impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $into
            }
        })*
    };
}

values! {
    &str => text => Self::Text(Some(text.to_owned()));
    &String => text => Self::Text(Some(text.clone()));
    String => text => Self::Text(Some(text));
    Option<&str> => text => Self::Text(text.map(str::to_owned));
    i64 => number => Self::Number(Some(number));
    Option<i64> => number => Self::Number(number);
    i16 => number => Self::Small(number);
    f64 => number => Self::Real(number);
    Vec<u8> => bytes => Self::Blob(bytes);
}

/// How many values a statement binds: from some hundreds on a larger one is no faster.
const VALUES: usize = 700;

/// How many rows of so many columns a bulk statement holds.
pub(crate) const fn rows(columns: usize) -> usize {
    VALUES / columns
}

/// How many values an `IN` list holds.
pub(crate) const LIST: usize = 500;

/// A pattern for `LIKE … ESCAPE '\'` that finds `text` anywhere.
pub(crate) fn containing(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
