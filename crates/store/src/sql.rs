//! SQL texts that are put together at run time: filters, lists, rows in bulk.
//!
//! `sqlx::QueryBuilder<Any>` writes `?`, which PostgreSQL does not know; here a bound value
//! appends its own `$n`, which both databases read. Texts come from this crate only, values are
//! always bound.

use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe};

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

    /// The statement. It is not kept prepared: its text is another one each time.
    pub(crate) fn query(self) -> Query<'static, Any, AnyArguments> {
        let query = sqlx::query(AssertSqlSafe(self.text)).persistent(false);
        self.values
            .into_iter()
            .fold(query, |query, value| match value {
                Value::Text(text) => query.bind(text),
                Value::Number(number) => query.bind(number),
                Value::Small(number) => query.bind(number),
                Value::Real(number) => query.bind(number),
                Value::Blob(bytes) => query.bind(bytes),
            })
    }
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

/// How many rows a bulk statement holds: both databases bound the number of values (32,766 and
/// 65,535), and a text that grows further is no longer faster.
pub(crate) const ROWS: usize = 500;

/// How many values an `IN` list holds, for the same reason.
pub(crate) const LIST: usize = 1_000;

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
