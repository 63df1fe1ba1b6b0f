//! SQL texts that are put together at run time: filters, lists, rows in bulk.
//!
//! `sqlx::QueryBuilder<Any>` writes `?`, which PostgreSQL does not know; here a bound value
//! appends its own `$n`, which both databases read. Texts come from this crate only, values are
//! always bound.

use sqlx::any::AnyArguments;
use sqlx::error::BoxDynError;
use sqlx::query::Query;
use sqlx::{Any, Arguments, AssertSqlSafe, Encode, Type};

/// A statement under construction.
pub(crate) struct Sql {
    text: String,
    arguments: Result<AnyArguments, BoxDynError>,
    bound: usize,
}

impl Sql {
    /// A statement that begins with `text`.
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            arguments: Ok(AnyArguments::default()),
            bound: 0,
        }
    }

    /// Appends a text.
    pub(crate) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Appends `$n` for a value.
    pub(crate) fn bind<'t, T: Encode<'t, Any> + Type<Any>>(&mut self, value: T) -> &mut Self {
        if let Ok(arguments) = &mut self.arguments
            && let Err(error) = arguments.add(value)
        {
            self.arguments = Err(error);
        }
        self.bound += 1;
        self.text.push_str(&format!("${}", self.bound));
        self
    }

    /// Appends `($n, $n, …)` for texts. None at all give `(NULL)`, which nothing is in.
    pub(crate) fn list<'t>(&mut self, values: impl IntoIterator<Item = &'t str>) -> &mut Self {
        self.text.push('(');
        let start = self.bound;
        for value in values {
            if self.bound > start {
                self.text.push_str(", ");
            }
            self.bind(value);
        }
        if self.bound == start {
            self.text.push_str("NULL");
        }
        self.push(")")
    }

    /// The statement. It is not kept prepared: its text is another one each time.
    pub(crate) fn query(self) -> Query<'static, Any, AnyArguments> {
        sqlx::query_with_result(AssertSqlSafe(self.text), self.arguments).persistent(false)
    }
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
